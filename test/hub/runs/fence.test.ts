/** What the database holds to: the fence of a run, after another hub has claimed it, and starts that happen once. */
import { newId } from "@countersign/domain/ids"
import { singleConnection } from "@countersign/hub/platform/db"
import { RunsRepository } from "@countersign/hub/runs/repository"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectStatus, HubTest, makeAgent, TestHub } from "../../support/hub.ts"
import { getRun, makeWorkflow, say, stepOf } from "../../support/workflows.ts"

layer(HubTest(), { excludeTestServices: true })("the fence of a run", (it) => {
  it.effect("a save of an old epoch writes nothing, and one that was sent twice is written once", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const agent = yield* makeAgent(hub, owner, {})
      const workflow = yield* makeWorkflow(hub, owner, {
        steps: [{ label: "Wait", type: "approval", config: { title: "Go?" } }]
      }, [agent])
      const { id } = expectStatus(
        yield* api("POST", `/workflows/${workflow}/runs`, { cookie: owner.cookie, body: {} }),
        202
      ).body.run
      while (stepOf(yield* getRun(hub, owner, id), "Wait").approval_id === undefined) yield* Effect.sleep("20 millis")
      yield* hub.run(Effect.gen(function*() {
        const repository = yield* RunsRepository
        const sql = yield* SqlClient.SqlClient
        const work = sql<{ owner: number; epoch: number; rev: number }>`select owner, epoch, rev from run_work
        where run_id = ${id}`
        while ((yield* work)[0]?.owner !== 0) yield* Effect.sleep("20 millis")
        const [before] = yield* work
        const save = (epoch: number, rev: number, status: string) =>
          repository.save({
            saves: {
              runs: [{
                run_id: id,
                org_id: owner.org,
                epoch,
                rev,
                seen: 0,
                release: true,
                done: false,
                due_at: Date.now() + 3_600_000,
                waits: [],
                status,
                cost_cents: 0,
                deadline_at: Date.now() + 3_600_000
              }],
              steps: [],
              past: [],
              entries: []
            },
            texts: []
          }, true)
        const status = Effect.map(getRun(hub, owner, id), (run) => run.status)
        const next = before!.rev + 1
        assert.lengthOf(yield* save(before!.epoch - 1, next, "failed"), 0)
        assert.strictEqual(yield* status, "waiting")
        assert.lengthOf(yield* save(before!.epoch, next, "running"), 1)
        assert.lengthOf(yield* save(before!.epoch, next, "failed"), 1)
        assert.strictEqual(yield* status, "running")
        assert.lengthOf(yield* save(before!.epoch, next + 5, "failed"), 0)
      }))
    }))

  it.effect("a start is written once with its first step, and not at all while its workspace is locked", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { owner } = hub
      const agent = yield* makeAgent(hub, owner, {})
      const workflow = yield* makeWorkflow(hub, owner, { steps: [say("One")] }, [agent])
      const [capped, free] = [newId("run"), newId("run")]
      yield* hub.run(
        Effect.gen(function*() {
          const repository = yield* RunsRepository
          const sql = yield* SqlClient.SqlClient
          const runOf = (run_id: string, max_cost_cents: number | null) => ({
            run_id,
            org_id: owner.org,
            workflow_id: workflow,
            version_id: "wfv_1",
            agent_id: agent.id,
            mode: "test",
            source_type: "user",
            source_id: "usr_1",
            source_name: "A person",
            root_id: run_id,
            ancestors: [workflow],
            depth: 0,
            status: "running",
            max_cost_cents,
            limits: [],
            input: 1,
            days: 7,
            // An owner that nobody is: no hub claims the run.
            owner: 1_000_000,
            audit_id: newId("aud"),
            actor: "user usr_1 A person",
            data: "{}"
          })
          const start = (wait: boolean) =>
            repository.start({
              saves: {
                runs: [runOf(capped, 5), runOf(free, null)],
                steps: [capped, free].map((run_id) => ({
                  org_id: owner.org,
                  run_id,
                  label: "One",
                  rev: 0,
                  status: "running",
                  attempt: 1,
                  tries: 1,
                  phase: "effect",
                  ref: newId("req"),
                  left_open: false,
                  cost_cents: 0,
                  started_at: 0
                })),
                past: []
              },
              texts: ["{}"]
            }, wait)
          const written = sql<{ runs: number; work: number; steps: number; limits: number; entries: number }>`select
            (select count(*)::int from runs where id = any(${[capped, free]}::text[])) as runs,
            (select count(*)::int from run_work where run_id = any(${[capped, free]}::text[])) as work,
            (select count(*)::int from run_steps s join runs r on r.id = s.run_id
              where r.id = any(${[capped, free]}::text[]) and s.started_at >= r.created_at) as steps,
            (select count(*)::int from limits l join runs r on r.limits = array[l.id]
              where r.id = ${capped} and l.operation = r.id and l.cap = 5) as limits,
            (select count(*)::int from audit where subject_id = any(${[capped, free]}::text[])
              and action = 'run.started') as entries`
          const other = yield* singleConnection(hub.target, "test")
          yield* other.withTransaction(Effect.gen(function*() {
            yield* other`select lock_org(${owner.org})`
            assert.deepStrictEqual((yield* start(false)).map(({ epoch, run }) => [run, epoch]), [[capped, -1], [
              free,
              -1
            ]])
          }))
          assert.deepStrictEqual(yield* written, [{ runs: 0, work: 0, steps: 0, limits: 0, entries: 0 }])
          const started = yield* start(true)
          assert.sameMembers(started.map(({ run }) => run), [capped, free])
          assert.isTrue(
            started.every(({ epoch, limits, run }) => epoch > 0 && limits.length === (run === capped ? 1 : 0))
          )
          assert.lengthOf(yield* start(true), 0)
          assert.lengthOf(yield* start(false), 0)
          assert.deepStrictEqual(yield* written, [{ runs: 2, work: 2, steps: 2, limits: 1, entries: 2 }])
          yield* sql`delete from run_work where run_id = any(${[capped, free]}::text[])`
        }).pipe(Effect.scoped)
      )
    }))
})
