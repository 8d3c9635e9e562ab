/**
 * "Copy as support text": the facts that support needs, without credentials. The complete text is shown before it is
 * copied. Spec: reference/desktop.md "Connection log", "E18: crash and support files".
 */
import type { LogEntry } from "../../bridge/this-computer.ts"
import { makeMask } from "../../device/results/masker.ts"
import { plainLine } from "../platform/plain-text.ts"

export interface SupportFacts {
  readonly appVersion: string
  /** `linux 6.1.0 x64`. */
  readonly system: string
  readonly electron?: string | undefined
  /** The text replaces each profile by a number, so it contains no names or addresses. */
  readonly profiles: ReadonlyArray<
    { readonly id: string; readonly name: string; readonly url: string; readonly phase: string }
  >
  readonly device: string
  /** The name of this computer as a device, and the user's home folder; both are replaced in the text. */
  readonly deviceName?: string | undefined
  readonly home?: string | undefined
  readonly secrets?: ReadonlyArray<string> | undefined
  readonly now: number
}

const nameLengthMin = 3

const time = (millis: number): string => new Date(millis).toISOString()

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")

const replaced = (texts: ReadonlyMap<string, string>): (text: string) => string => {
  const known = [...texts].filter(([text]) => text.length >= nameLengthMin).sort(([a], [b]) => b.length - a.length)
  if (known.length === 0) return (text) => text
  const byText = new Map(known.map(([text, by]) => [text.toLowerCase(), by]))
  const pattern = new RegExp(known.map(([text]) => escaped(text)).join("|"), "giu")
  return (text) => text.replace(pattern, (found) => byText.get(found.toLowerCase()) ?? "[name]")
}

/**
 * Replaces names, addresses, and hosts of the profiles by their numbers, and the names of the device and its user by
 * placeholders, anywhere in the text.
 */
const withoutNames = ({ deviceName = "", home = "", profiles }: SupportFacts): (text: string) => string =>
  replaced(
    new Map([
      [deviceName, "[device]"],
      // The plain path, and the path as escaped in JSON.
      [home, "~"],
      [JSON.stringify(home).slice(1, -1), "~"],
      ...profiles.flatMap(({ name, url }, at) => {
        const parsed = URL.canParse(url) ? new URL(url) : undefined
        return [name, parsed?.hostname, parsed?.host, url].flatMap((text) =>
          text === undefined ? [] : [[text, `[hub ${at + 1}]`] as const]
        )
      })
    ])
  )

const fileEndings = "json|log|sqlite|yml|yaml|pem|key|ed25519|js|mjs|cjs|ts|deb|zip|dmg|exe|appimage|dmp"
/** Patterns of identifying text that no current profile contains: removed hubs and other people's folders. */
const identifyingPatterns: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]+/giu, "[address]"],
  [/[^\s@=:"']+@[\p{L}\p{N}.-]+/gu, "[address]"],
  [
    /(?<=\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT) )[^\s[,;]+/gu,
    "[address]"
  ],
  [/(?:\/home|\/Users|[A-Za-z]:(?:\\{1,2}|\/)Users)(?:\/|\\{1,2})[^/\\\s"',]+/giu, "~"],
  [/\bdev_[0-9a-z]{6,}\b/gu, "[device]"],
  [/\b(?:CN|OU|O|L|ST|C|emailAddress)=[^,]*(?:, (?:CN|OU|O|L|ST|C|emailAddress)=[^,]*)*/gu, "[subject]"],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/gu, "[address]"],
  [
    new RegExp(
      `(?<![\\p{L}\\p{N}/~._-])(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?\\.)+(?!(?:${fileEndings})\\b)\\p{L}{2,}(?::\\d+)?(?![\\p{L}\\p{N}./-])`,
      "giu"
    ),
    "[address]"
  ]
]
const withoutPatterns = (text: string): string =>
  identifyingPatterns.reduce((left, [pattern, by]) => left.replace(pattern, by), text)

export const supportText = (facts: SupportFacts, entries: ReadonlyArray<LogEntry>): string => {
  const { appVersion, device, electron, now, profiles, secrets = [], system } = facts
  const mask = makeMask(secrets)
  const numbers = new Map(profiles.map(({ id }, at) => [id, `hub ${at + 1}`]))
  const unnamed = withoutNames(facts)
  const hide = (text: string): string => withoutPatterns(unnamed(text))
  const line = ({ about, at, detail, event, times }: LogEntry): string =>
    [
      time(at),
      about === undefined ? "app" : numbers.get(about) ?? "a removed hub",
      event,
      ...(detail === undefined ? [] : [hide(detail)]),
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
