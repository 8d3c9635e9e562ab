/**
 * A browser and a system in what a browser says of itself. A guess for people to recognise their own sessions by, nothing more.
 */

type Signs = ReadonlyArray<readonly [RegExp, string]>

/** The first that fits: most browsers name others beside themselves. */
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
