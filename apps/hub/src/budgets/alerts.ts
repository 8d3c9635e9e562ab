/**
 * Tells people once that a limit's use reached a level of their workspace. It reads the log that dispatch writes anyway, and looks at
 * the limits of the agents named there: nothing of it is in a tick, and nothing is written but what is told. Any hub may find the same;
 * what was told stands in a row that is written with the entry, under the workspace's lock. A hub that starts looks at every limit once,
 * so nothing is lost with a position that died with its hub. Spec: contract 5 "alert levels", 8 "budget.alert".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import type { BudgetAlert, PassedLevel } from "@countersign/domain/budgets"
import type { BadRequest } from "@countersign/domain/errors"
import { newId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { dayMillis, dayOf } from "@countersign/domain/time"
import { Clock, Context, Effect, Layer, Queue } from "effect"
import { ownerFilter } from "../agents/rules.ts"
import { AuditLog, hubActor } from "../audit/service.ts"
import { decodeCursor, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Readiness } from "../platform/readiness.ts"
import { Signals } from "../platform/signals.ts"
import { type AlertRow, AlertsRepository, limitNames, type PassedRow } from "./alerts-repository.ts"

/** Entries of a log, limits at the start, and workspaces that one statement looks at. */
const stretchEntries = 5_000
const startRows = 5_000
const headRows = 1_000
/** Alerts told in one transaction. */
const toldMax = 20
/** Between two rounds: a busy log is read in a few large stretches, not in many small ones. */
const restMillis = 500
/** How often the heads of all logs are looked at, though nobody rang. */
const pollMillis = 30_000

export class BudgetAlerts extends Context.Service<BudgetAlerts, {
  /** What was told and still holds, with the figures of now. */
  readonly list: (user: UserPrincipal, query: { readonly limit?: number; readonly cursor?: string }) => Effect.Effect<{
    readonly data: ReadonlyArray<BudgetAlert>
    readonly next_cursor: string | null
    readonly as_of: string
  }, BadRequest>
  /** Reads a workspace's log on from where this hub stood and tells what is due; answers how much that was. */
  readonly look: (org: string) => Effect.Effect<number>
  /** Looks at every limit. */
  readonly lookAtAll: Effect.Effect<number>
}>()("@countersign/hub/budgets/BudgetAlerts") {
  static readonly layer = Layer.effect(
    BudgetAlerts,
    Effect.gen(function*() {
      const repository = yield* AlertsRepository
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const readiness = yield* Readiness
      const db = yield* Db
      /** Up to which entry each log was read by this hub. */
      const positions = new Map<string, number>()
      const dirty = new Set<string>()
      /** Signals may have been lost: the heads of all logs are read at once. */
      let missed = false
      const wake = yield* Queue.sliding<void>(1)

      const tellSome = (org: string, agents: ReadonlyArray<string> | undefined) =>
        db.transaction(Effect.gen(function*() {
          yield* heads.waitBriefly
          const at = yield* heads.lock(org)
          const due = (yield* repository.due(org, agents, toldMax)).map((row) => ({ row, audit: newId("aud") }))
          for (const told of due) {
            yield* audit.record(org, hubActor, {
              id: told.audit,
              action: "budget.alert",
              subject: { type: "agent", id: told.row.agent_id },
              agent_id: told.row.agent_id,
              data: passedLevel(told.row)
            })
          }
          if (due.length > 0) yield* repository.noteTold(org, due, at)
          return due.length
        }))

      /** The lock is taken only where there is something to tell. */
      const tell = Effect.fnUntraced(function*(org: string, agents: ReadonlyArray<string> | undefined) {
        let told = 0
        while ((yield* repository.due(org, agents, 1)).length > 0) {
          const some = yield* tellSome(org, agents)
          // Another hub was quicker.
          if (some === 0) break
          told += some
        }
        return told
      })

      const look = Effect.fn("BudgetAlerts.look")(function*(org: string) {
        let told = 0
        for (;;) {
          const after = positions.get(org) ?? 0
          const { agents, last, levels } = yield* repository.stretch(org, after, stretchEntries)
          if (levels) told += yield* tell(org, undefined)
          else if (agents.length > 0) told += yield* tell(org, agents)
          positions.set(org, last)
          if (last < after + stretchEntries) return told
        }
      })

      const eachHead = Effect.fnUntraced(function*(visit: (org: string, seq: number) => void) {
        let after = ""
        for (;;) {
          const rows = yield* repository.heads(after, headRows)
          for (const { org_id, seq } of rows) visit(org_id, seq)
          const last = rows.at(-1)
          if (last === undefined || rows.length < headRows) return
          after = last.org_id
        }
      })

      const lookAtAll = Effect.gen(function*() {
        let told = 0
        let after = 0
        for (;;) {
          const { due, last } = yield* repository.dueAmong(after, startRows)
          for (const [org, agents] of Map.groupBy(due, ({ org_id }) => org_id)) {
            told += yield* tell(org, agents.map(({ agent_id }) => agent_id))
          }
          if (last === undefined) {
            return told
          }
          after = last
        }
      })

      const round = Effect.gen(function*() {
        const orgs = [...dirty]
        for (const org of orgs) {
          readiness.beat("budget alerts", pollMillis * 10)
          dirty.delete(org)
          // One that breaks must not keep a round from the others.
          yield* Effect.catchCause(look(org), (cause) =>
            Effect.andThen(
              Effect.logWarning(`budgets of ${org} could not be looked at; they will be again`, cause),
              Effect.sync(() => dirty.add(org))
            ))
        }
        return orgs.length
      })

      const work = Effect.gen(function*() {
        // Where logs stand is read before the limits: what is used in between is looked at twice, not missed.
        yield* eachHead((org, seq) =>
          positions.set(org, seq)
        )
        yield* lookAtAll
        let polledAt = yield* Clock.currentTimeMillis
        for (;;) {
          readiness.beat("budget alerts", pollMillis * 10)
          yield* Queue.take(wake).pipe(Effect.timeoutOption(dirty.size > 0 ? restMillis : pollMillis))
          const now = yield* Clock.currentTimeMillis
          if (missed || now - polledAt >= pollMillis) {
            missed = false
            polledAt = now
            yield* eachHead((org, seq) => {
              if (seq > (positions.get(org) ?? 0)) dirty.add(org)
            })
          }
          yield* round
          yield* Effect.sleep(restMillis)
        }
      }).pipe(Effect.catchCause((cause) =>
        Effect.andThen(
          Effect.logWarning("budgets are looked at again in a while", cause),
          Effect.sleep(pollMillis / 10)
        )
      ))

      const unsubscribe = signals.subscribe((signal) => {
        if (signal.kind === "resync") {
          missed = true
        } else if (signal.kind === "log") {
          dirty.add(signal.org)
        } else return
        Queue.offerUnsafe(wake, undefined)
      })
      yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
      yield* Effect.forkScoped(Effect.forever(work))

      return BudgetAlerts.of({
        look,
        lookAtAll,
        list: Effect.fn("BudgetAlerts.list")(function*(user, query) {
          const after = yield* decodeCursor(query.cursor, [/^\d{1,15}$/, /^\d{1,15}$/])
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.standing(user.org_id, {
            owner: ownerFilter(user),
            after: after === undefined ? undefined : { at: new Date(Number(after[0])), limit: Number(after[1]) },
            rows: (query.limit ?? pageLimitDefault) + 1
          })
          const page = toPage(rows, query.limit, (row) => [row.raised_at.getTime(), row.limit_id])
          return { data: page.data.map(alertOf), next_cursor: page.next_cursor, as_of }
        })
      })
    })
  )
}

const month = (period: number): Date => new Date(Date.UTC(Math.floor((period - 1) / 12), (period - 1) % 12, 1))

const passedLevel = ({ cap, kind, level, operation, period, service, used }: PassedRow): PassedLevel => ({
  limit: limitNames[kind]!,
  ...(service === null || operation === null ? {} : { service, operation }),
  level,
  ...(kind === 4 ? { used_count: used, cap_count: cap } : { used_cents: used, cap_cents: cap }),
  period: kind === 4 ? dayOf(period * dayMillis) : month(period).toISOString().slice(0, 7)
})

const alertOf = (row: AlertRow): BudgetAlert => ({
  id: row.audit_id as BudgetAlert["id"],
  agent: { id: row.agent_id as BudgetAlert["agent"]["id"], name: row.agent_name },
  ...passedLevel(row),
  resets_at: (row.kind === 4 ? new Date((row.period + 1) * dayMillis) : month(row.period + 1)).toISOString(),
  raised_at: row.raised_at.toISOString()
})
