/**
 * The offline verifier of an exported audit log, and the definition of its chain:
 *
 * hash = sha256(prev_hash || leaf)         bytes, not hex; prev_hash of seq 1 is 32 zero bytes
 * leaf = sha256(UTF-8 of the fields, joined by U+001F)
 *
 * The fields, in this order, absent ones empty: seq, created_at, id, action, actor.type, actor.id, actor.name,
 * subject.type, subject.id, agent_id, outcome, reason_code, cost_cents, ip, data. `created_at` is the text on the wire
 * (RFC 3339, UTC, milliseconds), numbers are decimal, `data` is its JSON as `JSON.stringify` writes it, members in the
 * order of the export, or the text in `data_text` if present. The hub computes the same in SQL (`audit_leaf`, `record_entries`).
 * A writer of the database can rewrite the whole chain: compare `head` with one kept elsewhere.
 */
import type { AuditEntry } from "./audit.ts"

export type Sha256 = (bytes: Uint8Array) => Uint8Array

export interface ChainVerification {
  readonly ok: boolean
  /** Valid entries before the first bad one, or all. */
  readonly checked: number
  readonly first_bad_seq?: number
  /** The problem of the first bad entry. */
  readonly problem?: "malformed" | "gap" | "prev_hash" | "hash"
  /** The last valid entry: compare it with a checkpoint kept elsewhere. */
  readonly head?: { readonly seq: number; readonly hash: string }
}

const separator = "\u001f"
export const genesisHash = "0".repeat(64)

/** The text whose SHA-256 is an entry's leaf. */
export const auditLeafText = (entry: AuditEntry): string =>
  [
    entry.seq,
    entry.created_at,
    entry.id,
    entry.action,
    entry.actor.type,
    entry.actor.id,
    entry.actor.name,
    entry.subject?.type ?? "",
    entry.subject?.id ?? "",
    entry.agent_id ?? "",
    entry.outcome ?? "",
    entry.reason_code ?? "",
    entry.cost_cents ?? "",
    entry.ip ?? "",
    entry.data_text ?? JSON.stringify(entry.data)
  ].join(separator)

/** Whether the hashed text has the value of `data`. */
const dataAgrees = ({ data, data_text }: AuditEntry): boolean => {
  if (data_text === undefined) return true
  try {
    return JSON.stringify(JSON.parse(data_text)) === JSON.stringify(data)
  } catch {
    return false
  }
}

/** Present in every supported runtime: Node, browsers, Electron. */
declare const TextEncoder: new() => { encode(text: string): Uint8Array }

const encoder = new TextEncoder()

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16))
const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** The hash of an entry that follows `prevHash`, both lower-case hex. */
export const auditHash = (prevHash: string, entry: AuditEntry, sha256: Sha256): string => {
  const leaf = sha256(encoder.encode(auditLeafText(entry)))
  const link = new Uint8Array(32 + leaf.length)
  link.set(fromHex(prevHash))
  link.set(leaf, 32)
  return toHex(sha256(link))
}

const isEntry = (value: unknown): value is AuditEntry => {
  if (typeof value !== "object" || value === null) return false
  const entry = value as Partial<Record<keyof AuditEntry, unknown>>
  return Number.isSafeInteger(entry.seq) && typeof entry.hash === "string" && typeof entry.prev_hash === "string" &&
    /^[0-9a-f]{64}$/.test(entry.prev_hash) && typeof entry.actor === "object" && entry.actor !== null &&
    typeof entry.data === "object"
}

/**
 * Reads lines of an unfiltered export in order and stops at the first bad one. A log that begins after seq 1 is
 * verified from its first line, whose `prev_hash` is accepted as given. Empty lines are skipped.
 */
export const verifyAuditLines = async (
  lines: Iterable<string> | AsyncIterable<string>,
  sha256: Sha256
): Promise<ChainVerification> => {
  let checked = 0
  let head: { readonly seq: number; readonly hash: string } | undefined
  const verified = () => head === undefined ? { checked } : { checked, head }
  const bad = (first_bad_seq: number, problem: NonNullable<ChainVerification["problem"]>): ChainVerification => ({
    ok: false,
    ...verified(),
    first_bad_seq,
    problem
  })
  for await (const line of lines) {
    if (line.trim() === "") continue
    const expected: number | undefined = head === undefined ? undefined : head.seq + 1
    let entry: unknown
    try {
      entry = JSON.parse(line)
    } catch {
      return bad(expected ?? 1, "malformed")
    }
    if (!isEntry(entry)) return bad(expected ?? 1, "malformed")
    if (expected !== undefined && entry.seq !== expected) return bad(expected, "gap")
    const prevHash: string = head?.hash ?? (entry.seq === 1 ? genesisHash : entry.prev_hash)
    if (entry.prev_hash !== prevHash) return bad(entry.seq, "prev_hash")
    if (!dataAgrees(entry) || auditHash(prevHash, entry, sha256) !== entry.hash) return bad(entry.seq, "hash")
    head = { seq: entry.seq, hash: entry.hash }
    checked++
  }
  return { ok: true, ...verified() }
}
