/**
 * The `data` of an audit entry as text: the only place that bounds its size, for entries of the tick and of all other
 * changes.
 */
import { entryDataBytesMax } from "@countersign/domain/audit"
import type { Brand } from "effect"
import { createHash } from "node:crypto"

/** JSON of at most `entryDataBytesMax` bytes; only `entryDataText` makes it. */
export type EntryData = string & Brand.Brand<"EntryData">

export interface Fingerprint {
  /** Length of the text in UTF-8. */
  readonly bytes: number
  /** SHA-256 of the text in lower-case hex. */
  readonly sha256: string
}

export const fingerprintOf = (text: string): Fingerprint => ({
  bytes: Buffer.byteLength(text),
  sha256: createHash("sha256").update(text).digest("hex")
})

const omitted = (value: unknown) => ({ $omitted: fingerprintOf(JSON.stringify(value) ?? "") })

/**
 * JSON of at most `entryDataBytesMax` bytes. Larger data loses its largest fields first, each replaced by
 * `{ "$omitted": { bytes, sha256 } }`, so that ids and figures stay readable; data with too many fields is replaced as
 * a whole.
 */
export const entryDataText = (data: Readonly<Record<string, unknown>> = {}): EntryData => {
  const whole = JSON.stringify(data)
  if (Buffer.byteLength(whole) <= entryDataBytesMax) return whole as EntryData
  const kept: Record<string, unknown> = { ...data }
  const bySize = Object.entries(data)
    .map(([name, value]) => ({ name, bytes: Buffer.byteLength(JSON.stringify(value) ?? "") }))
    .sort((a, b) => b.bytes - a.bytes)
  let left = Buffer.byteLength(whole)
  for (const { bytes, name } of bySize) {
    kept[name] = omitted(data[name])
    left += Buffer.byteLength(JSON.stringify(kept[name])) - bytes
    if (left <= entryDataBytesMax) return JSON.stringify(kept) as EntryData
  }
  return JSON.stringify(omitted(data)) as EntryData
}
