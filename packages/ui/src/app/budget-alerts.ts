/** Budgets that passed a level of their workspace: what stands now, and what of it this person has seen, kept in this browser. */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useMemo, useSyncExternalStore } from "react"
import type { Row } from "../hub/contract.ts"
import { hubClock } from "../hub/hub-time.ts"
import { hubQuery } from "../hub/queries.ts"
import { kept } from "./kept.ts"
import { useCan, useWorkspaceId } from "./session.ts"

export type BudgetAlert = Row<"budgets.alerts">

/** The newest; older ones are on their agents' pages all the same. */
const alertsMax = 200
/** Ids that are remembered as seen, over all workspaces: more than stand at any time. */
const seenMax = 1_000

export const alertsQuery = (workspace: string) => hubQuery("budgets.alerts", workspace, { query: { limit: alertsMax } })

const none: ReadonlyArray<BudgetAlert> = []

/** Undefined before it is known. What was of a period that is over is left out. */
export const useKnownAlerts = (): ReadonlyArray<BudgetAlert> | undefined => {
  const can = useCan()
  const { data } = useQuery({ ...alertsQuery(useWorkspaceId()), enabled: can("budgets:read") })
  return useMemo(() => data?.data.filter(({ resets_at }) => Date.parse(resets_at) > hubClock.now()), [data])
}

export const useBudgetAlerts = (): ReadonlyArray<BudgetAlert> => useKnownAlerts() ?? none

const seen = kept<ReadonlyArray<string>>(
  "alerts.seen",
  (value) =>
    Array.isArray(value) && value.length <= seenMax && value.every((id) => typeof id === "string") ? value : undefined
)

export const isSeen = (id: string): boolean => seen.get()?.includes(id) === true

const markSeen = (ids: ReadonlyArray<string>): void => {
  const fresh = ids.filter((id) => !isSeen(id))
  if (fresh.length > 0) seen.set([...seen.get() ?? [], ...fresh].slice(-seenMax))
}

export const useUnseenAlerts = (): ReadonlyArray<BudgetAlert> => {
  const alerts = useBudgetAlerts()
  const ids = useSyncExternalStore(seen.subscribe, seen.get)
  return useMemo(() => alerts.filter(({ id }) => ids?.includes(id) !== true), [alerts, ids])
}

/** These are on screen: nobody need be told of them again. A page that nobody looks at has shown nothing. */
export const useSeeing = (alerts: ReadonlyArray<BudgetAlert>): void => {
  useEffect(() => {
    const see = () => {
      if (document.visibilityState === "visible") markSeen(alerts.map(({ id }) => id))
    }
    see()
    document.addEventListener("visibilitychange", see)
    return () => document.removeEventListener("visibilitychange", see)
  }, [alerts])
}
