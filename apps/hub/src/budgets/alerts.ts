/**
 * Alerts people once when a limit's use reaches a level of their workspace. It reads the log that dispatch writes
 * anyway, and checks the limits of the agents named there: it adds nothing to a tick, and writes nothing but alerts.
 * Several hubs may find the same alert; the row of a sent alert is written with its entry, under the workspace's lock.
 * A hub checks every limit once when it starts, so an alert is not lost with the position of a crashed hub. Spec:
 * reference/budgets-and-ledger.md "Budget alerts".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import type { BudgetAlert, PassedLevel } from "@countersign/domain/budgets"
import type { BadRequest } from "@countersign/domain/errors"
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { dayMillis, dayOf } from "@countersign/domain/time"
import { Clock, Context, Effect, Layer, Queue } from "effect"
import { ownerFilter } from "../auth/own.ts"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { type AlertRow, AlertsRepository, limitNames, type PassedRow } from "./alerts-repository.ts"

/** Maximum number of entries, limits at the start, and workspaces that one statement reads. */
const stretchEntries = 5_000
const startRows = 5_000
const headRows = 1_000
/** Alerts recorded in one transaction. */
const alertsMax = 20
/** Pause between two rounds: a busy log is read in a few large parts instead of many small ones. */
const restMillis = 500
/** How often the heads of all logs are read without a signal. */
const pollMillis = 30_000

export class BudgetAlerts extends Context.Service<BudgetAlerts, {
  /** Alerts that still apply, with current figures. */
  readonly list: (user: UserPrincipal, query: PageQuery) => Effect.Effect<PageOf<BudgetAlert>, BadRequest>
  /** Reads a workspace's log from this hub's position and records due alerts; returns their number. */
  readonly check: (org: OrgId) => Effect.Effect<number>
  /** Checks every limit. */
  readonly checkAll: Effect.Effect<number>
}>()("@countersign/hub/budgets/BudgetAlerts") {
  static readonly layer = Layer.effect(
    BudgetAlerts,
    Effect.gen(function*() {
      const repository = yield* AlertsRepository
      const audit = yield* AuditLog
      const signals = yield* Signals
      const readiness = yield* Readiness
      const { locked } = yield* backgroundTransactions
      /** The last entry that this hub has read of each log. */
      const positions = new Map<string, number>()
      const dirty = new Set<OrgId>()
      /** Signals may have been lost: the heads of all logs are read at once. */
      let missed = false
      const wake = yield* Queue.sliding<void>(1)

      const recordBatch = (org: OrgId, agents: ReadonlyArray<AgentId> | undefined) =>
        locked(org, (at) =>
          Effect.gen(function*() {
            const due = (yield* repository.due(org, agents, alertsMax)).map((row) => ({ row, audit: newId("aud") }))
            for (const alert of due) {
              yield* audit.record(org, hubActor, {
                id: alert.audit,
                action: "budget.alert",
                subject: { type: "agent", id: alert.row.agent_id },
                agent_id: alert.row.agent_id,
                data: passedLevel(alert.row)
              })
            }
            if (due.length > 0) yield* repository.recordAlerts(org, due, at)
            return due.length
          }))

      /** The lock is taken only if there are due alerts. */
      const recordDue = Effect.fnUntraced(function*(org: OrgId, agents: ReadonlyArray<AgentId> | undefined) {
        let recorded = 0
        while ((yield* repository.due(org, agents, 1)).length > 0) {
          const some = yield* recordBatch(org, agents)
          // Another hub recorded them first.
          if (some === 0) break
          recorded += some
        }
        return recorded
      })

      const check = Effect.fn("BudgetAlerts.check")(function*(org: OrgId) {
        let recorded = 0
        for (;;) {
          const after = positions.get(org) ?? 0
          const { agents, last, levels } = yield* repository.stretch(org, after, stretchEntries)
          if (levels) recorded += yield* recordDue(org, undefined)
          else if (agents.length > 0) recorded += yield* recordDue(org, agents)
          positions.set(org, last)
          if (last < after + stretchEntries) return recorded
        }
      })

      const eachHead = Effect.fnUntraced(function*(visit: (org: OrgId, seq: number) => void) {
        let after = ""
        for (;;) {
          const rows = yield* repository.heads(after, headRows)
          for (const { org_id, seq } of rows) visit(org_id, seq)
          const last = rows.at(-1)
          if (last === undefined || rows.length < headRows) return
          after = last.org_id
        }
      })

      const checkAll = Effect.gen(function*() {
        let recorded = 0
        let after = 0
        for (;;) {
          const { due, last } = yield* repository.dueAmong(after, startRows)
          for (const [org, agents] of Map.groupBy(due, ({ org_id }) => org_id)) {
            recorded += yield* recordDue(org, agents.map(({ agent_id }) => agent_id))
          }
          if (last === undefined) {
            return recorded
          }
          after = last
        }
      })

      const round = Effect.gen(function*() {
        const orgs = [...dirty]
        for (const org of orgs) {
          readiness.beat("budget alerts", pollMillis * 10)
          dirty.delete(org)
          // The failure of one workspace must not stop the round for the others.
          yield* Effect.catchCause(check(org), (cause) =>
            Effect.andThen(
              Effect.logWarning(`the budgets of ${org} could not be checked; the hub will retry`, cause),
              Effect.sync(() => dirty.add(org))
            ))
        }
        return orgs.length
      })

      const work = Effect.gen(function*() {
        // The heads are read before the limits: use in between is checked twice instead of missed.
        yield* eachHead((org, seq) => positions.set(org, seq))
        yield* checkAll
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
          Effect.logWarning("the budgets could not be checked; the hub will retry", cause),
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
        check,
        checkAll,
        list: Effect.fn("BudgetAlerts.list")(function*(user, query) {
          const after = yield* decodeCursor(query.cursor, [/^\d{1,15}$/, /^\d{1,15}$/])
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.active(user.org_id, {
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
