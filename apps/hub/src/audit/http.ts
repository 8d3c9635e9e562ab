import { HubApi } from "@countersign/domain/api"
import type { AuditEntry } from "@countersign/domain/audit"
import { CurrentUser } from "@countersign/domain/auth"
import { Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { csvFile, jsonLinesFile } from "../platform/download.ts"
import { AuditTrail } from "./trail.ts"

const csvColumns = [
  "seq",
  "id",
  "created_at",
  "action",
  "actor_type",
  "actor_id",
  "actor_name",
  "subject_type",
  "subject_id",
  "agent_id",
  "outcome",
  "reason_code",
  "cost_cents",
  "ip",
  "data",
  "prev_hash",
  "hash"
] as const

export const csvRow = ({ actor, data, data_text, subject, ...entry }: AuditEntry) => ({
  ...entry,
  actor_type: actor.type,
  actor_id: actor.id,
  actor_name: actor.name,
  subject_type: subject?.type,
  subject_id: subject?.id,
  data: data_text ?? JSON.stringify(data)
})

export const AuditHttp = HttpApiBuilder.group(
  HubApi,
  "audit",
  Effect.fn(function*(handlers) {
    const trail = yield* AuditTrail
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        return yield* trail.list((yield* CurrentUser).org_id, query)
      }),
      verify: Effect.fnUntraced(function*() {
        return yield* trail.verify((yield* CurrentUser).org_id)
      }),
      export: Effect.fnUntraced(function*({ query: { format, ...filter } }) {
        const { org_id } = yield* CurrentUser
        const entries = trail.entries(org_id, filter)
        return format === "csv"
          ? csvFile(`audit-${org_id}`, csvColumns, Stream.map(entries, csvRow))
          : jsonLinesFile(`audit-${org_id}`, Stream.map(entries, (entry) => JSON.stringify(entry)))
      })
    })
  })
)
