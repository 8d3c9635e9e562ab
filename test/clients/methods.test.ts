/** Both clients have exactly the methods of the document, and every method reaches its endpoint on a real hub. */
import { Countersign, CountersignError } from "@countersign/client"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type OpenApi, type Operation, readDocument, snakeOf } from "../../packages/client/scripts/document.ts"
import { endpoints } from "../support/endpoints.ts"
import { HubTest, makeAgent, TestHub, topUp } from "../support/hub.ts"
import { makeSignedIn } from "../support/people.ts"
import { pythonProgram, runPython } from "./python.ts"

const openapi = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../resources/openapi.json"), "utf8")
) as OpenApi
const { operations } = readDocument(openapi)

const camelOf = (name: string) => name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())

/** Ids of things that exist, by the prefix of their type. */
type Ids = Readonly<Record<string, string>>

const parameterOf = (operation: Operation, name: string, ids: Ids): string => {
  const [path] = Object.entries(openapi.paths).find(([path]) => path === `/api/v1${operation.path}`) ?? [""]
  const parameters = openapi.paths[path]?.[operation.method.toLowerCase()]?.parameters ?? []
  const found = parameters.find((parameter) => parameter.name === name)
  const prefix = /prefix (\w+)_/u.exec(found?.schema.description ?? "")?.[1]
  return ids[prefix ?? name] ?? (prefix === undefined ? "x" : `${prefix}_01j00000000000000000000000`)
}

/** Streams are read elsewhere; a sign-out would end the session of the calls after it, so it is last. */
const called = operations.filter(({ answer: { kind } }) => kind !== "events" && kind !== "turn")
  .toSorted(({ id: left }, { id: right }) => Number(left === "auth.logout") - Number(right === "auth.logout"))

interface PlannedCall {
  readonly id: string
  readonly group: string
  readonly method: string
  readonly credential: "session" | "key"
  readonly path: ReadonlyArray<string>
  readonly data: ReadonlyArray<string>
  readonly bytes: boolean
  readonly input: Readonly<Record<string, unknown>>
}

const planOf = (operation: Operation, ids: Ids): PlannedCall => {
  const { body, group, id, name, pathParameters, query, takesBytes } = operation
  const facts = endpoints.find((endpoint) => endpoint.id === id)
  const security = openapi.paths[`/api/v1${operation.path}`]?.[operation.method.toLowerCase()]?.security ?? []
  const isAgents = security.length > 0 && security.every((scheme) => "agentKey" in scheme)
  const required = query.filter(({ isRequired }) => isRequired).map(({ name }) => [name, "x"] as const)
  return {
    id,
    group,
    method: name,
    credential: isAgents ? "key" : "session",
    path: pathParameters.map((name) => parameterOf(operation, name, ids)),
    data: takesBytes ? ["bytes"] : [],
    bytes: takesBytes,
    input: { ...Object.fromEntries(required), ...body === undefined ? {} : facts?.body?.sample as object | null ?? {} }
  }
}

interface Outcome {
  readonly id: string
  readonly error?: {
    readonly kind: string
    readonly code: string
    readonly status?: number | null
    readonly message: string
    readonly details?: unknown
  }
}

/** GETs of things that exist must succeed, so that their answers are read; `absent` names what the hub does not have. */
const absent = new Set(["setup.state", "billing.get"])

const check = (outcomes: ReadonlyArray<Outcome>, plans: ReadonlyArray<PlannedCall>): void => {
  const strange = outcomes.filter(({ error }) =>
    error !== undefined &&
    (error.kind === "AnswerError" || error.kind === "NetworkError" || error.kind === "InputError" ||
      error.status === 405 || (error.status ?? 500) >= 500 && error.status !== 502 && error.status !== 503 ||
      error.message.includes("This address does not exist"))
  )
  assert.deepStrictEqual(strange, [])
  const lists = operations.filter(({ answer: { kind }, id, method, pathParameters }) =>
    method === "GET" && kind === "page" && pathParameters.length === 0 && !absent.has(id)
  )
  const listed = new Set(lists.map(({ id }) => id))
  assert.deepStrictEqual(outcomes.filter(({ error, id }) => error !== undefined && listed.has(id)), [])
  assert.strictEqual(outcomes.length, plans.length)
}

const prepare = Effect.gen(function*() {
  const hub = yield* TestHub
  yield* topUp(hub, hub.owner, 1_000)
  const agent = yield* makeAgent(hub, hub.owner, { bindings: [{ service: "echo", operations: ["*"] }] })
  const client = new Countersign({ baseUrl: hub.url, session: hub.owner.cookie })
  const asAgent = new Countersign({ baseUrl: hub.url, apiKey: agent.key })
  const say = { service: "echo", operation: "say", payload: { text: "hello" } }
  return yield* Effect.promise(async () => {
    const executed = await asAgent.dispatch(say)
    await client.budgets.set(agent.id, { monthly_budget_cents: null, approval_threshold_cents: 0 })
    const pending = await asAgent.dispatch(say)
    assert.strictEqual(pending.status, "approval_required")
    const memory = await client.memories.create(agent.id, { kind: "fact", content: "The sky is blue." })
    const secret = await client.secrets.put("stripe", { value: "sk_1" })
    const ids: Ids = {
      agt: agent.id,
      req: executed.id,
      apr: pending.status === "approval_required" ? pending.approval_id : "",
      mem: memory.id,
      org: hub.owner.org,
      usr: hub.owner.user,
      name: secret.name
    }
    return { hub, agent, ids }
  })
})

layer(HubTest(), { excludeTestServices: true, timeout: 300_000 })("the methods of the clients", (it) => {
  it.effect("are those of the document", (context) =>
    Effect.gen(function*() {
      const client = new Countersign({ baseUrl: "http://127.0.0.1:1" }) as unknown as Readonly<
        Record<string, Readonly<Record<string, unknown>>>
      >
      const groups = Map.groupBy(operations, ({ group }) => group)
      const shortcuts = new Set(["dispatch", "poll", "estimate", "withOptions"])
      assert.deepStrictEqual(
        Object.keys(client).filter((name) => !shortcuts.has(name)).sort(),
        [...groups.keys()].map(camelOf).sort()
      )
      for (const [group, each] of groups) {
        assert.deepStrictEqual(
          Object.keys(client[camelOf(group)]!).sort(),
          each.map(({ name }) => camelOf(name)).sort()
        )
      }
      const printed = yield* runPython(
        context,
        pythonProgram("methods.py"),
        [],
        JSON.stringify({ base_url: "http://127.0.0.1:1", calls: [] })
      )
      const expected = Object.fromEntries(
        [...groups].map(([group, each]) => [
          group,
          each.map(({ name }) => name === "import" ? "import_" : snakeOf(name)).sort()
        ])
      )
      assert.deepStrictEqual(JSON.parse(printed) as unknown, [expected, expected])
    }))

  it.effect("reach their endpoints in TypeScript", () =>
    Effect.gen(function*() {
      const { agent, hub, ids } = yield* prepare
      const person = yield* makeSignedIn(hub, hub.owner.org, "owner")
      const session = new Countersign({ baseUrl: hub.url, session: person.cookie, retries: 0 })
      const key = new Countersign({ baseUrl: hub.url, apiKey: agent.key, retries: 0 })
      const plans = called.map((operation) => planOf(operation, operation.method === "GET" ? ids : {}))
      const outcomes: Array<Outcome> = []
      for (const { credential, data, group, id, input, method, path } of plans) {
        const client = (credential === "key" ? key : session) as unknown as Readonly<
          Record<string, Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Promise<unknown>>>>
        >
        const { body, query } = called.find((operation) => operation.id === id)!
        const takesInput = query.length + (body?.length ?? 0) > 0
        const args = [...path, ...data, ...takesInput ? [input] : []]
        outcomes.push(
          yield* Effect.promise(async () => {
            try {
              await client[camelOf(group)]![camelOf(method)]!(...args)
              return { id }
            } catch (error) {
              if (!(error instanceof CountersignError)) throw error
              const { code, details, message, name, status } = error
              return { id, error: { kind: name, code, status: status ?? null, message, details } }
            }
          })
        )
      }
      check(outcomes, plans)
    }), 600_000)

  it.effect("reach their endpoints in Python, synchronous and asynchronous", (context) =>
    Effect.gen(function*() {
      const { agent, hub, ids } = yield* prepare
      const person = yield* makeSignedIn(hub, hub.owner.org, "owner")
      const plans = called.filter(({ id }) => id !== "auth.logout").map((operation) =>
        planOf(operation, operation.method === "GET" ? ids : {})
      )
      const calls = plans.map((plan) => ({
        ...plan,
        method: plan.method === "import" ? "import_" : snakeOf(plan.method),
        input: Object.fromEntries(
          Object.entries(plan.input).map(([name, value]) => [name === "from" ? "from_" : name, value])
        )
      }))
      const output = yield* runPython(
        context,
        pythonProgram("methods.py"),
        [],
        JSON.stringify({ base_url: hub.url, session: person.cookie, key: agent.key, calls })
      )
      const outcomes = output.trim().split("\n").map((line) => JSON.parse(line) as Outcome)
      check(outcomes, [...plans, ...plans])
    }), 600_000)
})
