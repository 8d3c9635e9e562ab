/** Which requests the console answers, and in which encoding. What is not decided here is an address of nothing. */

/** First parts of paths that are the hub's own: below them nothing is a screen. */
const reservedParts: ReadonlySet<string> = new Set([
  "api",
  "assets",
  "docs",
  "health",
  "mcp",
  "metrics",
  "openapi.json",
  "ready",
  "v1",
  ".well-known"
])

/** A path of at most so many characters may be a screen's. */
export const screenPathMax = 2_048

/** A path without its query. */
export const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

const control = /\p{Cc}/u

/** A part of a path as it was meant; none when it is not well encoded, or whoever reads it next could take it for another. */
const plainPart = (part: string): string | undefined => {
  let plain: string
  try {
    plain = decodeURIComponent(part)
  } catch {
    return undefined
  }
  return plain === "." || plain === ".." || /[/\\]/.test(plain) || control.test(plain) ? undefined : plain
}

/** Whether a path may be a screen's: none of the hub's own addresses, no file, no way out of a folder in whatever encoding. */
export const isScreenPath = (path: string): boolean => {
  if (!path.startsWith("/") || path.length > screenPathMax) return false
  const parts = path.slice(1).split("/").map(plainPart)
  const last = parts.at(-1)
  return !parts.includes(undefined) &&
    !parts.slice(0, -1).includes("") &&
    !reservedParts.has(parts[0]?.toLowerCase() ?? "") &&
    last !== undefined && !last.includes(".")
}

/** Whether a person goes to a page, by what browsers say of it; a program that asks for data is told that there is none. */
export const isNavigation = (headers: Readonly<Record<string, string | undefined>>): boolean => {
  const mode = headers["sec-fetch-mode"]
  return mode === undefined ? /\btext\/html\b/i.test(headers["accept"] ?? "") : mode === "navigate"
}

export type Encoding = "br" | "gzip"

/** The best of those there are that the caller takes (RFC 9110, 12.5.3); none: as it is. */
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
