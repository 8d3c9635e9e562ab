/**
 * The pending approvals and requests of all hubs: one entry per hub, and a total that counts each once if two profiles
 * see it.
 */
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import type { HubWaitingView } from "./hub-waiting.ts"
import type { WaitingRow } from "./row.ts"

export interface WatchedHub {
  readonly profile: ProfileId
  readonly name: string
  /** Pinned: distinguishes the rows of two hubs, but not those of two profiles of one hub. */
  readonly hubId: string
}

export interface HubOverview extends WatchedHub, HubWaitingView {
  /** Approvals and requests that this person can decide; for `last_known`, the last received count. */
  readonly count: number
}

export interface WaitingItem extends WaitingRow {
  readonly profile: ProfileId
  readonly hubId: string
  readonly hubName: string
  /** Identifies it over all profiles and restarts. */
  readonly key: string
}

export interface Overview {
  readonly hubs: ReadonlyArray<HubOverview>
  /** This person's pending approvals and requests on hubs that are `current`, newest first. */
  readonly items: ReadonlyArray<WaitingItem>
  /** At least one of these hubs has more of them than it sent. */
  readonly more: boolean
}

export const emptyOverview: Overview = { hubs: [], items: [], more: false }

export const keyOf = (hubId: string, id: string): string => `${hubId} ${id}`

export const overviewOf = (hubs: ReadonlyArray<WatchedHub & HubWaitingView>): Overview => {
  const items = new Map<string, WaitingItem>()
  for (const { hubId, name, profile, rows, freshness } of hubs) {
    if (freshness !== "current") continue
    for (const row of rows) {
      const key = keyOf(hubId, row.id)
      if (row.mine && !items.has(key)) items.set(key, { ...row, profile, hubId, hubName: name, key })
    }
  }
  return {
    hubs: hubs.map((hub) => ({ ...hub, count: hub.rows.filter(({ mine }) => mine).length })),
    items: [...items.values()].sort((a, b) => b.requestedAt - a.requestedAt || (a.id < b.id ? 1 : -1)),
    more: hubs.some(({ freshness, more }) => more && freshness === "current")
  }
}
