/** Budgets of agents as bars for the month, sorted by the share used, highest first; each with its operations. */
import type { Row } from "@countersign/hub-client/contract"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { AlertMark } from "../agents/alert-mark.tsx"
import { type BudgetAlert, useBudgetAlerts } from "../app/budget-alerts.ts"
import { LearnMore } from "../app/learn-more.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { budgetQuery, fleetPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { PlaceLink } from "../listing/place-link.tsx"
import { BudgetBar } from "../patterns/budget-bar.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { Phrase } from "../text/catalogue.ts"
import { moneyText } from "../text/money.ts"
import styles from "./money-screen.module.css"

type Health = Row<"agents.fleetHealth">

const shareOf = ({ held_cents, monthly_budget_cents = 0, spent_this_month_cents }: Health): number =>
  monthly_budget_cents === 0 ? Number.POSITIVE_INFINITY : (spent_this_month_cents + held_cents) / monthly_budget_cents

const nextMonth = (now_ms: number): string => {
  const now = new Date(now_ms)
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString()
}

export const BudgetsPanel = ({ workspace }: { readonly workspace: string }) => {
  const t = moneyText.budgets
  const fleet = useInfiniteQuery(fleetPages(workspace))
  const agents = rowsOf(fleet.data)
  const alerts = useBudgetAlerts()
  const capped = agents.filter(({ monthly_budget_cents }) => monthly_budget_cents !== undefined).toSorted((one, two) =>
    shareOf(two) - shareOf(one)
  )
  const free = agents.filter(({ monthly_budget_cents }) => monthly_budget_cents === undefined).toSorted((one, two) =>
    two.spent_this_month_cents - one.spent_this_month_cents
  )
  return (
    <Panel title={t.title} actions={<LearnMore topic="budgets" />}>
      <ScreenState query={fleet} isEmpty={agents.length === 0} empty={{ text: t.empty }}>
        <p className="type-note text-3">
          <Phrase text={t.resets} time={<RelativeTime at={nextMonth(hubClock.now())} now={hubClock.now} />} />
        </p>
        <ul className="grid gap-16 mt-16">
          {[...capped, ...free].map((agent) => (
            <AgentRow
              key={agent.agent_id}
              agent={agent}
              workspace={workspace}
              alerts={alerts.filter((one) => one.agent.id === agent.agent_id)}
            />
          ))}
        </ul>
        <MoreButton pages={fleet}>{t.more}</MoreButton>
      </ScreenState>
    </Panel>
  )
}

interface AgentRowProps {
  readonly agent: Health
  readonly alerts: ReadonlyArray<BudgetAlert>
  readonly workspace: string
}

const AgentRow = ({ agent, alerts, workspace }: AgentRowProps) => {
  const t = moneyText.budgets
  const [open, setOpen] = useState(false)
  return (
    <li className={`grid justify-items-start ${styles.budget}`}>
      <Bar
        name={agent.name}
        label={
          <span className={`inline-flex items-center gap-8 min-w-0 ${styles.budgetName}`}>
            <PlaceLink quiet href={`/w/${workspace}/agents/${agent.agent_id}`}>{agent.name}</PlaceLink>
            {agent.frozen && <Badge tone="hold">{t.frozen}</Badge>}
            <AlertMark alerts={alerts} />
          </span>
        }
        spent={agent.spent_this_month_cents}
        held={agent.held_cents}
        cap={agent.monthly_budget_cents}
      />
      <Button
        size="small"
        variant="bare"
        aria-expanded={open}
        aria-label={`${agent.name}: ${t.operations}`}
        onClick={() => setOpen(!open)}
      >
        {t.operations}
      </Button>
      {open && <Operations id={agent.agent_id} workspace={workspace} />}
    </li>
  )
}

interface BarProps {
  readonly name: string
  readonly label: React.ReactNode
  readonly spent: number
  readonly held: number
  readonly cap: number | undefined
  readonly more?: string
}

const Bar = ({ cap, held, label, more, name, spent }: BarProps) => {
  const t = moneyText.budgets
  const used = held > 0 ? t.spentAndHeld(formatMoney(spent), formatMoney(held)) : t.spent(formatMoney(spent))
  if (cap === undefined) {
    return (
      <div className={`flex flex-wrap items-baseline justify-between ${styles.uncapped}`}>
        <span>{label}</span>
        <span className="type-note text-3">{[used, t.noCap, ...more === undefined ? [] : [more]].join(" · ")}</span>
      </div>
    )
  }
  const left = cap - spent - held
  return (
    <BudgetBar
      label={label}
      cap={t.cap(formatMoney(cap))}
      spent_cents={spent}
      held_cents={held}
      this_cents={0}
      cap_cents={cap}
      note={[
        left < 0 ? t.over(formatMoney(-left)) : t.left(formatMoney(left)),
        used,
        ...more === undefined ? [] : [more]
      ].join(" · ")}
      valueText={t.spoken(name, formatMoney(spent), formatMoney(held), formatMoney(cap))}
    />
  )
}

const Operations = ({ id, workspace }: { readonly id: string; readonly workspace: string }) => {
  const t = moneyText.budgets
  const budget = useQuery(budgetQuery(workspace, id))
  const operations = budget.data?.operations ?? []
  return (
    <ScreenState query={budget}>
      {operations.length === 0
        ? <p className="type-note text-3">{t.noOperations}</p>
        : (
          <ul className={styles.operations}>
            {operations.map((
              { daily_request_limit, held_cents, monthly_cap_cents, operation, service, spent_cents, used_today }
            ) => (
              <li key={`${service}.${operation}`}>
                <Bar
                  name={`${service}.${operation}`}
                  label={<span className="type-mono">{service}.{operation}</span>}
                  spent={spent_cents}
                  held={held_cents}
                  cap={monthly_cap_cents}
                  more={daily_request_limit === undefined
                    ? t.requestsFree(used_today)
                    : t.requests(used_today, daily_request_limit)}
                />
              </li>
            ))}
          </ul>
        )}
    </ScreenState>
  )
}
