/** The rows of the inbox. Each is a link; the checkbox over its glyph selects it for a batch. */
import { createLink } from "@tanstack/react-router"
import { ChevronDown, ChevronUp, ListChecks } from "lucide-react"
import { memo, type ReactNode, useState } from "react"
import { useKeyCaps } from "../app/keys.ts"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { classNames } from "../components/class-names.ts"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { ApprovalRow as RowPattern } from "../patterns/approval-row.tsx"
import { Clock } from "../patterns/clock.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { summaryText } from "../patterns/summary-text.ts"
import { approvalText as t } from "../text/approvals.ts"
import { useAsking } from "./decision.ts"
import type { Line } from "./inbox-lines.ts"
import styles from "./inbox-list.module.css"
import type { InboxRequests } from "./inbox-requests.tsx"
import { type ApprovalRow, isPending } from "./inbox-rows.ts"
import { changed, opening } from "./inbox-search.ts"
import { isOpenRequest } from "./request-rows.ts"
import {
  askerOf,
  decidedText,
  isCall,
  isUnexecuted,
  leftText,
  operationOf,
  reasonOf,
  revealTexts,
  shownStatus,
  statusText
} from "./words.ts"

const RowLink = createLink(RowPattern)

const centsOf = (rows: ReadonlyArray<ApprovalRow>): number => rows.reduce((sum, { cost_cents }) => sum + cost_cents, 0)
const sumOf = (rows: ReadonlyArray<ApprovalRow>): string => formatMoney(centsOf(rows))

export interface InboxListProps {
  readonly lines: ReadonlyArray<Line>
  readonly open: string | undefined
  /** The workspace in the address. */
  readonly home: string
  /** Workspaces whose names are shown beside their rows; empty if there is only one. */
  readonly workspaces: ReadonlyArray<{ readonly id: string; readonly name: string }>
  readonly selected: ReadonlySet<string>
  readonly onSelect: (ids: ReadonlyArray<string>, on?: boolean) => void
  readonly canSelect: boolean
  readonly onFold: (key: string, isOpen: boolean) => void
  readonly newCount: number
  readonly onNew: () => void
  readonly onClearDecided: () => void
  readonly hasMore: boolean
  readonly isMore: boolean
  readonly onMore: () => void
  /** Undefined without lines of requests. */
  readonly inboxRequests: InboxRequests | undefined
  /** Selected rows that are still listed. */
  readonly chosen: ReadonlyArray<ApprovalRow>
  readonly onDecide: () => void
}

export const InboxList = (props: InboxListProps) => {
  const { canSelect, chosen, hasMore, home, isMore, lines, newCount, open, selected, workspaces } = props
  const { inboxRequests, onClearDecided, onDecide, onFold, onMore, onNew, onSelect } = props
  const asking = useAsking()
  const [isSelecting, setSelecting] = useState(false)
  const newsCaps = useKeyCaps("list.news")
  const batchCaps = useKeyCaps("decide.batch")
  const rows = lines.flatMap((line) =>
    line.kind === "row" ? [line.row] : line.kind === "fold" && !line.isOpen ? line.rows : []
  )
  const pending = rows.filter(isPending)
  const requests = lines.flatMap((line) => line.kind === "request" ? [line.request] : [])
  const openRequests = requests.filter(isOpenRequest)
  const count = (hasMore ? t.atLeast : t.waiting)(pending.length + openRequests.length)
  const decidedCount = rows.length - pending.length + requests.length - openRequests.length
  const places = new Map(workspaces.map(({ id, name }) => [id, name]))
  const row = (
    each: ApprovalRow,
    inFold: boolean,
    folded?: { readonly count: number; readonly cents: number }
  ): ReactNode => (
    <InboxRow
      row={each}
      inFold={inFold}
      folded={folded?.count}
      cents={folded?.cents ?? each.cost_cents}
      isOpen={each.id === open && folded === undefined}
      isSelected={selected.has(each.id)}
      isAsking={asking.has(each.id)}
      home={home}
      place={places.get(each.org_id)}
      onSelect={canSelect ? onSelect : undefined}
    />
  )
  return (
    <div className={`flex flex-col ${styles.frame}`} data-selecting={isSelecting || selected.size > 0 || undefined}>
      {canSelect && (
        <div className={`flex flex-none items-center gap-8 border-b ${styles.head}`}>
          <span className="flex-1 type-label tabular-nums text-2">
            {centsOf(pending) === 0 ? count : t.sum(count, sumOf(pending))}
          </span>
          <span className="flex items-center gap-4">
            {newCount > 0
              ? (
                <Button size="small" keys={newsCaps} onClick={onNew}>
                  {t.newer(newCount)}
                </Button>
              )
              : decidedCount > 0 && (
                <Button size="small" variant="bare" onClick={onClearDecided}>{t.clearDecided(decidedCount)}</Button>
              )}
            <Button
              size="small"
              variant="bare"
              aria-pressed={isSelecting}
              icon={<ListChecks />}
              onClick={() => {
                setSelecting(!isSelecting)
                if (isSelecting) onSelect([...selected], false)
              }}
            >
              {isSelecting ? t.selectEnd : t.select}
            </Button>
          </span>
        </div>
      )}
      <ul>
        {lines.map((line) =>
          line.kind === "rule"
            ? (
              <li key={line.key} className={`px-16 pb-4 pt-12 border-b ${styles.rule}`}>
                <h2>{line.key === "urgent" ? t.urgent : t.later}</h2>
              </li>
            )
            : line.kind === "row"
            ? (
              <li key={line.key} className={styles.item} data-row={line.row.id}>
                {row(line.row, line.fold !== undefined)}
              </li>
            )
            : line.kind === "request"
            ? (
              <li key={line.key} className={styles.item} data-row={line.key}>
                {inboxRequests !== undefined && (
                  <inboxRequests.Row
                    of={line.request}
                    agentName={inboxRequests.nameOf(line.request)}
                    isOpen={line.key === open}
                    isAsking={asking.has(line.key)}
                    home={home}
                    place={places.get(line.request.org_id)}
                  />
                )}
              </li>
            )
            : line.isOpen
            ? (
              <li key={line.key} className={`flex items-center gap-8 border-b type-label ${styles.fold}`}>
                <span className="truncate">{t.fold(line.rows.length, operationOf(line.rows[0]!))}</span>
                <span className="flex-1 tabular-nums text-3 whitespace-nowrap">{t.foldSum(sumOf(line.rows))}</span>
                {canSelect && (
                  <Button
                    size="small"
                    variant="bare"
                    onClick={() =>
                      onSelect(line.rows.filter(isPending).map(({ id }) => id), true)}
                  >
                    {t.foldSelect}
                  </Button>
                )}
                {!line.rows.some(({ id }) =>
                  id === open
                ) && (
                  <Button
                    size="small"
                    variant="bare"
                    icon={<ChevronUp />}
                    onClick={() => onFold(line.key, false)}
                  >
                    {t.foldClose}
                  </Button>
                )}
              </li>
            )
            : (
              <li key={line.key} className={styles.item} data-row={line.rows[0]!.id}>
                {row(line.rows[0]!, false, { count: line.rows.length, cents: centsOf(line.rows) })}
                <span className={styles.unfold} aria-hidden>
                  <ChevronDown size={14} />
                </span>
              </li>
            )
        )}
      </ul>
      {hasMore && (
        <div className={`grid p-16 ${styles.more}`}>
          <Button size="small" onClick={onMore} pending={isMore}>{t.more}</Button>
        </div>
      )}
      {chosen.length > 0 && (
        <div className={styles.batch} role="region" aria-label={t.batch.title(chosen.length)}>
          <span className="flex-1 type-label tabular-nums text-2">{t.batch.bar(chosen.length, sumOf(chosen))}</span>
          <Button size="small" variant="bare" onClick={() => onSelect([...selected], false)}>{t.batch.clear}</Button>
          <Button size="small" keys={batchCaps} disabled={!chosen.some(isPending)} onClick={onDecide}>
            {t.batch.open}
          </Button>
        </div>
      )}
    </div>
  )
}

interface InboxRowProps {
  readonly row: ApprovalRow
  readonly inFold: boolean
  readonly folded: number | undefined
  readonly cents: number
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly isAsking: boolean
  readonly home: string
  readonly place: string | undefined
  readonly onSelect: ((ids: ReadonlyArray<string>, on?: boolean) => void) | undefined
}

/** Rendered again when its own row changes, not when another row opens. */
const InboxRow = memo(
  ({ cents, folded, home, inFold, isAsking, isOpen, isSelected, onSelect, place, row }: InboxRowProps) => {
    const operation = operationOf(row)
    const isOpenStill = isPending(row)
    const reason = reasonOf(row, t)
    return (
      <div className={classNames(styles.row, inFold && styles.inFold, isSelected && "bg-sunken")}>
        <RowLink
          from="/w/$workspace/inbox"
          to="."
          search={changed(opening(row, home))}
          preload={false}
          status={shownStatus(row)}
          agentName={row.agent.name}
          operation={operation}
          digest={row.payload_digest}
          costCents={isCall(row) ? cents : undefined}
          asker={askerOf(row)}
          summary={folded === undefined ? summaryText(row.summary) : undefined}
          closed={row.status === "approved" && !isUnexecuted(row)}
          reason={isOpenStill ? (folded === undefined ? reason : t.foldReason(reason)) : decidedText(row, t)}
          selected={isOpen}
          folded={folded === undefined ? undefined : t.fold(folded, operation)}
          place={place}
          time={isAsking
            ? t.asking
            : isOpenStill
            ? <Clock until={row.expires_at} now={hubClock.now} text={leftText(t)} />
            : <RelativeTime at={row.decided_at ?? row.expires_at} now={hubClock.now} />}
          texts={{ ...revealTexts(t), seal: t.seal, status: statusText(shownStatus(row), t) }}
        />
        {onSelect !== undefined && isOpenStill && folded === undefined && isCall(row) && (
          <span className={styles.box}>
            <Checkbox
              label={t.selectRow(row.agent.name, operation, formatMoney(row.cost_cents))}
              labelHidden
              checked={isSelected}
              onChange={(on) => onSelect([row.id], on)}
            />
          </span>
        )}
      </div>
    )
  },
  (a, b) =>
    a.row === b.row && a.inFold === b.inFold && a.folded === b.folded && a.cents === b.cents && a.isOpen === b.isOpen &&
    a.isSelected === b.isSelected && a.isAsking === b.isAsking && a.home === b.home && a.place === b.place &&
    (a.onSelect === undefined) === (b.onSelect === undefined)
)
