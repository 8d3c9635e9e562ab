/**
 * Reads of single runs and their workflows that gather: while one batch is read, the next reads collect, and become one
 * statement. Many callers wait for runs whose ends were committed together.
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { BatchedReads } from "../platform/batched-reads.ts"
import { Db } from "../platform/db.ts"
import { RunListRepository, type ShownStepRow } from "./list-repository.ts"
import { type RunOfWorkflow, RunsRepository } from "./repository.ts"
import type { Placed } from "./wanted.ts"
import { type RunnableWorkflow, RunnableWorkflows } from "./workflows-repository.ts"

/** Bounds the memory of a batch: a run may have 4 MiB. */
const batchMax = 16

export class RunReads extends Context.Service<RunReads, {
  /** In a transaction a read of a run or a workflow is a part of it, and gathers with no other. */
  readonly run: (org: OrgId, id: string) => Effect.Effect<Option.Option<RunOfWorkflow>>
  readonly workflow: (org: OrgId, id: string) => Effect.Effect<Option.Option<RunnableWorkflow>>
  /** The steps that changed after this revision. */
  readonly steps: (org: OrgId, run: string, after: number) => Effect.Effect<ReadonlyArray<ShownStepRow>>
}>()("@countersign/hub/runs/RunReads") {
  static readonly layer = Layer.effect(
    RunReads,
    Effect.gen(function*() {
      const lists = yield* RunListRepository
      const repository = yield* RunsRepository
      const runnable = yield* RunnableWorkflows
      const db = yield* Db
      const run = Effect.runPromiseWith(yield* Effect.context<never>())

      const gathered = <Wanted, Row extends Placed>(
        read: (wanted: ReadonlyArray<Wanted>) => Effect.Effect<ReadonlyArray<Row>>
      ) => {
        const reads = new BatchedReads<Wanted, ReadonlyArray<Row>>(async (batch) => {
          const rows = Map.groupBy(await run(read(batch)), ({ place }) => place)
          return batch.map((_, at) => rows.get(at + 1) ?? [])
        }, batchMax)
        return (wanted: Wanted) => Effect.promise(() => reads.get(wanted))
      }
      const runs = gathered(lists.runs)
      const workflows = gathered(runnable.findEach)
      const steps = gathered(lists.steps)

      return RunReads.of({
        run: (org, id) =>
          Effect.flatMap(
            db.isWithin,
            (within) => within ? repository.find(org, id) : Effect.map(runs({ org, id }), first)
          ),
        workflow: (org, id) =>
          Effect.flatMap(
            db.isWithin,
            (within) => within ? runnable.find(org, id) : Effect.map(workflows({ org, id }), first)
          ),
        steps: (org, id, after) => steps({ org, id, after })
      })
    })
  )
}

const first = <Row>([row]: ReadonlyArray<Row>): Option.Option<Row> => Option.fromUndefinedOr(row)
