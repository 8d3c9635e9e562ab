/** The action of a policy, as a word and a glyph. */
import { Badge } from "../components/badge.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { policiesText } from "../text/policies.ts"
import type { Action } from "./rule-draft.ts"

const looks = { allow: ["ok", "executed"], block: ["stop", "blocked"], require_approval: ["hold", "waiting"] } as const

export const ActionBadge = ({ action }: { readonly action: Action }) => {
  const t = policiesText.actions
  const [tone, look] = looks[action]
  return <Badge tone={tone} glyph={<StatusGlyph look={look} />}>{t[action]}</Badge>
}
