/** Sizes in powers of 1,000: "812 B", "64.2 kB", "4.1 MB". */
import type { commandsText } from "../text/commands.ts"

const units = ["b", "kb", "mb", "gb"] as const

export const bytesText = (t: typeof commandsText.bytes, bytes: number): string => {
  let [value, unit] = [bytes, 0]
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return t[units[unit] ?? "gb"](unit === 0 ? String(value) : value.toFixed(1))
}
