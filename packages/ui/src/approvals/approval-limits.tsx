/** The four limits after this request; always all four, so that each has a fixed place. */
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { BudgetBar } from "../patterns/budget-bar.tsx"
import type { BudgetFigures } from "../patterns/budget-segments.ts"
import { approvalText } from "../text/approvals.ts"
import styles from "./approval-detail.module.css"
import { type ApprovalRow, isPending } from "./inbox-rows.ts"
import { operationOf } from "./words.ts"

interface MoneyLimit {
  readonly cap_cents: number
  readonly spent_cents: number
  readonly held_cents: number
  readonly committed_cents?: number
}

/** Committed amounts count as held. */
export const figuresOf = (limit: MoneyLimit, this_cents: number): BudgetFigures => ({
  cap_cents: limit.cap_cents,
  spent_cents: limit.spent_cents,
  held_cents: limit.held_cents + (limit.committed_cents ?? 0),
  this_cents
})

/** Whether a limit would block the request today even if it is approved. */
export const isOverLimits = ({ cost_cents, limits }: ApprovalRow): boolean => {
  const { agent_month, operation_day, operation_month, wallet } = limits
  return [operation_month, agent_month].some((limit) =>
    limit !== undefined &&
    limit.spent_cents + limit.held_cents + (limit.committed_cents ?? 0) + cost_cents > limit.cap_cents
  ) ||
    operation_day !== undefined && operation_day.used_count + 1 > operation_day.limit_count ||
    wallet.balance_cents - wallet.held_cents < cost_cents
}

export const ApprovalLimits = ({ approval }: { readonly approval: ApprovalRow }) => {
  const t = approvalText.limits
  const { limits } = approval
  const isOpen = isPending(approval)
  const current = isOpen ? approval.cost_cents : 0
  const day = limits.operation_day
  const operation = operationOf(approval)
  const money = (key: string, label: string, limit: MoneyLimit | undefined, isWallet = false) => {
    if (limit === undefined) return <NoLimit key={key} label={label} />
    const figures = figuresOf(limit, current)
    const left = figures.cap_cents - figures.spent_cents - figures.held_cents - current
    const sum = formatMoney(Math.abs(left))
    const spent = formatMoney(figures.spent_cents)
    const held = formatMoney(figures.held_cents)
    const cap = formatMoney(figures.cap_cents)
    return (
      <BudgetBar
        key={key}
        label={label}
        cap={cap}
        {...figures}
        note={left < 0 ? (isWallet ? t.short : isOpen ? t.over : t.overNow)(sum) : (isOpen ? t.left : t.leftNow)(sum)}
        valueText={isOpen ? t.value(spent, held, formatMoney(current), cap) : t.valueNow(spent, held, cap)}
      />
    )
  }
  const walletLimit = { cap_cents: limits.wallet.balance_cents, spent_cents: 0, held_cents: limits.wallet.held_cents }
  const leftToday = day === undefined ? 0 : day.limit_count - day.used_count - (isOpen ? 1 : 0)
  return (
    <Panel title={isOpen ? t.title : t.titleNow} level={3}>
      <div className="grid gap-12">
        {money("operation", t.operationMonth(operation), limits.operation_month)}
        {day === undefined ? <NoLimit label={t.operationDay(operation)} /> : (
          <BudgetBar
            label={t.operationDay(operation)}
            cap={t.count(day.limit_count)}
            spent_cents={day.used_count}
            held_cents={0}
            this_cents={isOpen ? 1 : 0}
            cap_cents={day.limit_count}
            note={leftToday < 0 ? t.overCount(-leftToday) : (isOpen ? t.leftCount : t.leftCountNow)(leftToday)}
            valueText={(isOpen ? t.countValue : t.countValueNow)(day.used_count, day.limit_count)}
          />
        )}
        {money("agent", t.agentMonth(approval.agent.name), limits.agent_month)}
        {money("wallet", t.wallet, walletLimit, true)}
        {isOpen && isOverLimits(approval) && <p className="type-note text-stop">{t.wouldBlock}</p>}
      </div>
    </Panel>
  )
}

const NoLimit = ({ label }: { readonly label: string }) => {
  const t = approvalText.limits
  return (
    <p className={`flex justify-between gap-8 type-note text-3 ${styles.noLimit}`}>
      <span>{label}</span>
      <span>{t.none}</span>
    </p>
  )
}
