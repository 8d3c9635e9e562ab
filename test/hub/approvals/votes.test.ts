/**
 * Votes on an approval and the right to vote: the records of one transaction, valid votes, and decisions that race with
 * the removal of their decider. Spec: reference/approvals.md "Quorum", "Outcome of an approval".
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy, inDatabase, until } from "../../support/health.ts"
import {
  type Answer,
  expectStatus,
  firstOwner,
  HubTest,
  makeAgent,
  makeToken,
  startHub,
  TestHub,
  topUp
} from "../../support/hub.ts"
import { makeSignedIn, type PersonInTest, stepUp } from "../../support/people.ts"
import { faultProxy } from "../../support/pg-proxy.ts"
import { freshDatabase } from "../../support/pg.ts"

const soon = () => new Date(Date.now() + 3_600_000).toISOString()
const codeOf = ({ body, status }: Answer) => status === 200 ? 200 : `${status} ${body.error.code}`

interface Entry {
  readonly seq: number
  readonly action: string
  readonly actor: { readonly id: string }
  readonly subject: { readonly id: string }
}

layer(HubTest(), { excludeTestServices: true })("votes", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner, target } = hub
    const as = { cookie: owner.cookie }
    yield* topUp(hub, owner, 1_000)
    const agent = yield* makeAgent(hub, owner, {
      bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
    })
    const ask = Effect.fnUntraced(function*(payload: unknown = {}) {
      const { body } = yield* api("POST", "/service-requests", {
        key: agent.key,
        body: { service: "echo", operation: "say", payload }
      })
      assert.strictEqual(body.status, "approval_required")
      return { request: body.id as string, approval: body.approval_id as string }
    })
    const approve = (approval: string, who: object, body: object = {}) =>
      api("POST", `/approvals/${approval}/approve`, { ...who, body })
    const person = (role: "owner" | "admin" | "operator" = "operator") => makeSignedIn(hub, owner.org, role)
    const approvalOf = (id: string) => Effect.map(api("GET", `/approvals/${id}`, as), ({ body }) => body)
    const requestOf = (id: string) => Effect.map(api("GET", `/service-requests/${id}`, as), ({ body }) => body)
    const remove = (who: PersonInTest) => api("DELETE", `/members/${who.id}`, as)
    const demote = (who: PersonInTest, role = "viewer") => api("PATCH", `/members/${who.id}`, { ...as, body: { role } })
    const log = (subject: string) =>
      Effect.map(
        api("GET", `/audit-logs?subject_id=${subject}&limit=200`, as),
        ({ body }) => body.data as ReadonlyArray<Entry>
      )
    /** Requests with this tag require this many approvals, from these deciders. */
    const rule = (tag: string, settings: object) =>
      Effect.map(
        api("POST", "/policies", {
          ...as,
          body: {
            name: tag,
            when: `has(payload.tag) && payload.tag == "${tag}"`,
            then: "require_approval",
            ...settings
          }
        }),
        (answer) => expectStatus(answer, 201).body
      )
    const sql = <A>(run: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
      inDatabase(target, Effect.orDie(Effect.flatMap(SqlClient.SqlClient, run)))
    /** Runs `during` while every write of a row that meets the condition fails. */
    const failing = <A>(table: string, condition: string, during: Effect.Effect<A>) =>
      Effect.gen(function*() {
        yield* sql((sql) =>
          sql.unsafe(`create or replace function fail_write() returns trigger language plpgsql as
          'begin raise exception ''this test lets no such row in''; end'`)
        )
        yield* sql((sql) =>
          sql.unsafe(`create trigger fail_write before insert on ${table} for each row
          when (${condition}) execute function fail_write()`)
        )
        return yield* Effect.ensuring(during, sql((sql) => sql.unsafe(`drop trigger fail_write on ${table}`)))
      })
    return {
      agent,
      api,
      approvalOf,
      approve,
      as,
      ask,
      demote,
      failing,
      hub,
      log,
      owner,
      person,
      remove,
      requestOf,
      rule,
      sql,
      target
    }
  })

  it.effect("a vote and its audit entry are written together or not at all", () =>
    Effect.gen(function*() {
      const { approvalOf, approve, ask, failing, log, person, rule } = yield* world
      yield* rule("audited", { required_approvals: 2 })
      const [first, second] = [yield* person(), yield* person()]
      const { approval } = yield* ask({ tag: "audited" })
      const failed = yield* failing("audit", "new.action = 'approval.voice_added'", approve(approval, first))
      assert.strictEqual(failed.status, 500)
      assert.deepStrictEqual((yield* approvalOf(approval)).decisions, [])
      assert.strictEqual((yield* approve(approval, second)).body.approval.status, "pending")
      assert.strictEqual((yield* approvalOf(approval)).decisions.length, 1)
      assert.deepStrictEqual((yield* log(approval)).map(({ action, actor }) => [action, actor.id]), [[
        "approval.voice_added",
        second.id
      ]])
    }))

  it.effect("a standing approval is created together with its approval, or neither is", () =>
    Effect.gen(function*() {
      const { approvalOf, approve, as, ask, failing, requestOf, target } = yield* world
      const { approval, request } = yield* ask()
      const remember = { remember: { max_cost_cents: 1, max_uses: 3, expires_at: soon() } }
      assert.strictEqual((yield* failing("standing_approvals", "true", approve(approval, as, remember))).status, 500)
      assert.deepStrictEqual([(yield* approvalOf(approval)).status, (yield* requestOf(request)).status], [
        "pending",
        "approval_required"
      ])
      const approved = yield* approve(approval, as, remember)
      assert.deepStrictEqual([approved.body.service_request.status, approved.body.standing_approval.max_uses], [
        "executed",
        3
      ])
      yield* expectHealthy(target)
    }))

  it.effect("an approval stays pending when the request cannot begin", () =>
    Effect.gen(function*() {
      const { agent, approvalOf, approve, as, ask, requestOf, sql, target } = yield* world
      const { approval, request } = yield* ask()
      const rows = yield* sql((sql) =>
        sql`delete from limits where agent_id = ${agent.id} and kind = 4 returning id, org_id, mode, service, operation`
      )
      assert.isAtLeast((rows as ReadonlyArray<unknown>).length, 1)
      assert.strictEqual((yield* approve(approval, as)).status, 500)
      assert.deepStrictEqual([(yield* approvalOf(approval)).status, (yield* requestOf(request)).status], [
        "pending",
        "approval_required"
      ])
      for (
        const row of rows as ReadonlyArray<
          { id: number; org_id: string; mode: string; service: string; operation: string }
        >
      ) {
        yield* sql((sql) =>
          sql`insert into limits (id, org_id, kind, mode, agent_id, service, operation) overriding system value
        values (${
            BigInt(row.id)
          }::bigint, ${row.org_id}, 4, ${row.mode}, ${agent.id}, ${row.service}, ${row.operation})`
        )
      }
      assert.strictEqual((yield* approve(approval, as)).body.service_request.status, "executed")
      yield* expectHealthy(target)
    }))

  it.effect("no approval can be stored as granted without a hold or a settlement of its request", () =>
    Effect.gen(function*() {
      const { approvalOf, ask, sql } = yield* world
      const { approval } = yield* ask()
      const granted = yield* Effect.exit(
        sql((sql) => sql`update approvals set status = 'approved', decided_at = now() where id = ${approval}`)
      )
      assert.strictEqual(granted._tag, "Failure")
      assert.strictEqual((yield* approvalOf(approval)).status, "pending")
    }))

  it.effect("the vote of a person who has been removed or demoted does not count", () =>
    Effect.gen(function*() {
      const { api, approvalOf, approve, ask, demote, person, remove, requestOf, rule } = yield* world
      yield* rule("quorum", { required_approvals: 2 })
      for (const leave of [remove, (who: PersonInTest) => demote(who), (who: PersonInTest) => demote(who, "member")]) {
        const [gone, second, third] = [yield* person(), yield* person(), yield* person()]
        const { approval, request } = yield* ask({ tag: "quorum" })
        yield* approve(approval, gone)
        assert.isBelow((yield* leave(gone)).status, 300)
        assert.strictEqual((yield* approve(approval, second)).body.approval.status, "pending")
        const { decisions } = yield* approvalOf(approval)
        assert.deepStrictEqual(
          decisions.map(({ counts, user }: { counts: boolean; user: { id: string } }) => [user.id, counts]),
          [[gone.id, false], [second.id, true]]
        )
        assert.strictEqual((yield* requestOf(request)).status, "approval_required")
        assert.strictEqual((yield* approve(approval, third)).body.service_request.status, "executed")
      }
      // A person whose right is restored may complete the quorum by approving again.
      const [back, other] = [yield* person(), yield* person()]
      const { approval } = yield* ask({ tag: "quorum" })
      yield* approve(approval, back)
      yield* demote(back)
      yield* approve(approval, other)
      assert.strictEqual(codeOf(yield* approve(approval, other)), "409 already_approved")
      yield* demote(back, "operator")
      assert.deepStrictEqual(
        (yield* api("GET", `/approvals/${approval}`, { cookie: other.cookie })).body.allowed_decisions[0],
        { decision: "approve", allowed: true }
      )
      assert.strictEqual((yield* approve(approval, other)).body.service_request.status, "executed")
    }))

  it.effect("the vote of a person whom the rule or the separation of duties now excludes does not count", () =>
    Effect.gen(function*() {
      const { approve, as, ask, api, demote, hub, owner, person, requestOf, rule } = yield* world
      yield* rule("admins", { required_approvals: 2, deciders: { roles: ["admin", "owner"] } })
      const [first, second] = [yield* person("admin"), yield* person("admin")]
      const named = yield* ask({ tag: "admins" })
      yield* approve(named.approval, first)
      yield* demote(first, "operator")
      assert.strictEqual((yield* approve(named.approval, second)).body.approval.status, "pending")
      assert.strictEqual((yield* requestOf(named.request)).status, "approval_required")
      yield* rule("own", { required_approvals: 2 })
      const own = yield* ask({ tag: "own" })
      // The owner of the workspace owns the agent.
      yield* approve(own.approval, as)
      expectStatus(
        yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { separation_of_duties: true } }),
        200
      )
      assert.strictEqual((yield* approve(own.approval, second)).body.approval.status, "pending")
      yield* stepUp(hub, owner)
      expectStatus(
        yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { separation_of_duties: false } }),
        200
      )
      assert.strictEqual((yield* approve(own.approval, second)).body.service_request.status, "executed")
    }))

  /** Starts `first`, then `second`, both queued for the workspace's lock in this order; then releases the lock. */
  const queued = <A, B>(first: Effect.Effect<A>, second: Effect.Effect<B>) =>
    Effect.gen(function*() {
      const { owner, target } = yield* TestHub
      return yield* inDatabase(
        target,
        Effect.flatMap(SqlClient.SqlClient, (sql) => {
          const waiting = (count: number) =>
            until(
              `${count} transactions wait`,
              Effect.orDie(inDatabase(
                target,
                Effect.flatMap(SqlClient.SqlClient, (other) =>
                  Effect.map(
                    other`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
                    (rows) => rows.length >= count
                  ))
              ))
            )
          return Effect.orDie(sql.withTransaction(Effect.gen(function*() {
            yield* sql`select lock_org(${owner.org})`
            const one = yield* Effect.forkDetach(first)
            yield* waiting(1)
            const other = yield* Effect.forkDetach(second)
            yield* waiting(2)
            return [one, other] as const
          })))
        })
      ).pipe(Effect.flatMap(([one, other]) => Effect.all([Fiber.join(one), Fiber.join(other)])))
    })

  it.effect(
    "a decision that races with the end of its right precedes it in the audit log, or is refused",
    () =>
      Effect.gen(function*() {
        const { api, approvalOf, approve, ask, demote, log, person, remove, requestOf, target } = yield* world
        const sessionOf = (who: PersonInTest) =>
          Effect.map(api("GET", "/auth/me", { cookie: who.cookie }), ({ body }) => body.via.session_id as string)
        const ways: ReadonlyArray<
          readonly [string, boolean, (who: PersonInTest, token: string) => Effect.Effect<Answer>]
        > = [
          ["member.removed", false, (who) => remove(who)],
          ["member.updated", false, (who) => demote(who)],
          ["user.session_ended", false, (who) =>
            Effect.flatMap(sessionOf(who), (id) =>
              api("DELETE", `/auth/sessions/${id}`, { cookie: who.cookie }))],
          ["token.updated", true, (who, token) =>
            api("PATCH", `/tokens/${token}`, { cookie: who.cookie, body: { enabled: false } })],
          ["token.revoked", true, (who, token) =>
            api("DELETE", `/tokens/${token}`, { cookie: who.cookie })]
        ]
        for (const [ending, byToken, end] of ways) {
          for (const endsFirst of [true, false]) {
            const who = yield* person()
            const made = expectStatus(
              yield* api("POST", "/tokens", {
                cookie: who.cookie,
                body: { name: "race", scopes: ["approvals:decide", "approvals:read"] }
              }),
              201
            )
            const { approval, request } = yield* ask()
            const decide = approve(approval, byToken ? { pat: made.body.token } : { cookie: who.cookie })
            const ends = end(who, made.body.id)
            const [ended, decided] = endsFirst
              ? yield* queued(ends, decide)
              : yield* Effect.map(queued(decide, ends), ([decided, ended]) =>
                [ended, decided] as const)
            assert.isBelow(ended.status, 300, ended.text)
            const name = `${ending}, ${endsFirst ? "ended" : "decided"} first: ${decided.text}`
            if (endsFirst) {
              assert.include([401, 403, 404], decided.status, name)
              assert.deepStrictEqual([(yield* approvalOf(approval)).status, (yield* requestOf(request)).status], [
                "pending",
                "approval_required"
              ], name)
            } else {
              assert.strictEqual(decided.status, 200, name)
              assert.strictEqual((yield* requestOf(request)).status, "executed", name)
              const [granted] = (yield* log(approval)).filter(({ action }) =>
                action === "approval.approved"
              )
              const [lost] = (yield* log(byToken ? made.body.id : who.id)).filter(({ action }) => action === ending)
              assert.isBelow(granted!.seq, lost!.seq, name)
            }
          }
        }
        yield* expectHealthy(target)
      })
  )

  it.effect(
    "of many deciders who are removed or demoted while they decide, none decides after losing the right",
    () =>
      Effect.gen(function*() {
        const { approve, ask, demote, log, person, remove, requestOf, rule, target } = yield* world
        yield* rule("race", { required_approvals: 2 })
        for (let round = 0; round < 6; round++) {
          const people = yield* Effect.forEach(
            Array.from({ length: 6 }),
            () => person(round % 2 === 0 ? "operator" : "admin")
          )
          const asked = yield* Effect.forEach(Array.from({ length: 4 }), () => ask({ tag: "race" }))
          const decisions = people.flatMap((
            who,
            at
          ) => [approve(asked[at % 4]!.approval, who), approve(asked[(at + 1) % 4]!.approval, who)])
          const ends = people.map((who, at) => at % 2 === 0 ? remove(who) : demote(who))
          yield* Effect.all([
            ...decisions.slice(0, 4),
            ...ends.flatMap((end, at) => [end, decisions[4 + at]!]),
            ...decisions.slice(10)
          ], { concurrency: "unbounded" })
          const lostAt = new Map(
            (yield* Effect.forEach(people, ({ id }) => log(id))).flat()
              .filter(({ action }) => action === "member.removed" || action === "member.updated").map((
                { seq, subject }
              ) => [subject.id, seq])
          )
          assert.strictEqual(lostAt.size, people.length)
          for (const { approval, request } of asked) {
            const entries = (yield* log(approval)).toSorted((a, b) => a.seq - b.seq)
            for (const { actor, seq } of entries) assert.isBelow(seq, lostAt.get(actor.id)!)
            const granted = entries.find(({ action }) => action === "approval.approved")
            assert.strictEqual(
              (yield* requestOf(request)).status,
              granted === undefined ? "approval_required" : "executed"
            )
            if (granted !== undefined) {
              const counted = entries.filter(({ actor, seq }) =>
                seq <= granted.seq && lostAt.get(actor.id)! > granted.seq
              )
              assert.isAtLeast(new Set(counted.map(({ actor }) => actor.id)).size, 2)
            }
          }
        }
        yield* expectHealthy(target)
      })
  )

  it.effect("a token whose scopes do not include approvals:decide casts no vote", () =>
    Effect.gen(function*() {
      const { approvalOf, approve, ask, hub, owner } = yield* world
      const { approval } = yield* ask()
      const pat = yield* makeToken(hub, owner, ["approvals:read"])
      assert.strictEqual(codeOf(yield* approve(approval, { pat })), "403 forbidden")
      assert.deepStrictEqual((yield* approvalOf(approval)).decisions, [])
    }))

  it.effect(
    "a vote whose connection is cut at any point is recorded once with all its records, or not at all",
    () =>
      Effect.gen(function*() {
        const proxy = yield* faultProxy(yield* freshDatabase)
        const hub = yield* startHub({ database: proxy.target })
        const owner = yield* firstOwner(hub)
        const as = { cookie: owner.cookie }
        yield* topUp(hub, owner, 1_000)
        const agent = yield* makeAgent(hub, owner, {
          bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
        })
        expectStatus(
          yield* hub.api("POST", "/policies", {
            ...as,
            body: { name: "two", when: "payload.two", then: "require_approval", required_approvals: 2 }
          }),
          201
        )
        const colleague = yield* makeSignedIn(hub, owner.org, "operator")
        const seen: Array<string> = []
        /** All records of a vote: approval, votes, log entries, standing approvals, and the outcome of the request. */
        const written = (approval: string) =>
          Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
            Effect.map(
              sql<{ written: string }>`
      select concat_ws(' ', a.status, (select count(*) from approval_decisions d where d.approval_id = a.id),
        (select string_agg(action, ',') from audit u where u.subject_id = a.id), (select s.status from settlements s where s.request_id = a.request_id),
        (select count(*) from standing_approvals p where p.agent_id = a.agent_id and p.withdrawn_at is null)) as written
      from approvals a where a.id = ${approval}`,
              ([row]) => row!.written
            ))))
        const endStanding = Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.andThen(
            sql`update standing_approvals set withdrawn_at = now()`,
            sql`update agents set version = version + 1`
          ))))
        // Cuts the n-th reply to the pool after the call begins, until a vote needs fewer than n.
        for (const two of [false, true]) {
          for (let at = 0, cut = true; cut; at++) {
            const { body } = yield* hub.api("POST", "/service-requests", {
              key: agent.key,
              body: { service: "echo", operation: "say", payload: { two } }
            })
            let left = at
            proxy.faults = 0
            proxy.mischief = (application, sender) =>
              application === "countersign" && proxy.faults === 0 && sender === "server" && left-- === 0
                ? "cut"
                : "pass"
            const answer = yield* two
              ? hub.api("POST", `/approvals/${body.approval_id}/approve`, { cookie: colleague.cookie })
              : hub.api("POST", `/approvals/${body.approval_id}/approve`, {
                ...as,
                body: { remember: { max_cost_cents: 1, max_uses: 1, expires_at: soon() } }
              })
            proxy.mischief = () => "pass"
            cut = proxy.faults > 0
            const outcome = yield* written(body.approval_id)
            const whole = two ? "pending 1 approval.voice_added 0" : "approved 1 approval.approved executed 1"
            assert.include(
              answer.status === 200 ? [whole] : [whole, "pending 0 0"],
              outcome,
              `reply ${at}: ${answer.text}`
            )
            seen.push(`${answer.status} ${outcome}`)
            yield* endStanding
          }
        }
        // Cuts inside the transaction are resolved before the response; two votes ran without a cut.
        assert.isAbove(seen.filter((outcome) => outcome.startsWith("200")).length, 2 + 8, seen.join("\n"))
        yield* expectHealthy(proxy.target)
      })
  )
})
