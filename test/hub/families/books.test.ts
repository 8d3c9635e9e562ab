/** The money of families under random changes, races over two hubs, and in one transaction for each change. */
import { TimeCorrection } from "@countersign/hub/clock/time-correction"
import { FamilySweeper } from "@countersign/hub/families/sweeper"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy } from "../../support/health.ts"
import { type Answer, type Api, expectStatus, HubTest, makeAgent, startHub, TestHub, topUp } from "../../support/hub.ts"
import { monthTurns } from "../../support/month-turn.ts"
import { makePerson, makeWorkspace } from "../../support/people.ts"
import { chanceOf } from "../../support/random.ts"

const echo = { service: "echo", operations: ["*"] }

interface Member {
  readonly id: string
  readonly key: string
}
interface Task {
  readonly id: string
  readonly from: Member
  readonly to: Member
}

const calls = (api: Api, cookie: string) => ({
  spawn: ({ key }: Member, cents: number) =>
    api("POST", "/agents/spawn", { key, body: { name: "Child", services: [echo], monthly_budget_cents: cents } }),
  say: ({ key }: Member, task?: string) =>
    api("POST", "/service-requests", {
      key,
      headers: task === undefined ? {} : { "x-delegated-task": task },
      body: { service: "echo", operation: "say", payload: {} }
    }),
  delegate: (from: Member, to: Member, cents: number) =>
    api("POST", `/agents/${from.id}/delegated-tasks`, {
      key: from.key,
      body: { to_agent_id: to.id, goal: "g", budget_cents: cents, services: ["echo"] }
    }),
  set: (agent: Member, task: string, status: string) =>
    api("PATCH", `/agents/${agent.id}/delegated-tasks/${task}`, { key: agent.key, body: { status } }),
  setCap: ({ id }: Member, cents: number) =>
    api("PATCH", `/agents/${id}/budget`, { cookie, body: { monthly_budget_cents: cents } }),
  freeze: ({ id }: Member, frozen: boolean) => api("PATCH", `/agents/${id}`, { cookie, body: { frozen } }),
  remove: ({ id }: Member) => api("DELETE", `/agents/${id}`, { cookie }),
  budget: ({ key, id }: Member) => Effect.map(api("GET", `/agents/${id}/budget`, { key }), ({ body }) => body)
})
const member = (answer: Answer): Member => ({ id: answer.body.id, key: answer.body.api_key })

layer(HubTest(), { excludeTestServices: true })("the books of families", (it) => {
  it.effect("agree at every node after random spawns, ends, tasks, caps, freezes, requests, and month turns", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const owner = yield* makePerson(hub, yield* makeWorkspace(hub), "owner")
      const { budget, delegate, freeze, remove, say, set, setCap, spawn } = calls(hub.api, owner.cookie)
      yield* topUp(hub, owner, 100_000)
      const random = chanceOf(7)
      const members: Array<Member> = [
        yield* makeAgent(hub, owner, { monthly_budget_cents: 60 }),
        yield* makeAgent(hub, owner)
      ]
      const tasks: Array<Task> = []
      const children = new Map<string, Array<Member>>()
      const done = new Map<string, number>()
      const noted = (name: string, answer: Answer) => {
        if (answer.status < 300) done.set(name, (done.get(name) ?? 0) + 1)
        else assert.include([403, 404, 409], answer.status, answer.text)
        return answer
      }
      const forget = (gone: Member) => void members.splice(members.indexOf(gone), 1)
      for (let step = 0; step < 90; step++) {
        const someone = members[random.int(members.length)]!
        const task = tasks[random.int(tasks.length)]
        switch (random.int(10)) {
          case 0:
          case 1: {
            const answer = noted("spawn", yield* spawn(someone, random.int(25)))
            if (answer.status !== 201) break
            members.push(member(answer))
            children.set(someone.id, [...children.get(someone.id) ?? [], member(answer)])
            break
          }
          case 2:
          case 3: {
            const own = children.get(someone.id) ?? []
            const to = own[random.int(own.length)]
            if (to === undefined) break
            const answer = noted("delegate", yield* delegate(someone, to, random.int(10)))
            if (answer.status === 201) tasks.push({ id: answer.body.id, from: someone, to })
            break
          }
          case 4:
            if (task !== undefined) noted("task end", yield* set(task.from, task.id, "cancelled"))
            break
          case 5:
            if (task !== undefined) noted("task end", yield* set(task.to, task.id, "completed"))
            break
          case 6:
            noted("cap", yield* setCap(someone, random.int(40)))
            break
          case 7:
            if (random.int(3) === 0 && members.length > 3) {
              const answer = noted("end", yield* remove(someone))
              if (answer.status === 204) forget(someone)
            } else {
              yield* freeze(someone, true)
              assert.strictEqual((yield* say(someone)).body.reason_code, "spending_frozen")
              noted("freeze", yield* freeze(someone, false))
            }
            break
          default:
            yield* Effect.all(
              Array.from({ length: 4 }, () => say(someone)).concat(
                task === undefined ? [] : [say(task.to, task.id), say(task.to, task.id)]
              ),
              { concurrency: "unbounded" }
            )
        }
        if (step % 30 === 29) {
          yield* expectHealthy(hub.target)
          yield* hub.run(monthTurns(owner.org))
          yield* hub.run(Effect.flatMap(FamilySweeper, (sweeper) => sweeper.corrections))
          yield* expectHealthy(hub.target)
        }
        if (step % 10 === 9) {
          yield* expectHealthy(hub.target)
          for (const each of members) {
            const { committed_cents, monthly_budget_cents: cap, remaining_cents } = yield* budget(each)
            assert.isAtLeast(committed_cents, 0)
            if (cap !== null) assert.isAtMost(committed_cents, cap)
            if (cap === null) assert.isNull(remaining_cents)
          }
        }
      }
      for (const what of ["spawn", "delegate", "task end", "cap", "end", "freeze"]) {
        assert.isAtLeast(done.get(what) ?? 0, 1, what)
      }
    }))

  it.effect("spawns, tasks, and requests that race on two hubs never pass the parent's budget", () =>
    Effect.gen(function*() {
      const first = yield* TestHub
      const second = yield* startHub({ database: first.target })
      yield* topUp(first, first.owner, 10_000)
      const both = [first, second].map(({ api }) => calls(api, first.owner.cookie))
      const parent = yield* makeAgent(first, first.owner, { monthly_budget_cents: 100 })
      const child = member(expectStatus(yield* both[0]!.spawn(parent, 0), 201))
      const before = 20
      yield* Effect.all(Array.from({ length: before }, () => both[0]!.say(parent)), { concurrency: "unbounded" })
      const answers = yield* Effect.all(
        Array.from({ length: 24 }, (_, index) => {
          const { delegate, say, spawn } = both[index % 2]!
          return index % 3 === 0 ? spawn(parent, 11) : index % 3 === 1 ? delegate(parent, child, 7) : say(parent)
        }),
        { concurrency: "unbounded" }
      )
      const count = (kind: number, met: (answer: Answer) => boolean) =>
        answers.filter((answer, index) => index % 3 === kind && met(answer)).length
      const spawned = count(0, ({ status }) => status === 201)
      const delegated = count(1, ({ status }) => status === 201)
      const executed = count(2, ({ body }) => body.status === "executed")
      for (const answer of answers) assert.include([200, 201, 409], answer.status, answer.text)
      const { committed_cents, spent_cents } = yield* both[0]!.budget(parent)
      assert.deepStrictEqual([committed_cents, spent_cents], [11 * spawned + 7 * delegated, before + executed])
      assert.isAtMost(committed_cents + spent_cents, 100)
      // Whatever was refused did not fit any more.
      if (spawned < 8) assert.isAbove(committed_cents + spent_cents + 11 + (8 - executed), 100)
      yield* expectHealthy(first.target)
    }))

  it.effect("agree after a workspace's time went back over the end of a child and a task", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const owner = yield* makePerson(hub, yield* makeWorkspace(hub), "owner")
      const { budget, delegate, remove, say, set, spawn } = calls(hub.api, owner.cookie)
      yield* topUp(hub, owner, 1_000)
      const parent = yield* makeAgent(hub, owner, { monthly_budget_cents: 50 })
      const child = member(expectStatus(yield* spawn(parent, 20), 201))
      const other = member(expectStatus(yield* spawn(parent, 10), 201))
      const task = expectStatus(yield* delegate(parent, child, 5), 201).body.id
      const work = Effect.all([say(child), say(child, task), say(other)])
      yield* work
      yield* hub.run(Effect.orDie(Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update org_heads set last_at = now() + interval '40 days' where org_id = ${owner.org}`
      )))
      yield* work
      expectStatus(yield* set(child, task, "completed"), 200)
      expectStatus(yield* remove(child), 204)
      yield* hub.run(Effect.flatMap(TimeCorrection, (correction) => correction.round))
      const { committed_cents, spent_cents } = yield* budget(parent)
      assert.deepStrictEqual([spent_cents, committed_cents], [4, 10])
      assert.strictEqual((yield* budget(other)).spent_cents, 2)
      yield* expectHealthy(hub.target)
      expectStatus(yield* remove(other), 204)
      assert.strictEqual((yield* budget(parent)).spent_cents, 6)
      yield* expectHealthy(hub.target)
    }))

  it.effect("a spawn and an end are one transaction each, so a kill leaves all of it or nothing", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { remove, spawn } = calls(hub.api, hub.owner.cookie)
      const parent = yield* makeAgent(hub, hub.owner, { monthly_budget_cents: 100 })
      /** The transactions that wrote the rows of the child and the limits of its parent last. */
      const transactions = (child: string) =>
        hub.run(
          Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) =>
            sql<{ written: string; rows: number }>`select written, count(*)::int as rows from (
              select xmin::text as written from agents where id = ${child}
              union all select xmin::text from agent_keys where agent_id = ${child}
              union all select xmin::text from bindings where agent_id = ${child} and ${child} in (
                select id from agents where deleted_at is null)
              union all select xmin::text from limits where agent_id in (${child}, ${parent.id}) and kind = 2
                and (agent_id = ${parent.id} or ${child} in (select id from agents where deleted_at is null))
              union all select t.xmin::text from commitments t join limits x on x.id = t.child_limit
                where x.agent_id = ${child}
              union all select xmin::text from audit
                where subject_id = ${child} and action in (
                  select case when deleted_at is null then 'agent.created' else 'agent.deleted' end
                    from agents where id = ${child}
                  union all select case when deleted_at is null then 'child.spawned' else 'child.ended' end
                    from agents where id = ${child})
            ) s group by written`))
        )
      const child = member(expectStatus(yield* spawn(parent, 10), 201))
      const spawned = yield* transactions(child.id)
      // The agent, its key, its binding, four limits, two commitments, and two entries.
      assert.deepStrictEqual(spawned.map(({ rows }) => rows), [11])
      expectStatus(yield* remove(child), 204)
      const ended = yield* transactions(child.id)
      assert.deepStrictEqual(ended.map(({ rows }) => rows), [6])
      assert.notStrictEqual(ended[0]?.written, spawned[0]?.written)
    }))
})
