/**
 * Settles the requests of `workflow.run_workflow` whose runs ended: at once on the hub that saved the end, or within
 * seconds on any hub that finds one left.
 */
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { Execution } from "../dispatch/pipeline/execution.ts"
import { ParkedRequests } from "../dispatch/pipeline/parked.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { heldRequest, RequestsRepository } from "../dispatch/requests/repository.ts"
import { hubActor } from "../platform/audit-log.ts"
import { DueWork } from "../platform/due-work.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { RunEngine } from "./engine.ts"
import { openRunRequests, RunsRepository } from "./repository.ts"
import { RunWork } from "./work.ts"

const roundMillis = 2_000
const batchMax = 100

export class RunSettlement extends Context.Service<RunSettlement, {
  /** Does nothing when the request is already settled. */
  readonly settle: (org: OrgId, run: string, request: ServiceRequestId) => Effect.Effect<void>
}>()("@countersign/hub/runs/RunSettlement") {
  static readonly layer = Layer.effect(
    RunSettlement,
    Effect.gen(function*() {
      const requests = yield* RequestsRepository
      const repository = yield* RunsRepository
      const work = yield* RunWork
      const engine = yield* RunEngine
      const dispatch = yield* Dispatch
      const execution = yield* Execution
      const parked = yield* ParkedRequests
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const runFork = Effect.runForkWith(yield* Effect.context<never>())

      const settle = Effect.fn("RunSettlement.settle")(function*(org: OrgId, run: string, request: ServiceRequestId) {
        const hold = yield* requests.openHold(request)
        // The dispatching call is still in progress, and checks after it parks the request.
        if (Option.isNone(hold) || hold.value.phase !== 2) return
        const ofDispatch = yield* Effect.promise(() => dispatch.workOf(org, heldRequest(hold.value, null)))
        const outcome = yield* work.outcome(org, run)
        if (ofDispatch === undefined || outcome.kind === "running") return
        yield* Effect.promise(() =>
          execution.conclude(
            ofDispatch,
            outcome,
            { type: "provider", id: "workflow", name: "workflow" },
            hold.value.started
          )
        )
      })

      const quietly = (org: OrgId, run: string, request: ServiceRequestId) =>
        Effect.catchCause(
          settle(org, run, request),
          (cause) => Effect.logWarning(`the request of run ${run} could not be settled; the hub will retry`, cause)
        )
      engine.onEnded(({ id, org, request }) => {
        if (request !== null) runFork(quietly(org, id, request))
      })
      // The run may have ended before its request was parked.
      yield* parked.each(({ id, org, ref, service }) =>
        service === "workflow" && ref !== null ? quietly(org, ref, id) : Effect.void
      )
      /** The start of a run is safe to repeat: it has the id of its request. */
      const startAgain = Effect.fnUntraced(function*(request: ServiceRequestId) {
        const hold = yield* requests.openHold(request)
        if (Option.isNone(hold) || hold.value.phase !== 2) return
        const ofDispatch = yield* Effect.promise(() =>
          dispatch.workOf(hold.value.org_id, heldRequest(hold.value, null))
        )
        if (ofDispatch === undefined) return
        const outcome = yield* work.adapter.execute(ofDispatch.service.definition, execution.callOf(ofDispatch))
        if (outcome.kind !== "failed") return
        yield* Effect.promise(() =>
          execution.conclude(ofDispatch, { kind: "failed", detail: outcome.detail }, hubActor, hold.value.started)
        )
      })

      yield* repeatRounds(
        readiness,
        "run settlement",
        roundMillis,
        Effect.gen(function*() {
          for (const request of yield* repository.unstarted(batchMax)) {
            yield* Effect.catchCause(
              startAgain(request),
              (cause) => Effect.logWarning(`the run of request ${request} could not be started yet`, cause)
            )
          }
          yield* Effect.forEach(
            yield* repository.unsettled(batchMax),
            ({ id, org_id, request_id }) => quietly(org_id, id, request_id),
            { concurrency: 8, discard: true }
          )
        }),
        dueWork.wait(openRunRequests)
      )
      return RunSettlement.of({ settle })
    })
  )
}
