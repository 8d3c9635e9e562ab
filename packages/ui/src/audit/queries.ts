/** Queries of the audit screens. A period includes its last day; the hub takes an exclusive end. */
import type { Input, Row } from "@countersign/hub-client/contract"
import { hubPages, hubQuery } from "../hub/queries.ts"
import { untilMoment } from "../listing/period.ts"

export type AuditFilters = Omit<NonNullable<Input<"audit.list">["query"]>, "cursor" | "limit">
export type AuditRow = Row<"audit.list">

export const auditPages = (workspace: string, filters: AuditFilters) =>
  hubPages("audit.list", workspace, { query: untilMoment(filters) })

/** The newest entry: its number is the length of the log. */
export const auditHead = (workspace: string) => hubQuery("audit.list", workspace, { query: { limit: 1 } })

/** One entry by its number; no row if it does not exist. */
export const auditEntry = (workspace: string, seq: number) =>
  hubQuery("audit.list", workspace, { query: { seq, limit: 1 } })
