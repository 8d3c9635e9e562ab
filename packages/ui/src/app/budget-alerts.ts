/** Budget alerts of a workspace: the current alerts, and the ids that this person has seen, kept in this browser. */
import type { Row } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useMemo, useSyncExternalStore } from "react"
import { hubClock } from "../hub/hub-time.ts"
import { alertsQuery } from "../hub/queries.ts"
import { kept } from "./kept.ts"
import { useCan, useWorkspaceId } from "./session.ts"

export type BudgetAlert = Row<"budgets.alerts">

/** Seen ids to remember over all workspaces; more than the number of alerts at any time. */
const seenMax = 1_000

const none: ReadonlyArray<BudgetAlert> = []

/** Undefined until the alerts are loaded. Alerts of past periods are left out. */
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

/** Marks alerts on screen as seen, so that they are not announced again. A hidden page marks nothing. */
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
