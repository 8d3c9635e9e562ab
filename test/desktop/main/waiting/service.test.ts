/**
 * Pending approvals and requests with a real hub over real HTTP: decisions of others are shown, a lost hub is marked, and the list
 * fills gaps.
 */
import { ConnectionLog } from "@countersign/desktop/main/connection-log/service"
import { Connections } from "@countersign/desktop/main/hub/port"
import { Profiles } from "@countersign/desktop/main/profiles/profiles"
import type { Overview } from "@countersign/desktop/main/waiting/overview"
import { Waiting } from "@countersign/desktop/main/waiting/service"
import { trayOf } from "@countersign/desktop/main/waiting/tray"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import {
  addProfile,
  addSignedIn,
  keychainInTest,
  mainServices,
  phase,
  reaches,
  signInTo,
  temporaryFolder
} from "../../../support/desktop-main.ts"
import {
  expectStatus,
  firstOwner,
  type HubInTest,
  HubTest,
  makeAgent,
  type OwnerInTest,
  startHub,
  TestHub,
  topUp
} from "../../../support/hub.ts"
import { makePerson, makeSignedIn, makeWorkspace, password } from "../../../support/people.ts"

const servicesIn = (folder: string) =>
  Waiting.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(mainServices(folder, keychainInTest()), ConnectionLog.layer(folder)))
  )

/** A forwarder in front of a hub; while `fail` is set, it answers every list of approvals with that body. */
const inFrontOf = (hub: { readonly url: string }) =>
  Effect.gen(function*() {
    let failing: string | undefined
    let aheadMillis = 0
    const server = createServer((incoming, answer) => {
      if (failing !== undefined && incoming.url?.startsWith("/api/v1/approvals?") === true) {
        return void answer.writeHead(500, { "content-type": "application/json" }).end(failing)
      }
      incoming.pipe(
        request(`${hub.url}${incoming.url}`, { method: incoming.method, headers: incoming.headers }, (from) => {
          answer.writeHead(from.statusCode ?? 502, {
            ...from.headers,
            date: new Date(Date.parse(from.headers.date ?? "") + aheadMillis).toUTCString()
          })
          from.pipe(answer)
          answer.on("close", () => from.destroy())
        })
      )
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      fail: (body: string | undefined) => void (failing = body),
      setAhead: (millis: number) => void (aheadMillis = millis)
    }
  })

/** An agent whose requests all require approval. */
const asking = Effect.fnUntraced(function*(hub: HubInTest, owner: OwnerInTest) {
  yield* topUp(hub, owner, 1_000)
  const agent = yield* makeAgent(hub, owner, {
    name: "Scout",
    bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
  })
  const ask = Effect.fnUntraced(function*(payload: unknown = {}) {
    const { body } = expectStatus(
      yield* hub.api("POST", "/service-requests", {
        key: agent.key,
        body: { service: "echo", operation: "say", payload }
      }),
      200
    )
    return body.approval_id as string
  })
  const decide = (id: string, decision: "approve" | "reject") =>
    Effect.map(
      hub.api("POST", `/approvals/${id}/${decision}`, { cookie: owner.cookie }),
      (answer) => expectStatus(answer, 200)
    )
  return { agent, ask, decide }
})

/** Resolves when the overview matches, now or after a change. */
const shows = (fits: (overview: Overview) => boolean) =>
  Effect.flatMap(Waiting, ({ overview, subscribe }) =>
    Effect.callback<Overview>((resume) => {
      const end = subscribe((next) => {
        if (!fits(next)) return
        end()
        resume(Effect.succeed(next))
      })
      if (fits(overview())) {
        end()
        resume(Effect.succeed(overview()))
      }
      return Effect.sync(end)
    }))
const current = ({ hubs }: Overview) => hubs.length > 0 && hubs.every(({ freshness }) => freshness === "current")
const ids = ({ items }: Overview) => items.map(({ id }) => id)

layer(HubTest(), { excludeTestServices: true })("pending approvals of real hubs", (it) => {
  it.effect("lists earlier approvals, adds new ones, and removes those that another person decides", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const { ask, decide } = yield* asking(hub, hub.owner)
      const before = yield* ask({ n: 1 })
      const folder = yield* temporaryFolder
      yield* Effect.gen(function*() {
        const profile = yield* addSignedIn(hub, hub.owner)
        assert.deepStrictEqual(ids(yield* shows(current)), [before])
        const second = yield* ask({ n: 2 })
        const both = yield* shows(({ items }) => items.length === 2)
        assert.deepStrictEqual(ids(both), [second, before])
        assert.deepInclude(both.items[0], {
          sentence: "Scout wants to call echo.say",
          workspace: hub.owner.org,
          hubId: profile.hub_id,
          mine: true
        })
        assert.notProperty(both.items[0], "summary")
        assert.deepStrictEqual(trayOf({ overview: both, panic: { stopped: false }, now: Date.now() }).picture, {
          kind: "waiting",
          text: "2"
        })
        yield* decide(before, "approve")
        assert.deepStrictEqual(ids(yield* shows(({ items }) => items.length === 1)), [second])
        yield* decide(second, "reject")
        assert.deepStrictEqual(
          trayOf({
            overview: yield* shows(({ items }) => items.length === 0),
            panic: { stopped: false },
            now: Date.now()
          }).picture,
          { kind: "none" }
        )
      }).pipe(Effect.provide(servicesIn(folder)))
    })))

  it.effect("lists earlier agent requests and budget requests, adds new ones, and removes decided ones", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const { cookie } = owner
      const agent = yield* makeAgent(hub, owner, { name: "Scout", monthly_budget_cents: 1 })
      const question = Effect.map(
        api("POST", "/agent-requests", { key: agent.key, body: { kind: "question", title: "Which color?" } }),
        (answer) => expectStatus(answer, 201).body.id as string
      )
      const budget = Effect.map(
        api("POST", "/budget-requests", {
          key: agent.key,
          body: { amount_cents: 300, period: "month", reason: "More calls" }
        }),
        (answer) => expectStatus(answer, 201).body.id as string
      )
      const answer = (id: string) =>
        Effect.map(
          api("PATCH", `/agent-requests/${id}`, { cookie, body: { status: "answered", answer: "Red" } }),
          (answer) => expectStatus(answer, 200)
        )
      const first = yield* question
      const raise = yield* budget
      const folder = yield* temporaryFolder
      yield* Effect.gen(function*() {
        yield* addSignedIn(hub, owner)
        const listed = yield* shows(current)
        assert.deepStrictEqual(
          listed.items.map(({ cents, id, kind, mine, sentence, workspace }) => [
            id,
            kind,
            sentence,
            cents,
            workspace,
            mine
          ]),
          [
            [raise, "budget_request", "Scout requests a higher monthly budget", 300, owner.org, true],
            [first, "agent_request", "Scout has a question", undefined, owner.org, true]
          ]
        )
        assert.notInclude(JSON.stringify(listed), "Which color")
        const second = yield* question
        assert.sameMembers(ids(yield* shows(({ items }) => items.length === 3)), [second, raise, first])
        yield* answer(first)
        assert.sameMembers(ids(yield* shows(({ items }) => items.length === 2)), [second, raise])
        expectStatus(yield* api("PATCH", `/budget-requests/${raise}`, { cookie, body: { status: "approved" } }), 200)
        assert.deepStrictEqual(ids(yield* shows(({ items }) => items.length === 1)), [second])
        const another = yield* budget
        assert.sameMembers(ids(yield* shows(({ items }) => items.length === 2)), [second, another])
        expectStatus(
          yield* api("PATCH", `/budget-requests/${another}`, { key: agent.key, body: { status: "withdrawn" } }),
          200
        )
        yield* answer(second)
        yield* shows(({ items }) => items.length === 0)
      }).pipe(Effect.provide(servicesIn(folder)))
    })))

  it.effect("counts the requests that a person may decide by the role in the workspace or in the agent's team", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const { api } = hub
      const org = yield* makeWorkspace(hub)
      const [lead, operator] = [yield* makePerson(hub, org, "member"), yield* makePerson(hub, org, "operator")]
      const admin = yield* makeSignedIn(hub, org, "admin")
      const inTeam = yield* makeAgent(hub, admin, { name: "Scout" })
      const own = yield* makeAgent(hub, admin, { name: "Helper" })
      const { cookie } = admin
      const team = expectStatus(yield* api("POST", "/teams", { cookie, body: { name: "Crew" } }), 201).body.id
      expectStatus(
        yield* api("POST", `/teams/${team}/members`, { cookie, body: { user_id: lead.id, role: "lead" } }),
        201
      )
      expectStatus(yield* api("POST", `/agents/${inTeam.id}/transfer`, { cookie, body: { team_id: team } }), 200)
      expectStatus(yield* api("POST", `/agents/${own.id}/transfer`, { cookie, body: { owner_user_id: lead.id } }), 200)
      const request = (agent: { readonly key: string }, path: string, body: object) =>
        Effect.map(api("POST", path, { key: agent.key, body }), (answer) => expectStatus(answer, 201).body.id as string)
      const question = { kind: "question", title: "Which color?" }
      const raise = { amount_cents: 1, period: "month", reason: "One more" }
      const [teamQuestion, teamBudget] = [
        yield* request(inTeam, "/agent-requests", question),
        yield* request(inTeam, "/budget-requests", raise)
      ]
      const [ownQuestion, ownBudget] = [
        yield* request(own, "/agent-requests", question),
        yield* request(own, "/budget-requests", raise)
      ]
      const folder = yield* temporaryFolder
      yield* Effect.gen(function*() {
        const profile = yield* addSignedIn(hub, { email: lead.email, password })
        const { hubs, items } = yield* shows(current)
        assert.lengthOf(hubs[0]!.rows, 4)
        assert.sameMembers(items.map(({ id }) => id), [teamQuestion, teamBudget])
        const { call } = yield* Connections
        yield* call(profile.id, "auth.logout", {})
        yield* signInTo(profile.id, { email: operator.email, password })
        const other = yield* shows((overview) =>
          current(overview) && overview.items.some(({ id }) => id === ownQuestion)
        )
        assert.sameMembers(other.hubs[0]!.rows.map(({ id }) => id), [teamQuestion, teamBudget, ownQuestion, ownBudget])
        assert.sameMembers(ids(other), [teamQuestion, ownQuestion])
      }).pipe(Effect.provide(servicesIn(folder)))
    })))

  it.effect("reports a hub that cannot list approvals, retries it, and logs the failure once", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const { ask, decide } = yield* asking(hub, hub.owner)
      const id = yield* ask({ n: 2 })
      const folder = yield* temporaryFolder
      const front = yield* inFrontOf(hub)
      front.fail(JSON.stringify({ error: { code: "internal_error", message: "no" } }))
      yield* Effect.gen(function*() {
        const profile = yield* addSignedIn(front, hub.owner)
        const failing = yield* shows(({ hubs: [only] }) => only?.problem !== undefined)
        const { menu, picture } = trayOf({ overview: failing, panic: { stopped: false }, now: Date.now() })
        assert.deepStrictEqual(picture, { kind: "offline" })
        assert.deepStrictEqual(menu.slice(0, 3).map((entry) => entry.kind === "line" ? "" : entry.label), [
          "Pending approvals and requests cannot be read",
          "",
          "Hub: pending approvals and requests cannot be read (internal_error)"
        ])
        front.fail(undefined)
        assert.deepStrictEqual(ids(yield* shows(current)), [id])
        const { entries } = yield* ConnectionLog
        assert.deepStrictEqual(
          entries(profile.id).filter(({ event }) => event === "list_failed").map((
            { detail, times }
          ) => [detail, times]),
          [["internal_error", undefined]]
        )
      }).pipe(Effect.provide(servicesIn(folder)))
      yield* decide(id, "reject")
    })))

  it.effect("converts times to this computer's clock, which may be an hour behind the hub's", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const { ask, decide } = yield* asking(hub, hub.owner)
      const id = yield* ask({ n: 5 })
      const { body } = expectStatus(yield* hub.api("GET", `/approvals/${id}`, { cookie: hub.owner.cookie }), 200)
      const folder = yield* temporaryFolder
      const front = yield* inFrontOf(hub)
      front.setAhead(3_600_000)
      yield* Effect.gen(function*() {
        const profile = yield* addSignedIn(front, hub.owner)
        const { items: [item] } = yield* shows(current)
        const { aheadMillis } = yield* Connections
        // The header has whole seconds.
        assert.closeTo(aheadMillis(profile.id), 3_600_000, 5_000)
        assert.closeTo(Date.parse(body.expires_at) - item!.expiresAt!, 3_600_000, 5_000)
        assert.closeTo(Date.parse(body.requested_at) - item!.requestedAt, 3_600_000, 5_000)
      }).pipe(Effect.provide(servicesIn(folder)))
      yield* decide(id, "reject")
    })))

  it.effect("removes everything after signing out", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const { ask, decide } = yield* asking(hub, hub.owner)
      const id = yield* ask({ n: 3 })
      const folder = yield* temporaryFolder
      yield* Effect.gen(function*() {
        const profile = yield* addSignedIn(hub, hub.owner)
        yield* shows(({ items }) => items.length === 1)
        const { call } = yield* Connections
        yield* call(profile.id, "auth.logout", {})
        const { hubs, items } = yield* shows(({ items }) => items.length === 0)
        assert.deepStrictEqual([items, hubs[0]!.rows], [[], []])
      }).pipe(Effect.provide(servicesIn(folder)))
      yield* decide(id, "reject")
    })))

  it.effect("shows an unreachable hub as a gray row with its last count, keeps the other hub's approvals, and drops a removed hub", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const { ask, decide } = yield* asking(hub, hub.owner)
      const dying = yield* startHub()
      const owner = yield* firstOwner(dying)
      const there = yield* asking(dying, owner)
      yield* there.ask({ n: 1 })
      yield* there.ask({ n: 2 })
      const folder = yield* temporaryFolder
      yield* Effect.gen(function*() {
        const [a, b] = [yield* addProfile(hub), yield* addProfile(dying)]
        for (const [profile, person] of [[a, hub.owner], [b, owner]] as const) {
          yield* reaches(profile.id, phase("signed_out"))
          yield* signInTo(profile.id, person)
        }
        yield* shows((overview) => current(overview) && overview.items.length === 2)
        yield* dying.stop
        const lost = yield* shows(({ hubs }) => hubs.some(({ state }) => state.phase === "offline"))
        assert.deepStrictEqual([lost.items.length, lost.hubs.find(({ profile }) => profile === b.id)!.count], [0, 2])
        assert.match(
          JSON.stringify(trayOf({ overview: lost, panic: { stopped: false }, now: Date.now() }).menu),
          /not connected since \d\d:\d\d; 2 pending then/
        )
        const id = yield* ask({ n: 4 })
        assert.deepStrictEqual(ids(yield* shows(({ items }) => items.length === 1)), [id])
        yield* decide(id, "reject")
        const { remove } = yield* Profiles
        yield* remove(b.id)
        yield* shows(({ hubs }) => hubs.length === 1)
      }).pipe(Effect.provide(servicesIn(folder)))
    })))
})
