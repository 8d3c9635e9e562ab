/**
 * How many polls may run at a time, and which run next. Pure. A lane is one operation of one workspace. A share shrinks
 * with the free slots, so slow providers of one workspace can never take every slot.
 */
import type { OrgId } from "@countersign/domain/ids"

export interface PollLimits {
  /** Concurrent polls of this hub. */
  readonly total: number
  /** Concurrent polls of one workspace. */
  readonly org: number
  /** Concurrent polls of one operation of one workspace. */
  readonly lane: number
}

export const pollLimits: PollLimits = { total: 256, org: 64, lane: 16 }

/** A poll only requests a status, so its timeout may be shorter than the request's. */
export const pollTimeoutMillisMax = 10_000
/** The longest delay before a poll without an answer is retried. */
const pollBackoffMillisMax = 300_000

/** When a running request is polled again. `failures`: polls without an answer since the last one with an answer. */
export const nextPollMillis = (intervalMillis: number, failures: number): number =>
  failures === 0
    ? intervalMillis
    : Math.max(intervalMillis, Math.min(intervalMillis * 2 ** Math.min(failures - 1, 20), pollBackoffMillisMax))

export interface Lane {
  readonly org_id: OrgId
  readonly service: string
  readonly operation: string
}

/** A position in the order of lanes. */
export type LanePlace = Readonly<Record<keyof Lane, string>>

export interface DueLane extends Lane {
  /** Rows that are due, counted up to `PollLimits.lane`. */
  readonly due: number
}

export interface Allotment extends Lane {
  readonly slots: number
}

export const laneKey = ({ operation, org_id, service }: Lane): string => `${org_id} ${service} ${operation}`

/** A workspace may hold at most a quarter of the free slots, but always one. */
export const orgShare = ({ org, total }: PollLimits, inFlight: number): number =>
  Math.max(1, Math.min(org, Math.floor((total - inFlight) / 4)))

/** An operation may hold at most half of the free part of its workspace's share, but always one slot. */
const laneShare = ({ lane }: PollLimits, share: number, orgInFlight: number): number =>
  Math.max(1, Math.min(lane, Math.floor((share - orgInFlight) / 2)))

/** Polls in progress, by workspace and by lane. */
export interface InFlight {
  readonly total: number
  readonly orgs: ReadonlyMap<OrgId, number>
  readonly lanes: ReadonlyMap<string, number>
}

/** The workspaces in their order, starting after `last`. */
const rotated = (orgs: ReadonlyArray<OrgId>, last: string): ReadonlyArray<OrgId> => {
  const from = orgs.findIndex((org) => org > last)
  return from < 0 ? orgs : [...orgs.slice(from), ...orgs.slice(0, from)]
}

/**
 * Gives free slots to due lanes: workspaces with the fewest polls first, in turn after `last`; within a workspace
 * likewise by lane. Returns each lane's number and the workspace that was served last.
 */
export const allot = (
  limits: PollLimits,
  inFlight: InFlight,
  due: ReadonlyArray<DueLane>,
  last: string
): { readonly allotments: ReadonlyArray<Allotment>; readonly last: string } => {
  let total = inFlight.total
  const given = new Map<string, number>()
  const byOrg = Map.groupBy(due, ({ org_id }) => org_id)
  const orgs = new Map([...byOrg.keys()].map((org) => [org, inFlight.orgs.get(org) ?? 0]))
  const held = (lane: DueLane) => (inFlight.lanes.get(laneKey(lane)) ?? 0) + (given.get(laneKey(lane)) ?? 0)
  /** The lane of a workspace with room for one more and the fewest polls. */
  const nextOf = (org: OrgId): DueLane | undefined => {
    const orgHeld = orgs.get(org) ?? 0
    const share = orgShare(limits, total)
    if (orgHeld >= share || orgHeld >= limits.org) return undefined
    const open = (byOrg.get(org) ?? []).filter((lane) =>
      (given.get(laneKey(lane)) ?? 0) < lane.due && held(lane) < laneShare(limits, share, orgHeld)
    )
    return open.reduce<DueLane | undefined>(
      (best, lane) => best === undefined || held(lane) < held(best) ? lane : best,
      undefined
    )
  }
  const turn = rotated([...byOrg.keys()].toSorted(), last)
  let served = last
  for (let level = 0, before = -1; level < limits.org && total < limits.total; level++) {
    if (before === total && turn.every((org) => (orgs.get(org) ?? 0) < level)) break
    before = total
    for (const org of turn) {
      if (total >= limits.total) break
      if ((orgs.get(org) ?? 0) > level) continue
      const lane = nextOf(org)
      if (lane === undefined) continue
      given.set(laneKey(lane), (given.get(laneKey(lane)) ?? 0) + 1)
      orgs.set(org, (orgs.get(org) ?? 0) + 1)
      total++
      served = org
    }
  }
  return {
    allotments: due.flatMap(({ operation, org_id, service, ...lane }) => {
      const slots = given.get(laneKey({ org_id, service, operation, ...lane })) ?? 0
      return slots === 0 ? [] : [{ org_id, service, operation, slots }]
    }),
    last: served
  }
}
