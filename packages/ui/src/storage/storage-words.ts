/** Words about files that several parts of the screen show. Pure. */
import { isHubError } from "@countersign/hub-client/error"
import { errorWords } from "../app/error-words.ts"
import { bytesText } from "../devices/bytes-text.ts"
import { errorText } from "../text/errors.ts"
import { storageText as t } from "../text/storage.ts"

export const sizeText = (bytes: number): string => bytesText(t.bytes, bytes)

/** The last segment of a key or of a folder. */
export const nameOf = (key: string): string => key.split("/").findLast((part) => part !== "") ?? key

/** The folders from the outermost to `prefix`, each as a prefix. */
export const foldersTo = (prefix: string): ReadonlyArray<string> => {
  const parts = prefix.split("/").filter((part) => part !== "")
  return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`)
}

/** `restoreDays` of the contract, whose module would load its schemas. */
const restoreMillis = 7 * 86_400_000

export const restorableUntil = (deletedAt: string): string =>
  new Date(Date.parse(deletedAt) + restoreMillis).toISOString()

const refusals: Readonly<Record<string, string>> = t.refusals

/** Why an upload failed, with the next action. */
export const refusalWords = (error: unknown): string =>
  isHubError(error) ? refusals[error.code] ?? errorWords(errorText, error) : errorWords(errorText, error)

export type PreviewKind = "image" | "audio" | "video" | "text"

const images: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"])
const texts: ReadonlySet<string> = new Set([
  "application/json",
  "application/javascript",
  "application/toml",
  "application/x-ndjson",
  "application/x-yaml",
  "application/xml",
  "application/yaml",
  "image/svg+xml"
])

/** How the console shows a file of this type; undefined: not at all. Markup is shown as text and never interpreted. */
export const previewOf = (contentType: string): PreviewKind | undefined => {
  const essence = contentType.split(";", 1)[0]!.trim().toLowerCase()
  if (images.has(essence)) return "image"
  if (essence.startsWith("audio/")) return "audio"
  if (essence.startsWith("video/")) return "video"
  return essence.startsWith("text/") || texts.has(essence) ? "text" : undefined
}
