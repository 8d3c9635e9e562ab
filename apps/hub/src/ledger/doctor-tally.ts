/** The sums of the doctor while it reads, and the findings at the end. Pure. */
import type { OrgId } from "@countersign/domain/ids"
import type {
  EndedRow,
  HeldRow,
  LimitRow,
  ScannedTransfer,
  SettlementGroup,
  UsageDayRow,
  VerdictPage
} from "./doctor-repository.ts"

/** Maximum number of examples of one check. */
const examplesMax = 5

/** The number of faults, with some examples. */
export class Check {
  bad = 0
  readonly examples: Array<string> = []
  found(example: string | null | undefined, count = 1): void {
    this.bad += count
    if (count > 0 && example != null) this.note(example)
  }
  note(example: string): void {
    if (this.examples.length < examplesMax) this.examples.push(example)
  }
}

export const checkNames = [
  "wallet_balance",
  "wallet_used",
  "double_entry",
  "balance_after",
  "charged_without_movement",
  "promo_credits",
  "payment_credits",
  "held",
  "limit_used",
  "roll_ups",
  "over_cap",
  "commitments",
  "settlement_without_audit",
  "settlement_without_request",
  "request_state",
  "pending_approval",
  "team_wallets",
  "dead_holds",
  "storage_bytes",
  "storage_missing",
  "knowledge_passages",
  "memory_counts",
  "live_workflows",
  "firings",
  "webhooks",
  "notices",
  "notice_channels",
  "runs",
  "chats",
  "sign_in",
  "audit_chain",
  "clock",
  "search_index"
] as const
export type CheckName = (typeof checkNames)[number]
export type Checks = Readonly<Record<CheckName, Check>>

interface Figures {
  count: number
  cost: number
  ceiling: number
}
interface Sums {
  executed: number
  failed: number
  blocked: number
  cost_cents: number
}

const kinds = {
  wallet: 1,
  agentMonth: 2,
  operationMonth: 3,
  operationDay: 4,
  uses: 7,
  revenue: 8,
  external: 9,
  taskMonth: 10
} as const
const plusFigures = <A extends Figures>(sum: A, { ceiling, cost, count }: Figures): A => ({
  ...sum,
  count: sum.count + count,
  cost: sum.cost + cost,
  ceiling: sum.ceiling + ceiling
})
const key = (...parts: ReadonlyArray<string | number | null>): string => parts.join("\u0000")

/**
 * A set by its size and the sum of its members' hashes: equal sets agree; different sets agree with a probability of
 * 2^-64.
 */
interface Marked {
  readonly count: number
  readonly marks: bigint
}
const plus = (set: Marked, count: number, marks: string): Marked => ({
  count: set.count + count,
  marks: set.marks + BigInt(marks)
})
const differ = (a: Marked, b: Marked): number =>
  a.count === b.count && a.marks === b.marks ? 0 : Math.max(1, Math.abs(a.count - b.count))

export class Tally {
  private readonly net = new Map<number, bigint>()
  private readonly charged = new Map<number, number>()
  /**
   * By account: how often each balance occurs before a transfer, minus how often it occurs after one. An unbroken chain
   * leaves only its two ends.
   */
  private readonly balances = new Map<number, Map<number, number>>()
  private readonly used = new Map<string, Figures>()
  /** Executed requests by task or agent, mode, and month, until it is known in whose month they count. */
  private readonly months = new Map<string, Figures & { readonly group: SettlementGroup }>()
  private readonly days = new Map<string, Sums>()
  private transfers = { count: 0, marks: 0n }
  private charges = { count: 0, marks: 0n }
  private settlements = { count: 0, marks: 0n }
  private verdicts = { count: 0, marks: 0n }
  private readonly checks: Checks
  private readonly org: OrgId
  constructor(checks: Checks, org: OrgId) {
    this.checks = checks
    this.org = org
  }

  private countBalance(account: number, balance: number, by: number): void {
    let balances = this.balances.get(account)
    if (balances === undefined) this.balances.set(account, balances = new Map())
    const count = (balances.get(balance) ?? 0) + by
    if (count === 0) balances.delete(balance)
    else balances.set(balance, count)
  }

  transfer(row: ScannedTransfer): void {
    this.net.set(row.debit_id, (this.net.get(row.debit_id) ?? 0n) - BigInt(row.amount_cents))
    this.net.set(row.credit_id, (this.net.get(row.credit_id) ?? 0n) + BigInt(row.amount_cents))
    this.countBalance(row.debit_id, row.debit_balance_after + row.amount_cents, 1)
    this.countBalance(row.debit_id, row.debit_balance_after, -1)
    this.countBalance(row.credit_id, row.credit_balance_after - row.amount_cents, 1)
    this.countBalance(row.credit_id, row.credit_balance_after, -1)
    if (row.cause_type !== "service_request") return
    this.charged.set(row.debit_id, (this.charged.get(row.debit_id) ?? 0) + row.amount_cents)
    this.transfers = plus(this.transfers, 1, row.mark)
  }

  settlement(group: SettlementGroup): void {
    this.checks.settlement_without_request.found(group.example, group.without_request)
    this.charges = plus(this.charges, group.charged, group.charge_marks)
    this.settlements = plus(this.settlements, group.count, group.verdict_marks)
    const day = key(group.completed_day, group.agent_id, group.service, group.operation, group.mode)
    const sums = this.days.get(day) ?? { executed: 0, failed: 0, blocked: 0, cost_cents: 0 }
    if (group.status === "executed" || group.status === "failed" || group.status === "blocked") {
      sums[group.status] += group.count
    }
    sums.cost_cents += group.cost
    this.days.set(day, sums)
    if (group.status !== "executed" || group.month === null || group.day === null) return
    const { agent_id, mode, operation, service } = group
    const month = key(group.task_id, agent_id, mode, group.month)
    const sum = this.months.get(month) ?? { group, count: 0, cost: 0, ceiling: 0 }
    this.months.set(month, plusFigures(sum, group))
    this.count(key(kinds.operationMonth, mode, agent_id, service, operation, group.month), group)
    this.count(key(kinds.operationDay, mode, agent_id, service, operation, group.day), group)
  }

  private count(name: string, more: Figures): void {
    this.used.set(name, plusFigures(this.used.get(name) ?? { count: 0, cost: 0, ceiling: 0 }, more))
  }

  /**
   * An agent's request counts in its month, or, if the agent ended in that month, in its parent's. A task's request
   * counts in the task's month, and, if the task ended in that month, in that of the agent that delegated it.
   */
  private countMonths(ended: ReadonlyMap<string, EndedRow>): void {
    for (const { group, ...figures } of this.months.values()) {
      let holder = group.task_id ?? group.agent_id
      for (let end = ended.get(holder); end?.month === group.month; end = ended.get(holder)) holder = end.heir_id
      const kind = holder === group.task_id ? kinds.taskMonth : kinds.agentMonth
      this.count(key(kind, group.mode, holder, null, null, group.month), figures)
    }
  }

  verdict(page: VerdictPage): void {
    this.verdicts = plus(this.verdicts, page.count, page.marks)
  }

  /** A stored roll-up; sums that remain after all stored roll-ups were not rolled up. */
  usageDay(row: UsageDayRow): void {
    const name = key(row.day, row.agent_id, row.service, row.operation, row.mode)
    const sums = this.days.get(name) ?? { executed: 0, failed: 0, blocked: 0, cost_cents: 0 }
    this.days.delete(name)
    if (
      sums.executed !== row.executed || sums.failed !== row.failed || sums.blocked !== row.blocked ||
      sums.cost_cents !== row.cost_cents
    ) {
      this.checks.roll_ups.found(`${this.org} ${row.day} ${row.agent_id} ${row.service}.${row.operation} ${row.mode}`)
    }
  }

  missingDays(before: string | undefined): void {
    for (const name of this.days.keys()) {
      const [day, ...rest] = name.split("\u0000")
      if (before !== undefined && day! >= before) continue
      this.days.delete(name)
      this.checks.roll_ups.found(`${this.org} ${day} ${rest.join(" ")} is not rolled up`)
    }
  }

  /**
   * Compares the figures of one moment with everything counted until then. Returns which sets differ, so that examples
   * can be looked up.
   */
  conclude(
    limits: ReadonlyArray<LimitRow>,
    held: ReadonlyArray<HeldRow>,
    ended: ReadonlyArray<EndedRow>
  ): { readonly charges: boolean; readonly verdicts: boolean } {
    this.countMonths(new Map(ended.map((row) => [row.id, row])))
    const holds = new Map(held.map((row) => [row.lim, row]))
    let accountsTotal = 0n
    for (const row of limits) {
      const about = `${this.org} limit ${row.id} (kind ${row.kind}, ` +
        `${[row.mode, row.agent_id, row.service, row.operation].filter((part) => part !== null).join(" ")})`
      const open = holds.get(row.id)
      const holding = open === undefined
        ? 0
        : row.kind === kinds.operationDay || row.kind === kinds.uses
        ? open.count
        : open.cents
      if (row.held !== holding) this.checks.held.found(`${about} holds ${row.held}, its open holds sum to ${holding}`)
      this.bounds(row, about)
      if (row.kind === kinds.wallet || row.kind === kinds.revenue || row.kind === kinds.external) {
        accountsTotal += BigInt(this.account(row, about))
      } else this.usedOf(row, about)
    }
    if (accountsTotal !== 0n) this.checks.double_entry.found(`${this.org} accounts sum to ${accountsTotal}`)
    const charges = differ(this.transfers, this.charges)
    const verdicts = differ(this.settlements, this.verdicts)
    this.checks.charged_without_movement.found(undefined, charges)
    this.checks.settlement_without_audit.found(undefined, verdicts)
    return { charges: charges > 0, verdicts: verdicts > 0 }
  }

  private bounds(row: LimitRow, about: string): void {
    if (row.cap === null || row.used + row.held + row.committed <= row.cap) return
    if (!row.touched) {
      this.checks.over_cap.found(`${about}: ${row.used} + ${row.held} + ${row.committed} > ${row.cap}`)
    }
  }

  private account(row: LimitRow, about: string): number {
    const balance = row.kind === kinds.wallet
      ? (row.cap ?? 0) - row.used
      : row.kind === kinds.external
      ? -row.used
      : row.used
    const moved = this.net.get(row.id) ?? 0n
    if (BigInt(balance) !== moved) {
      this.checks[row.kind === kinds.wallet ? "wallet_balance" : "double_entry"].found(
        `${about} has ${balance}, its transfers sum to ${moved}`
      )
    }
    const charged = this.charged.get(row.id) ?? 0
    if (row.kind === kinds.wallet && row.used !== charged) {
      this.checks.wallet_used.found(`${about} used ${row.used}, its transfers sum to ${charged}`)
    }
    // An unbroken chain begins at zero and ends at the current balance.
    this.countBalance(row.id, 0, -1)
    this.countBalance(row.id, balance, 1)
    const breaks = [...this.balances.get(row.id) ?? []].filter(([, count]) => count > 0)
    if (breaks.length > 0) this.checks.balance_after.found(`${about} breaks at ${breaks[0]?.[0]}`, breaks.length)
    return balance
  }

  /** Test requests hold the live price, which no settlement records: only bounds of their amounts can be calculated. */
  private usedOf(row: LimitRow, about: string): void {
    const isTask = row.kind === kinds.taskMonth
    if (
      row.kind !== kinds.agentMonth && row.kind !== kinds.operationMonth && row.kind !== kinds.operationDay && !isTask
    ) return
    // A task's row has the task's id as its operation.
    const name = isTask
      ? key(row.kind, row.mode, row.operation, null, null, row.period)
      : key(row.kind, row.mode, row.agent_id, row.service, row.operation, row.period)
    const figures = this.used.get(name) ??
      { count: 0, cost: 0, ceiling: 0 }
    const counts = row.kind === kinds.operationDay
    const [least, most] = counts
      ? [figures.count, figures.count]
      : row.mode === "live"
      ? [figures.cost, figures.cost]
      : [0, figures.ceiling]
    if (row.used < least || row.used > most) {
      this.checks.limit_used.found(
        `${about} used ${row.used}, settlements say ${least === most ? least : `${least} to ${most}`}`
      )
    }
  }
}
