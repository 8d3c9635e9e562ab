import { hubPages } from "../hub/queries.ts"
import type { Input } from "../hub/contract.ts"

export type AuditFilters = Omit<NonNullable<Input<"audit.list">["query"]>, "cursor" | "limit">

export const auditPages = (workspace: string, filters: AuditFilters) => hubPages("audit.list", workspace, { query: filters })
