/** A turn that this hub drives, and the writes that its right to drive it covers. */
import type { NewChatEvent } from "@countersign/domain/chat-events"
import type { ChatStep } from "@countersign/domain/chat-state"
import { Context, Effect, Layer, Semaphore } from "effect"
import { AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { chatTurnsParted, counting } from "../platform/telemetry.ts"
import { type DeltaLog, type EventWriter, makeDeltaLog } from "./delta-log.ts"
import { RecentChatEvents } from "./recent-events.ts"
import { type DrivenTurn, type EventRow, eventRow, type MessageRow, toStepRow } from "./records.ts"
import { ChatSessionsRepository } from "./sessions-repository.ts"
import { ChatTurnsRepository, type Claim, type NewBlob, type TurnChange, type UsageChange } from "./turns-repository.ts"

/** A turn that is taken, again or from the queue, has a later attempt. */
export const isFirstAttempt = ({ attempt }: { readonly attempt: number }): boolean => attempt === 1

/** The turn belongs to another hub now: this one does nothing more for it. */
export class TurnLost extends Error {}

/** The first event of a turn. */
export const modelEvent = ({ model }: Pick<DrivenTurn, "model">): NewChatEvent => ({ event: "model", data: { model } })

export class TurnActor implements EventWriter {
  readonly row: DrivenTurn
  readonly claim: Claim
  /** Of this turn, by number. */
  readonly steps: Array<ChatStep>
  /** The messages up to the one that the turn answers, if they were read with it. */
  readonly path: ReadonlyArray<MessageRow> | undefined
  /** Events become visible in the order of their numbers. */
  readonly writing = Semaphore.makeUnsafe(1)
  /** Stops the model's answer. */
  readonly stop = new AbortController()
  #seq: number
  #lost = false

  constructor(row: DrivenTurn, claim: Claim, steps: ReadonlyArray<ChatStep>, path?: ReadonlyArray<MessageRow>) {
    this.row = row
    this.path = path
    this.claim = claim
    this.steps = [...steps]
    this.#seq = row.last_seq
  }

  readonly nextSeq = (): number => ++this.#seq
  readonly isLost = (): boolean => this.#lost
  /** A model call in flight is not stopped: the next owner takes its whole answer. */
  readonly lost = (): void => {
    this.#lost = true
  }

  /** Whether a stream of the turn has had an event. */
  get hasEvents(): boolean {
    return this.#seq > 0
  }

  /** Just begun by this hub: its row, as it was read, says everything. */
  get isNew(): boolean {
    return isFirstAttempt(this.claim) && !this.hasEvents
  }

  get isCancelled(): boolean {
    return this.stop.signal.aborted
  }

  put(...steps: ReadonlyArray<ChatStep>): void {
    for (const step of steps) this.steps[step.step] = step
  }
}

export interface Save {
  readonly steps?: ReadonlyArray<ChatStep>
  readonly events?: ReadonlyArray<NewChatEvent>
  readonly change?: TurnChange
  readonly usage?: UsageChange
  readonly blobs?: ReadonlyArray<NewBlob>
  /** The answer, when the turn ends. */
  readonly message?: Pick<MessageRow, "id" | "parts" | "created_at">
  /** Recorded in the audit log with the change. */
  readonly action?: string
}

export class ChatSaves extends Context.Service<ChatSaves, {
  /** In one transaction; dies with `TurnLost` when the turn belongs to another hub. */
  readonly save: (actor: TurnActor, save: Save) => Effect.Effect<void>
  readonly deltas: DeltaLog
}>()("@countersign/hub/chat/ChatSaves") {
  static readonly layer = Layer.effect(
    ChatSaves,
    Effect.gen(function*() {
      const turns = yield* ChatTurnsRepository
      const sessions = yield* ChatSessionsRepository
      const audit = yield* AuditLog
      const heads = yield* OrgHeads
      const signals = yield* Signals
      const recent = yield* RecentChatEvents
      const db = yield* Db
      const context = yield* Effect.context<never>()
      const run = Effect.runPromiseWith(context)
      const countParted = counting(chatTurnsParted, context)
      const deltas = makeDeltaLog({ repository: turns, recent, run, signals })

      const write = (actor: TurnActor, save: Save, events: ReadonlyArray<EventRow>) => {
        const { claim, row } = actor
        const { action, blobs = [], change, message, steps = [], usage } = save
        const { org_id: org } = row
        const isPlain = action === undefined && change === undefined && blobs.length === 0 &&
          (usage === undefined || usage.costCents === 0)
        if (isPlain) {
          return turns.append(org, claim, { steps: steps.map((step) => toStepRow(claim.turn, step)), events, usage })
        }
        return db.transaction(Effect.gen(function*() {
          // The workspace's lock is taken before the turn's, as everywhere.
          const at = action === undefined ? undefined : yield* heads.lock(org)
          if (!(yield* turns.change(claim, change, usage, at))) return false
          for (const blob of blobs) yield* turns.addBlob(org, blob)
          yield* turns.putSteps(org, steps.map((step) => toStepRow(claim.turn, step)))
          yield* turns.addEvents(org, events)
          if (usage !== undefined && usage.costCents > 0) {
            yield* turns.addSessionCost(org, row.session_id, usage.costCents)
          }
          if (at === undefined || action === undefined) return true
          if (message !== undefined) {
            yield* sessions.addMessage(org, {
              ...message,
              role: "assistant",
              session: row.session_id,
              parent: row.user_message_id,
              turn: row.id
            })
          }
          yield* audit.record(org, { type: "agent", id: row.agent_id, name: row.agent_name }, {
            action,
            subject: { type: "chat_session", id: row.session_id },
            agent_id: row.agent_id,
            data: { turn_id: row.id, ...change?.pauseReason === undefined ? {} : { reason: change.pauseReason } }
          })
          return true
        }))
      }

      const save = Effect.fnUntraced(function*(actor: TurnActor, wanted: Save) {
        const { claim } = actor
        const gathered = yield* Effect.promise(() => deltas.take(actor))
        // The first event of a turn, with whatever is saved first.
        const first: ReadonlyArray<NewChatEvent> = actor.hasEvents ? [] : [modelEvent(actor.row)]
        const events = [...first, ...wanted.events ?? []].map((event) => eventRow(claim.turn, actor.nextSeq(), event))
        if (actor.isLost() || !(yield* write(actor, wanted, [...gathered, ...events]))) {
          actor.lost()
          return yield* Effect.die(new TurnLost())
        }
        actor.put(...wanted.steps ?? [])
        if (wanted.change?.released === true) countParted({ state: wanted.change.state })
        recent.add(claim.turn, [...gathered, ...events])
        signals.object(claim.turn)
      })

      return ChatSaves.of({ save: (actor, wanted) => actor.writing.withPermits(1)(save(actor, wanted)), deltas })
    })
  )
}
