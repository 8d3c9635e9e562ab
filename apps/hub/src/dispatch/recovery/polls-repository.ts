/** Requests that run at a provider and are due for a poll: found by lane, leased to one hub at a time. */
import type { ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { int4Array, textArray } from "../../platform/db.ts"
import type { Allotment, DueLane, Lane, LanePlace } from "./poll-rules.ts"

/** Of a hold `h`. A stable function of the statement, not the clock, so that the index can be searched by it. */
const isDue = `h.phase = 2 and h.due_at is not null and h.due_at <= hub_time_or_last()
      and (h.leased_until is null or h.leased_until < hub_time_or_last())`
export const duePolls = `select from holds h where ${isDue}`

/** Sorts before the first lane. */
export const firstLane: LanePlace = { org_id: "", service: "", operation: "" }

export interface LeasedPoll extends Lane {
  readonly request_id: ServiceRequestId
}

export interface LanesPage {
  /** The lanes of the page with due work. */
  readonly due: ReadonlyArray<DueLane>
  /** The start of the next page; `undefined` after the last. */
  readonly next: Lane | undefined
}

export class PollsRepository extends Context.Service<PollsRepository, {
  /**
   * Visits at most `max` lanes after `after`, and counts the due requests of each, up to `countMax`. Reads the index
   * only where work is open.
   */
  readonly lanes: (after: LanePlace, max: number, countMax: number) => Effect.Effect<LanesPage>
  /** Leases the oldest due requests of each lane for this many seconds. A killed hub's leases expire after that. */
  readonly lease: (allotments: ReadonlyArray<Allotment>, seconds: number) => Effect.Effect<ReadonlyArray<LeasedPoll>>
  /** Releases leases: the requests are due at once for any hub. */
  readonly release: (requests: ReadonlyArray<string>) => Effect.Effect<void>
  /**
   * Makes a request due again after this long, at its deadline at the latest. `failures`: polls without an answer since
   * the last one with an answer.
   */
  readonly postpone: (request: ServiceRequestId, millis: number, failures: number) => Effect.Effect<void>
  /** Stops polling and clears the deadline: a person or a callback ends the request. */
  readonly leaveToPerson: (request: ServiceRequestId) => Effect.Effect<void>
}>()("@countersign/hub/dispatch/recovery/PollsRepository") {
  static readonly layer = Layer.effect(
    PollsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const due = sql.literal(isDue)
      return PollsRepository.of({
        lanes: (after, max, countMax) =>
          sql<DueLane>`with recursive lane as (
            (select h.org_id, h.service, h.operation from holds h
              where h.phase = 2 and h.due_at is not null
                and (h.org_id, h.service, h.operation) > (${after.org_id}, ${after.service}, ${after.operation})
                and (select true from holds h where ${due} order by h.due_at limit 1)
              order by h.org_id, h.service, h.operation limit 1)
            union all
            select n.org_id, n.service, n.operation from lane l cross join lateral (
              select h.org_id, h.service, h.operation from holds h
              where h.phase = 2 and h.due_at is not null
                and (h.org_id, h.service, h.operation) > (l.org_id, l.service, l.operation)
              order by h.org_id, h.service, h.operation limit 1) n)
          select l.org_id, l.service, l.operation, (select count(*) from (select 1 from holds h
              where h.org_id = l.org_id and h.service = l.service and h.operation = l.operation and ${due}
              limit ${countMax}) d)::int as due
          from (select * from lane limit ${max}) l`.pipe(
            Effect.map((rows): LanesPage => {
              const last = rows.at(-1)
              return { due: rows.filter((row) => row.due > 0), next: rows.length < max ? undefined : last }
            }),
            Effect.orDie
          ),
        lease: (allotments, seconds) =>
          sql<LeasedPoll>`update holds held set leased_until = hub_time_or_last() + ${seconds} * interval '1 second'
          from (select d.request_id from unnest(${textArray(allotments.map((lane) => lane.org_id))},
              ${textArray(allotments.map((lane) => lane.service))}, ${
            textArray(allotments.map((lane) => lane.operation))
          },
              ${int4Array(allotments.map((lane) => lane.slots))}) l(org_id, service, operation, slots)
            cross join lateral (select h.request_id from holds h
              where h.org_id = l.org_id and h.service = l.service and h.operation = l.operation and ${due}
              order by h.due_at limit l.slots for update skip locked) d) due
          where held.request_id = due.request_id
          returning held.request_id, held.org_id, held.service, held.operation`.pipe(Effect.orDie),
        release: (requests) =>
          sql`update holds set leased_until = null where request_id = any(${textArray(requests)}) and phase = 2`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        postpone: (request, millis, failures) =>
          sql`update holds set poll_attempt = ${failures}, leased_until = null,
          due_at = least(hub_time_or_last() + ${
            Math.round(millis)
          } * interval '1 millisecond', coalesce(deadline_at, 'infinity'))
          where request_id = ${request} and phase = 2`.pipe(Effect.asVoid, Effect.orDie),
        leaveToPerson: (request) =>
          sql`update holds set due_at = null, deadline_at = null, leased_until = null, running_because = 'unknown_fate'
          where request_id = ${request} and phase = 2`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}
