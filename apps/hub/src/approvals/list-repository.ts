/** SQL of the lists of approvals. Spec: reference/approvals.md "Endpoints". */
import type { ApprovalSort, ApprovalStatus } from "@countersign/domain/approvals"
import type { AgentId, DeviceId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { OwnIn } from "../auth/own.ts"
import { likePattern, textArray } from "../platform/db.ts"
import { type KeyColumn, keysetOf, type Place, type Sorted } from "../platform/keyset.ts"
import { SearchRepository } from "../search/repository.ts"
import { foldText, hasWords, isIndexable, type SearchWord } from "../search/rules.ts"
import { hasText, hitsMax } from "../search/texts-repository.ts"
import {
  approvalColumns,
  type ApprovalRow,
  approvalTables,
  ofChat,
  type StoredApproval,
  toApproval
} from "./approval-rows.ts"

export interface ApprovalListFilter {
  readonly ownIn: OwnIn
  readonly statuses: ReadonlyArray<ApprovalStatus>
  readonly kind: string | undefined
  readonly agent_id: AgentId | undefined
  readonly service: string | undefined
  readonly operation: string | undefined
  readonly min_cents: number | undefined
  readonly max_cents: number | undefined
  readonly min_age_seconds: number | undefined
  readonly max_age_seconds: number | undefined
  readonly sort: ApprovalSort
}

/** One word of a search, and the rows in which the database found it. */
export interface IndexedWord extends SearchWord {
  readonly agents: ReadonlyArray<AgentId>
  readonly devices: ReadonlyArray<string>
  /** Requests whose text contains it; undefined: their texts are compared row by row. */
  readonly requests: ReadonlyArray<string> | undefined
}

/**
 * A search in progress. It returns device commands and `unindexed` requests regardless of their text: the caller
 * compares them.
 */
export interface TextSearch {
  readonly q: string
  readonly seal: string | undefined
  readonly words: ReadonlyArray<IndexedWord>
  readonly unindexed: ReadonlyArray<string>
}

/** Maximum number of agents and devices whose names are compared; beyond it, only the newest. */
const namesMax = 5_000
/** The newest approvals, whose requests may not be indexed yet. */
const recentMax = 2_000

/** Pending approvals are listed oldest first, all others newest first. */
export const isPendingList = (statuses: ReadonlyArray<ApprovalStatus>): boolean =>
  statuses.every((status) => status === "pending")

/** The SQL type of the values that a sort orders by. Ids are in the order of the requests. */
export const approvalSortTypes = { requested_at: "text", cost_cents: "integer", expires_at: "time" } as const

/** Rows of `a`, with `d` and `g`, that a person may read. */
export const within = (sql: SqlClient.SqlClient, orgs: ReadonlyArray<OrgId>, ownIn: OwnIn): Statement.Fragment =>
  ownIn.orgs.length === 0
    ? sql`a.org_id = any(${orgs}::text[])`
    : sql`a.org_id = any(${[...orgs, ...ownIn.orgs]}::text[])
      and (a.org_id = any(${orgs}::text[]) or coalesce(d.owner_user_id, g.owner_user_id) = ${ownIn.user}
        or (a.kind <> 'device_command' and g.team_id = any(${textArray(ownIn.teams)})))`

/** Calls of a chat are requests whose origin names a turn. */
const isOfKind = (sql: SqlClient.SqlClient, kind: string): Statement.Fragment =>
  kind === "chat_tool_call"
    ? sql`a.kind = 'service_request' and ${sql.literal(ofChat)}`
    : kind === "service_request"
    ? sql`a.kind = 'service_request' and not ${sql.literal(ofChat)}`
    : sql`a.kind = ${kind}`

const listConditions = (
  sql: SqlClient.SqlClient,
  orgs: ReadonlyArray<OrgId>,
  filter: ApprovalListFilter
): ReadonlyArray<Statement.Fragment> => {
  const ago = (seconds: number) => sql`hub_time_or_last() - ${seconds}::float8 * interval '1 second'`
  const { agent_id, kind, max_age_seconds, max_cents, min_age_seconds, min_cents, operation, service } = filter
  return [
    within(sql, orgs, filter.ownIn),
    sql`a.status = any(${filter.statuses}::text[])`,
    ...kind === undefined ? [] : [isOfKind(sql, kind)],
    ...agent_id === undefined ? [] : [sql`a.agent_id = ${agent_id}`],
    ...service === undefined ? [] : [sql`a.service = ${service}`],
    ...operation === undefined ? [] : [sql`a.operation = ${operation}`],
    ...min_cents === undefined ? [] : [sql`a.cost_cents >= ${BigInt(min_cents)}::bigint`],
    ...max_cents === undefined ? [] : [sql`a.cost_cents <= ${BigInt(max_cents)}::bigint`],
    ...min_age_seconds === undefined ? [] : [sql`a.requested_at <= ${ago(min_age_seconds)}`],
    ...max_age_seconds === undefined ? [] : [sql`a.requested_at >= ${ago(max_age_seconds)}`]
  ]
}

const matchesWord = (
  sql: SqlClient.SqlClient,
  { agents, devices, folded, raw, requests }: IndexedWord
): Statement.Fragment =>
  sql.or([
    sql`a.agent_id = any(${textArray([...agents])})`,
    sql`a.device_id = any(${textArray([...devices])})`,
    sql`a.service || '.' || a.operation ilike ${likePattern(folded)}`,
    sql`a.reason ilike ${likePattern(raw)}`,
    requests === undefined
      ? sql`exists (select 1 from request_texts t where t.org_id = a.org_id and t.request_id = a.request_id and ${
        hasText(sql, folded)
      })`
      : sql`a.request_id = any(${textArray([...requests])})`
  ])

const matchesSearch = (sql: SqlClient.SqlClient, { q, seal, unindexed, words }: TextSearch): Statement.Fragment =>
  sql.or([
    sql`a.id = ${q}`,
    ...seal === undefined ? [] : [sql`a.payload_digest like ${`${seal}%`}`],
    sql`a.kind <> 'service_request'`,
    sql`a.request_id = any(${textArray([...unindexed])})`,
    sql.and(words.map((word) => matchesWord(sql, word)))
  ])

export class ApprovalListRepository extends Context.Service<ApprovalListRepository, {
  /**
   * At most `limit + 1` approvals: all of some workspaces, and in `ownIn` those of the person's own agents and devices,
   * and of the teams' agents.
   */
  readonly page: (
    orgs: ReadonlyArray<OrgId>,
    filter: ApprovalListFilter & {
      readonly textSearch: TextSearch | undefined
      readonly after: Place | undefined
      readonly limit: number
    }
  ) => Effect.Effect<ReadonlyArray<StoredApproval & Sorted>>
  /** The rows that contain the words. Read it before the pages of a search. */
  readonly textSearch: (
    orgs: ReadonlyArray<OrgId>,
    statuses: ReadonlyArray<ApprovalStatus>,
    words: ReadonlyArray<SearchWord>
  ) => Effect.Effect<Pick<TextSearch, "words" | "unindexed">>
}>()("@countersign/hub/approvals/ApprovalListRepository") {
  static readonly layer = Layer.effect(
    ApprovalListRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { indexed } = yield* SearchRepository
      const columns = sql.literal(`select ${approvalColumns}`)
      const tables = sql.literal(`from ${approvalTables}`)
      const sortColumns: Readonly<Record<keyof typeof approvalSortTypes, KeyColumn>> = {
        requested_at: { type: "text", column: sql`a.id` },
        cost_cents: { type: "integer", column: sql`a.cost_cents` },
        expires_at: { type: "time", column: sql`a.expires_at` }
      }

      const names = <Id extends string>(table: "agents" | "devices", orgs: ReadonlyArray<OrgId>) =>
        sql<{ id: Id; name: string }>`select id, name from ${sql(table)} where org_id = any(${textArray([...orgs])})
        order by id desc limit ${namesMax}`

      const hits = (orgs: ReadonlyArray<OrgId>, folded: string) =>
        sql<{ request_id: ServiceRequestId }>`select t.request_id from unnest(${textArray([...orgs])}) o(id)
        cross join lateral (select request_id from request_texts t where t.org_id = o.id and ${
          hasText(sql, folded)
        } limit ${hitsMax}) t
        limit ${hitsMax}`

      /** Read before `hits`: a text that is indexed in between is found there. */
      const unindexed = (orgs: ReadonlyArray<OrgId>) =>
        sql<{ request_id: ServiceRequestId }>`select a.request_id from unnest(${textArray([...orgs])}) o(id)
        cross join lateral (select org_id, request_id from approvals
          where org_id = o.id and request_id is not null order by id desc limit ${recentMax}) a
        join requests r on r.org_id = a.org_id and r.id = a.request_id
        where r.payload <> ${removedText}
          and not exists (select 1 from request_texts t where t.org_id = a.org_id and t.request_id = a.request_id)`

      return ApprovalListRepository.of({
        page: (orgs, { after, limit, textSearch, ...filter }) => {
          const keyset = keysetOf(
            sql,
            filter.sort,
            sortColumns[filter.sort.replace("-", "") as keyof typeof approvalSortTypes],
            sql`a.id`
          )
          const conditions = [
            ...listConditions(sql, orgs, filter),
            ...textSearch === undefined ? [] : [matchesSearch(sql, textSearch)],
            ...after === undefined ? [] : [keyset.after(after)]
          ]
          return sql<ApprovalRow & Sorted>`${columns}, ${keyset.key} as sort_key ${tables}
          where ${sql.and(conditions)}
          ${keyset.order} limit ${limit + 1}`.pipe(
            Effect.map((rows) => rows.map(({ sort_key, ...row }) => ({ ...toApproval(row), sort_key }))),
            Effect.orDie
          )
        },
        textSearch: Effect.fnUntraced(function*(orgs, statuses, words) {
          const fresh = yield* unindexed(orgs)
          const [agents, devices] = yield* Effect.all([
            names<AgentId>("agents", orgs),
            names<DeviceId>("devices", orgs)
          ], {
            concurrency: 2
          })
          const having = <Id extends string>(
            rows: ReadonlyArray<{ readonly id: Id; readonly name: string }>,
            folded: string
          ) => rows.filter(({ name }) => hasWords(foldText(name), [folded])).map(({ id }) => id)
          // Pending approvals are few: their texts are compared directly. Decided approvals are many: their texts are
          // found through the index.
          const byIndex = !isPendingList(statuses) && (yield* indexed)
          const indexedWords = yield* Effect.forEach(words, (word) =>
            Effect.map(
              byIndex && isIndexable(word.folded) ? hits(orgs, word.folded) : Effect.succeed(undefined),
              (found): IndexedWord => ({
                ...word,
                agents: having(agents, word.folded),
                devices: having(devices, word.folded),
                requests: found === undefined || found.length >= hitsMax
                  ? undefined
                  : found.map(({ request_id }) => request_id)
              })
            ))
          return { words: indexedWords, unindexed: fresh.map(({ request_id }) => request_id) }
        }, Effect.orDie)
      })
    })
  ).pipe(Layer.provide(SearchRepository.layer))
}
