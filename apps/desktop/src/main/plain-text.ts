/**
 * Text of agents, hubs and devices on surfaces that draw no boxes: menus, notifications, a title. What reorders, controls,
 * vanishes or passes for another character stands there as its code point, in brackets; one line, bounded. Spec: E14, E16.
 */
import { revealedParts } from "@countersign/ui/patterns/revealing-text"

const lineLengthDefault = 80

/** Some desktops read a notification's body as markup. */
const markup = /<|&(?=[#A-Za-z0-9]+;)/gu

const named = (character: string): string =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`

/** In characters as a person counts them, brackets included; longer ones end in `…`. */
export const plainLine = (text: string, lengthMax: number = lineLengthDefault): string => {
  // Far more than is shown: a megabyte is not looked at for a line.
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

/** How a period is told: minutes under an hour, then hours, then days. At least a minute. */
export const periodWords = (millis: number): string => {
  const minutes = Math.max(1, Math.round(millis / 60_000))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

/** `14:02` of this computer's clock and zone. */
export const clockWords = (millis: number): string => {
  const at = new Date(millis)
  return `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`
}
