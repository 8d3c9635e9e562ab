/** SQL of the search. The caller checks the reader's permissions. */
import type { AgentId, ApprovalId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { ofOwnAgents } from "../auth/own-agents-repository.ts"
import { textArray } from "../platform/db.ts"
import type { WorkflowReader } from "../workflows/rules.ts"
import { isSeenWorkflow } from "../workflows/seen-workflows-repository.ts"
import { isIndexable, searchedCharacters } from "./rules.ts"
import { hasText, hitsMax, newestTexts, unindexedTextsMax } from "./texts-repository.ts"

/** Maximum number of agents and people whose names are compared; in larger workspaces only the newest. */
const namesMax = 5_000
/** The newest requests, which may not be indexed yet. */
const recentMax = 500
const candidatesMax = 50
/** The newest texts, which are compared before the index is used. */
const walkedMax = 1_000
/**
 * Maximum length of a payload that is read to leave out its masked fields, in characters; a larger one is not searched.
 */
const maskedPayloadMax = 65_536

export interface NamedAgent {
  readonly id: string
  readonly name: string
  readonly description: string
}

export interface NamedPerson {
  readonly id: string
  readonly name: string
  readonly email: string
}

export interface NamedWorkflow {
  readonly id: string
  readonly name: string
  readonly description: string
}

export interface FoundRequest {
  readonly id: string
  readonly agent_id: AgentId
  readonly agent_name: string
  readonly service: string
  readonly operation: string
  readonly status: string
  readonly cents: number
  readonly approval_id: ApprovalId | null
}

export interface FoundApproval {
  readonly id: string
  readonly request_id: ServiceRequestId | null
  readonly kind: string
  readonly status: string
  readonly service: string
  readonly operation: string
  readonly cost_cents: number
  readonly payload_digest: string
  readonly agent_name: string | null
  readonly device_name: string | null
}

/** A member sees only their own rows, other roles all. */
export interface Reader {
  readonly org: OrgId
  /** Only rows of this person. */
  readonly owner: string | undefined
}

export class FindRepository extends Context.Service<FindRepository, {
  readonly agents: (reader: Reader) => Effect.Effect<ReadonlyArray<NamedAgent>>
  readonly workflows: (
    org: OrgId,
    reader: WorkflowReader | undefined
  ) => Effect.Effect<ReadonlyArray<NamedWorkflow>>
  readonly people: (org: OrgId) => Effect.Effect<ReadonlyArray<NamedPerson>>
  /**
   * Ids of requests whose text has every word, newest first; only of the newest texts if the index is missing or has
   * too many hits.
   */
  readonly hits: (
    reader: Reader,
    words: ReadonlyArray<string>,
    indexed: boolean
  ) => Effect.Effect<ReadonlyArray<string>>
  /** The newest requests that are not indexed yet, with their future text. */
  readonly recent: (reader: Reader) => Effect.Effect<
    ReadonlyArray<
      { readonly id: string; readonly service: string; readonly operation: string; readonly payload: string }
    >
  >
  readonly requests: (reader: Reader, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<FoundRequest>>
  /** JSON texts of payloads that are small enough to be masked. */
  readonly payloads: (org: OrgId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>>
  /** By id, or by a prefix of their digest. */
  readonly approvals: (
    reader: Reader,
    ids: ReadonlyArray<string>,
    seal: string | undefined
  ) => Effect.Effect<ReadonlyArray<FoundApproval>>
}>()("@countersign/hub/search/FindRepository") {
  static readonly layer = Layer.effect(
    FindRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      /** Of rows with an agent. */
      const own = ({ org, owner }: Reader, agent: Statement.Fragment) =>
        owner === undefined
          ? []
          : [ofOwnAgents(sql, org, agent, owner)]

      /** A row is joined to its text only if the agent's owner counts. */
      const withOwner = (reader: Reader) =>
        reader.owner === undefined ? sql`` : sql`join requests r on r.org_id = t.org_id and r.id = t.request_id`

      return FindRepository.of({
        agents: ({ org, owner }) =>
          sql<NamedAgent>`select id, name, left(description, 200) as description from agents
          where org_id = ${org} and deleted_at is null and kind <> 'chat' ${
            owner === undefined ? sql`` : sql`and owner_user_id = ${owner}`
          }
          order by id desc limit ${namesMax}`.pipe(Effect.orDie),
        workflows: (org, reader) =>
          sql<NamedWorkflow>`select w.id, w.name, left(w.description, 200) as description from workflows w
          where w.org_id = ${org} and w.deleted_at is null ${
            reader === undefined ? sql`` : sql`and ${isSeenWorkflow(sql, reader)}`
          }
          order by w.id desc limit ${namesMax}`.pipe(Effect.orDie),
        people: (org) =>
          sql<
            NamedPerson
          >`select u.id, u.name, u.email from memberships m join users u on u.id = m.user_id where m.org_id = ${org}
          order by m.user_id desc limit ${namesMax}`.pipe(Effect.orDie),
        hits: Effect.fnUntraced(function*(reader, words, indexed) {
          if (!words.some(isIndexable)) return []
          const conditions = words.map((word) => hasText(sql, word))
          // For words of many requests, the newest texts fill the page sooner than the index collects all hits.
          const common = yield* sql<{ request_id: ServiceRequestId }>`select t.request_id
          from ${newestTexts(sql, reader.org, walkedMax)} ${withOwner(reader)}
          where ${
            sql.and([...conditions, ...own(reader, sql`r.agent_id`)])
          } order by t.request_id desc limit ${candidatesMax}`
          if (common.length === candidatesMax) return common.map(({ request_id }) => request_id)
          // Unsorted, so that PostgreSQL uses the index of texts and not the order of ids.
          const found = indexed
            ? yield* sql<{ request_id: ServiceRequestId }>`select t.request_id from request_texts t
              where t.org_id = ${reader.org} and ${sql.and(conditions)} limit ${hitsMax}`
            : undefined
          const [texts, bound] = found !== undefined && found.length < hitsMax
            ? [sql`request_texts t`, [sql`t.request_id = any(${textArray(found.map(({ request_id }) => request_id))})`]]
            : [newestTexts(sql, reader.org, unindexedTextsMax), conditions]
          const newest = yield* sql<{ request_id: ServiceRequestId }>`select t.request_id from ${texts} ${
            withOwner(reader)
          }
          where t.org_id = ${reader.org} and ${
            sql.and([...bound, ...own(reader, sql`r.agent_id`)])
          } order by t.request_id desc limit ${candidatesMax}`
          return newest.map(({ request_id }) => request_id)
        }, Effect.orDie),
        recent: (reader) =>
          sql<{ id: string; service: string; operation: string; payload: string }>`select r.id, r.service, r.operation,
            left(r.payload, ${searchedCharacters}) as payload
          from (select * from requests r where r.org_id = ${reader.org} order by r.id desc limit ${recentMax}) r
          where ${
            sql.and([
              sql`not exists (select 1 from request_texts t where t.org_id = r.org_id and t.request_id = r.id)`,
              sql`r.payload <> ${removedText}`,
              ...own(reader, sql`r.agent_id`)
            ])
          } order by r.id desc`.pipe(Effect.orDie),
        requests: (reader, ids) =>
          sql<FoundRequest>`select r.id, r.agent_id, g.name as agent_name, r.service, r.operation, r.approval_id,
            coalesce(s.status, case when h.request_id is null then 'approval_required' else 'running' end) as status,
            case when s.status = 'executed' then s.cost_cents else coalesce(s.ceiling_cents, h.ceiling_cents, r.ceiling_cents) end as cents
          from requests r
          join agents g on g.org_id = r.org_id and g.id = r.agent_id
          left join settlements s on s.org_id = r.org_id and s.request_id = r.id
          left join holds h on h.request_id = r.id
          where ${
            sql.and([
              sql`r.org_id = ${reader.org}`,
              sql`r.id = any(${textArray([...ids])})`,
              ...own(reader, sql`r.agent_id`)
            ])
          }
          order by r.id desc`.pipe(Effect.orDie),
        payloads: (org, ids) =>
          sql<{ id: string; payload: string }>`select id, payload from requests
          where org_id = ${org} and id = any(${textArray([...ids])}) and length(payload) <= ${maskedPayloadMax}`.pipe(
            Effect.map((rows) => new Map(rows.map(({ id, payload }) => [id, payload]))),
            Effect.orDie
          ),
        approvals: ({ org, owner }, ids, seal) => {
          const found = seal === undefined
            ? sql`a.id = any(${textArray([...ids])})`
            : sql`(a.id = any(${textArray([...ids])}) or a.payload_digest like ${`${seal}%`})`
          return sql<
            FoundApproval
          >`select a.id, a.request_id, a.kind, a.status, a.service, a.operation, a.cost_cents, a.payload_digest,
            g.name as agent_name, d.name as device_name
          from approvals a
          left join agents g on g.id = a.agent_id
          left join devices d on d.id = a.device_id
          where a.org_id = ${org} and ${found}
            ${owner === undefined ? sql`` : sql`and coalesce(d.owner_user_id, g.owner_user_id) = ${owner}`}
          order by a.id desc limit ${candidatesMax}`.pipe(Effect.orDie)
        }
      })
    })
  )
}
