/** The rows of a batch: the request, whether it fits the limits, and the outcome. */
import type { BatchForecast } from "@countersign/domain/approval-batch"
import { formatMoney } from "../components/money-text.ts"
import { Money } from "../patterns/money.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { Seal } from "../patterns/seal.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { summaryText } from "../patterns/summary-text.ts"
import { type BatchResult, endOf, type Total, type Totals } from "./batch.ts"
import styles from "./dialogs.module.css"
import type { ApprovalRow } from "./inbox-rows.ts"
import { type ApprovalText, mayDecide, nameOf, operationOf, personOf, reasonText, revealTexts } from "./words.ts"

export interface BatchRowProps {
  readonly row: ApprovalRow
  readonly forecast: BatchForecast | undefined
  readonly result: BatchResult | undefined
  readonly state: "before" | "sending" | "after"
  readonly place: string | undefined
  readonly words: ApprovalText
}

export const BatchRow = ({ forecast, place, result, row, state, words: t }: BatchRowProps) => {
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
          ? <ResultCell row={row} result={result} words={t} />
          : state === "sending"
          ? t.batch.state.asking
          : !mayDecide(row, "approve")
          ? t.batch.cannot
          : <ForecastCell row={row} forecast={forecast} isUnsent={state === "after"} words={t} />}
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
export const limitName = (limit: string, row: ApprovalRow, t: ApprovalText): string => {
  const { limits } = t.batch
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
  readonly words: ApprovalText
}

const ForecastCell = ({ forecast, isUnsent, row, words: t }: ForecastCellProps) => {
  if (forecast?.kind === "blocked") {
    const { left, limit } = forecast.block
    const name = limitName(limit, row, t)
    const why = limit === "operation_day_count"
      ? t.batch.leftCount(name, left)
      : t.batch.leftSum(name, formatMoney(left))
    return isUnsent ? <>{t.batch.unsent}</> : <LimitCell status="blocked" text={t.batch.willBlock} why={why} />
  }
  return isUnsent ? <>{t.batch.unsent}</> : <>{forecast?.kind === "needs_more" ? t.batch.needsMore : t.batch.fits}</>
}

const ResultCell = (
  { result, row, words: t }: { readonly row: ApprovalRow; readonly result: BatchResult; readonly words: ApprovalText }
) => {
  if (result.error !== undefined) {
    const { decided_by, status } = result.error.data ?? {}
    const state = typeof status === "string"
      ? (t.batch.state as Readonly<Record<string, string>>)[status] ?? status
      : undefined
    const person = personOf(decided_by)
    const name = person === undefined ? undefined : nameOf(person, t)
    const why = state !== undefined && name !== undefined ? t.batch.decidedBy(state, name) : result.error.message
    return <LimitCell status="failed" text={state ?? t.status.unknown} why={why} />
  }
  const made = result.service_request
  if (made?.status === "blocked") {
    const named = made.block === undefined ? undefined : limitName(made.block.limit, row, t)
    const why = named === undefined || named === made.block?.limit ? reasonText(made.reason_code, t) : named
    return <LimitCell status="blocked" text={t.batch.state.blocked} why={why} />
  }
  if (made?.status === "failed") {
    return (
      <LimitCell
        status="failed"
        text={t.batch.state.failed}
        why={made.failure?.detail ?? reasonText(made.failure?.code, t)}
      />
    )
  }
  if (made?.status === "executed" || made?.status === "running") {
    return <StatusBadge status={made.status}>{t.batch.state[made.status]}</StatusBadge>
  }
  const status = result.status ?? "pending"
  return <StatusBadge status={status}>{status === "pending" ? t.batch.state.added : t.batch.state[status]}</StatusBadge>
}

/** Maximum number of groups of one kind. */
const groupsMax = 6

const TotalList = (
  { title, totals, words: t }: {
    readonly title: string
    readonly totals: ReadonlyArray<Total>
    readonly words: ApprovalText
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
            <span>{t.batch.times(count)}</span>
            <Money cents={cents} end />
          </li>
        ))}
        {totals.length > groupsMax && <li>{t.batch.moreGroups(totals.length - groupsMax)}</li>}
      </ul>
    </section>
  )
}

export const BatchTotals = ({ totals, words: t }: { readonly totals: Totals; readonly words: ApprovalText }) => (
  <div className={`grid gap-16 ${styles.totalsBox}`}>
    <TotalList title={t.batch.by.agent} totals={totals.agents} words={t} />
    <TotalList title={t.batch.by.operation} totals={totals.operations} words={t} />
    <TotalList
      title={totals.subjectLabel === undefined ? t.batch.by.subject : t.batch.by.field(totals.subjectLabel)}
      totals={totals.subjects}
      words={t}
    />
  </div>
)
