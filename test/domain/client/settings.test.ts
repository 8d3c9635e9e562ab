import { type ClientOptions, connect, HubClient, InputError, makeClient } from "@countersign/domain/client"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clientOf, emptyPage, refusal, scriptedHub } from "./scripted-hub.ts"

describe("the options", () => {
  const wrong: ReadonlyArray<readonly [string, Partial<ClientOptions>]> = [
    ...["", "hub.test", "ftp://hub.test", "https://hub.test/?a=1", "https://hub.test/#x", "https://me:secret@hub.test"]
      .map((baseUrl) => ["baseUrl", { baseUrl }] as const),
    ...["", "a b", "a\r\nx: y"].map((credential) => ["credential", { credential }] as const),
    ["workspace", { workspace: "ü" }],
    ...[-1, 1.5, Number.NaN, 11].map((retries) => ["retries", { retries }] as const),
    ...[0, Number.NaN, Number.POSITIVE_INFINITY].map((timeoutMillis) => ["timeoutMillis", { timeoutMillis }] as const),
    ["dispatchTimeoutMillis", { dispatchTimeoutMillis: -5 }],
    ["pollBudgetMillis", { pollBudgetMillis: 0 }]
  ]

  it.effect.each(wrong)(
    "with a wrong %s are refused with its name and without its value",
    ([path, options]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(makeClient({ baseUrl: "http://hub.test", ...options }))
        assert.deepStrictEqual(error.details?.map((detail) => detail.path), [path])
        assert.notInclude(error.message, "secret")
      })
  )

  it("with a mistake make `connect` throw", () => {
    assert.throws(() => connect({ baseUrl: "nowhere" }), InputError)
  })

  it.live.each(["", "/", "//", "/api/v1", "/api/v1/"])(
    "accept an address that ends in %j",
    (end) =>
      Effect.gen(function*() {
        const hub = yield* scriptedHub(emptyPage)
        const client = yield* makeClient({ baseUrl: hub.baseUrl + end })
        yield* client.agents.list()
        assert.deepStrictEqual(hub.asked.map(({ path }) => path), ["/api/v1/agents"])
      })
  )

  it.live("accept the path of a proxy before the hub", () =>
    Effect.gen(function*() {
      const hub = yield* scriptedHub(emptyPage)
      const client = yield* makeClient({ baseUrl: `${hub.baseUrl}/tools/hub/` })
      yield* client.agents.list()
      assert.deepStrictEqual(hub.asked.map(({ path }) => path), ["/tools/hub/api/v1/agents"])
    }))
})

describe("the credential", () => {
  it.live("is read before every try if it is a function", () =>
    Effect.gen(function*() {
      let turn = 0
      const limited = refusal(429, "rate_limited", {}, { "retry-after": "0" })
      const { client, hub } = yield* clientOf([limited, emptyPage], { credential: () => `key-${++turn}` })
      yield* client.agents.list()
      assert.deepStrictEqual(hub.asked.map(({ headers }) => headers.authorization), ["Bearer key-1", "Bearer key-2"])
    }))

  it.live("may be absent: the browser's cookie then applies", () =>
    Effect.gen(function*() {
      const hub = yield* scriptedHub(emptyPage)
      for (const credential of [undefined, () => undefined]) {
        const client = yield* makeClient({ baseUrl: hub.baseUrl, ...credential === undefined ? {} : { credential } })
        yield* client.agents.list()
      }
      assert.deepStrictEqual(hub.asked.map(({ headers }) => headers.authorization), [undefined, undefined])
    }))

  it.live("is refused if no header can hold it, and not retried as a network error", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* clientOf([emptyPage], { credential: () => "key\nforged: 1" })
      assert.strictEqual((yield* Effect.flip(client.agents.list()))._tag, "InputError")
      assert.isEmpty(hub.asked)
    }))
})

it.live("`fetch` may replace the environment's own", () =>
  Effect.gen(function*() {
    const urls: Array<string> = []
    const client = yield* makeClient({
      baseUrl: "https://hub.test",
      fetch: async (input, init) => {
        urls.push(`${init?.method} ${String(input)} ${init?.redirect}`)
        return Response.json({ data: [], next_cursor: null, as_of: "" })
      }
    })
    yield* client.agents.list()
    assert.deepStrictEqual(urls, ["GET https://hub.test/api/v1/agents manual"])
  }))

it.live("`HubClient.layer` provides the client as a service", () =>
  Effect.gen(function*() {
    const hub = yield* scriptedHub(emptyPage)
    const listed = Effect.flatMap(HubClient, (client) => client.agents.list())
    const page = yield* Effect.provide(listed, HubClient.layer({ baseUrl: hub.baseUrl }))
    assert.deepStrictEqual(page.data, [])
  }))
