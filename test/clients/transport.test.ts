/** All clients run the same transport cases: TypeScript, Python (synchronous and asynchronous), and Effect. */
import { Countersign, CountersignError } from "@countersign/client"
import { makeClient } from "@countersign/domain/client"
import type { ClientError } from "@countersign/domain/client-errors"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { neverMillis, recordingTime } from "../domain/client/recorded-time.ts"
import { pythonProgram, runPython } from "./python.ts"
import { type ScriptedServer, scriptedServer } from "./scripted-server.ts"
import { apiKey, checkCase, type Report, requestId, scriptOf, transportCases, workspace } from "./transport-cases.ts"

class Server extends Context.Service<Server, ScriptedServer>()("test/clients/Server") {}

const casesOf = (client: string) =>
  transportCases.map((each, at) => [each.name, each, `${client}-${at}`] as const).filter(([, { clients }]) =>
    clients === undefined || clients.includes(client)
  )

const say = { service: "echo", operation: "say", payload: { n: 1 } }

/** What an error is for a report. */
const facts = ({ code, data, details, request_id, status }: CountersignError | ClientError, kind: string) => ({
  kind,
  code,
  ...status === undefined ? {} : { status },
  ...request_id === undefined ? {} : { request_id },
  ...details === undefined ? {} : { details },
  ...data === undefined ? {} : { data }
})

layer(Layer.effect(Server, scriptedServer), { excludeTestServices: true })("the transport of a client", (it) => {
  it.effect.each(casesOf("typescript"))("in TypeScript: %s", ([, each, name]) =>
    Effect.gen(function*() {
      const server = yield* Server
      const { key, retries, timeout } = each.options ?? {}
      const pauses: Array<number> = []
      const client = new Countersign({
        baseUrl: server.add(name, scriptOf(each)),
        apiKey,
        workspace,
        ...retries === undefined ? {} : { retries },
        ...timeout === undefined ? {} : { timeout: timeout * 1_000 },
        sleep: async (millis) => void pauses.push(millis / 1_000)
      })
      const options = key === undefined ? {} : { idempotencyKey: key }
      const calls: Readonly<Record<string, () => Promise<Partial<Report>>>> = {
        "agents.list": async () => ({ items: (await client.agents.list()).data.length }),
        "secrets.all": async () => {
          let items = 0
          for await (const _ of client.secrets.list()) items++
          return { items }
        },
        "secrets.put": async () => (await client.secrets.put("stripe", { value: "x" }), {}),
        "secrets.remove": async () => (await client.secrets.remove("stripe"), {}),
        "agents.create": async () => (await client.agents.create({ name: "a" }), {}),
        "agents.rotateKey": async () => (await client.agents.rotateKey("agt_1"), {}),
        "ledger.topUp": async () => (await client.ledger.topUp({ amount_cents: 100 }, options), {}),
        "dispatch": async () => ({ status: (await client.dispatch(say, options)).status }),
        "dispatchAndWait": async () => ({ status: (await client.dispatch(say, { wait: true })).status }),
        "poll": async () => ({ status: (await client.poll(requestId)).status }),
        "pollUntilDecided": async () => ({ status: (await client.poll(requestId, { untilDecided: true })).status })
      }
      const report = yield* Effect.promise(() =>
        calls[each.call]!().catch((error: unknown) => {
          if (error instanceof CountersignError) return { error: facts(error, error.name) }
          throw error
        })
      )
      checkCase(each, { ...report, pauses }, server.sent(name))
    }))

  it.effect.each(casesOf("effect"))(
    "in Effect: %s",
    ([, each, name]) =>
      recordingTime(({ pauses }) =>
        Effect.gen(function*() {
          const server = yield* Server
          const { key, retries } = each.options ?? {}
          const client = yield* makeClient({
            baseUrl: server.add(name, scriptOf(each)),
            credential: apiKey,
            workspace,
            timeoutMillis: neverMillis,
            dispatchTimeoutMillis: neverMillis,
            ...retries === undefined ? {} : { retries }
          })
          const options = key === undefined ? {} : { idempotencyKey: key }
          const empty = Effect.as({} as Partial<Report>)
          const calls: Readonly<Record<string, () => Effect.Effect<Partial<Report>, ClientError>>> = {
            "agents.list": () => Effect.map(client.agents.list(), ({ data }) => ({ items: data.length })),
            "secrets.put": () => empty(client.secrets.put({ params: { name: "stripe" }, payload: { value: "x" } })),
            "secrets.remove": () => empty(client.secrets.remove({ params: { name: "stripe" } })),
            "agents.create": () => empty(client.agents.create({ payload: { name: "a" } })),
            "agents.rotateKey": () =>
              empty(client.agents.rotateKey({ params: { id: "agt_01j00000000000000000000000" }, payload: {} })),
            "ledger.topUp": () => empty(client.ledger.topUp({ payload: { amount_cents: 100 } }, options)),
            "dispatch": () => Effect.map(client.dispatch(say, options), ({ status }) => ({ status })),
            "dispatchAndWait": () => Effect.map(client.dispatch(say, { wait: true }), ({ status }) => ({ status })),
            "poll": () => Effect.map(client.poll(requestId), ({ status }) => ({ status })),
            "pollUntilDecided": () =>
              Effect.map(client.poll(requestId, { untilDecided: true }), ({ status }) => ({ status }))
          }
          const result = yield* Effect.result(calls[each.call]!())
          const report = Result.isSuccess(result)
            ? result.success
            : { error: facts(result.failure, result.failure._tag) }
          checkCase(each, { ...report, pauses: pauses.map((millis) => millis / 1_000) }, server.sent(name))
        })
      )
  )

  it.effect("in Python, synchronous and asynchronous, is the same", (context) =>
    Effect.gen(function*() {
      const server = yield* Server
      const cases = casesOf("python").flatMap(([, each, name]) =>
        ["sync", "async"].map((mode) => ({
          ...each,
          mode,
          script_name: `${name}-${mode}`,
          base_url: server.add(`${name}-${mode}`, scriptOf(each))
        }))
      )
      const output = yield* runPython(context, pythonProgram("transport.py"), [], JSON.stringify(cases))
      const reports = output.trim().split("\n").map((line) => JSON.parse(line) as Report)
      assert.lengthOf(reports, cases.length)
      for (const [at, each] of cases.entries()) {
        checkCase({ ...each, name: `${each.name} (${each.mode})` }, reports[at]!, server.sent(each.script_name))
      }
    }), 600_000)
})
