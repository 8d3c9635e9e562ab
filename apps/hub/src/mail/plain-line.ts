/** Untrusted text in mails and notices. Pure. */
import { revealedParts } from "@countersign/domain/hidden-characters"

const lineMax = 120

/** Untrusted text in one line: hidden and reordering characters are shown by their code points. */
export const plainLine = (text: string, max = lineMax): string => {
  const shown = revealedParts(text.slice(0, 4 * max).toWellFormed())
    .map((part) => part.kind === "plain" ? part.text.replace(/\s+/gu, " ") : `[${part.codePoint}]`).join("").trim()
  const characters = [...shown]
  return characters.length <= max ? shown : `${characters.slice(0, max - 1).join("").trimEnd()}…`
}
