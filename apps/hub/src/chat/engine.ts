/**
 * The turns that this hub drives: takes new ones, those that were woken, and those of hubs that ended. Spec:
 * reference/chat.md "Ownership".
 */
import { isTurnEnded } from "@countersign/domain/chat"
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, FiberMap, Layer, Option } from "effect"
import { RequestWaiters } from "../dispatch/pipeline/waiters.ts"
import { Db } from "../platform/db.ts"
import { DueWork } from "../platform/due-work.ts"
import { Owner } from "../platform/owner.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { chatTurnsActive } from "../platform/telemetry.ts"
import { isFirstAttempt, TurnActor, TurnLost } from "./actor.ts"
import { ChatDriver } from "./driver.ts"
import type { History } from "./model-steps.ts"
import { RecentChatEvents } from "./recent-events.ts"
import { toStep } from "./records.ts"
import { ChatSessionsRepository } from "./sessions-repository.ts"
import { ChatTurnsRepository, type ClaimedTurn, openTurns } from "./turns-repository.ts"

/** Turns that one hub drives at the same time; the others are queued. */
export const turnsMax = 200
const roundMillis = 1_000
/** A wake-up may be lost with its connection. */
const sweepMillis = 5_000
/** How long a stopping hub waits for its turns to reach a safe point. */
const drainMillisMax = 20_000
/** Wake-ups within this time are looked up together. */
const coalesceMillis = 20

/** The subject of signals that a turn is to stop. */
const cancelSubject = (turn: string): string => `${turn}/cancel`
const cancelPattern = /^(trn_\w+)\/cancel$/u

/** A turn whose first model call was stored with it. */
export interface PlannedTurn {
  readonly actor: TurnActor
  readonly history: History
}

export class ChatEngine extends Context.Service<ChatEngine, {
  /** The owner of a new turn: this hub, or 0 when it drives enough turns. */
  readonly ownerOfNew: () => number
  /** Drives a turn that this hub owns. Call it after the commit. */
  readonly adopt: (turn: ClaimedTurn, planned?: PlannedTurn) => void
  /** Looks for turns to take soon. */
  readonly nudge: () => void
  /** A request that a turn may wait for has changed. */
  readonly wake: (request: ServiceRequestId | undefined) => void
  /** Lets a turn stop, whichever hub drives it; call it in a transaction. */
  readonly cancel: (org: OrgId, turn: string) => Effect.Effect<void>
  readonly active: () => number
}>()("@countersign/hub/chat/ChatEngine") {
  static readonly layer = Layer.effect(
    ChatEngine,
    Effect.gen(function*() {
      const sessions = yield* ChatSessionsRepository
      const turns = yield* ChatTurnsRepository
      const driver = yield* ChatDriver
      const owner = yield* Owner
      const db = yield* Db
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const recent = yield* RecentChatEvents
      const signals = yield* Signals
      const waiters = yield* RequestWaiters
      const context = yield* Effect.context<never>()
      const run = Effect.runForkWith(context)
      const actors = new Map<string, TurnActor>()
      /** By id, with the attempt. */
      const taking = new Map<string, number>()
      const fibers = yield* FiberMap.make<string>()
      /** Some turn waits for a person; without any, no settled request is looked up. */
      let anyWaiting = true

      const load = Effect.fnUntraced(function*({ attempt, id, org_id, user_message_id: message }: ClaimedTurn) {
        // One round trip for both. Messages do not change, so the path is read once.
        const [found, path] = yield* Effect.all([
          turns.find(org_id, id),
          message === undefined ? Effect.undefined : sessions.path(org_id, message)
        ], { concurrency: 2 })
        const row = Option.getOrUndefined(found)
        if (row === undefined) return undefined
        const steps = isFirstAttempt({ attempt }) ? [] : yield* turns.steps(org_id, [id])
        return new TurnActor(row, { turn: id, owner: owner.num(), attempt }, steps.map(toStep), path)
      })

      const take = (turn: ClaimedTurn, planned: PlannedTurn | undefined) =>
        Effect.gen(function*() {
          const actor = planned?.actor ?? (yield* load(turn))
          if (actor === undefined) return
          actors.get(turn.id)?.lost()
          actors.set(turn.id, actor)
          yield* driver.drive(actor, planned?.history).pipe(
            Effect.catchDefect((defect) => defect instanceof TurnLost ? Effect.void : Effect.die(defect)),
            Effect.ensuring(Effect.sync(() => {
              actor.lost()
              if (actors.get(turn.id) !== actor) return
              actors.delete(turn.id)
              recent.forget(turn.id)
            }))
          )
        }).pipe(
          Effect.catchCause((cause) => Effect.logWarning(`turn ${turn.id} stopped; it will be taken again`, cause)),
          Effect.ensuring(Effect.sync(() => {
            if (taking.get(turn.id) === turn.attempt) taking.delete(turn.id)
            chatTurnsActive.updateUnsafe(taking.size, context)
            anyWaiting = true
          }))
        )

      const adopt = (turn: ClaimedTurn, planned?: PlannedTurn) => {
        taking.set(turn.id, turn.attempt)
        chatTurnsActive.updateUnsafe(taking.size, context)
        run(FiberMap.run(fibers, turn.id, take(turn, planned)))
      }

      const round = Effect.gen(function*() {
        const free = turnsMax - taking.size
        if (signals.stopped() || free <= 0 || !owner.alive()) return
        for (const turn of yield* turns.claim(owner.num(), free)) adopt(turn)
      })

      let nudged: NodeJS.Timeout | undefined
      const nudge = () => {
        if (signals.stopped()) return
        nudged ??= setTimeout(() => {
          nudged = undefined
          run(Effect.catchCause(round, (cause) => Effect.logWarning("turns could not be taken yet", cause)))
        }, coalesceMillis)
      }

      const requests = new Set<string>()
      let waking: NodeJS.Timeout | undefined
      const wake = (request: ServiceRequestId | undefined) => {
        if (!anyWaiting || request === undefined) return
        requests.add(request)
        waking ??= setTimeout(() => {
          waking = undefined
          const batch = [...requests]
          requests.clear()
          run(
            turns.wakeDecided(batch).pipe(
              Effect.map((woken) => woken > 0 ? nudge() : undefined),
              Effect.catchCause((cause) => Effect.logWarning("turns could not be woken up yet", cause))
            )
          )
        }, coalesceMillis)
      }

      yield* Effect.acquireRelease(
        Effect.sync(() => [
          waiters.subscribe(wake),
          signals.subscribe((signal) => {
            if (signal.kind !== "object") return
            const turn = cancelPattern.exec(signal.id)?.[1]
            if (turn !== undefined) actors.get(turn)?.stop.abort()
          })
        ]),
        (unsubscribe) => Effect.sync(() => unsubscribe.forEach((one) => one()))
      )

      let swept = 0
      yield* repeatRounds(
        readiness,
        "chat",
        roundMillis,
        Effect.gen(function*() {
          if (performance.now() - swept >= sweepMillis && !signals.stopped()) {
            swept = performance.now()
            yield* turns.wakeDecided(undefined)
            yield* turns.wakeOverdue
            anyWaiting = yield* turns.isAnyWaiting
            for (const turn of yield* turns.stranded(owner.num(), [...taking.keys()])) adopt(turn)
          }
          yield* round
        }),
        dueWork.wait(...openTurns)
      )
      // An orderly stop waits for safe points; the turns left then belong to other hubs, or to this one's next start.
      yield* Effect.addFinalizer(() =>
        Effect.gen(function*() {
          clearTimeout(nudged)
          clearTimeout(waking)
          const until = performance.now() + drainMillisMax
          while (taking.size > 0 && performance.now() < until) yield* Effect.sleep("50 millis")
          const own = [...taking.keys()]
          for (const actor of actors.values()) actor.lost()
          if (own.length > 0) yield* Effect.ignoreCause(turns.release(owner.num(), own))
        })
      )

      const cancel = Effect.fnUntraced(function*(org: OrgId, id: string) {
        const row = Option.getOrUndefined(yield* turns.lock(org, id))
        if (row === undefined || isTurnEnded(row.state)) return
        // Nobody drives it: it runs again, to withdraw its pending calls.
        if (row.owner === 0) yield* turns.resume(org, id, { at: new Date(), cancel: true })
        else yield* turns.requestCancel(org, id)
        yield* db.afterCommit(Effect.sync(() => {
          signals.object(cancelSubject(id))
          nudge()
        }))
      })

      return ChatEngine.of({
        cancel,
        wake: (request) => {
          anyWaiting = true
          wake(request)
        },
        ownerOfNew: () => taking.size < turnsMax && owner.alive() && !signals.stopped() ? owner.num() : 0,
        adopt,
        nudge,
        active: () => taking.size
      })
    })
  )
}
