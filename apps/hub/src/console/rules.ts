/** Which requests the console answers, and in which encoding. All other addresses are 404. */

/** First segments of the hub's paths: below them there is no screen. */
const reservedParts: ReadonlySet<string> = new Set([
  "api",
  "assets",
  "docs",
  "go",
  "health",
  "mcp",
  "metrics",
  "oauth",
  "openapi.json",
  "ready",
  "v1",
  ".well-known"
])

/** Maximum length of the path of a screen, in characters. */
export const screenPathMax = 2_048

/** A path without its query. */
export const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

const control = /\p{Cc}/u

/** A decoded segment of a path; none when it is not well encoded, or when another parser could read it differently. */
const plainPart = (part: string): string | undefined => {
  let plain: string
  try {
    plain = decodeURIComponent(part)
  } catch {
    return undefined
  }
  return plain === "." || plain === ".." || /[/\\]/.test(plain) || control.test(plain) ? undefined : plain
}

/** Whether a path may be a screen's: not an address of the hub, not a file, and no traversal in any encoding. */
export const isScreenPath = (path: string): boolean => {
  if (!path.startsWith("/") || path.length > screenPathMax) return false
  const parts = path.slice(1).split("/").map(plainPart)
  const last = parts.at(-1)
  return !parts.includes(undefined) &&
    !parts.slice(0, -1).includes("") &&
    !reservedParts.has(parts[0]?.toLowerCase() ?? "") &&
    last !== undefined && !last.includes(".")
}

/**
 * Whether a person navigates to a page, according to the browser's headers; a program that requests data gets a 404.
 */
export const isNavigation = (headers: Readonly<Record<string, string | undefined>>): boolean => {
  const mode = headers["sec-fetch-mode"]
  return mode === undefined ? /\btext\/html\b/i.test(headers["accept"] ?? "") : mode === "navigate"
}

export type Encoding = "br" | "gzip"

/** The best available encoding that the caller accepts (RFC 9110, 12.5.3); none: identity. */
export const encodingFor = (accepted: string | undefined, available: ReadonlyArray<Encoding>): Encoding | undefined => {
  const weights = new Map<string, number>()
  for (const entry of (accepted ?? "").split(",")) {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase())
    const q = parameters.find((parameter) => parameter.startsWith("q="))
    const weight = q === undefined ? 1 : Number(q.slice(2))
    if (name !== "") weights.set(name, Number.isFinite(weight) ? weight : 0)
  }
  const aliasOf = { br: "br", gzip: "x-gzip" } as const
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get(aliasOf[encoding]) ?? weights.get("*") ?? 0
  return (["br", "gzip"] as const).filter((encoding) => available.includes(encoding) && weightOf(encoding) > 0)
    .sort((left, right) => weightOf(right) - weightOf(left))[0]
}
