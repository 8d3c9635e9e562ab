/**
 * Prepares text of agents, hubs, and devices for menus, notifications, and titles, which draw no boxes around it.
 * Bidirectional, control, invisible, and look-alike characters are replaced by their code point in brackets; the result
 * is one line of bounded length. Spec: reference/desktop.md "E14: private notifications", "E16: foreign text".
 */
import { revealedParts } from "@countersign/domain/hidden-characters"

const lineLengthDefault = 80

/** Some desktops parse a notification's body as markup. */
const markup = /<|&(?=[#A-Za-z0-9]+;)/gu

const named = (character: string): string =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`

/** `lengthMax` counts code points, brackets included; longer text ends in `…`. */
export const plainLine = (text: string, lengthMax: number = lineLengthDefault): string => {
  // Bounds the work: only the start of a long text is processed.
  const revealed = revealedParts(text.slice(0, 4 * lengthMax).toWellFormed())
    .map((part) => part.kind === "plain" ? part.text.replace(/\s+/gu, " ").replace(markup, named) : named(part.text))
    .join("")
    .trim()
  const characters = [...revealed]
  return characters.length <= lengthMax ? revealed : `${characters.slice(0, lengthMax - 1).join("").trimEnd()}…`
}

const dollarFormat = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" })

/** `$1,240.00`. */
export const dollars = (cents: number): string => dollarFormat.format(cents / 100)

/** A period in words: minutes under an hour, then hours, then days. At least one minute. */
export const periodWords = (millis: number): string => {
  const minutes = Math.max(1, Math.round(millis / 60_000))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

/** `14:02` in this computer's time zone. */
export const clockWords = (millis: number): string => {
  const at = new Date(millis)
  return `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`
}
