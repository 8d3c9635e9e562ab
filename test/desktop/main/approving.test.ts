/** E10: main approves only the displayed digest, and above the limit only after confirmation in its own window. */
import type { ConfirmFacts } from "@countersign/desktop/bridge/contract"
import { approve, decide } from "@countersign/desktop/main/bridge/approving"
import type { Connection } from "@countersign/desktop/main/hub/connection"
import type { Profile } from "@countersign/desktop/main/profiles/profile"
import { notificationDefaults } from "@countersign/desktop/main/profiles/profile"
import type { Approval } from "@countersign/domain/approvals"
import { expect, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import {
  addProfile,
  connectionOf,
  keychainInTest,
  mainServices,
  phase,
  reaches,
  signInTo,
  temporaryFolder
} from "../../support/desktop-main.ts"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../support/hub.ts"
import { httpUpstream } from "../../support/upstream.ts"

/** Pending requests of 42 dollars each. */
const waiting = Effect.fnUntraced(function*(count: number) {
  const hub = yield* TestHub
  const upstream = yield* httpUpstream((_, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end("{}")
  )
  const name = `shop-${Math.random().toString(36).slice(2, 10)}`
  yield* makeService(hub, hub.owner, {
    name,
    title: "Shop",
    kind: "http",
    base_url: upstream.origin,
    operations: [{
      name: "buy",
      title: "Buy",
      method: "POST",
      path: "/buy",
      price: { type: "fixed", cents: 4_200 },
      payload_schema: { type: "object", additionalProperties: true }
    }]
  })
  yield* topUp(hub, hub.owner, 100_000)
  const agent = yield* makeAgent(hub, hub.owner, { bindings: [{ service: name, operations: ["*"] }] })
  return yield* Effect.forEach(Array.from({ length: count }), (_, at) =>
    Effect.gen(function*() {
      const sent = yield* hub.api("POST", "/service-requests", {
        key: agent.key,
        body: { service: name, operation: "buy", payload: { item: `Item ${at}` } }
      })
      const id = sent.body.approval_id as Approval["id"]
      const { body } = expectStatus(yield* hub.api("GET", `/approvals/${id}`, { cookie: hub.owner.cookie }), 200)
      return { id, digest: String(body.payload_digest) }
    }))
})

/** Main's services, signed in, with a person who answers every confirmation with `confirms`. */
const signedInMain = Effect.fnUntraced(function*(limit_cents: number | undefined, confirms: boolean) {
  const hub = yield* TestHub
  const { id } = yield* addProfile(hub)
  yield* reaches(id, phase("signed_out"))
  yield* signInTo(id, hub.owner)
  const connection: Connection = yield* connectionOf(id)
  const asked: Array<ConfirmFacts> = []
  const profile: Profile = {
    id,
    name: "Works",
    url: hub.url,
    hub_id: "hub",
    notifications: notificationDefaults,
    ...limit_cents === undefined ? {} : { limit_cents }
  }
  const confirm = async (facts: ConfirmFacts) => {
    asked.push(facts)
    return confirms
  }
  const tried = (work: () => Promise<unknown>) =>
    Effect.result(
      Effect.tryPromise({ try: work, catch: (error) => error as { readonly code: string; readonly status: number } })
    )
  const status = (approval: string) =>
    Effect.map(
      hub.api("GET", `/approvals/${approval}`, { cookie: hub.owner.cookie }),
      ({ body }) => body.status as string
    )
  return { asking: { profile, connection, confirm }, asked, tried, status }
})

const withMain = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* temporaryFolder
    return yield* effect.pipe(Effect.provide(mainServices(folder, keychainInTest()), { local: true }))
  }))

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })("an approval", (it) => {
  it.effect("E10: is refused for another digest than the hub's, and without a digest", () =>
    withMain(Effect.gen(function*() {
      const [one] = yield* waiting(1)
      const { asking, status, tried } = yield* signedInMain(undefined, true)
      const other = yield* tried(() =>
        approve(asking, { params: { id: one!.id }, payload: { payload_digest: "0".repeat(64) } }, {})
      )
      expect(Result.isFailure(other) && [other.failure.status, other.failure.code]).toEqual([409, "digest_mismatch"])
      const none = yield* tried(() => approve(asking, { params: { id: one!.id } }, {}))
      expect(Result.isFailure(none) && none.failure.code).toBe("invalid_request")
      expect(yield* status(one!.id)).toBe("pending")
      yield* tried(() => approve(asking, { params: { id: one!.id }, payload: { payload_digest: one!.digest } }, {}))
      expect(yield* status(one!.id)).toBe("approved")
    })))

  it.effect("E10: requires confirmation in main's window above the limit; stays pending when rejected, and proceeds when confirmed", () =>
    withMain(Effect.gen(function*() {
      const [one] = yield* waiting(1)
      const input = { params: { id: one!.id }, payload: { payload_digest: one!.digest } }
      const no = yield* signedInMain(4_199, false)
      const refused = yield* no.tried(() => approve(no.asking, input, {}))
      expect(Result.isFailure(refused) && refused.failure.code).toBe("not_confirmed")
      expect(no.asked).toMatchObject([{
        kind: "approve",
        total_cents: 4_200,
        limit_cents: 4_199,
        left_cents: expect.any(Number),
        rows: [{
          id: one!.id,
          digest: one!.digest,
          cost_cents: 4_200,
          what: expect.stringMatching(/^shop-.*\.buy$/u),
          fields: [{ label: "item", text: "Item 0" }],
          left_out: 0
        }]
      }])
      // The workspace has its name, and the expiry uses this computer's clock.
      const [row] = no.asked[0]?.kind === "approve" ? no.asked[0].rows : []
      expect(row!.workspace).not.toMatch(/^org_/u)
      expect(row!.expires_at).toBeGreaterThan(Date.now())
      expect(yield* no.status(one!.id)).toBe("pending")
      const yes = { ...no.asking, confirm: async () => true }
      yield* no.tried(() => approve(yes, input, {}))
      expect(yield* no.status(one!.id)).toBe("approved")
    })))

  it.effect("E10: requires no confirmation at the limit; a standing approval counts with its total caps", () =>
    withMain(Effect.gen(function*() {
      const [one, two] = yield* waiting(2)
      const { asked, asking, tried } = yield* signedInMain(4_200, false)
      yield* tried(() => approve(asking, { params: { id: one!.id }, payload: { payload_digest: one!.digest } }, {}))
      expect(asked).toEqual([])
      const remember = {
        max_cost_cents: 4_200,
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
        max_uses: 10
      }
      const refused = yield* tried(() =>
        approve(asking, { params: { id: two!.id }, payload: { payload_digest: two!.digest, remember } }, {})
      )
      expect(Result.isFailure(refused) && refused.failure.code).toBe("not_confirmed")
      expect(asked).toMatchObject([{ total_cents: 42_000 }])
    })))

  it.effect("E10: counts a batch by its sum, and excludes rows with another digest", () =>
    withMain(Effect.gen(function*() {
      const [one, two, three] = yield* waiting(3)
      const { asked, asking, status, tried } = yield* signedInMain(8_400, true)
      const items = [{ id: one!.id, payload_digest: one!.digest }, { id: two!.id, payload_digest: two!.digest }, {
        id: three!.id,
        payload_digest: "f".repeat(64)
      }]
      const done = yield* tried(() => decide(asking, { payload: { decision: "approve", items } }, {}))
      expect(asked).toEqual([])
      expect(Result.isSuccess(done) && done.success).toMatchObject({
        results: [{ id: one!.id }, { id: two!.id }, { id: three!.id, error: { code: "digest_mismatch" } }]
      })
      expect(yield* Effect.forEach([one!, two!, three!], ({ id }) => status(id))).toEqual([
        "approved",
        "approved",
        "pending"
      ])
      const blind = yield* tried(() => decide(asking, { payload: { decision: "approve", ids: [three!.id] } }, {}))
      expect(Result.isFailure(blind) && blind.failure.code).toBe("invalid_request")
      expect(yield* status(three!.id)).toBe("pending")
    })))

  it.effect("sends a rejection without confirmation", () =>
    withMain(Effect.gen(function*() {
      const [one] = yield* waiting(1)
      const { asked, asking, status, tried } = yield* signedInMain(0, false)
      yield* tried(() =>
        decide(asking, { payload: { decision: "reject", items: [{ id: one!.id, payload_digest: one!.digest }] } }, {})
      )
      expect(yield* status(one!.id)).toBe("rejected")
      expect(asked).toEqual([])
    })))
})
