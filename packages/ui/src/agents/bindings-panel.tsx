/** What an agent may use, and how much of it: each binding with its operations, caps changed where they stand. */
import { useQuery } from "@tanstack/react-query"
import { Plus } from "lucide-react"
import { useState } from "react"
import type { BudgetAlert } from "../app/budget-alerts.ts"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { LearnMore } from "../app/learn-more.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { allServices } from "../hub/choices.ts"
import type { Output } from "../hub/contract.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { agentsText } from "../text/agents.ts"
import { useText } from "../text/catalogue.ts"
import { TestRequestDialog } from "../catalog/test-request-dialog.tsx"
import { BindDialog } from "./bind-dialog.tsx"
import { BindingSection } from "./binding-section.tsx"
import styles from "./bindings-panel.module.css"

export interface BindingsPanelProps {
  readonly agent: Output<"agents.get">
  readonly alerts: ReadonlyArray<BudgetAlert>
  readonly mayChange: boolean
}

export const BindingsPanel = ({ agent, alerts, mayChange }: BindingsPanelProps) => {
  const t = useText(agentsText).bindings
  const can = useCan()
  const services = useQuery({ ...allServices(useWorkspaceId()), enabled: can("catalog:read") }).data
  const [binding, setBinding] = useState(false)
  const [testing, setTesting] = useState<string>()
  const tested = services?.find(({ name }) => name === testing)
  const add = mayChange && (
    <Button size="small" icon={<Plus />} onClick={() => setBinding(true)}>
      {t.add}
    </Button>
  )
  return (
    <Panel title={t.title} actions={<><LearnMore topic="bindings" />{add}</>} flush>
      {agent.bindings.length === 0 ? (
        <EmptyState
          action={
            mayChange ? (
              <Button variant="primary" onClick={() => setBinding(true)}>
                {t.add}
              </Button>
            ) : undefined
          }
        >
          {t.empty}
        </EmptyState>
      ) : (
        <table className={styles.table} aria-label={t.title}>
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
      {!mayChange && <p className={styles.who}>{t.who}</p>}
      {binding && <BindDialog agent={agent} services={services ?? []} onClose={() => setBinding(false)} onTest={setTesting} />}
      {tested !== undefined && <TestRequestDialog service={tested} agents={[agent]} onClose={() => setTesting(undefined)} />}
    </Panel>
  )
}
