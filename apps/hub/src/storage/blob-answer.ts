/** Status and headers of an answer with the bytes of an object: its condition and its range. Pure. */
import { matches } from "../edge/etag.ts"
import type { Granted } from "./blobs.ts"
import { blobHeaders, type ByteRange, dispositionOf, rangeOf, sentType } from "./rules.ts"

export interface BlobAnswer {
  readonly status: 200 | 206 | 304 | 416
  readonly headers: Readonly<Record<string, string>>
  /** The bytes to send; undefined: all. A 304 and a 416 have none. */
  readonly part?: ByteRange
}

export const blobAnswer = (
  { purpose, row }: Granted,
  sent: Readonly<Record<string, string | undefined>>
): BlobAnswer => {
  const etag = `"${row.sha256}"`
  const headers = {
    ...blobHeaders,
    etag,
    "content-type": sentType(row.content_type),
    "content-disposition": dispositionOf(row.key, row.content_type, purpose)
  }
  if (matches(sent["if-none-match"], etag)) return { status: 304, headers }
  const condition = sent["if-range"]
  const range = condition === undefined || condition === etag ? rangeOf(sent["range"], row.size_bytes) : "whole"
  if (range === "unsatisfiable") {
    return { status: 416, headers: { ...blobHeaders, "content-range": `bytes */${row.size_bytes}` } }
  }
  if (range === "whole") return { status: 200, headers: { ...headers, "content-length": String(row.size_bytes) } }
  const { end, start } = range
  return {
    status: 206,
    headers: {
      ...headers,
      "content-length": String(end - start + 1),
      "content-range": `bytes ${start}-${end}/${row.size_bytes}`
    },
    part: range
  }
}
