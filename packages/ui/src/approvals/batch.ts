/** A batch of approvals before and after the send: forecast, totals, and outcomes. Pure. */
import { type BatchBlock, type BatchForecast, forecastBatch } from "@countersign/domain/approval-batch"
import type { Output } from "@countersign/hub-client/contract"
import { summaryValueText } from "../patterns/summary-text.ts"
import type { ApprovalRow } from "./inbox-rows.ts"
import { operationOf } from "./words.ts"

export type BatchResult = Output<"approvals.decide">["results"][number]

/** The outcome of one row, in the display order: rows that need attention come first. */
export type RowEnd = "error" | "blocked" | "failed" | "unsent" | "running" | "added" | "executed" | "decided"

const order: ReadonlyArray<RowEnd> = ["error", "blocked", "failed", "unsent", "running", "added", "executed", "decided"]

export const endOf = (result: BatchResult | undefined): RowEnd => {
  if (result === undefined) return "unsent"
  if (result.error !== undefined) return "error"
  const status = result.service_request?.status
  return status === "executed" || status === "blocked" || status === "failed" || status === "running"
    ? status
    : result.status === "pending"
    ? "added"
    : "decided"
}

/** These rows stay selected. A row that another person decided needs no action. */
export const staysSelected = (result: BatchResult | undefined): boolean =>
  ["blocked", "failed", "unsent"].includes(endOf(result)) ||
  result?.error !== undefined && result.error.code !== "approval_not_pending"

export const byEnd = <Row extends { readonly id: string }>(
  rows: ReadonlyArray<Row>,
  results: ReadonlyMap<string, BatchResult>
): ReadonlyArray<Row> => {
  const rank = ({ id }: Row) => order.indexOf(endOf(results.get(id)))
  return [...rows].sort((one, two) => rank(one) - rank(two))
}

export interface Ends {
  readonly counts: Readonly<Partial<Record<RowEnd, number>>>
  readonly debited_cents: number
}

export const endsOf = (rows: ReadonlyArray<ApprovalRow>, results: ReadonlyMap<string, BatchResult>): Ends => ({
  counts: Object.fromEntries(
    [...Map.groupBy(rows, ({ id }) => endOf(results.get(id)))].map(([end, of]) => [end, of.length])
  ),
  debited_cents: rows.reduce((sum, { id }) => sum + (results.get(id)?.service_request?.cost_cents ?? 0), 0)
})

export const sumOf = (rows: ReadonlyArray<ApprovalRow>): number =>
  rows.reduce((sum, { cost_cents }) => sum + cost_cents, 0)

export interface Preflight {
  readonly of: (row: ApprovalRow) => BatchForecast | undefined
  /** Rows that will be executed or that record one more vote. */
  readonly fitting: ReadonlyArray<ApprovalRow>
  readonly blocked: ReadonlyArray<ApprovalRow>
  /** For each limit, the amount of blocked requests, in the order of the rows. */
  readonly limits: ReadonlyArray<
    { readonly block: BatchBlock; readonly row: ApprovalRow; readonly count: number; readonly cents: number }
  >
}

export const preflightOf = (rows: ReadonlyArray<ApprovalRow>): Preflight => {
  const forecast = forecastBatch(rows)
  const isBlocked = ({ id }: ApprovalRow) => forecast.get(id)?.kind === "blocked"
  const blocked = rows.filter(isBlocked)
  const blockOf = ({ id }: ApprovalRow) =>
    (forecast.get(id) as Extract<BatchForecast, { readonly kind: "blocked" }>).block
  const groups = Map.groupBy(blocked, (row) => {
    const { limit } = blockOf(row)
    return [
      limit,
      row.org_id,
      ...limit === "wallet" ? [] : [row.agent.id],
      ...limit.startsWith("operation") ? [operationOf(row)] : []
    ].join(" ")
  })
  return {
    of: ({ id }) => forecast.get(id),
    fitting: rows.filter((row) => !isBlocked(row)),
    blocked,
    limits: [...groups.values()].map((of) => ({
      block: blockOf(of[0]!),
      row: of[0]!,
      count: of.length,
      cents: sumOf(of)
    }))
  }
}

export interface Total {
  readonly name: string
  readonly count: number
  readonly cents: number
}

const totalsBy = (
  rows: ReadonlyArray<ApprovalRow>,
  nameOf: (row: ApprovalRow) => string | undefined
): ReadonlyArray<Total> =>
  [...Map.groupBy(rows, nameOf)]
    .flatMap(([name, of]) => name === undefined ? [] : [{ name, count: of.length, cents: sumOf(of) }])
    .sort((one, two) => two.cents - one.cents)

export interface Totals {
  readonly agents: ReadonlyArray<Total>
  readonly operations: ReadonlyArray<Total>
  /** Grouped by the first summary field: the payee, the recipient, the item. */
  readonly subjects: ReadonlyArray<Total>
  /** The label of that field if all rows share it. */
  readonly subjectLabel: string | undefined
}

export const totalsOf = (rows: ReadonlyArray<ApprovalRow>): Totals => {
  const labels = new Set(rows.flatMap(({ summary }) => summary?.[0]?.label ?? []))
  return {
    agents: totalsBy(rows, ({ agent }) => agent.name),
    operations: totalsBy(rows, operationOf),
    subjects: totalsBy(rows, ({ summary }) => summary?.[0] === undefined ? undefined : summaryValueText(summary[0])),
    subjectLabel: labels.size === 1 ? [...labels][0] : undefined
  }
}
