/** The rows of a batch: the request, whether it fits the limits, and the outcome. */
import type { BatchForecast } from "@countersign/domain/approval-batch"
import { formatMoney } from "../components/money-text.ts"
import { Money } from "../patterns/money.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { Seal } from "../patterns/seal.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { summaryText } from "../patterns/summary-text.ts"
import { approvalText as t } from "../text/approvals.ts"
import { batchText } from "../text/batch.ts"
import { type BatchResult, endOf, type Total, type Totals } from "./batch.ts"
import styles from "./dialogs.module.css"
import type { ApprovalRow } from "./inbox-rows.ts"
import { mayDecide, nameOf, operationOf, personOf, reasonText, revealTexts } from "./words.ts"

export interface BatchRowProps {
  readonly row: ApprovalRow
  readonly forecast: BatchForecast | undefined
  readonly result: BatchResult | undefined
  readonly state: "before" | "sending" | "after"
  readonly place: string | undefined
}

export const BatchRow = ({ forecast, place, result, row, state }: BatchRowProps) => {
  const end = endOf(result)
  const summary = summaryText(row.summary)
  return (
    <tr data-batch-row={row.id} data-end={state === "after" ? end : forecast?.kind}>
      <td>
        <span className={`flex flex-wrap items-center gap-4 gap-x-8 wrap-anywhere ${styles.batchWhat}`}>
          <b>
            <RevealedText text={row.agent.name} texts={revealTexts(t)} />
          </b>
          <span>{operationOf(row)}</span>
          <Seal digest={row.payload_digest} label={t.seal} closed={end === "executed" || end === "running"} />
          {place !== undefined && <span className="type-note text-3">{place}</span>}
          {summary !== "" && (
            <span className={styles.batchSummary}>
              <RevealedText text={summary} texts={revealTexts(t)} />
            </span>
          )}
        </span>
      </td>
      <td className="px-8 text-2">
        {result !== undefined
          ? <ResultCell row={row} result={result} />
          : state === "sending"
          ? batchText.state.asking
          : !mayDecide(row, "approve")
          ? batchText.cannot
          : <ForecastCell row={row} forecast={forecast} isUnsent={state === "after"} />}
      </td>
      <td className={styles.end}>
        <Money cents={row.cost_cents} end />
      </td>
    </tr>
  )
}

const LimitCell = ({ status, text, why }: { readonly status: string; readonly text: string; readonly why: string }) => (
  <span className="inline-flex flex-wrap items-center gap-4 gap-x-8">
    <StatusBadge status={status}>{text}</StatusBadge>
    <span>{why}</span>
  </span>
)

/** The name of a limit, for a row of its operation and agent. */
export const limitName = (limit: string, row: ApprovalRow): string => {
  const { limits } = batchText
  return limit === "operation_day_count"
    ? limits.operationDay(operationOf(row))
    : limit === "operation_month"
    ? limits.operationMonth(operationOf(row))
    : limit === "agent_month"
    ? limits.agentMonth(row.agent.name)
    : limit === "wallet"
    ? limits.wallet
    : limit
}

interface ForecastCellProps {
  readonly row: ApprovalRow
  readonly forecast: BatchForecast | undefined
  readonly isUnsent: boolean
}

const ForecastCell = ({ forecast, isUnsent, row }: ForecastCellProps) => {
  if (forecast?.kind === "blocked") {
    const { left, limit } = forecast.block
    const name = limitName(limit, row)
    const why = limit === "operation_day_count"
      ? batchText.leftCount(name, left)
      : batchText.leftSum(name, formatMoney(left))
    return isUnsent ? <>{batchText.unsent}</> : <LimitCell status="blocked" text={batchText.willBlock} why={why} />
  }
  return isUnsent
    ? <>{batchText.unsent}</>
    : <>{forecast?.kind === "needs_more" ? batchText.needsMore : batchText.fits}</>
}

const ResultCell = (
  { result, row }: { readonly row: ApprovalRow; readonly result: BatchResult }
) => {
  if (result.error !== undefined) {
    const { decided_by, status } = result.error.data ?? {}
    const state = typeof status === "string"
      ? (batchText.state as Readonly<Record<string, string>>)[status] ?? status
      : undefined
    const person = personOf(decided_by)
    const name = person === undefined ? undefined : nameOf(person, t)
    const why = state !== undefined && name !== undefined ? batchText.decidedBy(state, name) : result.error.message
    return <LimitCell status="failed" text={state ?? t.status.unknown} why={why} />
  }
  const made = result.service_request
  if (made?.status === "blocked") {
    const named = made.block === undefined ? undefined : limitName(made.block.limit, row)
    const why = named === undefined || named === made.block?.limit ? reasonText(made.reason_code, t) : named
    return <LimitCell status="blocked" text={batchText.state.blocked} why={why} />
  }
  if (made?.status === "failed") {
    return (
      <LimitCell
        status="failed"
        text={batchText.state.failed}
        why={made.failure?.detail ?? reasonText(made.failure?.code, t)}
      />
    )
  }
  if (made?.status === "executed" || made?.status === "running") {
    return <StatusBadge status={made.status}>{batchText.state[made.status]}</StatusBadge>
  }
  const status = result.status ?? "pending"
  return (
    <StatusBadge status={status}>{status === "pending" ? batchText.state.added : batchText.state[status]}</StatusBadge>
  )
}

/** Maximum number of groups of one kind. */
const groupsMax = 6

const TotalList = (
  { title, totals }: {
    readonly title: string
    readonly totals: ReadonlyArray<Total>
  }
) => {
  if (totals.length === 0) return null
  return (
    <section className={styles.totals}>
      <h3>{title}</h3>
      <ul>
        {totals.slice(0, groupsMax).map(({ cents, count, name }) => (
          <li key={name}>
            <span className="min-w-0 truncate">
              <RevealedText text={name} texts={revealTexts(t)} line />
            </span>
            <span>{batchText.times(count)}</span>
            <Money cents={cents} end />
          </li>
        ))}
        {totals.length > groupsMax && <li>{batchText.moreGroups(totals.length - groupsMax)}</li>}
      </ul>
    </section>
  )
}

export const BatchTotals = ({ totals }: { readonly totals: Totals }) => (
  <div className={`grid gap-16 ${styles.totalsBox}`}>
    <TotalList title={batchText.by.agent} totals={totals.agents} />
    <TotalList title={batchText.by.operation} totals={totals.operations} />
    <TotalList
      title={totals.subjectLabel === undefined ? batchText.by.subject : batchText.by.field(totals.subjectLabel)}
      totals={totals.subjects}
    />
  </div>
)
