/**
 * The page about declaring services: complete, and its examples run as written, except for the address of the provider.
 */
import { FixedPrice, QuotedPrice } from "@countersign/domain/price"
import { HttpOperation, HttpService, OperationAsync, ServiceAuth } from "@countersign/domain/services"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { signatureOf } from "../../support/hooks.ts"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { httpUpstream } from "../../support/upstream.ts"

const page = readFileSync(join(import.meta.dirname, "../../../resources/docs/declaring-services.md"), "utf8")

type Json = Readonly<Record<string, unknown>>
const examples = new Map<string, Map<string, Json>>()
for (const [, name = "", part = "", text = ""] of page.matchAll(/^```json (\w+) (\w+)\n([\s\S]*?)^```$/gmu)) {
  examples.set(name, (examples.get(name) ?? new Map<string, Json>()).set(part, JSON.parse(text) as Json))
}
const partOf = (name: string, part: string): Json => {
  const found = examples.get(name)?.get(part)
  if (found === undefined) throw new Error(`the example ${name} has no ${part}`)
  return found
}

/** A provider that gives the answers of the page, and repeats the last one. */
const providerOf = (name: string) => {
  const answers = partOf(name, "provider") as Readonly<Record<string, ReadonlyArray<unknown>>>
  const asked = new Map<string, number>()
  return httpUpstream(({ method, url }, response) => {
    const call = `${method} ${url.split("?")[0] ?? ""}`
    const count = asked.get(call) ?? 0
    asked.set(call, count + 1)
    const known = answers[call]
    response.writeHead(known === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(known?.[Math.min(count, known.length - 1)] ?? {}))
  })
}

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "the page about declaring services",
  (it) => {
    it("lists every field of a declaration", () => {
      const fields = [HttpService, ServiceAuth, HttpOperation, OperationAsync, FixedPrice, QuotedPrice].flatMap((
        schema
      ) => Object.keys(schema.fields))
      for (const field of new Set(fields)) {
        assert.isTrue(page.includes(`\`${field}\``) || page.includes(`"${field}"`), `the page does not name ${field}`)
      }
      assert.sameMembers([...examples.keys()], ["quoted", "callback", "poll"])
    })

    for (const name of examples.keys()) {
      it.effect(`its example ${name} ends as the page describes`, () =>
        Effect.gen(function*() {
          const hub = yield* TestHub
          const { api, owner: { cookie, org } } = hub
          const upstream = yield* providerOf(name)
          yield* topUp(hub, hub.owner, 1_000)
          const declaration = partOf(name, "declaration") as Json & {
            readonly name: string
            readonly operations: ReadonlyArray<{ readonly name: string; readonly async?: { readonly secret?: string } }>
          }
          const [operation] = declaration.operations
          const base_url = String(declaration["base_url"]).replace(/^https:\/\/[^/]+/u, upstream.origin)
          const declared = expectStatus(
            yield* api("POST", "/services", { cookie, body: { ...declaration, base_url } }),
            201
          )
          assert.deepStrictEqual(declared.body.warnings ?? [], [])
          for (const secret of declared.body.missing_secrets as ReadonlyArray<string>) {
            expectStatus(
              yield* api("PUT", `/secrets/${secret}`, { cookie, body: { value: `value of ${secret}` } }),
              201
            )
          }
          const agent = yield* makeAgent(hub, hub.owner, {
            bindings: [{ service: declaration.name, operations: ["*"] }] as never
          })
          const body = { service: declaration.name, operation: operation?.name, payload: partOf(name, "payload") }
          const expected = partOf(name, "outcome")
          // An estimate first, which spends nothing, as the page describes.
          const estimate = expectStatus(yield* api("POST", "/service-requests/estimate", { key: agent.key, body }), 200)
          assert.deepInclude(estimate.body, {
            status: operation?.async === undefined ? "executed" : "running",
            ceiling_cents: expected["ceiling_cents"]
          })
          assert.lengthOf(upstream.received, 0)
          const asked = yield* api("POST", "/service-requests", { key: agent.key, body })
          if (examples.get(name)?.has("body") === true) {
            assert.deepStrictEqual([asked.status, asked.body.status], [202, "running"])
            const { notify } = JSON.parse(upstream.received[0]?.body ?? "{}") as { readonly notify: string }
            assert.isTrue(notify.endsWith(`/webhooks/${declaration.name}/reconcile?org=${org}`))
            const text = JSON.stringify(partOf(name, "body"))
            const path = notify.slice(notify.indexOf("/webhooks/"))
            expectStatus(
              yield* api("POST", path, {
                body: text,
                headers: signatureOf(text, `value of ${operation?.async?.secret ?? ""}`)
              }),
              200
            )
          }
          const ended = asked.body.status === "running"
            ? yield* api("GET", `/service-requests/${asked.body.id}?wait=30`, { key: agent.key })
            : asked
          assert.deepInclude(ended.body, expected)
        }))
    }
  }
)
