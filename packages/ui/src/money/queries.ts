/** Queries of the money screen. */
import type { Input, Row } from "@countersign/hub-client/contract"
import { hubPages, hubQuery } from "../hub/queries.ts"

export type LedgerFilters = Omit<NonNullable<Input<"ledger.list">["query"]>, "cursor" | "limit">
export type LedgerRow = Row<"ledger.list">

export const balanceQuery = (workspace: string) => hubQuery("ledger.balance", workspace, { query: {} })
export const ledgerPages = (workspace: string, filters: LedgerFilters) =>
  hubPages("ledger.list", workspace, { query: filters })
/** Every agent with its month. */
export const fleetPages = (workspace: string) => hubPages("agents.fleetHealth", workspace, { query: {} })
export const agentBudget = (workspace: string, id: string) => hubQuery("budgets.get", workspace, { params: { id } })
