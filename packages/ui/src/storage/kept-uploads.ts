/**
 * Uploads that were not finished, in this browser: after a reload the person chooses the same file again. Addresses of
 * uploads are not kept, because they are credentials.
 */
import { kept } from "../app/kept.ts"

export interface KeptUpload {
  /** The object that the hub reserved. */
  readonly object: string
  readonly workspace: string
  readonly person: string
  readonly key: string
  /** The file's own name. */
  readonly name: string
  readonly size: number
  readonly sha256: string
  /** The store has all bytes: only the confirmation is missing. */
  readonly sent: boolean
}

const keptMax = 50

const isKept = (value: unknown): value is KeptUpload => {
  const { object, workspace, person, key, name, size, sha256, sent } = (value ?? {}) as Readonly<
    Record<string, unknown>
  >
  return [object, workspace, person, key, name, sha256].every((each) => typeof each === "string") &&
    typeof size === "number" && typeof sent === "boolean"
}

const all = kept<ReadonlyArray<KeptUpload>>(
  "uploads",
  (value) => Array.isArray(value) ? value.filter(isKept).slice(0, keptMax) : undefined
)

export const keptUploads = (workspace: string, person: string): ReadonlyArray<KeptUpload> =>
  (all.get() ?? []).filter((each) => each.workspace === workspace && each.person === person)

export const keepUpload = (upload: KeptUpload): void =>
  all.set([upload, ...(all.get() ?? []).filter(({ object }) => object !== upload.object)].slice(0, keptMax))

export const forgetUpload = (object: string): void => {
  const rest = (all.get() ?? []).filter((each) => each.object !== object)
  all.set(rest.length === 0 ? undefined : rest)
}

const lockOf = (object: string): string => `countersign.upload.${object}`

/** Marks an upload as running in this tab, for other tabs. Returns the end of the mark. */
export const markRunning = (object: string): () => void => {
  let end = () => {}
  const running = new Promise<void>((resolve) => end = resolve)
  // Locks exist on secure pages only.
  void navigator.locks?.request(lockOf(object), () => running).catch(() => {})
  return () => end()
}

/** Objects whose uploads run in a tab of this browser. */
export const runningUploads = async (): Promise<ReadonlySet<string>> => {
  const { held = [] } = await navigator.locks?.query() ?? {}
  const prefix = lockOf("")
  return new Set(held.flatMap(({ name = "" }) => name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
}
