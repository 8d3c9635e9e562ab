/** The grants of a device: its tools, with the one that runs programs set apart, and the agents that may use it. */
import { useQuery } from "@tanstack/react-query"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { agentChoices, type Device, type Tool } from "../hub/queries.ts"
import { devicesText } from "../text/devices.ts"
import styles from "./grant-fields.module.css"

export interface GrantFieldsProps {
  /** Tools that it offers or requests, and granted tools that it no longer offers. */
  readonly offered: ReadonlyArray<Tool>
  /** The grants before the change. */
  readonly before: ReadonlyArray<Tool>
  readonly value: ReadonlyArray<Tool>
  readonly onChange: (tools: ReadonlyArray<Tool>) => void
  readonly error?: string | undefined
}

const shell = "shell.run"

export const ToolFields = ({ before, error, offered, onChange, value }: GrantFieldsProps) => {
  const t = devicesText
  const mayShell = useCan()("devices:grant_shell") || before.includes(shell)
  const tools = [...new Set([...offered, ...before])]
  const set = (tool: Tool, on: boolean) => onChange(tools.filter((each) => (each === tool ? on : value.includes(each))))
  const box = (tool: Tool) => (
    <Checkbox
      key={tool}
      label={
        <span className={`inline-flex flex-wrap items-center gap-8 ${styles.tool}`}>
          <code>{tool}</code>
          {!offered.includes(tool) && <Badge>{t.grants.notOffered}</Badge>}
        </span>
      }
      description={tool === shell && !mayShell ? t.grants.shellDenied : t.tools[tool]}
      checked={value.includes(tool)}
      disabled={(tool === shell && !mayShell) || (!offered.includes(tool) && !value.includes(tool))}
      onChange={(on) => set(tool, on)}
    />
  )
  return (
    <fieldset className="grid gap-12 min-w-0 border-0">
      <legend className="mb-8 type-control">{t.grants.tools}</legend>
      <div className={`grid items-start gap-12 gap-x-24 ${styles.tools}`}>
        {tools.filter((tool) => tool !== shell).map(box)}
      </div>
      {tools.includes(shell) && (
        <div className={styles.shell}>
          <p className="type-label text-hold">{t.grants.shellAbout}</p>
          {box(shell)}
        </div>
      )}
      <p className={`type-note weight-label text-stop ${styles.wrong}`} role="alert">
        {error}
      </p>
    </fieldset>
  )
}

export type AgentMode = "none" | "some" | "all"

export const modeOf = (
  agents: Device["agents"]
): AgentMode => (agents === "*" ? "all" : agents.length === 0 ? "none" : "some")

export interface AgentFieldsProps {
  readonly mode: AgentMode
  readonly onMode: (mode: AgentMode) => void
  readonly picked: ReadonlyArray<string>
  readonly onPick: (agents: ReadonlyArray<string>) => void
  readonly error?: string | undefined
}

export const AgentFields = ({ error, mode, onMode, onPick, picked }: AgentFieldsProps) => {
  const t = devicesText.grants
  const can = useCan()
  const agents = useQuery({ ...agentChoices(useWorkspaceId()), enabled: can("agents:read") && mode === "some" })
  const known = agents.data?.data ?? []
  const others = picked.filter((id) => !known.some((agent) => agent.id === id))
  const set = (id: string, on: boolean) => onPick(on ? [...picked, id] : picked.filter((each) => each !== id))
  return (
    <div className="grid gap-8">
      <RadioGroup
        label={t.agents}
        value={mode}
        onChange={onMode}
        options={(["none", "some", "all"] as const).map((value) => ({ value, text: t.modes[value] }))}
      />
      <p className="type-note text-3">{t.agentsAbout}</p>
      {mode === "some"
        && agents.data !== undefined
        && (known.length + others.length === 0
          ? <p className="type-note text-3">{t.noAgents}</p>
          : (
            <div
              className={`grid gap-8 gap-x-16 p-12 border rounded-control ${styles.picks}`}
              role="group"
              aria-label={t.agents}
            >
              {known.map(({ id, name }) => (
                <Checkbox
                  key={id}
                  label={name}
                  checked={picked.includes(id)}
                  onChange={(on) => set(id, on)}
                />
              ))}
              {others.map((id) => (
                <Checkbox
                  key={id}
                  label={<code>{id}</code>}
                  checked
                  onChange={(on) => set(id, on)}
                />
              ))}
            </div>
          ))}
      <p className={`type-note weight-label text-stop ${styles.wrong}`} role="alert">
        {error}
      </p>
    </div>
  )
}

/** The agents in the form that the hub accepts. */
export const agentsOf = (mode: AgentMode, picked: ReadonlyArray<string>): "*" | ReadonlyArray<string> =>
  mode === "all" ? "*" : mode === "none" ? [] : picked
