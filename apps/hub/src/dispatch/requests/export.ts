/** Requests in lists and exports: the summary of a payload, the rows of a file. */
import type { OrgId } from "@countersign/domain/ids"
import { mask } from "@countersign/domain/masking"
import { removedText } from "@countersign/domain/retention"
import type { SummaryField } from "@countersign/domain/summary"
import { Effect, Option, Stream } from "effect"
import type { Place } from "../../platform/keyset.ts"
import { type OrgConfiguration, payloadSchemaOf, summaryOf } from "../decision/decision.ts"
import type { RequestsRepository, StoredRequest } from "./repository.ts"
import { isoTime } from "./view.ts"
import type { WalkFilter } from "./walk-repository.ts"

/** Payloads with more characters than this get no summary. */
const summarizedPayloadMax = 65_536
/** Requests per statement; results may be large, so this is the longest page of a list. */
const exportPageRequests = 200

/** The summary fields of a payload, without masked values. */
export const rowSummary = (org: OrgConfiguration, request: StoredRequest): ReadonlyArray<SummaryField> => {
  const schema = payloadSchemaOf(org, request)
  if (schema === undefined || request.payload.length > summarizedPayloadMax || request.payload === removedText) {
    return []
  }
  return summaryOf(org, request, mask(schema, JSON.parse(request.payload)))
}

export interface ExportedRequest {
  readonly facts: StoredRequest
  readonly summary: ReadonlyArray<SummaryField>
}

/**
 * Newest first, read in short statements as the reader consumes them. Requests that begin after the export started are
 * left out.
 */
export const exported = (
  org: OrgId,
  filter: Omit<WalkFilter, "limit" | "after" | "sort">,
  repository: Pick<RequestsRepository["Service"], "list">,
  configuration: OrgConfiguration
): Stream.Stream<ExportedRequest> =>
  Stream.paginate(undefined as Place | undefined, (after) =>
    Effect.map(
      repository.list(org, { ...filter, sort: "-created_at", after, limit: exportPageRequests }),
      ({ next, rows }) =>
        [
          rows.map((facts) => ({ facts, summary: rowSummary(configuration, facts) })),
          Option.fromUndefinedOr(next)
        ] as const
    ))

export const csvColumns = [
  "id",
  "created_at",
  "completed_at",
  "status",
  "reason_code",
  "mode",
  "agent_id",
  "service",
  "operation",
  "cost_cents",
  "ceiling_cents",
  "approval_id",
  "summary"
] as const

export const csvRow = ({ facts, summary }: ExportedRequest) => ({
  id: facts.id,
  created_at: isoTime(facts.created_at),
  completed_at: facts.completed_at === null ? undefined : isoTime(facts.completed_at),
  status: facts.status,
  reason_code: facts.reason_code ?? undefined,
  mode: facts.mode,
  agent_id: facts.agent_id,
  service: facts.service,
  operation: facts.operation,
  cost_cents: facts.cost_cents,
  ceiling_cents: facts.ceiling_cents,
  approval_id: facts.approval_id ?? undefined,
  summary: summary.map(({ label, value }) => `${label}: ${String(value)}`).join("; ")
})
