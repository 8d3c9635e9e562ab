/** What the log's screens read. A period's last day is in it; the hub takes the first moment that is not. */
import type { Input, Row } from "../hub/contract.ts"
import { hubPages, hubQuery } from "../hub/queries.ts"
import { untilMoment } from "../listing/period.ts"

export type AuditFilters = Omit<NonNullable<Input<"audit.list">["query"]>, "cursor" | "limit">
export type AuditRow = Row<"audit.list">

export const auditPages = (workspace: string, filters: AuditFilters) =>
  hubPages("audit.list", workspace, { query: untilMoment(filters) })

/** The newest entry: its number says how many there are. */
export const auditHead = (workspace: string) => hubQuery("audit.list", workspace, { query: { limit: 1 } })

/** One entry by its number; none when it is not there. */
export const auditEntry = (workspace: string, seq: number) =>
  hubQuery("audit.list", workspace, { query: { seq, limit: 1 } })
