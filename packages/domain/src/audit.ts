/**
 * The audit log: append-only, hash-chained per workspace (`audit-chain.ts`). Spec: reference/audit-and-events.md "Audit
 * log", "Hash chain".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, StaysOpen, UserAccess, WorkspaceInQuery } from "./auth.ts"
import { AgentId, AuditId, OrgId } from "./ids.ts"
import { AmountQuery, IntegerInQuery, Page, PageQuery } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { Moment } from "./time.ts"

export const searchLengthMax = 200
/** Size of an entry's `data` as JSON in UTF-8; larger fields are replaced by their digest and size. */
export const entryDataBytesMax = 16_384
/** Larger than any workspace's log can become. */
const seqMax = 999_999_999_999

const Hash = Schema.String.check(matching(/^[0-9a-f]{64}$/u, "64 lower-case hexadecimal digits")).annotate({
  description: "SHA-256 in lower-case hex"
})

export const AuditEntry = Schema.Struct({
  id: AuditId,
  /** Gapless from 1 in each workspace. */
  seq: Schema.Int,
  /** Dotted, noun first: `service_request.executed`, `agent.created`. An open set. */
  action: Schema.String,
  actor: Schema.Struct({ type: Schema.String, id: Schema.String, name: Schema.String }),
  subject: Schema.optionalKey(Schema.Struct({ type: Schema.String, id: Schema.String })),
  agent_id: Schema.optionalKey(Schema.String),
  outcome: Schema.optionalKey(Schema.String),
  reason_code: Schema.optionalKey(Schema.String),
  cost_cents: Schema.optionalKey(Schema.Int),
  ip: Schema.optionalKey(Schema.String),
  data: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description:
      `Facts of the change, never a secret; at most ${entryDataBytesMax} bytes. A field that does not fit is ` +
      "`{ \"$omitted\": { bytes, sha256 } }`: the size and the digest of its JSON text."
  }),
  /** The hashed text of `data`, where it differs from the output of `JSON.stringify`. */
  data_text: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  hash: Hash,
  /** The hash of the previous entry; 64 zeros for the first. */
  prev_hash: Hash
}).annotate({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type

const word = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(128))

/** `from` is inclusive, `to` exclusive. */
export const AuditFilter = {
  actor_id: Schema.optionalKey(word),
  agent_id: Schema.optionalKey(AgentId),
  action: Schema.optionalKey(
    word.annotate({ description: "A whole action, or a noun with `.*` for all of its actions" })
  ),
  subject_id: Schema.optionalKey(word),
  service: Schema.optionalKey(word.annotate({ description: "Only entries whose `data` names this service" })),
  operation: Schema.optionalKey(word.annotate({ description: "Only entries whose `data` names this operation" })),
  from: Schema.optionalKey(Moment),
  to: Schema.optionalKey(Moment),
  outcome: Schema.optionalKey(word.annotate({ description: "The outcome of an entry, or its reason code" })),
  ...AmountQuery,
  q: Schema.optionalKey(Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(searchLengthMax)))
}
export type AuditFilter =
  & { readonly [K in Exclude<keyof typeof AuditFilter, keyof typeof AmountQuery>]?: string }
  & { readonly [K in keyof typeof AmountQuery]?: number }

export const AuditVerification = Schema.Struct({
  ok: Schema.Boolean,
  /** Valid entries before the first bad one, or all. */
  checked: Schema.Int,
  /** The first `seq` that is missing, altered, or different from the workspace's head. */
  first_bad_seq: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "AuditVerification" })
export type AuditVerification = typeof AuditVerification.Type

export class AuditGroup extends HttpApiGroup.make("audit").add(
  HttpApiEndpoint.get("list", "/audit-logs", {
    query: {
      ...PageQuery,
      ...AuditFilter,
      seq: Schema.optionalKey(IntegerInQuery(1, seqMax))
    },
    success: Page(AuditEntry)
  }).middleware(UserAccess).annotate(Requires, "audit:read").annotate(
    OpenApi.Description,
    "Newest first. A page can have fewer entries than `limit`, or none, and still have a `next_cursor`: each " +
      "call searches a bounded part of the log. `from` is inclusive, `to` exclusive; `seq` selects one entry; `q` " +
      "searches id, action, actor, subject, reason, and data, ignoring the case of A to Z."
  ),
  HttpApiEndpoint.get("verify", "/audit-logs/verify", { success: AuditVerification })
    .middleware(UserAccess).annotate(Requires, "audit:read").annotate(StaysOpen, true).annotate(
      OpenApi.Description,
      "Verifies the workspace's hash chain from its first entry to its head, recomputing every hash."
    ),
  HttpApiEndpoint.get("export", "/audit-logs/export", {
    query: {
      format: Schema.optionalKey(Schema.Literals(["csv", "jsonl"])),
      workspace: Schema.optionalKey(OrgId),
      ...AuditFilter
    },
    success: [
      Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" })),
      Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
    ]
  }).middleware(UserAccess).annotate(Requires, "audit:read").annotate(WorkspaceInQuery, true).annotate(StaysOpen, true)
    .annotate(
      OpenApi.Description,
      "Downloads the log, oldest first, as `jsonl` (default) or `csv`, streamed at any size, with the filters of " +
        "the list. `workspace` selects the workspace for links, as header svc-workspace does. In CSV, a cell that " +
        "a spreadsheet would read as a formula begins with an apostrophe. An unfiltered JSONL export can be " +
        "verified offline."
    )
) {}
