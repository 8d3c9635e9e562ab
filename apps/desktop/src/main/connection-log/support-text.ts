/**
 * "Copy as support text": what a stranger needs to help, and nothing that opens a door. What it holds is shown before it is
 * copied. Spec: E18.
 */
import { makeMask } from "../../device/masker.ts"
import { plainLine } from "../plain-text.ts"
import type { LogEntry } from "./log.ts"

export interface SupportFacts {
  readonly appVersion: string
  /** `linux 6.1.0 x64`. */
  readonly system: string
  readonly electron?: string | undefined
  /** In the text each is only a number: names and addresses stay here. */
  readonly profiles: ReadonlyArray<{ readonly id: string; readonly name: string; readonly url: string; readonly phase: string }>
  readonly device: string
  readonly secrets?: ReadonlyArray<string> | undefined
  readonly now: number
}

const time = (millis: number): string => new Date(millis).toISOString()

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")

/** Names, addresses and hosts of the profiles by their number, wherever they stand. */
const withoutNames = (profiles: SupportFacts["profiles"]): (text: string) => string => {
  const names = profiles.flatMap(({ name, url }, at) => {
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    return [url, parsed?.host, parsed?.hostname, name]
      .flatMap((text) => text === undefined || text.length < 3 ? [] : [[text, `[hub ${at + 1}]`] as const])
  }).sort((a, b) => b[0].length - a[0].length)
  if (names.length === 0) return (text) => text
  const byText = new Map(names.map(([text, number]) => [text.toLowerCase(), number]))
  const pattern = new RegExp(names.map(([text]) => escaped(text)).join("|"), "giu")
  return (text) => text.replace(pattern, (found) => byText.get(found.toLowerCase()) ?? "[hub]")
}

export const supportText = (
  { appVersion, device, electron, now, profiles, secrets = [], system }: SupportFacts, entries: ReadonlyArray<LogEntry>
): string => {
  const mask = makeMask(secrets)
  const numbers = new Map(profiles.map(({ id }, at) => [id, `hub ${at + 1}`]))
  const hide = withoutNames(profiles)
  const line = ({ about, at, detail, event, times }: LogEntry): string =>
    [
      time(at), about === undefined ? "app" : numbers.get(about) ?? "a removed hub", event, ...(detail === undefined ? [] : [hide(detail)]),
      ...(times === undefined ? [] : [`(${times} times)`])
    ].join("  ")
  return mask.text([
    `Countersign ${appVersion}${electron === undefined ? "" : `, Electron ${electron}`}, ${system}`,
    `Written ${time(now)}`,
    ...profiles.map(({ phase, url }, at) => `hub ${at + 1}: ${url.startsWith("https:") ? "https" : "http"}, ${phase}`),
    `device: ${plainLine(hide(device))}`,
    "",
    ...entries.map(line)
  ].join("\n"))
}
