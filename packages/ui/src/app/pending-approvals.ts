/** The number of pending decisions in all workspaces of the person, shown beside Inbox. */
import { useQuery } from "@tanstack/react-query"
import { pendingCountQuery } from "../hub/queries.ts"
import { shellText as t } from "../text/shell.ts"

export const pendingShownMax = 99

export interface PendingCount {
  /** Approvals, agent requests, and budget requests. */
  readonly total: number
  /** In words, such as "3 pending approvals". */
  readonly label: string
}

/** Undefined until it is loaded. */
export const usePendingCount = (): PendingCount | undefined => {
  const { data } = useQuery(pendingCountQuery)
  if (data === undefined) return undefined
  const requests = data.agent_requests + data.budget_requests
  const total = data.pending + requests
  return { total, label: (requests === 0 ? t.waiting : t.waitingWithRequests)(total) }
}

/** `3`, `99+`. */
export const pendingCountText = (count: number): string =>
  count > pendingShownMax ? `${pendingShownMax}+` : String(count)
