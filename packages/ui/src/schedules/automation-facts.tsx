/** What a schedule or a trigger does: its facts, its payload, and its deletion. */
import type { ReactNode } from "react"
import { useAgentChoices } from "../app/agent-choices.ts"
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { JsonBlock } from "../catalog/json-block.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import type { FiringAction, ScheduledTask } from "../hub/queries.ts"
import { KeyValueList, type KeyValueListProps } from "../patterns/key-value-list.tsx"
import { schedulesText } from "../text/schedules.ts"
import { ActionText } from "./action-text.tsx"

const t = schedulesText.detail

export type FactItems = KeyValueListProps["items"]

/** The action, and the agent for which it is done. */
export const useActionFacts = ({ action, agent_id }: Pick<ScheduledTask, "action" | "agent_id">): FactItems => {
  const workspace = useWorkspaceId()
  const agents = useAgentChoices()
  return [
    { key: "action", name: t.action, value: <ActionText action={action} /> },
    {
      key: "agent",
      name: t.agent,
      value: (
        <Link quiet to="/w/$workspace/agents/$id" params={{ workspace, id: agent_id }}>
          {agents.find(({ id }) => id === agent_id)?.name ?? agent_id}
        </Link>
      )
    }
  ]
}

export const cronFacts = (cron: string, timezone: string): FactItems => [
  { key: "cron", name: t.cron, value: <code className="type-mono">{cron}</code> },
  { key: "zone", name: t.timezone, value: timezone }
]

export const payloadOf = (action: FiringAction): unknown => action.type === "workflow" ? action.input : action.payload

export interface AutomationFactsProps {
  readonly title: string
  readonly items: FactItems
  readonly payload: unknown
  readonly payloadTitle?: ReactNode
  readonly removeText: string
  readonly onRemove: (() => void) | undefined
}

export const AutomationFacts = (
  { items, onRemove, payload, payloadTitle, removeText, title }: AutomationFactsProps
) => (
  <Panel title={title}>
    <KeyValueList items={items} />
    {payload !== undefined && (
      <div className="grid gap-4 mt-12">
        {payloadTitle !== undefined && <h3 className="type-label text-2">{payloadTitle}</h3>}
        <JsonBlock label={t.payload} value={payload} />
      </div>
    )}
    {onRemove !== undefined && (
      <p className="mt-12">
        <Button size="small" variant="danger" onClick={onRemove}>{removeText}</Button>
      </p>
    )}
  </Panel>
)
