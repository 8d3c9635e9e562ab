import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { clientOf, cut, emptyPage, json, refusal, type Scripted, text } from "./scripted-hub.ts"

const org = "org_01j00000000000000000000000"
const usr = "usr_01j00000000000000000000000"
const me = {
  user: { id: usr, email: "a@b.test", name: "A", time_zone: null, locale: null },
  workspaces: [{ id: org, name: "W", role: "owner" }],
  active_workspace: org,
  team: null,
  permissions: ["agents:read"],
  via: { kind: "session", session_id: "ses_01j00000000000000000000000", stepped_up: false }
}

describe("a hub that is newer than the client", () => {
  it.live("may add fields to an answer, at any depth", () =>
    Effect.gen(function*() {
      const newer = { ...me, theme: "dark", user: { ...me.user, avatar: "x" }, via: { ...me.via, device: 1 } }
      const { client } = yield* clientOf([json(200, newer)])
      assert.deepStrictEqual<unknown>(yield* client.auth.me(), me)
    }))

  it.live("may have roles and permissions that the contract does not list", () =>
    Effect.gen(function*() {
      const newer = { ...me, workspaces: [{ id: org, name: "W", role: "auditor" }], permissions: ["moon:write"] }
      const { client } = yield* clientOf([json(200, newer)])
      const answer = yield* client.auth.me()
      assert.deepStrictEqual<ReadonlyArray<string>>(answer.permissions, ["moon:write"])
      assert.strictEqual<string | undefined>(answer.workspaces[0]?.role, "auditor")
    }))

  it.live("may omit an optional enumeration, or send an unlisted value of it", () =>
    Effect.gen(function*() {
      const session = {
        id: "ses_01j00000000000000000000000",
        current: true,
        active_workspace: org,
        method: "password",
        created_at: "2026-01-01T00:00:00.000Z",
        last_seen_at: "2026-01-01T00:00:00.000Z",
        expires_at: "2026-01-02T00:00:00.000Z"
      }
      const page = { data: [session, { ...session, factor: "retina" }], next_cursor: null, as_of: "" }
      const { client } = yield* clientOf([json(200, page)])
      const { data } = yield* client.auth.sessions({ query: {} })
      assert.deepStrictEqual<ReadonlyArray<string | undefined>>(data.map(({ factor }) => factor), [undefined, "retina"])
    }))

  it.live("may not omit required fields: the error names their paths", () =>
    Effect.gen(function*() {
      const { client } = yield* clientOf([
        json(200, { ...me, user: { id: usr, name: 7, time_zone: null, locale: null } }, { "x-request-id": "rid-4" })
      ])
      const error = yield* Effect.flip(client.auth.me())
      assert.deepStrictEqual([error._tag, error.code, error.request_id], ["AnswerError", "unexpected_answer", "rid-4"])
      assert.sameMembers(error.details?.map(({ path }) => path) ?? [], ["user.email", "user.name"])
    }))
})

describe("an answer is", () => {
  it.live("the bare object for a create, with any headers and any 2xx", () =>
    Effect.gen(function*() {
      const { client } = yield* clientOf([json(201, me, { location: "/api/v1/x" }), json(200, me)])
      const input = { payload: { token: "t", email: "a@b.test", password: "long enough a password" } }
      assert.deepStrictEqual<unknown>(yield* client.auth.setup(input), me)
      assert.deepStrictEqual<unknown>(yield* client.auth.setup(input), me)
    }))

  it.live("undefined for an endpoint without a body", () =>
    Effect.gen(function*() {
      const gone: Scripted = (response) => void response.writeHead(204).end()
      const { client } = yield* clientOf([gone, json(200, { deleted: true })])
      const request = { params: { id: "pat_01j00000000000000000000000" } } as const
      assert.isUndefined(yield* client.tokens.revoke(request))
      assert.isUndefined(yield* client.tokens.revoke(request))
    }))

  it.live("text for a text endpoint", () =>
    Effect.gen(function*() {
      const { client } = yield* clientOf([text(200, "a,b\r\n1,2\r\n", { "content-type": "text/csv; charset=utf-8" })])
      assert.strictEqual(yield* client.usage.report({ query: { format: "csv" } }), "a,b\r\n1,2\r\n")
    }))
})

describe("open", () => {
  const events = "event: approval.created\ndata: {}\n\n"
  const stream: Scripted = (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(events)
  }

  it.live("returns an endless stream", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* clientOf([refusal(503, "unavailable"), stream])
      const response = yield* client.events.stream.open({ query: { cursor: "c" } })
      const first = yield* response.stream.pipe(Stream.decodeText, Stream.take(1), Stream.mkString)
      assert.strictEqual(first, events)
      assert.deepStrictEqual(hub.asked.map(({ path }) => path), ["/api/v1/events?cursor=c", "/api/v1/events?cursor=c"])
    }))

  it.live("is required for a stream endpoint: a plain call fails instead of waiting without end", () =>
    Effect.gen(function*() {
      const { client } = yield* clientOf([stream])
      const error = yield* Effect.flip(client.events.stream())
      assert.strictEqual(error._tag, "InputError")
      assert.include(error.message, "open")
    }))

  it.live("raises an error status as a plain call does", () =>
    Effect.gen(function*() {
      const { client } = yield* clientOf([refusal(403, "forbidden", { data: { permission: "audit:read" } })])
      const error = yield* Effect.flip(client.audit.export.open())
      assert.deepStrictEqual([error._tag, error.data], ["AccessError", { permission: "audit:read" }])
    }))

  it.live("leaves a broken body to its reader", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* clientOf([cut])
      const response = yield* client.audit.export.open()
      assert.strictEqual(response.status, 200)
      assert.strictEqual((yield* Effect.flip(response.text))._tag, "HttpClientError")
      assert.lengthOf(hub.asked, 1)
    }))
})

describe("a request is", () => {
  it.live("sent with credential, workspace, query and path in the contract's form", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* clientOf([emptyPage], { workspace: org })
      yield* client.service_requests.list({ query: { status: ["running", "failed"], limit: 2, q: "a b&c" } })
      yield* client.approvals.list({}, { workspace: "org_other" })
      assert.deepStrictEqual(hub.asked.map(({ path }) => path), [
        "/api/v1/service-requests?limit=2&status=running&status=failed&q=a+b%26c",
        "/api/v1/approvals"
      ])
      assert.deepStrictEqual(hub.asked.map(({ headers }) => headers["svc-workspace"]), [org, "org_other"])
      assert.isTrue(hub.asked.every(({ headers }) => headers.authorization === "Bearer agent_key_live_abc"))
      assert.isTrue(hub.asked.every(({ headers }) => headers.traceparent === undefined && headers.b3 === undefined))
    }))

  it.live("not sent when the contract refuses it: the error names the paths", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* clientOf([emptyPage])
      const wrong = { payload: { amount_cents: 1.5, colour: "red" } } as unknown as {
        payload: { amount_cents: number }
      }
      const error = yield* Effect.flip(client.ledger.topUp(wrong))
      assert.strictEqual(error._tag, "InputError")
      assert.includeMembers(error.details?.map(({ path }) => path) ?? [], ["amount_cents"])
      assert.isEmpty(hub.asked)
    }))

  it.live("not sent when it cannot be JSON", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* clientOf([emptyPage])
      const loop: Record<string, unknown> = {}
      loop["self"] = loop
      for (const payload of [{ n: 1n }, loop]) {
        assert.strictEqual(
          (yield* Effect.flip(client.dispatch({ service: "a", operation: "b", payload })))._tag,
          "InputError"
        )
      }
      assert.isEmpty(hub.asked)
    }))
})
