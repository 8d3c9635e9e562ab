import type { Role, UserPrincipal } from "@countersign/domain/auth"
import type { HubEvent } from "@countersign/domain/events"
import { newId, type OrgId } from "@countersign/domain/ids"
import { Events } from "@countersign/hub/audit/events"
import { EventsRepository } from "@countersign/hub/audit/events-repository"
import { backlogMax, restAfter } from "@countersign/hub/audit/feed"
import { AuditLog, hubActor } from "@countersign/hub/platform/audit-log"
import { decodePositions, encodePositions } from "@countersign/hub/platform/event-cursor"
import { Signals } from "@countersign/hub/platform/signals"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../support/pg.ts"
import { asUser } from "../../support/principals.ts"
import { execute, makeAgent, makeWorkspace, tick, type Workspace } from "../../support/tick.ts"

/** Number of the hub's queries of each kind. */
class QueryCounts
  extends Context.Service<QueryCounts, { entries: number; heads: number; liveness: number }>()("test/QueryCounts")
{
  static readonly layer = Layer.sync(QueryCounts, () => ({ entries: 0, heads: 0, liveness: 0 }))
}

const Counted = Layer.effect(
  EventsRepository,
  Effect.gen(function*() {
    const real = yield* EventsRepository
    const counts = yield* QueryCounts
    return EventsRepository.of({
      ...real,
      entries: (...args) => Effect.suspend(() => (counts.entries++, real.entries(...args))),
      heads: (...args) => Effect.suspend(() => (counts.heads++, real.heads(...args))),
      credentialsAlive: (...args) => Effect.suspend(() => (counts.liveness++, real.credentialsAlive(...args)))
    })
  })
).pipe(Layer.provide(EventsRepository.layer))

const Live = Events.layerOf({ pingMillis: 40 }).pipe(
  Layer.provideMerge(Counted),
  Layer.provideMerge(QueryCounts.layer),
  Layer.provideMerge(AuditLog.layer),
  Layer.provideMerge(Signals.layer),
  Layer.provideMerge(PgTest)
)

const signedIn = (org: OrgId, user: string, role: Role = "owner") =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const id = newId("ses")
    yield* sql`insert into sessions (id, token_hash, user_id, org_id) values (${id}, ${
      Buffer.from(id)
    }, ${user}, ${org})`
    return asUser(org, user, role, id)
  })

/** Another person in the workspace. */
const colleague = (org: OrgId, role: Role) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const id = newId("usr")
    yield* sql`insert into users (id, email, name, password_hash) values (${id}, ${`${id}@countersign.test`}, 'Bob', '-')`
    yield* sql`insert into memberships (org_id, user_id, role) values (${org}, ${id}, ${role})`
    return yield* signedIn(org, id, role)
  })

interface Frame {
  readonly id: string
  readonly event: string
  readonly data: HubEvent & { readonly as_of?: string }
}
const parse = (text: string): ReadonlyArray<Frame> =>
  text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":")).map((block) => {
    const fields = new Map(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)])
    )
    return { id: fields.get("id")!, event: fields.get("event")!, data: JSON.parse(fields.get("data")!) }
  })

/** Reads a stream in the background; `take` waits for its next frames, `ended` for its end. */
const follow = (user: UserPrincipal, options: { readonly cursor?: string; readonly workspace?: string } = {}) =>
  Effect.gen(function*() {
    const events = yield* Events
    const frames = yield* Queue.unbounded<Frame>()
    const opened = yield* Queue.unbounded<void>()
    const stream = yield* events.open(user, { cursor: options.cursor, workspace: options.workspace })
    const fiber = yield* Effect.forkScoped(Stream.runForEach(stream, (text) =>
      Effect.gen(function*() {
        // A ping shows that the stream has its position.
        if (text.includes(": ping")) Queue.offerUnsafe(opened, undefined)
        yield* Queue.offerAll(frames, parse(text))
      })))
    yield* Queue.take(opened)
    return { take: (count: number) => Queue.takeN(frames, count), ended: Fiber.join(fiber) }
  })
const brief = (frames: ReadonlyArray<Frame>) => frames.map(({ data }) => [data.type, data.subject.id, data.version])

layer(Live, { excludeTestServices: true })("event streams", (it) => {
  it.effect("send changes from now on, in order, with the position to continue from", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 1000 })
      yield* execute(workspace, 1)
      const stream = yield* follow(yield* signedIn(workspace.org, workspace.owner))
      const executed = yield* execute(workspace, 5)
      const { begins: [waiting] } = yield* tick(workspace, [{ verdict: 2, ceiling: 50, approval: "apr_x" }])
      const frames = yield* stream.take(4)
      assert.deepStrictEqual(brief(frames), [
        ["service_request.updated", executed, 2],
        ["balance.changed", workspace.org, 2],
        ["service_request.updated", waiting!.id, 3],
        ["approval.created", "apr_x", 3]
      ])
      assert.deepStrictEqual(frames.map(({ data, event }) => event === data.type), [true, true, true, true])
      // The first of two events of an entry has a position within the entry.
      assert.deepStrictEqual(frames.map(({ id }) => decodePositions(id)?.get(workspace.org)), [1.125, 2, 2.125, 3])
      assert.deepStrictEqual(Object.keys(frames[0]!.data), ["id", "type", "subject", "version"])
      for (const [at, { id }] of frames.slice(0, 3).entries()) {
        const resumed = yield* follow(yield* signedIn(workspace.org, workspace.owner), { cursor: id })
        assert.deepStrictEqual(
          (yield* resumed.take(3 - at)).map(({ data }) => data.id),
          frames.slice(at + 1).map(({ data }) => data.id)
        )
      }
    }))

  it.effect("wake at once for this hub's records, and find other hubs' records by polling", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 1000 })
      const audit = yield* AuditLog
      const stream = yield* follow(yield* signedIn(workspace.org, workspace.owner))
      yield* audit.record(workspace.org, hubActor, {
        action: "agent.updated",
        subject: { type: "agent", id: workspace.agent.id },
        agent_id: workspace.agent.id
      })
      assert.deepStrictEqual(brief(yield* stream.take(1)), [["agent.updated", workspace.agent.id, 1]])
      const elsewhere = yield* execute(workspace, 0)
      assert.deepStrictEqual(brief(yield* stream.take(1)), [["service_request.updated", elsewhere, 2]])
    }))

  it.effect("resume at a reader's or a list's position, and miss nothing", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 10_000 })
      const user = yield* signedIn(workspace.org, workspace.owner)
      const asOf = yield* (yield* AuditLog).asOf(workspace.org)
      const ids: Array<string> = []
      for (let count = 0; count < 12; count++) ids.push(yield* execute(workspace, 0))
      const first = yield* (yield* follow(user, { cursor: asOf })).take(12)
      assert.deepStrictEqual(first.map(({ data }) => data.subject.id), ids)
      const second = yield* (yield* follow(user, { cursor: first[4]!.id })).take(7)
      assert.deepStrictEqual(second, first.slice(5))
    }))

  it.effect("send an hour of backlog in parts, complete and in order, also to a reader that is slower than the log", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace()
      const sql = yield* SqlClient.SqlClient
      const events = yield* Events
      const user = yield* signedIn(workspace.org, workspace.owner)
      const grow = (from: number, to: number) =>
        Effect.gen(function*() {
          yield* sql`insert into audit (org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, created_at, prev_hash, hash)
        select ${workspace.org}, n, 'aud_' || lpad(n::text, 26, '0'), 'service_request.blocked', 'hub', 'hub', 'Hub', 'service_request', 'req_' || n, now(), sha256('a'), sha256('b') from generate_series(${from}::int, ${to}::int) n`
          yield* sql`update org_heads set seq = ${BigInt(to)}::int8 where org_id = ${workspace.org}`
        })
      yield* grow(1, 3_000)
      // It reads one part, then stops reading while the log outgrows the hub's memory of it.
      const other = yield* follow(user)
      const versions: Array<number> = []
      const stream = yield* events.open(user, {
        workspace: undefined,
        cursor: encodePositions(new Map([[workspace.org, 0]]))
      })
      yield* Stream.runForEach(
        stream.pipe(Stream.takeWhile(() => versions.at(-1) !== 9_000)),
        (text) =>
          Effect.gen(function*() {
            const before = versions.length
            versions.push(...parse(text).map(({ data }) => data.version))
            if (before === 0 && versions.length > 0) {
              yield* grow(3_001, 9_000)
              assert.lengthOf(yield* other.take(6_000), 6_000)
            }
          })
      )
      assert.deepStrictEqual(versions, Array.from({ length: 9_000 }, (_, at) => at + 1))
    }))

  it.effect("reset a position that is removed or never existed, and continue from there", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 1000 })
      const sql = yield* SqlClient.SqlClient
      const user = yield* signedIn(workspace.org, workspace.owner)
      for (let count = 0; count < 5; count++) yield* execute(workspace, 0)
      yield* sql`delete from audit where org_id = ${workspace.org} and seq <= 3`
      for (const seq of [1, 99]) {
        const stream = yield* follow(user, { cursor: encodePositions(new Map([[workspace.org, seq]])) })
        const [reset] = yield* stream.take(1)
        assert.deepStrictEqual([
          reset!.event,
          reset!.data.as_of === reset!.id,
          decodePositions(reset!.id)?.get(workspace.org)
        ], ["reset", true, 5 + (seq === 99 ? 1 : 0)])
        const next = yield* execute(workspace, 0)
        assert.deepStrictEqual((yield* stream.take(1))[0]!.data.subject.id, next)
      }
      const kept = yield* follow(user, { cursor: encodePositions(new Map([[workspace.org, 3]])) })
      assert.deepStrictEqual((yield* kept.take(4)).map(({ data }) => data.version), [4, 5, 6, 7])
      for (const cursor of ["x", "W10x", "WzFd", encodePositions(new Map([[workspace.org, -1]]))]) {
        const error = yield* Effect.flip((yield* Events).open(user, { workspace: undefined, cursor }))
        assert.strictEqual(error._tag, "BadRequest", cursor)
      }
    }))

  it.effect("send each reader only what it may read, and a member only events of their agents", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 1000 })
      const member = yield* colleague(workspace.org, "member")
      const owner = yield* signedIn(workspace.org, workspace.owner)
      const own = yield* makeAgent(workspace.org, { owner: member.user_id })
      const narrowed: UserPrincipal = { ...owner, permissions: new Set(["budgets:read"]) }
      const [members, narrow, whole] = [yield* follow(member), yield* follow(narrowed), yield* follow(owner)]
      yield* execute(workspace, 3)
      const mine = yield* execute(workspace, 0, { agent: own })
      yield* (yield* AuditLog).record(workspace.org, hubActor, { action: "balance.topped_up" })
      assert.lengthOf(yield* whole.take(4), 4)
      assert.deepStrictEqual(brief(yield* members.take(3)), [["balance.changed", workspace.org, 1], [
        "service_request.updated",
        mine,
        2
      ], ["balance.changed", workspace.org, 3]])
      assert.deepStrictEqual(brief(yield* narrow.take(2)), [["balance.changed", workspace.org, 1], [
        "balance.changed",
        workspace.org,
        3
      ]])
    }))

  it.effect("follow another workspace of a person, or all of them, and no others", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [home, second, foreign] = [
        yield* makeWorkspace({ funds: 10 }),
        yield* makeWorkspace({ funds: 10 }),
        yield* makeWorkspace({ funds: 10 })
      ]
      yield* sql`insert into memberships (org_id, user_id, role) values (${second.org}, ${home.owner}, 'viewer')`
      const user = yield* signedIn(home.org, home.owner)
      const [all, one] = [yield* follow(user, { workspace: "all" }), yield* follow(user, { workspace: second.org })]
      const ids = [yield* execute(home, 0), yield* execute(foreign, 0), yield* execute(second, 0)]
      const frames = [...yield* all.take(2)].sort((a, b) => a.data.subject.id < b.data.subject.id ? -1 : 1)
      assert.deepStrictEqual(frames.map(({ data }) => [data.workspace, data.subject.id]), [[home.org, ids[0]], [
        second.org,
        ids[2]
      ]])
      assert.deepStrictEqual((yield* one.take(1)).map(({ data }) => [data.workspace, data.subject.id]), [[
        undefined,
        ids[2]
      ]])
      // A cursor for all workspaces holds a position for each.
      const last =
        (yield* follow(user, { workspace: "all", cursor: encodePositions(new Map([[home.org, 0], [second.org, 0]])) }))
          .take(2)
      assert.sameMembers((yield* last).map(({ data }) => data.subject.id), [ids[0]!, ids[2]!])
      const events = yield* Events
      const token: UserPrincipal = { ...user, via: { kind: "pat", token_id: "pat_x" as never, scopes: [] } }
      for (const [who, workspace] of [[user, foreign.org], [token, second.org]] as const) {
        const error = yield* Effect.flip(events.open(who, { workspace, cursor: undefined }))
        assert.strictEqual(error._tag, "NotFound")
      }
    }))

  it.effect("end when the session is revoked, the membership changes, or a followed workspace is joined", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace()
      const other = yield* makeWorkspace()
      const user = yield* signedIn(workspace.org, workspace.owner)
      const leaving = yield* colleague(workspace.org, "operator")
      const demoted = yield* colleague(workspace.org, "operator")
      const joining = yield* colleague(workspace.org, "viewer")
      const streams = {
        user: yield* follow(user),
        leaving: yield* follow(leaving),
        demoted: yield* follow(demoted),
        joining: yield* follow(joining, { workspace: "all" })
      }
      const stays = yield* follow(yield* signedIn(workspace.org, workspace.owner))
      yield* sql`delete from sessions where id = ${user.via.kind === "session" ? user.via.session_id : ""}`
      yield* sql`delete from memberships where user_id = ${leaving.user_id}`
      yield* sql`update memberships set role = 'viewer' where user_id = ${demoted.user_id}`
      yield* sql`insert into memberships (org_id, user_id, role) values (${other.org}, ${joining.user_id}, 'viewer')`
      yield* Effect.all(Object.values(streams).map((stream) => stream.ended), { concurrency: "unbounded" })
      yield* (yield* AuditLog).record(workspace.org, hubActor, {
        action: "agent.updated",
        subject: { type: "agent", id: "agt_1" }
      })
      assert.lengthOf(yield* stays.take(1), 1)
    }))

  it.effect("of a personal token end when it is disabled", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace()
      const id = newId("pat")
      yield* sql`insert into tokens (id, org_id, user_id, name, scopes, token_hash, hint, expires_at) values (${id}, ${workspace.org}, ${workspace.owner}, 'ci', '{}', ${
        Buffer.from(id)
      }, '', now() + interval '1 day')`
      const stream = yield* follow({
        ...asUser(workspace.org, workspace.owner),
        via: { kind: "pat", token_id: id as never, scopes: [] }
      })
      yield* sql`update tokens set enabled = false where id = ${id}`
      yield* stream.ended
    }))

  it.effect("many streams of one workspace share one reader", () =>
    Effect.gen(function*() {
      const counts = yield* QueryCounts
      const workspace: Workspace = yield* makeWorkspace({ funds: 1000 })
      const user = yield* signedIn(workspace.org, workspace.owner)
      const streams = yield* Effect.forEach(Array.from({ length: 300 }), () => follow(user), {
        concurrency: "unbounded"
      })
      const before = { ...counts }
      const ids: Array<string> = []
      for (let count = 0; count < 10; count++) ids.push(yield* execute(workspace, 0))
      for (const stream of streams) {
        assert.deepStrictEqual((yield* stream.take(10)).map(({ data }) => data.subject.id), ids)
      }
      // Ten wake-ups at most, and the polls after them; a single stream causes no read.
      assert.isAtMost(counts.entries - before.entries, 30)
      assert.isAtMost(counts.heads - before.heads, 30)
      assert.isAtMost(counts.liveness - before.liveness, 30)
    }))

  it.effect("in large numbers get no more than a hub can send: they are reset once, and receive all later events", () =>
    Effect.gen(function*() {
      const workspace: Workspace = yield* makeWorkspace({ funds: 1000 })
      const sql = yield* SqlClient.SqlClient
      const user = yield* signedIn(workspace.org, workspace.owner)
      const streams = yield* Effect.forEach(Array.from({ length: 300 }), () => follow(user), {
        concurrency: "unbounded"
      })
      const burst = 2 * backlogMax(streams.length, restAfter(streams.length))
      yield* sql`insert into audit (org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, created_at, prev_hash, hash)
      select ${workspace.org}, n, 'aud_' || lpad(n::text, 26, '0'), 'service_request.blocked', 'hub', 'hub', 'Hub', 'service_request', 'req_' || n, now(), sha256('a'), sha256('b')
      from generate_series(1, ${burst}::int) n`
      yield* sql`update org_heads set seq = ${BigInt(burst)}::int8 where org_id = ${workspace.org}`
      for (const stream of streams) {
        const [frame] = yield* stream.take(1)
        assert.strictEqual(frame?.event, "reset")
        assert.strictEqual(decodePositions(frame?.data.as_of ?? "")?.get(workspace.org), burst)
      }
      const later = [yield* execute(workspace, 0), yield* execute(workspace, 0)]
      for (const stream of streams) {
        assert.deepStrictEqual((yield* stream.take(2)).map(({ data }) => data.subject.id), later)
      }
    }))

  it.effect("send everything to a few readers, regardless of the amount", () =>
    Effect.sync(() => {
      for (const streams of [1, 8]) assert.isAtLeast(backlogMax(streams, restAfter(streams)), 1_000)
      for (const streams of [1, 10, 100, 1_000, 10_000]) {
        assert.isAtMost(restAfter(streams), 1_000)
        assert.isAtLeast(backlogMax(streams, restAfter(streams)), 32)
      }
    }))

  it.effect("end together when the hub stops", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace()
      const user = yield* signedIn(workspace.org, workspace.owner)
      const streams = [yield* follow(user), yield* follow(user)]
      yield* (yield* Events).endAll
      yield* Effect.all(streams.map((stream) => stream.ended))
    }))
})
