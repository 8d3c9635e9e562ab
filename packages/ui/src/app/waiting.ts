/** How many approvals are pending in all workspaces of the person: the number beside Inbox. */
import { useQuery } from "@tanstack/react-query"
import { hubQuery } from "../hub/queries.ts"

export const waitingQuery = hubQuery("approvals.counts", null, { query: { workspace: "all" } })

export const waitingShownMax = 99

/** Undefined before it is known. */
export const useWaitingCount = (): number | undefined => useQuery(waitingQuery).data?.pending

/** `3`, `99+`. */
export const waitingText = (count: number): string => count > waitingShownMax ? `${waitingShownMax}+` : String(count)
