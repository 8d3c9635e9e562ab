/**
 * The browser and system in a user agent string. A guess that helps people recognize their own sessions, nothing more.
 */

type Signs = ReadonlyArray<readonly [RegExp, string]>

/** The first match wins: most browsers also name others. */
const browsers: Signs = [
  [/\bEdg(?:A|iOS)?\//u, "Edge"],
  [/\bOPR\//u, "Opera"],
  [/\bFirefox\/|\bFxiOS\//u, "Firefox"],
  [/\bElectron\//u, "Countersign"],
  [/\bHeadlessChrome\/|\bChrom(?:e|ium)\/|\bCriOS\//u, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//u, "Safari"],
  [/^curl\//u, "curl"]
]
const systems: Signs = [
  [/\bAndroid\b/u, "Android"],
  [/\biPhone\b|\biPad\b/u, "iOS"],
  [/\bWindows\b/u, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/u, "macOS"],
  [/\bCrOS\b/u, "ChromeOS"],
  [/\bLinux\b|\bX11\b/u, "Linux"]
]

const first = (found: Signs, text: string) => found.find(([pattern]) => pattern.test(text))?.[1]

export interface AgentWords {
  readonly browser?: string | undefined
  readonly system?: string | undefined
}

export const readUserAgent = (text: string): AgentWords => ({
  browser: first(browsers, text),
  system: first(systems, text)
})
