/** The state of an agent as a word and a glyph; "frozen" takes precedence. */
import { Badge } from "../components/badge.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { agentsText } from "../text/agents.ts"

export interface AgentStateProps {
  readonly agent: { readonly status: "active" | "paused" | "disabled"; readonly frozen: boolean }
}

export const AgentState = ({ agent }: AgentStateProps) => {
  const t = agentsText.status
  if (agent.frozen) return <Badge tone="stop" glyph={<StatusGlyph look="blocked" />}>{t.frozen}</Badge>
  return agent.status === "active"
    ? <Badge tone="ok" glyph={<StatusGlyph look="executed" />}>{t.active}</Badge>
    : <Badge glyph={<StatusGlyph look="expired" />}>{t[agent.status]}</Badge>
}
