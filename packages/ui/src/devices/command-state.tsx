import { Badge } from "../components/badge.tsx"
import type { Command } from "../hub/queries.ts"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { commandsText } from "../text/commands.ts"
import { stateOf } from "./command-words.ts"

export const CommandState = ({ command }: { readonly command: Command }) => {
  const { look, text, tone } = stateOf(commandsText, command)
  return (
    <Badge tone={tone} glyph={<StatusGlyph look={look} />}>
      {text}
    </Badge>
  )
}
