/** The open runs of a workflow, for its deletion. */
import { Effect, Layer } from "effect"
import { AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { LiveRuns } from "../workflows/live-runs.ts"
import { runFlags } from "./records.ts"
import { RunsRepository } from "./repository.ts"

export const liveRunsLayer = Layer.effect(
  LiveRuns,
  Effect.gen(function*() {
    const repository = yield* RunsRepository
    const signals = yield* Signals
    const audit = yield* AuditLog
    const db = yield* Db
    return LiveRuns.of({
      count: (org, workflow) => Effect.map(repository.openOf(org, workflow), (open) => open.length),
      cancelAll: Effect.fnUntraced(function*(org, workflow, actor) {
        for (const { agent_id, id } of yield* repository.openOf(org, workflow)) {
          if (!(yield* repository.flag(org, id, runFlags.cancel))) continue
          yield* audit.record(org, actor, {
            action: "run.cancel_requested",
            subject: { type: "workflow_run", id },
            agent_id
          })
          yield* db.afterCommit(Effect.sync(() => signals.object(id)))
        }
      })
    })
  })
)
