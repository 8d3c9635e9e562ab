/** Small rules of chat. Pure. */
import { titleLength } from "@countersign/domain/chat"

/** The title of a session that nobody named: the first characters of its first message, in one line. */
export const titleOf = (message: string): string => {
  const line = message.replace(/\s+/gu, " ").trim()
  const characters = [...line]
  return characters.length <= titleLength ? line : `${characters.slice(0, titleLength - 1).join("")}…`
}
