/**
 * Settles the requests of ended commands: at once on the hub that ended the command, or within seconds on any hub that
 * finds one left.
 */
import { Context, Effect, Layer, Option, Schedule } from "effect"
import { Execution } from "../dispatch/pipeline/execution.ts"
import { ParkedRequests } from "../dispatch/pipeline/parked.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { RequestsRepository } from "../dispatch/requests/repository.ts"
import { outcomeOf } from "./adapter.ts"
import { DeviceClosing, type EndedWork } from "./closing.ts"
import { DeviceCommandsRepository } from "./commands-repository.ts"
import { DeviceWork } from "./work.ts"

const roundMillis = 2_000
const batchMax = 100

export class DeviceSettlement extends Context.Service<DeviceSettlement, {
  /** Does nothing when the request is already settled. */
  readonly settle: (work: EndedWork) => Effect.Effect<void>
}>()("@countersign/hub/devices/DeviceSettlement") {
  static readonly layer = Layer.effect(
    DeviceSettlement,
    Effect.gen(function*() {
      const requests = yield* RequestsRepository
      const commands = yield* DeviceCommandsRepository
      const work = yield* DeviceWork
      const dispatch = yield* Dispatch
      const execution = yield* Execution
      const closing = yield* DeviceClosing
      const parked = yield* ParkedRequests
      const context = yield* Effect.context<never>()

      const settle = Effect.fn("DeviceSettlement.settle")(function*({ command, org, request }: EndedWork) {
        const hold = yield* requests.openHold(request)
        // The dispatching call is still in progress, and checks after it parks the request.
        if (Option.isNone(hold) || hold.value.phase !== 2) return
        const dispatchWork = yield* Effect.promise(() =>
          dispatch.workOf(org, {
            id: request,
            agent_id: hold.value.agent_id,
            mode: hold.value.mode,
            service: hold.value.service,
            operation: hold.value.operation,
            payload: hold.value.payload,
            ceiling_cents: hold.value.ceiling_cents,
            script: null
          })
        )
        if (dispatchWork === undefined) return
        const outcome = outcomeOf(yield* work.outcome(org, command))
        if (outcome.kind === "running") return
        yield* Effect.promise(() =>
          execution.conclude(
            dispatchWork,
            outcome,
            { type: "provider", id: "device", name: "device" },
            hold.value.started
          )
        )
      })

      const quietly = (ended: EndedWork) =>
        Effect.catchCause(
          settle(ended),
          (cause) =>
            Effect.logWarning(`the request of ${ended.command} could not be settled; the hub will retry`, cause)
        )
      closing.onEnded((ended) => void Effect.runForkWith(context)(quietly(ended)))
      // The command may have ended before its request was parked.
      yield* parked.each(({ org, ref, service }) =>
        service !== "device" || ref === null
          ? Effect.void
          : Effect.flatMap(commands.find(org, ref), (row) =>
            row?.service_request_id == null
              ? Effect.void
              : quietly({ org, request: row.service_request_id, command: ref }))
      )
      const scope = yield* Effect.scope
      const settling = new Set<string>()
      yield* commands.unsettled(batchMax).pipe(
        Effect.flatMap((left) =>
          // Settles each one outside the loop, so that a locked workspace delays no other.
          Effect.forEach(left, ({ id, org_id, request_id }) => {
            if (settling.has(request_id)) return Effect.void
            settling.add(request_id)
            return quietly({ org: org_id, request: request_id, command: id }).pipe(
              Effect.ensuring(Effect.sync(() => settling.delete(request_id))),
              Effect.forkIn(scope)
            )
          }, { discard: true })
        ),
        Effect.catchCause((cause) =>
          Effect.logWarning("ended commands could not be settled; the hub will retry", cause)
        ),
        Effect.repeat(Schedule.spaced(roundMillis)),
        Effect.forkScoped
      )
      return DeviceSettlement.of({ settle })
    })
  )
}
