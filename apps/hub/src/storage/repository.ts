/** Objects of a workspace and the bytes that they count; the bytes themselves are in the store. */
import type { AgentId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import type { ObjectStatus } from "@countersign/domain/storage"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type KeyColumn, keysetOf, type Place, type Sorted } from "../platform/keyset.ts"
import { afterPrefix } from "./rules.ts"

export interface ObjectRow {
  readonly id: string
  readonly org_id: OrgId
  readonly user_id: string | null
  readonly key: string
  readonly content_type: string
  readonly size_bytes: number
  readonly declared_sha256: string | null
  readonly sha256: string | null
  readonly metadata: string
  readonly status: ObjectStatus | "purging"
  readonly upload: string | null
  readonly generation: number
  readonly created_at: Date
  readonly deleted_at: Date | null
  /** The time of the reading. */
  readonly now: Date
}

export interface NewObject {
  readonly id: string
  readonly org_id: OrgId
  readonly user_id: string | null
  readonly agent_id: AgentId | null
  readonly request_id: ServiceRequestId | null
  readonly key: string
  readonly content_type: string
  readonly size_bytes: number
  readonly declared_sha256: string | null
  readonly sha256: string | null
  readonly status: "pending" | "live"
  readonly upload: string | null
  readonly at: Date
}

/** Whose objects a caller reaches: those of the workspace, or of one person. */
export interface Reach {
  readonly org: OrgId
  readonly owner: string | undefined
}

export interface ObjectFilter {
  readonly status: "live" | "deleted"
  readonly prefix: string
  /** Only objects whose key has no slash after the prefix. */
  readonly direct: boolean
}

export type ObjectSort = "created_at" | "key"

export interface AgentReach {
  /** Whether an enabled binding allows to list objects. */
  readonly bound: boolean
  readonly owner_user_id: string | null
  readonly role: string | null
}

/** In characters, as the database counts them. */
const lengthOf = (text: string): number => Array.from(text).length

export class StorageRepository extends Context.Service<StorageRepository, {
  readonly list: (
    reach: Reach,
    filter: ObjectFilter,
    sort: ObjectSort | `-${ObjectSort}`,
    after: Place | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ObjectRow & Sorted>>
  /** Folders directly below a prefix, by name. */
  readonly folders: (reach: Reach, prefix: string, limit: number) => Effect.Effect<ReadonlyArray<string>>
  readonly find: (reach: Reach, id: string) => Effect.Effect<Option.Option<ObjectRow>>
  readonly findByKey: (reach: Reach, key: string) => Effect.Effect<Option.Option<ObjectRow>>
  readonly findByRequest: (org: OrgId, request: string) => Effect.Effect<Option.Option<ObjectRow>>
  readonly totals: (org: OrgId) => Effect.Effect<{ readonly used: number; readonly deleted: number }>
  /** Call it under the workspace's lock. */
  readonly count: (org: OrgId, used: number, deleted: number) => Effect.Effect<void>
  readonly insert: (object: NewObject) => Effect.Effect<void>
  /** Takes a pending object, or one whose verification was abandoned, for some seconds; its generation rises. */
  readonly claim: (org: OrgId, id: string, seconds: number) => Effect.Effect<Option.Option<ObjectRow>>
  readonly renew: (org: OrgId, id: string, generation: number, seconds: number) => Effect.Effect<boolean>
  /** Ends a verification without success: the upload may be repeated. */
  readonly release: (org: OrgId, id: string, generation: number) => Effect.Effect<void>
  /** Ends a verification; false if another one took over. Call it under the workspace's lock. */
  readonly publish: (
    org: OrgId,
    id: string,
    verified: { readonly generation: number; readonly sha256: string; readonly at: Date }
  ) => Effect.Effect<boolean>
  readonly update: (
    org: OrgId,
    id: string,
    change: { readonly key?: string; readonly metadata?: string }
  ) => Effect.Effect<void>
  readonly setStatus: (
    org: OrgId,
    id: string,
    status: "live" | "deleted" | "purging",
    deletedAt: Date | null
  ) => Effect.Effect<void>
  readonly remove: (org: OrgId, id: string) => Effect.Effect<boolean>
  /** The person's current role; undefined if they left. */
  readonly roleOf: (org: OrgId, user: string) => Effect.Effect<string | undefined>
  readonly agentReach: (org: OrgId, agent: AgentId) => Effect.Effect<AgentReach>
}>()("@countersign/hub/storage/StorageRepository") {
  static readonly layer = Layer.effect(
    StorageRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const fields = sql.literal(
        `o.id, o.org_id, o.user_id, o.key, o.content_type, o.size_bytes, o.declared_sha256, o.sha256, o.metadata,
          o.status, o.upload, o.generation, o.created_at, o.deleted_at, hub_time_or_last() as now`
      )
      const within = ({ org, owner }: Reach): Statement.Fragment =>
        owner === undefined ? sql`o.org_id = ${org}` : sql`o.org_id = ${org} and o.user_id = ${owner}`
      const beginning = (prefix: string): Statement.Fragment => {
        if (prefix === "") return sql``
        const end = afterPrefix(prefix)
        return end === undefined ? sql`and o.key >= ${prefix}` : sql`and o.key >= ${prefix} and o.key < ${end}`
      }
      const keys: Readonly<Record<ObjectSort, KeyColumn>> = {
        created_at: { type: "time", column: sql`o.created_at` },
        key: { type: "text", column: sql`o.key` }
      }
      const one = <A>(rows: ReadonlyArray<A>) => Option.fromNullishOr(rows[0]) as Option.Option<A>
      const folderOf = (prefix: string) =>
        sql`left(o.key, ${lengthOf(prefix)}::int + strpos(substr(o.key, ${lengthOf(prefix)}::int + 1), '/'))`
      const below = (prefix: string) => sql`strpos(substr(o.key, ${lengthOf(prefix)}::int + 1), '/') > 0`

      return StorageRepository.of({
        list: (reach, { direct, prefix, status }, sort, after, limit) => {
          const keyset = keysetOf(sql, sort, keys[sort.replace("-", "") as ObjectSort], sql`o.id`)
          return sql<ObjectRow & Sorted>`select ${fields}, ${keyset.key} as sort_key from storage_objects o
            where ${within(reach)} and o.status = ${status} ${beginning(prefix)}
            ${direct ? sql`and not ${below(prefix)}` : sql``}
            ${after === undefined ? sql`` : sql`and ${keyset.after(after)}`}
            ${keyset.order} limit ${limit}`.pipe(Effect.orDie)
        },
        // Jumps from folder to folder in the index: a folder with a million objects costs one step.
        folders: (reach, prefix, limit) =>
          sql<{ folder: string }>`with recursive walk (folder, count) as (
            (select ${folderOf(prefix)}, 1 from storage_objects o
              where ${within(reach)} and o.status = 'live' ${beginning(prefix)} and ${below(prefix)}
              order by o.key limit 1)
            union all
            select next.folder, w.count + 1 from walk w cross join lateral (
              select ${folderOf(prefix)} as folder from storage_objects o
              where ${within(reach)} and o.status = 'live' ${beginning(prefix)} and ${below(prefix)}
                and o.key >= left(w.folder, -1) || '0'
              order by o.key limit 1) next
            where w.count < ${limit})
          select folder from walk order by folder collate "C"`.pipe(
            Effect.map((rows) => rows.map(({ folder }) => folder)),
            Effect.orDie
          ),
        find: (reach, id) =>
          sql<ObjectRow>`select ${fields} from storage_objects o where ${within(reach)} and o.id = ${id}`.pipe(
            Effect.map(one),
            Effect.orDie
          ),
        findByKey: (reach, key) =>
          sql<ObjectRow>`select ${fields} from storage_objects o
          where ${within(reach)} and o.status = 'live' and o.key = ${key}`.pipe(Effect.map(one), Effect.orDie),
        findByRequest: (org, request) =>
          sql<ObjectRow>`select ${fields} from storage_objects o
          where o.org_id = ${org} and o.request_id = ${request}`.pipe(Effect.map(one), Effect.orDie),
        totals: (org) =>
          sql<{ used: number; deleted: number }>`select used_bytes as used, deleted_bytes as deleted
          from storage_totals where org_id = ${org}`.pipe(
            Effect.map(([row]) => row ?? { used: 0, deleted: 0 }),
            Effect.orDie
          ),
        count: (org, used, deleted) =>
          sql`insert into storage_totals (org_id, used_bytes, deleted_bytes) values (${org}, 0, 0)
          on conflict (org_id) do nothing`.pipe(
            Effect.andThen(
              sql`update storage_totals set used_bytes = used_bytes + ${BigInt(used)}::bigint,
                deleted_bytes = deleted_bytes + ${BigInt(deleted)}::bigint where org_id = ${org}`
            ),
            Effect.asVoid,
            Effect.orDie
          ),
        insert: ({ at, org_id, size_bytes, status, ...object }) => {
          const row = {
            ...object,
            status,
            size_bytes: BigInt(size_bytes),
            generation: status === "live" ? 1 : 0,
            created_at: at,
            confirmed_at: status === "live" ? at : null
          }
          return sql`insert into storage_objects ${sql.insert({ ...row, org_id })}`.pipe(Effect.asVoid, Effect.orDie)
        },
        claim: (org, id, seconds) =>
          sql<ObjectRow>`update storage_objects o set status = 'verifying', generation = o.generation + 1,
            claimed_until = hub_time_or_last() + ${seconds}::int * interval '1 second'
          where o.org_id = ${org} and o.id = ${id} and (o.status = 'pending'
            or o.status = 'verifying' and o.claimed_until < hub_time_or_last())
          returning ${fields}`.pipe(Effect.map(one), Effect.orDie),
        renew: (org, id, generation, seconds) =>
          sql`update storage_objects set claimed_until = hub_time_or_last() + ${seconds}::int * interval '1 second'
          where org_id = ${org} and id = ${id} and status = 'verifying' and generation = ${generation} returning id`
            .pipe(
              Effect.map((rows) => rows.length > 0),
              Effect.orDie
            ),
        release: (org, id, generation) =>
          sql`update storage_objects set status = 'pending', claimed_until = null
          where org_id = ${org} and id = ${id} and status = 'verifying' and generation = ${generation}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        publish: (org, id, { at, generation, sha256 }) =>
          sql`update storage_objects set status = 'live', sha256 = ${sha256}, confirmed_at = ${at}, upload = null,
            claimed_until = null
          where org_id = ${org} and id = ${id} and status = 'verifying' and generation = ${generation} returning id`
            .pipe(
              Effect.map((rows) => rows.length > 0),
              Effect.orDie
            ),
        update: (org, id, change) =>
          sql`update storage_objects set ${sql.update(change)} where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        setStatus: (org, id, status, deletedAt) =>
          sql`update storage_objects set status = ${status}, deleted_at = ${deletedAt}, claimed_until = null
          where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        remove: (org, id) =>
          sql`delete from storage_objects where org_id = ${org} and id = ${id} and status = 'purging' returning id`
            .pipe(
              Effect.map((rows) => rows.length > 0),
              Effect.orDie
            ),
        roleOf: (org, user) =>
          sql<{ role: string }>`select role from memberships where org_id = ${org} and user_id = ${user}`.pipe(
            Effect.map(([row]) => row?.role),
            Effect.orDie
          ),
        agentReach: (org, agent) =>
          sql<AgentReach>`select a.owner_user_id, m.role, exists (select 1 from bindings b
              where b.org_id = ${org} and b.agent_id = a.id and b.service = 'storage' and b.enabled
                and b.operations && array['*', 'list']) as bound
          from agents a left join memberships m on m.org_id = a.org_id and m.user_id = a.owner_user_id
          where a.org_id = ${org} and a.id = ${agent}`.pipe(
            Effect.map(([row]) => row ?? { bound: false, owner_user_id: null, role: null }),
            Effect.orDie
          )
      })
    })
  )
}
