/** The agent for which a schedule or a trigger acts. */
import { useAgentChoices } from "../app/agent-choices.ts"
import { Select } from "../components/select.tsx"
import { schedulesText } from "../text/schedules.ts"

export interface AgentFieldProps {
  readonly description: string
  /** Empty until one is chosen. */
  readonly value: string
  readonly onChange: (agent: string) => void
}

export const AgentField = ({ description, onChange, value }: AgentFieldProps) => {
  const t = schedulesText.form
  return (
    <Select
      label={t.agent}
      description={description}
      placeholder={t.chooseAgent}
      value={value === "" ? undefined : value}
      onChange={onChange}
      options={useAgentChoices().map(({ id, name }) => ({ value: id as string, text: name }))}
      path="agent_id"
    />
  )
}
