/** The services of an agent: each binding with its operations and with caps that can be edited in place. */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { Plus } from "lucide-react"
import { useState } from "react"
import type { BudgetAlert } from "../app/budget-alerts.ts"
import { forgetMade, useJustMade } from "../app/just-made.ts"
import { LearnMore } from "../app/learn-more.tsx"
import { NextStep } from "../app/next-step.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { TestRequestDialog } from "../catalog/test-request-dialog.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { allServices } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { agentsText } from "../text/agents.ts"
import { BindDialog } from "./bind-dialog.tsx"
import { BindingSection } from "./binding-section.tsx"
import styles from "./bindings-panel.module.css"

export interface BindingsPanelProps {
  readonly agent: Output<"agents.get">
  readonly alerts: ReadonlyArray<BudgetAlert>
  readonly mayChange: boolean
}

export const BindingsPanel = ({ agent, alerts, mayChange }: BindingsPanelProps) => {
  const t = agentsText.bindings
  const can = useCan()
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const services = useQuery({ ...allServices(workspace), enabled: can("catalog:read") }).data
  const [binding, setBinding] = useState(false)
  const [testing, setTesting] = useState<string>()
  const tested = services?.find(({ name }) => name === testing)
  const isNew = useJustMade("agent", workspace, agent.id)
  const forget = () => forgetMade("agent", workspace, agent.id)
  const endTest = () => {
    setTesting(undefined)
    forget()
  }
  const first = agent.bindings.find(({ enabled }) => enabled)
  const add = mayChange && (
    <Button size="small" icon={<Plus />} onClick={() => setBinding(true)}>
      {t.add}
    </Button>
  )
  return (
    <Panel
      title={t.title}
      actions={
        <>
          <LearnMore topic="bindings" />
          {add}
        </>
      }
      flush
    >
      {isNew && first !== undefined && mayChange && (
        <div className="px-16 py-12">
          <NextStep
            text={t.next}
            act={
              <Button
                size="small"
                disabled={!mayAct || services === undefined}
                onClick={() => setTesting(first.service)}
              >
                {t.test}
              </Button>
            }
            dismissText={t.hideNext}
            onDismiss={forget}
          />
        </div>
      )}
      {agent.bindings.length === 0
        ? (
          <EmptyState
            action={mayChange
              ? (
                <Button variant="primary" onClick={() => setBinding(true)}>
                  {t.add}
                </Button>
              )
              : undefined}
          >
            {isNew ? t.emptyNew : t.empty}
          </EmptyState>
        )
        : (
          <table className={`w-full type-body ${styles.table}`} aria-label={t.title}>
            <thead>
              <tr>
                <th scope="col" className={styles.wide}>
                  {t.columns.operation}
                </th>
                <th scope="col" className={styles.wide}>
                  {t.columns.used}
                </th>
                {[t.columns.cap, t.columns.today, t.columns.limit, t.columns.threshold].map((head) => (
                  <th key={head} scope="col" className={styles.end}>
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            {agent.bindings.map((each) => (
              <BindingSection
                key={each.service}
                agent={agent}
                alerts={alerts.filter(({ service }) => service === each.service)}
                binding={each}
                service={services?.find(({ name }) => name === each.service)}
                isGone={services !== undefined && !services.some(({ name }) => name === each.service)}
                mayChange={mayChange}
              />
            ))}
          </table>
        )}
      {!mayChange && <p className={`px-16 py-8 border-t ${styles.who}`}>{t.who}</p>}
      {binding && (
        <BindDialog
          agent={agent}
          services={services ?? []}
          onClose={() => setBinding(false)}
          onTest={setTesting}
        />
      )}
      {tested !== undefined && <TestRequestDialog service={tested} agents={[agent]} onClose={endTest} />}
    </Panel>
  )
}
