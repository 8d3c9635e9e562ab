/**
 * The deliveries that one hub has read, by endpoint: which of them it may send now, and how many more it may read. Those
 * of a fast receiver are read ahead, so that it does not wait for a transaction after every four messages. State without
 * effects.
 */
import type { DueDelivery, EndedAttempt } from "./queue-repository.ts"
import { aheadMillisMax, endpointShare, hubAttemptsMax, readAhead } from "./rules.ts"

interface Lane {
  waiting: Array<DueDelivery>
  /** Ids of deliveries that are in progress, or ended and not stored. */
  readonly begun: Set<string>
  inProgress: number
  /** The average duration of its latest attempts, in milliseconds; undefined before the first and after a failure. */
  pace: number | undefined
  /** When its lease was confirmed, and when it last had a delivery, in milliseconds. */
  leasedAt: number
  usedAt: number
}

/** The part of the latest attempt in the average. */
const weight = 0.3
/** An endpoint without deliveries is given to the other hubs after this time, in milliseconds. */
const idleMillis = 1_000

export const makeLanes = () => {
  const lanes = new Map<string, Lane>()
  let inProgress = 0
  const sizeOf = ({ begun, waiting }: Lane) => waiting.length + begun.size
  const roomOf = (lane: Lane) => Math.max(0, readAhead(endpointShare(inProgress), lane.pace) - sizeOf(lane))

  return {
    inProgress: () => inProgress,
    /** Deliveries that the hub may read for all endpoints together. */
    left: () => hubAttemptsMax - [...lanes.values()].reduce((sum, lane) => sum + sizeOf(lane), 0),
    /** Endpoints of which no delivery may be read. */
    full: (): ReadonlyArray<string> => [...lanes].flatMap(([id, lane]) => (roomOf(lane) === 0 ? [id] : [])),
    /** This hub has the leases of these endpoints; returns how many deliveries of each may be read. */
    leased: (endpoints: ReadonlyArray<string>, now: number) =>
      endpoints.map((endpoint_id) => {
        const lane = lanes.get(endpoint_id) ??
          { waiting: [], begun: new Set<string>(), inProgress: 0, pace: undefined, leasedAt: now, usedAt: now }
        lane.leasedAt = now
        lanes.set(endpoint_id, lane)
        return { endpoint_id, room: roomOf(lane) }
      }),
    /** Ids of all deliveries that were read. */
    busy: (): ReadonlyArray<string> =>
      [...lanes.values()].flatMap(({ begun, waiting }) => [...begun, ...waiting.map(({ id }) => id)]),
    add: (deliveries: ReadonlyArray<DueDelivery>) => {
      for (const delivery of deliveries) lanes.get(delivery.endpoint_id)?.waiting.push(delivery)
    },
    /** The attempts that may begin now. Deliveries whose lease was not confirmed for long are read again later. */
    begin: (now: number): ReadonlyArray<DueDelivery> => {
      const begun: Array<DueDelivery> = []
      for (const lane of lanes.values()) {
        if (now - lane.leasedAt > aheadMillisMax) lane.waiting = []
        while (lane.inProgress < endpointShare(inProgress)) {
          const next = lane.waiting.shift()
          if (next === undefined) break
          lane.inProgress++
          inProgress++
          lane.begun.add(next.id)
          lane.usedAt = now
          begun.push(next)
        }
      }
      return begun
    },
    /** After a failure nothing is read ahead. */
    end: (endpoint: string, millis: number, isDelivered: boolean) => {
      inProgress--
      const lane = lanes.get(endpoint)
      if (lane === undefined) return
      lane.inProgress--
      lane.pace = !isDelivered
        ? undefined
        : lane.pace === undefined
        ? millis
        : lane.pace + weight * (millis - lane.pace)
      if (!isDelivered) lane.waiting = []
    },
    /** Forgets deliveries that are not in progress, because the endpoint was changed; without one: of all endpoints. */
    drop: (endpoint?: string) => {
      for (const [id, lane] of lanes) if (endpoint === undefined || endpoint === id) lane.waiting = []
    },
    has: (endpoint: string): boolean => lanes.has(endpoint),
    /** These attempts are stored, or lost. */
    stored: (ends: ReadonlyArray<Pick<EndedAttempt, "id" | "endpoint_id">>) => {
      for (const { endpoint_id, id } of ends) lanes.get(endpoint_id)?.begun.delete(id)
    },
    idle: (now: number): ReadonlyArray<string> =>
      [...lanes].flatMap(([id, lane]) => (sizeOf(lane) === 0 && now - lane.usedAt > idleMillis ? [id] : [])),
    /** Their leases were released. */
    forget: (endpoints: ReadonlyArray<string>) => {
      for (const endpoint of endpoints) lanes.delete(endpoint)
    },
    endpoints: (): ReadonlyArray<string> => [...lanes.keys()]
  }
}
