/**
 * Removes the bodies of requests whose retention in their workspace has ended: payload, result, late result. Proofs and
 * counts are not touched: the audit chain, the ledger, digests, and figures stay, and a failure keeps its code. In
 * small transactions, by one hub at a time, in the order of request ids. Ended agent requests, decided budget requests,
 * ended invites, and old conversations are deleted in the same rounds, ended tasks lose their texts, and contents of
 * device commands are removed after `device_output_days`. Spec:
 * reference/accounts.md "Retention".
 */
import { idFloor, type OrgId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { dayMillis } from "@countersign/domain/time"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { ClockWatch } from "../clock/watch.ts"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { unhurried } from "../platform/pool.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, inBatches } from "../platform/rounds.ts"
import { ChatRetentionRepository } from "./chat-repository.ts"
import { DeviceRetentionRepository } from "./devices-repository.ts"
import { MessageRetentionRepository } from "./messages-repository.ts"
import { type Keeping, RetentionRepository, type WalkedRow } from "./repository.ts"
import { RunRetentionRepository } from "./runs-repository.ts"
import { SignInRetentionRepository } from "./sign-in-repository.ts"
import { StandingRetentionRepository } from "./standing-repository.ts"
import { TeamworkRetentionRepository } from "./teamwork-repository.ts"

/** Requests per transaction. */
export const batchRequests = 500
/** Device commands per transaction: each may hold 4 MiB of output. */
const batchCommands = 50
/** Agent requests, and conversations, per transaction: a conversation may have 10,000 messages. */
const batchAgentRequests = 500
const batchTeamwork = 500
const batchRuns = 100
/** A session may have thousands of events. */
const batchChats = 10
const batchConversations = 10
/** Rows of standing approvals per transaction. */
export const batchStandingUses = 1_000
/** Days after the end of a standing approval during which its requests can still be listed. */
export const standingUsesDays = 90
/** Pause between two batches of a long run: dispatch has priority. */
const restMillis = 20
const roundMillis = 300_000

/** The result of a failure without the provider's message: only its code remains. */
export const failureWithout = (result: string, days: number): string =>
  JSON.stringify({ code: codeOf(result), detail: removedNote(days) })

const removedNote = (days: number): string => `Removed: this workspace kept it for ${days} days.`

const codeOf = (result: string): string => {
  try {
    const { code } = JSON.parse(result) as { readonly code?: unknown }
    return typeof code === "string" ? code : "adapter_error"
  } catch {
    return "adapter_error"
  }
}

export class Retention extends Context.Service<Retention, {
  /**
   * One round over all workspaces, as of a moment (milliseconds since 1970); returns the number of requests whose
   * bodies were removed.
   */
  readonly round: (millis: number) => Effect.Effect<number>
  /**
   * The same for device commands: returns the number of commands whose input, plan, result, and output were removed.
   */
  readonly deviceRound: (millis: number) => Effect.Effect<number>
  /**
   * The same for agent requests, budget requests, invites, conversations, and chats, which are deleted, for the texts of
   * delegated tasks, and for the values of runs: returns their number.
   */
  readonly messageRound: (millis: number) => Effect.Effect<number>
  /** Deletes the uses of standing approvals that ended over `standingUsesDays` ago; returns the number of rows. */
  readonly standingRound: (millis: number) => Effect.Effect<number>
  /** Deletes rows of sign-ins that expired over an hour ago; returns their number. */
  readonly signInRound: Effect.Effect<number>
}>()("@countersign/hub/retention/Retention") {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function*() {
      const repository = yield* RetentionRepository
      const devices = yield* DeviceRetentionRepository
      const messages = yield* MessageRetentionRepository
      const standings = yield* StandingRetentionRepository
      const signIns = yield* SignInRetentionRepository
      const teamwork = yield* TeamworkRetentionRepository
      const runs = yield* RunRetentionRepository
      const chats = yield* ChatRetentionRepository
      const readiness = yield* Readiness
      const audit = yield* AuditLog
      const db = yield* Db
      const clock = yield* ClockWatch
      const { briefly } = yield* backgroundTransactions

      const removeOf = Effect.fnUntraced(function*({ days, org_id: org }: Keeping, rows: ReadonlyArray<WalkedRow>) {
        const over = rows.filter((row) => row.over)
        if (over.length === 0) return 0
        const failures = over.flatMap(({ failure, id }) =>
          failure === null || failure === removedText ? [] : [[id, failureWithout(failure, days)] as const]
        )
        return yield* repository.remove(org, over.map(({ id }) => id), failures)
      })

      /**
       * One transaction: the postponed requests, then the next ones from the position. None: another hub is running.
       */
      const batch = (keeping: Keeping, before: Date) =>
        briefly(Effect.gen(function*() {
          if (!(yield* repository.alone)) return undefined
          const { org_id: org } = keeping
          const late = yield* repository.putOff(org, before, batchRequests)
          const walked = yield* repository.walk(
            org,
            yield* repository.position(org),
            idFloor("req", before.getTime()),
            before,
            batchRequests
          )
          const removed = (yield* removeOf(keeping, late)) + (yield* removeOf(keeping, walked))
          const open = walked.filter((row) => !row.over)
          if (open.length > 0) yield* repository.later(org, open.map(({ id }) => id))
          const last = walked.at(-1)
          if (last !== undefined) yield* repository.moveTo(org, last.id)
          if (removed > 0) {
            yield* audit.record(org, hubActor, {
              action: "workspace.bodies_removed",
              subject: { type: "org", id: org },
              data: { requests: removed, retention_days: keeping.days, completed_before: before.toISOString() }
            })
          }
          return { removed, more: walked.length === batchRequests || late.length === batchRequests }
        }))

      /**
       * A workspace that fails or is locked is left to the next round; each workspace also counts as a heartbeat of a
       * long round.
       */
      const inWorkspace = (org: OrgId, work: Effect.Effect<number>) =>
        Effect.catchCause(work, (cause) =>
          Effect.as(
            Effect.logWarning(`expired contents of ${org} could not be removed; the hub will retry`, cause),
            0
          )).pipe(
            Effect.ensuring(Effect.sync(() => readiness.beat("retention", roundMillis * 10)))
          )

      const roundOf = Effect.fnUntraced(function*(keeping: Keeping, before: Date) {
        let removed = 0
        for (;;) {
          const done = yield* batch(keeping, before)
          if (done === undefined) return removed
          readiness.beat("retention", roundMillis * 10)
          removed += done.removed
          if (!done.more) return removed
          yield* Effect.sleep(restMillis)
        }
      })

      const round = Effect.fn("Retention.round")(function*(millis: number) {
        let removed = 0
        for (const keeping of yield* repository.keeping) {
          removed += yield* inWorkspace(keeping.org_id, roundOf(keeping, new Date(millis - keeping.days * dayMillis)))
        }
        return removed
      })

      const deviceBatch = (org: OrgId, days: number, before: Date) =>
        briefly(Effect.gen(function*() {
          if (!(yield* repository.alone)) return 0
          const removed = yield* devices.remove(org, days, before, batchCommands)
          if (removed > 0) {
            yield* audit.record(org, hubActor, {
              action: "workspace.device_contents_removed",
              subject: { type: "org", id: org },
              data: { device_commands: removed, device_output_days: days, ended_before: before.toISOString() }
            })
          }
          return removed
        }))

      const deviceRound = Effect.fn("Retention.deviceRound")(function*(millis: number) {
        const roundOfDevices = (org: OrgId, days: number) =>
          inBatches(batchCommands, deviceBatch(org, days, new Date(millis - days * dayMillis)), restMillis)
        let removed = 0
        for (const { days, org_id: org } of yield* devices.due(new Date(millis))) {
          removed += yield* inWorkspace(org, roundOfDevices(org, days))
        }
        return removed
      })

      const messageBatch = (org: OrgId, days: number, before: Date) =>
        briefly(Effect.gen(function*() {
          if (!(yield* repository.alone)) return { removed: 0, more: false }
          const requests = yield* messages.removeAgentRequests(org, before, batchAgentRequests)
          const conversations = yield* messages.removeConversations(org, before, batchConversations)
          const text = removedNote(days)
          const tasks = yield* teamwork.removeTaskTexts(org, before, { days, text }, batchTeamwork)
          const budgets = yield* teamwork.removeBudgetRequests(org, before, batchTeamwork)
          const invites = yield* teamwork.removeInvites(org, before, batchTeamwork)
          const ended = yield* runs.remove(org, days, before, batchRuns)
          const sessions = yield* chats.remove(org, before, batchChats)
          const removed = requests + conversations + tasks + budgets + invites + ended + sessions
          if (removed > 0) {
            yield* audit.record(org, hubActor, {
              action: "workspace.messages_removed",
              subject: { type: "org", id: org },
              data: {
                agent_requests: requests,
                conversations,
                delegated_tasks: tasks,
                budget_requests: budgets,
                invites,
                runs: ended,
                chat_sessions: sessions,
                retention_days: days,
                ended_before: before.toISOString()
              }
            })
          }
          const isFull = requests === batchAgentRequests || conversations === batchConversations ||
            ended === batchRuns || sessions === batchChats
          return { removed, more: isFull || Math.max(tasks, budgets, invites) === batchTeamwork }
        }))

      const messageRound = Effect.fn("Retention.messageRound")(function*(millis: number) {
        const roundOfMessages = Effect.fnUntraced(function*(org: OrgId, days: number) {
          let removed = 0
          for (;;) {
            const batch = yield* messageBatch(org, days, new Date(millis - days * dayMillis))
            removed += batch.removed
            if (!batch.more) return removed
            yield* Effect.sleep(restMillis)
          }
        })
        let removed = 0
        for (const { days, org_id: org } of yield* repository.keeping) {
          removed += yield* inWorkspace(org, roundOfMessages(org, days))
        }
        return removed
      })

      const standingRoundOf = (org: OrgId, before: Date) => {
        const batch = db.transaction(Effect.gen(function*() {
          return (yield* repository.alone) ? yield* standings.remove(org, before, batchStandingUses) : 0
        }))
        return inBatches(batchStandingUses, batch, restMillis)
      }

      const standingRound = Effect.fn("Retention.standingRound")(function*(millis: number) {
        const before = new Date(millis - standingUsesDays * dayMillis)
        let removed = 0
        for (const org of yield* standings.due(before)) removed += yield* inWorkspace(org, standingRoundOf(org, before))
        return removed
      })

      const signInRound = signIns.sweep.pipe(Effect.withSpan("Retention.signInRound"))

      yield* unhurried(Effect.flatMap(Clock.currentTimeMillis, (millis) =>
        // A wrong clock would remove bodies too early, permanently.
        clock.trusted()
          ? Effect.all([
            round(millis),
            messageRound(millis),
            deviceRound(millis),
            standingRound(millis),
            signInRound
          ], { discard: true })
          : Effect.void)).pipe(
          Effect.tap(() => Effect.sync(() => readiness.beat("retention", roundMillis * 10))),
          Effect.catchCause((cause) =>
            Effect.logWarning("expired payloads of requests could not be removed; the hub will retry", cause)
          ),
          Effect.repeat(Schedule.spaced(roundMillis)),
          Effect.forkScoped
        )
      return Retention.of({ round, deviceRound, messageRound, signInRound, standingRound })
    })
  )
}
