/** What waits over all hubs: one line for each hub, and their sum, in which an approval that two profiles see counts once. */
import type { ProfileId } from "../profiles/profile.ts"
import type { HubWaitingView } from "./hub-waiting.ts"
import type { WaitingRow } from "./row.ts"

export interface WatchedHub {
  readonly profile: ProfileId
  readonly name: string
  /** Pinned: it tells the approvals of two hubs apart, and those of two profiles of one hub not. */
  readonly hubId: string
}

export interface HubOverview extends WatchedHub, HubWaitingView {
  /** Of this person's decisions; when `standing` is `last_known` as it was last heard. */
  readonly count: number
}

export interface WaitingItem extends WaitingRow {
  readonly profile: ProfileId
  readonly hubId: string
  readonly hubName: string
  /** Of this approval, over all profiles and starts. */
  readonly key: string
}

export interface Overview {
  readonly hubs: ReadonlyArray<HubOverview>
  /** This person's decisions on hubs that are heard now, newest first. */
  readonly items: ReadonlyArray<WaitingItem>
  /** At least one of these hubs has more than it told. */
  readonly more: boolean
}

export const nothingWaits: Overview = { hubs: [], items: [], more: false }

export const keyOf = (hubId: string, id: string): string => `${hubId} ${id}`

export const overviewOf = (hubs: ReadonlyArray<WatchedHub & HubWaitingView>): Overview => {
  const items = new Map<string, WaitingItem>()
  for (const { hubId, name, profile, rows, standing } of hubs) {
    if (standing !== "current") continue
    for (const row of rows) {
      const key = keyOf(hubId, row.id)
      if (row.mine && !items.has(key)) items.set(key, { ...row, profile, hubId, hubName: name, key })
    }
  }
  return {
    hubs: hubs.map((hub) => ({ ...hub, count: hub.rows.filter(({ mine }) => mine).length })),
    items: [...items.values()].sort((a, b) => b.requestedAt - a.requestedAt || (a.id < b.id ? 1 : -1)),
    more: hubs.some(({ more, standing }) => more && standing === "current")
  }
}
