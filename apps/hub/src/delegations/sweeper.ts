/** Ends tasks whose deadline has passed. Several hubs may run it at once: of two that end a task, one finds it open. */
import { Context, Effect, Layer, Option } from "effect"
import { hubActor } from "../platform/audit-log.ts"
import { DueWork } from "../platform/due-work.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, repeatRounds } from "../platform/rounds.ts"
import { deadlinePassed, TaskEnding } from "./ending.ts"
import { DelegationsRepository, overdueTasks } from "./repository.ts"

const roundMillis = 2_000
const batchMax = 100

export class DelegationSweeper extends Context.Service<DelegationSweeper, {
  /** Returns the number of due tasks. */
  readonly deadlines: Effect.Effect<number>
}>()("@countersign/hub/delegations/DelegationSweeper") {
  static readonly layer = Layer.effect(
    DelegationSweeper,
    Effect.gen(function*() {
      const tasks = yield* DelegationsRepository
      const ending = yield* TaskEnding
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const { eachLocked } = yield* backgroundTransactions
      const deadlines = Effect.gen(function*() {
        const due = yield* tasks.due(batchMax)
        yield* eachLocked(
          "tasks past their deadline",
          due,
          Effect.fnUntraced(function*({ id, org_id: org }, at) {
            const task = yield* tasks.find(org, id)
            if (Option.isSome(task)) yield* ending.end(task.value, deadlinePassed, hubActor, at)
          })
        )
        return due.length
      })
      yield* repeatRounds(readiness, "delegated tasks", roundMillis, deadlines, dueWork.wait(overdueTasks))
      return DelegationSweeper.of({ deadlines })
    })
  )
}
