/** The fence of a run: after another hub has claimed it, the earlier owner writes nothing. */
import { RunsRepository } from "@countersign/hub/runs/repository"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectStatus, HubTest, makeAgent, TestHub } from "../../support/hub.ts"
import { getRun, makeWorkflow, stepOf } from "../../support/workflows.ts"

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
})
