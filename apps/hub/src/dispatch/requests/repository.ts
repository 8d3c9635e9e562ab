import type { Mode } from "@countersign/domain/auth"
/** Reads of service requests: the submission, the outcome, and the open hold. */
import { type AgentId, type KeyId, newId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { OwnedAgent } from "../../auth/own.ts"
import type { Actor } from "../../platform/audit-log.ts"
import { textArray } from "../../platform/db.ts"
import type { Place } from "../../platform/keyset.ts"
import { SearchRepository } from "../../search/repository.ts"
import { hitsMax } from "../../search/texts-repository.ts"
import {
  listConditions,
  type ListFilter,
  matchesSought,
  type Sought,
  textHits,
  unindexedHits
} from "./list-repository.ts"
import { requestColumns, requestJoins, type RequestRow, type StoredRequest, toFacts } from "./rows.ts"
import { isWalked, walkedPage, type WalkFilter } from "./walk-repository.ts"

export type { StoredRequest } from "./rows.ts"

/** An open hold, for the sweeper, the poller, and hooks. */
export interface OpenHold {
  readonly request_id: ServiceRequestId
  readonly org_id: OrgId
  readonly agent_id: AgentId
  readonly mode: Mode
  readonly service: string
  readonly operation: string
  readonly ceiling_cents: number
  readonly phase: number
  readonly sends: number
  readonly provider_ref: string | null
  readonly started: string | null
  readonly poll_attempt: number
  readonly payload: string
  readonly deadline_passed: boolean
  readonly created_at: Date
  readonly running_because: string | null
}

/** A page of a list, and the start of the next page. */
export interface RequestPage {
  readonly rows: ReadonlyArray<StoredRequest>
  readonly next: Place | undefined
}

/** The fields of a hold's request that dispatch needs to continue it. */
export const heldRequest = (hold: OpenHold, script: string | null) => ({
  id: hold.request_id,
  agent_id: hold.agent_id,
  mode: hold.mode,
  service: hold.service,
  operation: hold.operation,
  payload: hold.payload,
  ceiling_cents: hold.ceiling_cents,
  script
})

export class RequestsRepository extends Context.Service<RequestsRepository, {
  readonly find: (org: OrgId, id: ServiceRequestId) => Effect.Effect<Option.Option<StoredRequest>>
  readonly findMany: (org: OrgId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StoredRequest>>
  /**
   * At most `limit` requests. A page may be short, or empty, and still have a next page: some filters and orders read a
   * bounded part of the list.
   */
  readonly list: (org: OrgId, filter: WalkFilter) => Effect.Effect<RequestPage>
  /** Owner and team of an agent. */
  readonly agentOf: (org: OrgId, agent: AgentId) => Effect.Effect<OwnedAgent | undefined>
  /** The newest settled request with this provider reference, of one operation or of any. */
  readonly settledByRef: (
    org: OrgId,
    service: string,
    operation: string | undefined,
    ref: string
  ) => Effect.Effect<Option.Option<ServiceRequestId>>
  /** The workspaces, two at most, with this reference at the provider: for callbacks of shipped services. */
  readonly orgsOfRef: (service: string, ref: string) => Effect.Effect<ReadonlyArray<OrgId>>
  readonly orgOfSettled: (service: string, id: ServiceRequestId) => Effect.Effect<OrgId | undefined>
  readonly orgExists: (org: OrgId) => Effect.Effect<boolean>
  /** Whether a key is still valid; checked again when a decision on it was stale. */
  readonly keyIsAlive: (org: OrgId, keyId: KeyId) => Effect.Effect<boolean>
  /** Whether a request is stored. */
  readonly exists: (org: OrgId, id: ServiceRequestId) => Effect.Effect<boolean>
  /** The action of an audit entry; `undefined` if that entry was not written. */
  readonly entryAction: (org: OrgId, subject: string, entry: string) => Effect.Effect<string | undefined>
  /** Takes the workspace's lock, in the caller's transaction. */
  readonly lock: (org: OrgId) => Effect.Effect<void>
  /** Keeps a callback whose work is not known yet; a later one for the same work replaces it. */
  readonly keepEarly: (org: OrgId, service: string, ref: string, body: string) => Effect.Effect<void>
  /** Drops a kept callback that is settled, under these references or all. */
  readonly dropEarly: (
    org: OrgId,
    service: string,
    refs: ReadonlyArray<string> | undefined,
    body: string
  ) => Effect.Effect<void>
  readonly takeEarly: (org: OrgId, service: string, ref: string) => Effect.Effect<Option.Option<string>>
  /** Which of these are settled or no longer pending. */
  readonly settled: (
    ids: ReadonlyArray<{ readonly org: OrgId; readonly id: ServiceRequestId }>
  ) => Effect.Effect<ReadonlySet<ServiceRequestId>>
  /** The request stored for a key, with the hash it is bound to. */
  readonly byKey: (
    org: OrgId,
    scope: string,
    key: string
  ) => Effect.Effect<Option.Option<{ readonly request_id: ServiceRequestId; readonly hash: string }>>
  /** Cancels the approval of a request if it is pending. */
  readonly cancelPending: (org: OrgId, request: ServiceRequestId, actor: Actor) => Effect.Effect<void>
  readonly openHold: (id: ServiceRequestId) => Effect.Effect<Option.Option<OpenHold>>
  /** Open holds with this provider reference: the oldest of each operation, of two operations at most. */
  readonly openHoldsByRef: (
    org: OrgId,
    work: { readonly service: string; readonly operation: string | undefined; readonly ref: string }
  ) => Effect.Effect<ReadonlyArray<OpenHold>>
  /** Running requests with this reference at their provider, in any workspace: two at most, those of `service` first. */
  readonly openHoldsOfRef: (service: string, ref: string) => Effect.Effect<ReadonlyArray<OpenHold>>
  /**
   * Records, before it happens, that this owner sends the request a second time. `spent`: it was already sent twice;
   * `gone`: another owner has it, or it has ended.
   */
  readonly markSecondSend: (id: ServiceRequestId, owner: number) => Effect.Effect<"marked" | "spent" | "gone">
  /** Keeps a price above the ceiling; false when one is already kept. */
  readonly keepReportedCost: (org: OrgId, id: ServiceRequestId, cents: number) => Effect.Effect<boolean>
  /** Keeps a late outcome; the first outcome still applies. */
  readonly keepLate: (org: OrgId, id: ServiceRequestId, result: string) => Effect.Effect<boolean>
}>()("@countersign/hub/dispatch/requests/RequestsRepository") {
  static readonly layer = Layer.effect(
    RequestsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const search = yield* SearchRepository
      const columns = sql.literal(requestColumns)
      const joins = sql.literal(requestJoins)
      const hold = sql.literal(
        `select h.request_id, h.org_id, h.agent_id, h.mode, h.service, h.operation, h.ceiling_cents,
        h.phase::int as phase, h.sends::int as sends, h.provider_ref, h.started, h.poll_attempt, h.created_at, h.running_because,
        r.payload, coalesce(h.deadline_at <= hub_time_or_last(), false) as deadline_passed
      from holds h join requests r on r.org_id = h.org_id and r.id = h.request_id`
      )
      const ofOperation = (operation: string | undefined) =>
        operation === undefined ? sql.literal("true") : sql`operation = ${operation}`
      const one = (rows: ReadonlyArray<OpenHold>) => Option.fromNullishOr(rows[0])

      const findMany = (org: OrgId, ids: ReadonlyArray<string>) =>
        sql<
          RequestRow
        >`select ${columns} from requests r ${joins} where r.org_id = ${org} and r.id = any(${ids}::text[])`.pipe(
          Effect.map((rows) => rows.map(toFacts)),
          Effect.orDie
        )

      const idsOf = (statement: Statement.Fragment) =>
        Effect.map(
          sql<{ request_id: ServiceRequestId }>`${statement}`,
          (rows) => rows.map(({ request_id }) => request_id)
        )

      const sought = Effect.fnUntraced(
        function*(org: OrgId, filter: ListFilter): Effect.fn.Return<Sought | undefined, SqlError.SqlError> {
          if ((filter.q ?? "") === "") return undefined
          const unindexed = yield* idsOf(unindexedHits(sql, org, filter))
          const indexed = yield* idsOf(textHits(sql, org, filter, yield* search.indexed))
          return { unindexed, indexed: indexed.length < hitsMax ? indexed : undefined }
        }
      )

      const newest = Effect.fnUntraced(function*(org: OrgId, { after, ...filter }: WalkFilter) {
        const wanted: ListFilter = { ...filter, after: after?.id }
        const found = yield* sought(org, wanted)
        const rows = yield* sql<RequestRow>`select ${columns} from requests r ${joins}
        where ${listConditions(sql, org, wanted)} ${
          found === undefined ? sql`` : sql`and ${matchesSought(sql, wanted, found)}`
        }
        order by r.id desc limit ${filter.limit + 1}`
        const last = rows.length > filter.limit ? rows[filter.limit - 1] : undefined
        return { rows: rows.slice(0, filter.limit), next: last === undefined ? undefined : { key: "0", id: last.id } }
      })

      const list = (org: OrgId, filter: WalkFilter) =>
        Effect.suspend(() =>
          isWalked(filter)
            ? Effect.flatMap(sought(org, { ...filter, after: undefined }), (ids) => walkedPage(sql, org, filter, ids))
            : newest(org, filter)
        ).pipe(
          Effect.map(({ next, rows }): RequestPage => ({ rows: rows.map(toFacts), next })),
          Effect.orDie
        )

      return RequestsRepository.of({
        find: (org, id) => Effect.map(findMany(org, [id]), (rows) => Option.fromNullishOr(rows[0])),
        findMany,
        list,
        agentOf: (org, agent) =>
          sql<OwnedAgent>`select owner_user_id, team_id from agents where org_id = ${org} and id = ${agent}`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        settledByRef: (org, service, operation, ref) =>
          sql<{ request_id: ServiceRequestId }>`select request_id from settlements
          where org_id = ${org} and service = ${service} and provider_ref = ${ref} and ${ofOperation(operation)}
          order by request_id desc limit 1`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row?.request_id)),
            Effect.orDie
          ),
        // One index probe per workspace; without the workspace, the same indexes would be scanned completely.
        orgsOfRef: (service, ref) =>
          sql<{ org_id: OrgId }>`select o.org_id from org_heads o
          cross join lateral (
            select 1 from holds h where h.org_id = o.org_id and h.service = ${service} and h.provider_ref = ${ref} union all
            select 1 from settlements s where s.org_id = o.org_id and s.service = ${service} and s.provider_ref = ${ref}
            limit 1) found
          order by o.org_id limit 2`.pipe(
            Effect.map((rows) => rows.map((row) => row.org_id)),
            Effect.orDie
          ),
        orgOfSettled: (service, id) =>
          sql<{ org_id: OrgId }>`select o.org_id from org_heads o
          cross join lateral (select s.service from settlements s
            where s.org_id = o.org_id and s.request_id = ${id} offset 0) s
          where s.service = ${service} limit 1`.pipe(
            Effect.map(([row]) => row?.org_id),
            Effect.orDie
          ),
        orgExists: (org) =>
          sql`select 1 from org_heads where org_id = ${org}`.pipe(Effect.map((rows) => rows.length > 0), Effect.orDie),
        keyIsAlive: (org, keyId) =>
          sql`select 1 from agent_keys k
          join agents a on a.id = k.agent_id
          where k.id = ${keyId} and k.org_id = ${org} and a.deleted_at is null
          and (k.expires_at is null or k.expires_at > hub_time_or_last())`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        exists: (org, id) =>
          sql`select 1 from requests where org_id = ${org} and id = ${id}`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        entryAction: (org, subject, entry) =>
          sql<
            { action: string }
          >`select action from audit where org_id = ${org} and subject_id = ${subject} and id = ${entry}`.pipe(
            Effect.map(([row]) => row?.action),
            Effect.orDie
          ),
        lock: (org) => sql`select lock_org(${org})`.pipe(Effect.asVoid, Effect.orDie),
        keepEarly: (org, service, ref, body) =>
          sql`insert into early_callbacks (org_id, service, ref, body) values (${org}, ${service}, ${ref}, ${body})
          on conflict (org_id, service, ref) do update set body = excluded.body, received_at = now()`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        dropEarly: (org, service, refs, body) =>
          sql`delete from early_callbacks where org_id = ${org} and service = ${service} and body = ${body}
          ${refs === undefined ? sql.literal("") : sql`and ref = any(${textArray(refs)})`}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        takeEarly: (org, service, ref) =>
          sql<{ body: string }>`delete from early_callbacks
          where org_id = ${org} and service = ${service} and ref = ${ref} and received_at > now() - interval '1 hour'
          returning body`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row?.body)),
            Effect.orDie
          ),
        settled: (ids) =>
          sql<{ request_id: ServiceRequestId }>`select s.request_id from settlements s
          join unnest(${ids.map((x) => x.org)}::text[], ${ids.map((x) => x.id)}::text[]) u(org, id)
          on s.org_id = u.org and s.request_id = u.id`.pipe(
            Effect.map((rows) => new Set(rows.map((row) => row.request_id))),
            Effect.orDie
          ),
        byKey: (org, scope, key) =>
          sql<
            { request_id: ServiceRequestId; hash: string }
          >`select request_id, encode(hash, 'hex') as hash from idempotency_keys
          where org_id = ${org} and scope = ${scope} and key = ${key} and expires_at > hub_time_or_last()`.pipe(
            Effect.map((rows) => Option.fromNullishOr(rows[0])),
            Effect.orDie
          ),
        cancelPending: (org, request, actor) =>
          sql`select close_approval(org_id, id, 'cancelled', 'approval_cancelled', null, null, null,
            ${newId("aud")}, ${newId("aud")}, ${actor.type}, ${actor.id}, ${actor.name}, null)
          from approvals where org_id = ${org} and request_id = ${request} and status = 'pending' and kind = 'service_request'`
            .pipe(
              Effect.asVoid,
              Effect.orDie
            ),
        openHold: (id) => sql<OpenHold>`${hold} where h.request_id = ${id}`.pipe(Effect.map(one), Effect.orDie),
        openHoldsByRef: (org, { operation, ref, service }) =>
          sql<OpenHold>`${hold} where h.request_id in (select distinct on (operation) request_id from holds
            where org_id = ${org} and service = ${service} and provider_ref = ${ref} and ${ofOperation(operation)}
            order by operation, request_id limit 2)`.pipe(Effect.orDie),
        openHoldsOfRef: (service, ref) =>
          sql<OpenHold>`${hold} where h.provider_ref = ${ref} and h.phase = 2 order by h.service <> ${service}, h.org_id
          limit 2`.pipe(Effect.orDie),
        markSecondSend: (id, owner) =>
          sql<{ fresh: boolean }>`update holds h set sends = 1 from holds was
          where h.request_id = ${id} and h.owner = ${owner} and h.phase = 1 and was.request_id = h.request_id
          returning was.sends = 0 as fresh`.pipe(
            Effect.map(([row]) => row === undefined ? "gone" : row.fresh ? "marked" : "spent"),
            Effect.orDie
          ),
        keepReportedCost: (org, id, cents) =>
          sql`insert into reported_costs (org_id, request_id, cost_cents) values (${org}, ${id}, ${cents})
          on conflict (org_id, request_id) do nothing returning request_id`.pipe(
            Effect.map((rows) => rows.length === 1),
            Effect.orDie
          ),
        keepLate: (org, id, result) =>
          sql`update settlements set late_result = case when exists (select 1 from requests r
            where r.org_id = ${org} and r.id = ${id} and r.payload = ${removedText}) then ${removedText} else ${result} end
          where org_id = ${org} and request_id = ${id} and late_result is null
          returning request_id`.pipe(
            Effect.map((rows) => rows.length === 1),
            Effect.orDie
          )
      })
    })
  ).pipe(Layer.provide(SearchRepository.layer))
}
