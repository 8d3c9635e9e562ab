/** An agent's monthly budget: spent, held, and remaining amounts, and the control to change it. */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { BudgetAlert } from "../app/budget-alerts.ts"
import { isReadable } from "../app/field-problem.ts"
import { Form } from "../app/form.tsx"
import { LearnMore } from "../app/learn-more.tsx"
import { useLeadsTeam } from "../app/led-teams.ts"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspace } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/fields.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { budgetQuery } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { BudgetBar } from "../patterns/budget-bar.tsx"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { keysField } from "../patterns/three-way.ts"
import { agentsText } from "../text/agents.ts"
import { alertText as levels } from "../text/alerts.ts"
import { Phrase } from "../text/catalogue.ts"
import styles from "./agent-screen.module.css"
import { AlertMark } from "./alert-mark.tsx"

type Budget = Output<"budgets.get">

export interface BudgetPanelProps {
  readonly agent: { readonly id: string; readonly team_id?: string }
  /** The alert for the agent's monthly cap. */
  readonly alert: BudgetAlert | undefined
}

export const BudgetPanel = ({ agent: { id: agent, team_id }, alert }: BudgetPanelProps) => {
  const t = agentsText.budget
  const workspace = useWorkspace()
  const can = useCan()
  const leads = useLeadsTeam()
  const may = can("budgets:write") || leads(team_id)
  const budget = useQuery(budgetQuery(workspace.id, agent))
  const [setting, setSetting] = useState(false)
  const mayAct = useMayAct()
  const edit = may && !setting && budget.data !== undefined
    ? (
      <Button size="small" disabled={!mayAct} onClick={() => setSetting(true)}>
        {t.edit}
      </Button>
    )
    : undefined
  return (
    <Panel
      title={t.title}
      actions={
        <>
          <LearnMore topic="budgets" />
          {edit}
        </>
      }
    >
      <ScreenState query={budget}>
        {budget.data !== undefined
          && (setting
            ? <BudgetForm agent={agent} budget={budget.data} onClose={() => setSetting(false)} />
            : <BudgetFacts budget={budget.data} alert={alert} standing={workspace.approval_threshold_cents} />)}
      </ScreenState>
      {!may && <p className={styles.who}>{t.who}</p>}
    </Panel>
  )
}

interface BudgetFactsProps {
  readonly alert: BudgetAlert | undefined
  readonly budget: Budget
  readonly standing: number
}

const BudgetFacts = ({ alert, budget, standing }: BudgetFactsProps) => {
  const t = agentsText.budget
  const {
    approval_threshold_cents: threshold,
    committed_cents,
    held_cents,
    monthly_budget_cents: cap,
    remaining_cents: left,
    resets_at,
    spent_cents
  } = budget
  return (
    <div className="grid gap-16">
      {cap === null ? <p className="type-note text-2">{t.noCap}</p> : (
        <BudgetBar
          label={t.month}
          cap={<Money cents={cap} />}
          spent_cents={spent_cents}
          held_cents={held_cents + committed_cents}
          this_cents={0}
          cap_cents={cap}
          note={(left ?? 0) < 0 ? t.over(formatMoney(-(left ?? 0))) : t.left(formatMoney(left ?? 0))}
          valueText={t.value(formatMoney(spent_cents), formatMoney(held_cents + committed_cents), formatMoney(cap))}
        />
      )}
      <KeyValueList
        items={[
          ...(alert === undefined || cap === null
            ? []
            : [
              {
                key: "alert",
                name: levels.passed,
                value: (
                  <Phrase
                    text={levels.passedAt}
                    level={<AlertMark alerts={[alert]} />}
                    time={<RelativeTime at={alert.raised_at} now={hubClock.now} />}
                  />
                )
              }
            ]),
          { key: "spent", name: t.spent, value: <Money cents={spent_cents} /> },
          { key: "held", name: t.held, value: <Money cents={held_cents} /> },
          ...(committed_cents > 0
            ? [{ key: "committed", name: t.committed, value: <Money cents={committed_cents} /> }]
            : []),
          {
            key: "threshold",
            name: t.askAbove,
            value: threshold === null ? t.workspaceThreshold(formatMoney(standing)) : <Money cents={threshold} />
          },
          { key: "resets", name: t.resets, value: <RelativeTime at={resets_at} now={hubClock.now} /> }
        ]}
      />
    </div>
  )
}

const draftOf = (budget: Budget) => ({
  cap: budget.monthly_budget_cents ?? undefined,
  threshold: budget.approval_threshold_cents ?? undefined
})

type BudgetDraft = ReturnType<typeof draftOf>

const BudgetForm = ({
  agent,
  budget,
  onClose
}: {
  readonly agent: string
  readonly budget: Budget
  readonly onClose: () => void
}) => {
  const t = agentsText.budget
  const workspace = useWorkspace()
  const used = budget.spent_cents + budget.held_cents
  const edit = useEdit({
    endpoint: "budgets.set",
    loaded: budget,
    draftOf,
    fields: () => [
      keysField<BudgetDraft>(["cap"], t.cap, ({ cap }) => cap === undefined ? t.noBudget : formatMoney(cap)),
      keysField<BudgetDraft>(
        ["threshold"],
        t.threshold,
        ({ threshold }) =>
          threshold === undefined
            ? t.workspaceThreshold(formatMoney(workspace.approval_threshold_cents))
            : formatMoney(threshold)
      )
    ],
    input: (_, draft) => ({
      params: { id: agent },
      payload: { monthly_budget_cents: draft.cap ?? null, approval_threshold_cents: draft.threshold ?? null }
    }),
    workspace: workspace.id,
    touches: ["budgets", "agents"],
    done: t.done,
    onDone: onClose
  })
  const { draft: { cap, threshold } } = edit
  return (
    <Form
      label={t.title}
      variant="primary"
      call={edit}
      failed={t.failed}
      unchanged={t.unchanged}
      validates
      onCancel={onClose}
      onSubmit={(form) => {
        if (isReadable(form)) edit.save()
      }}
    >
      <MoneyField
        label={t.cap}
        description={cap !== undefined && cap < used ? t.lower(formatMoney(used)) : t.capAbout}
        value={cap}
        onChange={(next) => edit.set({ cap: next })}
        invalidText={t.invalid}
        path="monthly_budget_cents"
        autoFocus
      />
      <MoneyField
        label={t.threshold}
        description={t.thresholdAbout(formatMoney(workspace.approval_threshold_cents))}
        value={threshold}
        onChange={(next) => edit.set({ threshold: next })}
        invalidText={t.invalid}
        path="approval_threshold_cents"
      />
    </Form>
  )
}
