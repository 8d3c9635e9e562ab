/** The number of pending approvals in all workspaces of the person, shown beside Inbox. */
import { useQuery } from "@tanstack/react-query"
import { pendingCountQuery } from "../hub/queries.ts"

export const pendingShownMax = 99

/** Undefined until it is loaded. */
export const usePendingCount = (): number | undefined => useQuery(pendingCountQuery).data?.pending

/** `3`, `99+`. */
export const pendingCountText = (count: number): string =>
  count > pendingShownMax ? `${pendingShownMax}+` : String(count)
