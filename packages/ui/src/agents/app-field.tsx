/** The connected app of an agent for a service whose credential names a provider. */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Select } from "../components/select.tsx"
import { appChoices } from "../hub/queries.ts"
import { agentsText as texts } from "../text/agents.ts"
import { appOptions } from "./bind-draft.ts"

/** The option for no choice. */
const none = "none"

export interface AppFieldProps {
  readonly agent: Output<"agents.get">
  readonly provider: string
  readonly value: string | undefined
  readonly onChange: (app: string | undefined) => void
}

export const AppField = ({ agent, onChange, provider, value }: AppFieldProps) => {
  const t = texts.bind
  const can = useCan()
  const apps = useQuery({ ...appChoices(useWorkspaceId()), enabled: can("apps:read") }).data?.data ?? []
  return (
    <Select
      label={t.app}
      description={t.appAbout}
      value={value ?? none}
      onChange={(next) => onChange(next === none ? undefined : next)}
      options={[{ value: none, text: t.noApp }, ...appOptions(apps, provider, agent.owner_user_id, value)]}
      path="app_id"
    />
  )
}
