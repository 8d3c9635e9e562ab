import { ImportedService, ListedService, SavedService } from "@countersign/domain/catalog"
import { newId } from "@countersign/domain/ids"
import { Page } from "@countersign/domain/pagination"
import type { HttpService } from "@countersign/domain/services"
import { Agents } from "@countersign/hub/agents/service"
import { Bindings } from "@countersign/hub/bindings/service"
import { Catalog } from "@countersign/hub/catalog/service"
import { encodeCursor } from "@countersign/hub/platform/cursor"
import { SecretsRepository } from "@countersign/hub/secrets/repository"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fitting } from "../../support/contract.ts"
import { HubServices } from "../../support/hub-services.ts"
import { asAgent, makeUser } from "../../support/principals.ts"
import { execute, makeWorkspace, tick } from "../../support/tick.ts"
import { httpUpstream } from "../../support/upstream.ts"

const weather = (changes: Partial<HttpService> = {}): HttpService => ({
  name: "weather",
  title: "Weather",
  kind: "http",
  base_url: "https://weather.example/v1",
  auth: { type: "bearer", secret: "weather_key" },
  operations: [
    {
      name: "now",
      method: "GET",
      path: "/now/${payload.city}",
      payload_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      price: { type: "fixed", cents: 3 }
    },
    {
      name: "report",
      method: "POST",
      path: "/reports",
      payload_schema: { type: "object" },
      price: { type: "quoted", ceiling: "payload.days * 10" }
    }
  ],
  ...changes
})
const withoutWarnings = <A extends { readonly warnings: unknown }>({ warnings: _, ...saved }: A) => saved
const rulesVersion = Effect.fnUntraced(function*(org: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ rules_version: number }>`select rules_version from org_heads where org_id = ${org}`
  return row!.rules_version
})
const paths = (error: { readonly error: { readonly details?: ReadonlyArray<{ readonly path: string }> } }) =>
  error.error.details?.map(({ path }) => path)

layer(HubServices, { excludeTestServices: true })("the catalog", (it) => {
  it.effect("lists shipped and declared services, and names missing secrets", () =>
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const secrets = yield* SecretsRepository
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const made = yield* catalog.create(user, weather())
      assert.deepStrictEqual(
        withoutWarnings(made),
        { ...weather(), shipped: false, enabled: true, missing_secrets: ["weather_key"], version: 1 } as never
      )
      assert.deepStrictEqual(yield* catalog.get(user, "weather"), withoutWarnings(made))
      yield* secrets.put(org, "weather_key", new Uint8Array(40))
      assert.isUndefined((yield* catalog.get(user, "weather")).missing_secrets)
      const { data } = fitting(Page(ListedService), yield* catalog.list(user, {}))
      assert.deepStrictEqual(data.map(({ name, shipped }) => `${name}${shipped ? "*" : ""}`), [
        "device*",
        "echo*",
        "email*",
        "http*",
        "knowledge*",
        "llm*",
        "memory*",
        "search*",
        "speech*",
        "storage*",
        "voice*",
        "weather",
        "webhook*",
        "workflow*"
      ])
      const first = yield* catalog.list(user, { limit: 13 })
      assert.deepStrictEqual((yield* catalog.list(user, { cursor: first.next_cursor! })).data.map(({ name }) => name), [
        "workflow"
      ])
      for (
        const foreign of [[newId("agt")], ["secret", "weather_key"], ["-created_at", "1", newId("req")], ["weather"]]
      ) {
        const refused = yield* Effect.flip(catalog.list(user, { cursor: encodeCursor(foreign) }))
        assert.deepStrictEqual([refused.error.code, paths(refused)], ["invalid_request", ["cursor"]], foreign.join())
      }
      assert.strictEqual(yield* rulesVersion(org), 2)
      const stranger = yield* makeUser((yield* makeWorkspace()).org)
      for (
        const answer of [
          catalog.get(stranger, "weather"),
          catalog.update(stranger, "weather", { enabled: false }),
          catalog.remove(stranger, "weather")
        ]
      ) {
        assert.strictEqual((yield* Effect.flip<unknown, { readonly _tag: string }, never>(answer))._tag, "NotFound")
      }
      assert.isFalse((yield* catalog.list(stranger, {})).data.some(({ name }) => name === "weather"))
    }))

  it.effect("rejects shipped and reserved names, and invalid definitions with every path", () =>
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      for (const name of ["echo", "device", "import"]) {
        assert.strictEqual((yield* Effect.flip(catalog.create(user, weather({ name })))).error.code, "conflict")
      }
      const [now, report] = weather().operations
      const wrong = weather({
        base_url: "ftp://x",
        operations: [{ ...now!, payload_schema: { type: "nothing" } }, {
          ...report!,
          name: "now",
          price: { type: "quoted", ceiling: "payload.days *" }
        }]
      })
      assert.deepStrictEqual(paths(yield* Effect.flip(catalog.create(user, wrong))), [
        "base_url",
        "operations.0.payload_schema.type",
        "operations.1.name",
        "operations.1.price.ceiling"
      ])
      assert.strictEqual(yield* rulesVersion(org), 1)
      const racing = yield* Effect.all(
        Array.from({ length: 4 }, () => Effect.exit(catalog.create(user, weather()))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(racing.filter(({ _tag }) => _tag === "Success"), 1)
    }))

  it.effect("changes each field of a declared service with new checks, and loses none of two concurrent changes", () =>
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      yield* catalog.create(user, weather({ enabled: false }))
      const changed = yield* catalog.update(user, "weather", {
        enabled: true,
        title: "Skies",
        price: { type: "fixed", cents: 9 },
        prices: { report: { type: "fixed", cents: 0 } }
      })
      assert.deepStrictEqual([changed.enabled, changed.title, ...changed.operations.map(({ price }) => price)], [
        true,
        "Skies",
        { type: "fixed", cents: 9 },
        { type: "fixed", cents: 0 }
      ])
      assert.deepStrictEqual(yield* catalog.get(user, "weather"), withoutWarnings(changed))
      assert.deepStrictEqual(
        paths(
          yield* Effect.flip(
            catalog.update(user, "weather", { price: null, prices: { gone: { type: "fixed", cents: 1 } } })
          )
        ),
        ["price", "prices.gone"]
      )
      assert.deepStrictEqual(
        paths(
          yield* Effect.flip(
            catalog.update(user, "weather", { prices: { now: { type: "quoted", ceiling: "nothing" } } })
          )
        ),
        ["prices.now.ceiling"]
      )
      assert.deepStrictEqual(paths(yield* Effect.flip(catalog.update(user, "weather", { base_url: "weather" }))), [
        "base_url"
      ])
      const exits = yield* Effect.all([
        Effect.exit(catalog.update(user, "weather", { title: "One" })),
        Effect.exit(catalog.update(user, "weather", { description: "Two" }))
      ], { concurrency: "unbounded" })
      const { description, title } = yield* catalog.get(user, "weather")
      assert.deepStrictEqual([title === "One", description === "Two"], exits.map(({ _tag }) => _tag === "Success"))
    }))

  it.effect("changes the switch and the prices of a shipped service, reset by null, in this workspace only", () =>
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const { org } = yield* makeWorkspace()
      const other = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const shipped = yield* catalog.get(user, "echo")
      const priced = yield* catalog.update(user, "echo", { enabled: false, price: { type: "fixed", cents: 5 } })
      assert.deepStrictEqual([priced.enabled, priced.operations[0]!.price], [false, { type: "fixed", cents: 5 }])
      assert.deepStrictEqual(yield* catalog.get(user, "echo"), withoutWarnings(priced))
      const services = yield* catalog.snapshot(org)
      assert.deepStrictEqual([
        services.get("echo")!.enabled,
        services.get("echo")!.operations.get("say")!.definition.price
      ], [
        false,
        { type: "fixed", cents: 5 }
      ])
      assert.deepStrictEqual(
        (yield* catalog.snapshot(other.org)).get("echo")!.operations.get("say")!.definition.price,
        {
          type: "fixed",
          cents: 1
        }
      )
      assert.isFalse((yield* catalog.update(user, "echo", { prices: { say: null } })).enabled)
      assert.deepStrictEqual(yield* catalog.update(user, "echo", { enabled: true }), {
        ...shipped,
        version: 4,
        warnings: []
      })
      assert.deepStrictEqual(
        paths(yield* Effect.flip(catalog.update(user, "echo", { title: "Mine", base_url: "https://x.example" }))),
        ["title", "base_url"]
      )
      assert.strictEqual((yield* Effect.flip(catalog.remove(user, "echo"))).error.code, "conflict")
    }))

  it.effect("a snapshot keeps unchanged services, and compiles each payload schema", () =>
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      yield* catalog.create(user, weather())
      const one = yield* catalog.snapshot(org)
      yield* catalog.update(user, "email", { enabled: false })
      const two = yield* catalog.snapshot(org)
      for (const name of ["weather", "echo", "llm"]) {
        assert.strictEqual(two.get(name)!.operations, one.get(name)!.operations)
      }
      const { validator } = two.get("weather")!.operations.get("now")!
      assert.deepStrictEqual(
        validator.validate({}, "payload").map(({ path }) => path),
        ["payload.city"]
      )
      assert.deepStrictEqual(validator.validate({ city: "Bern" }), [])
      assert.strictEqual(two.get("weather")!.operations.get("now")!.validator, validator)
      yield* catalog.update(user, "weather", { title: "Other" })
      const three = yield* catalog.snapshot(org)
      assert.notStrictEqual(three.get("weather")!.definition, two.get("weather")!.definition)
      assert.strictEqual(three.get("weather")!.definition.title, "Other")
    }))

  it.effect("an agent sees its callable operations with the remaining limits of its mode, and no provider details", () =>
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const bindings = yield* Bindings
      const workspace = yield* makeWorkspace({ funds: 1_000 })
      const { agent: { id }, org } = workspace
      const user = yield* makeUser(org)
      const agent = asAgent(org, id)
      assert.deepStrictEqual((yield* catalog.list(agent, {})).data, [])
      yield* execute(workspace, 30)
      yield* tick(workspace, [{ ceiling: 4 }])
      yield* catalog.create(user, weather())
      yield* bindings.put(user, id, { service: "weather", operations: ["now"], monthly_cap_cents: 50 })
      yield* bindings.put(user, id, {
        service: "echo",
        operations: ["*"],
        monthly_cap_cents: 100,
        per_operation: { say: { daily_request_limit: 10 } }
      })
      const { data } = fitting(Page(ListedService), yield* catalog.list(agent, {}))
      assert.deepStrictEqual(
        data.map(({ name, operations, remaining }) => [name, operations.map(({ name }) => name), remaining]),
        [
          ["echo", ["say"], {
            say: {
              monthly_cap_cents: 100,
              daily_request_limit: 10,
              spent_this_month_cents: 30,
              held_cents: 4,
              used_today: 2
            }
          }],
          ["weather", ["now"], {
            now: { monthly_cap_cents: 50, spent_this_month_cents: 0, held_cents: 0, used_today: 0 }
          }]
        ]
      )
      assert.deepStrictEqual(Object.keys(data[1]!).sort(), [
        "enabled",
        "kind",
        "name",
        "operations",
        "remaining",
        "shipped",
        "title"
      ])
      assert.deepStrictEqual(Object.keys(data[1]!.operations[0]!).sort(), ["name", "price"])
      const whole = yield* catalog.get(agent, data[1]!.name)
      assert.deepStrictEqual(Object.keys(whole.operations[0]!).sort(), ["name", "payload_schema", "price"])
      assert.strictEqual(
        (yield* catalog.get(asAgent(org, id, "test"), "echo")).remaining!["say"]!.spent_this_month_cents,
        0
      )
      assert.strictEqual((yield* Effect.flip(catalog.get(agent, "email")))._tag, "NotFound")
      yield* bindings.disable(user, id, "echo")
      yield* catalog.update(user, "weather", { enabled: false })
      assert.deepStrictEqual((yield* catalog.list(agent, {})).data, [])
    }))

  it.effect("deleting a service deletes its bindings, and is refused while requests are in progress", () =>
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const bindings = yield* Bindings
      const agents = yield* Agents
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace({ funds: 1_000 })
      const { agent: { id }, org } = workspace
      const user = yield* makeUser(org)
      yield* catalog.create(user, weather())
      yield* bindings.put(user, id, { service: "weather", operations: ["*"] })
      yield* sql`update agents set version = 1`
      yield* sql`update org_heads set rules_version = 1`
      const { begins: [open] } = yield* tick(workspace, [{ ceiling: 1 }])
      yield* sql`update holds set service = 'weather' where request_id = ${open!.id}`
      assert.strictEqual((yield* Effect.flip(catalog.remove(user, "weather"))).error.code, "service_in_use")
      yield* tick(workspace, [], [{ id: open!.id, status: "executed", cents: 1 }])
      yield* catalog.remove(user, "weather")
      assert.strictEqual((yield* Effect.flip(catalog.get(user, "weather")))._tag, "NotFound")
      assert.isFalse((yield* catalog.snapshot(org)).has("weather"))
      yield* catalog.create(user, weather())
      assert.deepStrictEqual((yield* agents.get(user, id)).bindings.map(({ enabled, service }) => [service, enabled]), [
        [
          "weather",
          false
        ]
      ])
    }))

  it.effect("warns of paid operations that do not define unknown outcomes, and lists services without schemas", () =>
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const [now, report] = weather().operations
      const made = fitting(
        SavedService,
        yield* catalog.create(
          user,
          weather({
            operations: [now!, { ...report!, idempotent: true }, {
              ...now!,
              name: "free",
              price: { type: "fixed", cents: 0 }
            }]
          })
        )
      )
      assert.deepStrictEqual(made.warnings.map(({ path }) => path), ["operations.0.unknown"])
      const mended = yield* catalog.update(user, "weather", {
        operations: [{ ...now!, unknown: "fail" }, { ...report!, unknown: "hold" }]
      })
      assert.deepStrictEqual(mended.warnings, [])
      const listed = (yield* catalog.list(user, { limit: 200 })).data.find(({ name }) => name === "weather")
      assert.deepStrictEqual(Object.keys(listed!.operations[0]!).sort(), ["method", "name", "path", "price", "unknown"])
    }))

  it.effect("imports an OpenAPI document, sent or fetched, with the given price", () =>
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const document = {
        openapi: "3.1.0",
        info: { title: "Pets", version: "1" },
        servers: [{ url: "https://pets.example/v2" }],
        paths: {
          "/pets/{id}": {
            get: {
              operationId: "getPet",
              tags: ["read"],
              parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
              responses: { 200: { description: "ok" } }
            }
          }
        }
      }
      const upstream = yield* httpUpstream((request, response) => {
        if (request.url === "/pets.json") {
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document))
        } else if (request.url === "/large") response.writeHead(200).end("x".repeat(65 * 1024 * 1024))
        else response.writeHead(404).end()
      })
      const price = { type: "fixed", cents: 2 } as const
      const sent = fitting(ImportedService, yield* catalog.import(user, { name: "pets", openapi: document, price }))
      assert.deepStrictEqual([sent.service.base_url, sent.service.operations.map(({ price }) => price), sent.skipped], [
        "https://pets.example/v2",
        [price],
        []
      ])
      const fetched = yield* catalog.import(user, {
        name: "pets2",
        url: `${upstream.origin}/pets.json`,
        tags: ["read"],
        price
      })
      assert.deepStrictEqual(fetched.service.operations, sent.service.operations)
      assert.deepStrictEqual(yield* catalog.get(user, "pets2"), fetched.service)
      const tries = [
        [{ url: `${upstream.origin}/none` }, "upstream_error", undefined],
        [{ url: "http://127.0.0.1:1/x" }, "upstream_error", undefined],
        [{ url: `${upstream.origin}/large` }, "invalid_request", ["url"]],
        [{ url: "http://10.0.0.1/x" }, "invalid_request", ["url"]],
        [{ url: "file:///etc/passwd" }, "invalid_request", ["url"]],
        [{}, "invalid_request", ["openapi", "url"]],
        [{ openapi: "{", url: "https://x.example" }, "invalid_request", ["openapi", "url"]],
        [{ openapi: "nothing" }, "invalid_request", ["openapi"]],
        [{ openapi: document, operation_ids: ["gone"] }, "invalid_request", ["operation_ids"]]
      ] as const
      for (const [input, code, at] of tries) {
        const error = yield* Effect.flip(catalog.import(user, { name: "other", price, ...input }))
        assert.deepStrictEqual(
          [error.error.code, paths(error)],
          [code, at as never],
          JSON.stringify(input).slice(0, 80)
        )
      }
      assert.strictEqual(
        (yield* Effect.flip(catalog.import(user, { name: "pets", openapi: document, price }))).error.code,
        "conflict"
      )
      assert.strictEqual(
        (yield* Effect.flip(catalog.import(user, { name: "echo", url: `${upstream.origin}/pets.json`, price }))).error
          .code,
        "conflict"
      )
      assert.lengthOf(upstream.received.filter(({ url }) => url === "/pets.json"), 1)
    }))
})
