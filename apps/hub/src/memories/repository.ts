/** Memories of agents, their links, vectors, and numbers. */
import type { AgentId, MemoryId, OrgId } from "@countersign/domain/ids"
import { graphLabelMax, type MemoryKind } from "@countersign/domain/memories"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { textArray } from "../platform/db.ts"

export interface MemoryRow {
  readonly id: MemoryId
  readonly agent_id: AgentId
  readonly kind: MemoryKind
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly importance: number
  readonly links: ReadonlyArray<MemoryId>
  readonly source_type: string | null
  readonly source_id: string | null
  readonly expires_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** A vector as it is stored. */
export interface StoredVector {
  readonly model: string
  /** One bit for each number. */
  readonly code: string
  readonly halves: Uint8Array
}

export interface NewMemory extends Omit<MemoryRow, "links" | "updated_at"> {
  /** Null: the background computes it. */
  readonly vector: StoredVector | null
}

export interface MemoryChange {
  /** A new content comes with its vector. */
  readonly text?: { readonly content: string; readonly vector: StoredVector | null }
  readonly kind?: MemoryKind
  readonly tags?: ReadonlyArray<string>
  readonly importance?: number
  readonly expires_at?: Date | null
}

export interface MemoryFilter {
  readonly kind: MemoryKind | undefined
  readonly tag: string | undefined
}

export interface OfAgent {
  readonly org_id: OrgId
  readonly agent_id: AgentId
}

export interface GraphRow {
  readonly id: MemoryId
  readonly kind: MemoryKind
  readonly label: string
  readonly tags: ReadonlyArray<string>
  readonly importance: number
  readonly created_at: Date
  /** Null without a vector of the model. */
  readonly emb: Uint8Array | null
}

export interface LinkRow {
  readonly source_id: MemoryId
  readonly target_id: MemoryId
  readonly position: number
}

export interface UnembeddedRow {
  readonly id: string
  readonly org_id: OrgId
  readonly content: string
}

export class MemoriesRepository extends Context.Service<MemoriesRepository, {
  readonly find: (org: OrgId, agent: AgentId, id: string) => Effect.Effect<Option.Option<MemoryRow>>
  /** Newest first; returns one more than `limit` when there are more. */
  readonly list: (
    org: OrgId,
    agent: AgentId,
    filter: MemoryFilter & { readonly before: string | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<MemoryRow>>
  /** Candidates by the code of a query, nearest first; only memories with a vector of the model. */
  readonly near: (
    org: OrgId,
    agent: AgentId,
    filter: MemoryFilter & { readonly vector: StoredVector; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<MemoryRow & { readonly emb: Uint8Array }>>
  /** Memories without a vector of the model (undefined: all) that contain some of the words, and how many. */
  readonly byWords: (
    org: OrgId,
    agent: AgentId,
    filter: MemoryFilter & {
      readonly words: ReadonlyArray<string>
      readonly model: string | undefined
      readonly limit: number
    }
  ) => Effect.Effect<ReadonlyArray<MemoryRow & { readonly found: number }>>
  /** The number of stored memories, including expired ones that are not deleted yet. */
  readonly totalOf: (org: OrgId, agent: AgentId) => Effect.Effect<number>
  /** Stores and counts it. Call it under the workspace's lock, as all changes here. */
  readonly insert: (org: OrgId, memory: NewMemory) => Effect.Effect<void>
  readonly update: (org: OrgId, id: string, change: MemoryChange, at: Date) => Effect.Effect<void>
  /** Those of the memories that exist and are not expired. */
  readonly living: (
    org: OrgId,
    agent: AgentId,
    ids: ReadonlyArray<string>,
    at: Date
  ) => Effect.Effect<ReadonlySet<string>>
  /** Replaces the links of a memory. */
  readonly link: (org: OrgId, id: string, targets: ReadonlyArray<string>) => Effect.Effect<void>
  /** Deletes them with all links to and from them; returns the ids that were there. */
  readonly remove: (
    org: OrgId,
    agent: AgentId,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>>
  readonly expired: (
    org: OrgId,
    agent: AgentId,
    at: Date,
    limit: number
  ) => Effect.Effect<ReadonlyArray<string>>
  readonly idsOf: (org: OrgId, agent: AgentId, limit: number) => Effect.Effect<ReadonlyArray<string>>
  /** Agents with expired memories, of all workspaces. */
  readonly due: (limit: number) => Effect.Effect<ReadonlyArray<OfAgent>>
  /** Deleted agents that still have memories, of all workspaces. */
  readonly ended: (limit: number) => Effect.Effect<ReadonlyArray<OfAgent>>
  /** The most important memories, newest first among equals, and their vectors of a model. */
  readonly graph: (
    org: OrgId,
    agent: AgentId,
    model: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<GraphRow>>
  /** The links between these memories. */
  readonly linksAmong: (org: OrgId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<LinkRow>>
  readonly countLiving: (org: OrgId, agent: AgentId) => Effect.Effect<number>
  /** The next memories after an id that are not expired, oldest first. */
  readonly walk: (
    org: OrgId,
    agent: AgentId,
    after: string,
    at: Date,
    limit: number
  ) => Effect.Effect<ReadonlyArray<MemoryId>>
  /** Copies memories with their vectors to another agent under new ids, and counts them. */
  readonly copy: (
    org: OrgId,
    to: AgentId,
    ids: ReadonlyArray<readonly [from: string, to: string]>,
    at: Date
  ) => Effect.Effect<void>
  readonly linksOf: (org: OrgId, sources: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<LinkRow>>
  readonly insertLinks: (org: OrgId, links: ReadonlyArray<LinkRow>) => Effect.Effect<void>
  /** Takes memories without a vector of the model for some seconds, of all workspaces. */
  readonly claimUnembedded: (
    model: string,
    limit: number,
    seconds: number
  ) => Effect.Effect<ReadonlyArray<UnembeddedRow>>
  /** Does nothing if the content has changed. */
  readonly storeVector: (row: UnembeddedRow, vector: StoredVector) => Effect.Effect<void>
  /** Postpones the next try of the background. */
  readonly postpone: (row: UnembeddedRow, seconds: number) => Effect.Effect<void>
}>()("@countersign/hub/memories/MemoriesRepository") {
  static readonly layer = Layer.effect(
    MemoriesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const living = sql.literal("(m.expires_at is null or m.expires_at > hub_time_or_last())")
      const fields = sql.literal(
        `m.id, m.agent_id, m.kind, m.content, m.tags, m.importance, m.source_type, m.source_id, m.expires_at,
          m.created_at, m.updated_at,
          coalesce((select array_agg(l.target_id order by l.position) from memory_links l
            join memories t on t.org_id = m.org_id and t.id = l.target_id
              and (t.expires_at is null or t.expires_at > hub_time_or_last())
            where l.org_id = m.org_id and l.source_id = m.id), '{}') as links`
      )
      const owned = (org: OrgId, agent: AgentId): Statement.Fragment =>
        sql`m.org_id = ${org} and m.agent_id = ${agent} and ${living}`
      const matching = ({ kind, tag }: MemoryFilter): Statement.Fragment =>
        sql`${kind === undefined ? sql`` : sql`and m.kind = ${kind}`} ${
          tag === undefined ? sql`` : sql`and ${tag} = any(m.tags)`
        }`
      const codeOf = (vector: StoredVector | null): Statement.Fragment =>
        vector === null ? sql`null` : sql`${vector.code}::text::bit varying`
      const ids = (values: ReadonlyArray<string>) => textArray([...values])
      const count = (org: OrgId, agent: AgentId, change: number) =>
        sql`insert into memory_totals (agent_id, org_id, memories) values (${agent}, ${org}, greatest(${change}::int, 0))
        on conflict (agent_id) do update set memories = memory_totals.memories + ${change}::int`
      const totalFor = (org: OrgId, agent: AgentId) =>
        sql<{ n: number }>`select memories as n from memory_totals where org_id = ${org} and agent_id = ${agent}`.pipe(
          Effect.map(([row]) => row?.n ?? 0)
        )
      const idOf = ({ id }: { readonly id: string }) => id

      return MemoriesRepository.of({
        find: (org, agent, id) =>
          sql<MemoryRow>`select ${fields} from memories m where ${owned(org, agent)} and m.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        list: (org, agent, { before, limit, ...filter }) =>
          sql<MemoryRow>`select ${fields} from memories m where ${owned(org, agent)} ${matching(filter)}
          ${before === undefined ? sql`` : sql`and m.id < ${before}`} order by m.id desc limit ${limit + 1}`.pipe(
            Effect.orDie
          ),
        near: (org, agent, { limit, vector, ...filter }) =>
          sql<MemoryRow & { readonly emb: Uint8Array }>`select ${fields}, m.emb from memories m
          where ${owned(org, agent)} and m.embedding_model = ${vector.model} ${matching(filter)}
            and length(m.code) = length(${codeOf(vector)})
          order by bit_count(m.code # ${codeOf(vector)}) limit ${limit}`.pipe(Effect.orDie),
        byWords: (org, agent, { limit, model, words, ...filter }) =>
          sql<MemoryRow & { readonly found: number }>`select ${fields}, w.found from memories m
          cross join lateral (select count(*)::int as found from unnest(${ids(words)}) word
            where strpos(lower(m.content), word) > 0) w
          where ${owned(org, agent)} ${matching(filter)}
            ${model === undefined ? sql`` : sql`and m.embedding_model <> ${model}`} and w.found > 0
          order by w.found desc, m.id desc limit ${limit}`.pipe(Effect.orDie),
        totalOf: (org, agent) => Effect.orDie(totalFor(org, agent)),
        insert: Effect.fnUntraced(function*(org, { tags, vector, ...memory }) {
          yield* sql`insert into memories (id, org_id, agent_id, kind, content, tags, importance, source_type, source_id,
            expires_at, created_at, updated_at, embedding_model, code, emb, embed_at)
          values (${memory.id}, ${org}, ${memory.agent_id}, ${memory.kind}, ${memory.content}, ${ids(tags)}::text[],
            ${memory.importance}, ${memory.source_type}, ${memory.source_id}, ${memory.expires_at}, ${memory.created_at},
            ${memory.created_at}, ${vector?.model ?? ""}, ${codeOf(vector)}, ${vector?.halves ?? null}::bytea,
            ${memory.created_at})`
          yield* count(org, memory.agent_id, 1)
        }, Effect.orDie),
        update: (org, id, { text, ...change }, at) =>
          sql`update memories set ${
            sql.csv([
              sql`updated_at = ${at}`,
              ...change.kind === undefined ? [] : [sql`kind = ${change.kind}`],
              ...change.tags === undefined ? [] : [sql`tags = ${ids(change.tags)}::text[]`],
              ...change.importance === undefined ? [] : [sql`importance = ${change.importance}`],
              ...change.expires_at === undefined ? [] : [sql`expires_at = ${change.expires_at}`],
              ...text === undefined ? [] : [
                sql`content = ${text.content}, embedding_model = ${text.vector?.model ?? ""}, code = ${
                  codeOf(text.vector)
                }, emb = ${text.vector?.halves ?? null}::bytea, embed_at = ${at}`
              ]
            ])
          } where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        living: (org, agent, wanted, at) =>
          sql<{ id: string }>`select id from memories where org_id = ${org} and agent_id = ${agent}
            and id = any(${ids(wanted)}) and (expires_at is null or expires_at > ${at})`.pipe(
            Effect.map((rows) => new Set(rows.map(idOf))),
            Effect.orDie
          ),
        link: Effect.fnUntraced(function*(org, id, targets) {
          yield* sql`delete from memory_links where org_id = ${org} and source_id = ${id}`
          if (targets.length === 0) return
          yield* sql`insert into memory_links (source_id, target_id, org_id, position)
          select ${id}, t.id, ${org}, t.position from unnest(${ids(targets)}) with ordinality t(id, position)`
        }, Effect.orDie),
        remove: Effect.fnUntraced(function*(org, agent, wanted) {
          const rows = yield* sql<{ id: string }>`delete from memories
          where org_id = ${org} and agent_id = ${agent} and id = any(${ids(wanted)}) returning id`
          if (rows.length > 0) yield* count(org, agent, -rows.length)
          return rows.map(idOf)
        }, Effect.orDie),
        expired: (org, agent, at, limit) =>
          sql<{ id: string }>`select id from memories
          where org_id = ${org} and agent_id = ${agent} and expires_at <= ${at} order by expires_at limit ${limit}`
            .pipe(
              Effect.map((rows) => rows.map(idOf)),
              Effect.orDie
            ),
        idsOf: (org, agent, limit) =>
          sql<{ id: string }>`select id from memories where org_id = ${org} and agent_id = ${agent}
          order by id limit ${limit}`.pipe(Effect.map((rows) => rows.map(idOf)), Effect.orDie),
        due: (limit) =>
          sql<OfAgent>`select distinct d.org_id, d.agent_id from (
            select org_id, agent_id from memories where expires_at <= hub_time_or_last() order by expires_at
            limit ${limit}) d`.pipe(Effect.orDie),
        ended: (limit) =>
          sql<OfAgent>`select t.org_id, t.agent_id from memory_totals t
          join agents a on a.org_id = t.org_id and a.id = t.agent_id
          where t.memories > 0 and a.deleted_at is not null limit ${limit}`.pipe(Effect.orDie),
        graph: (org, agent, model, limit) =>
          sql<GraphRow>`select m.id, m.kind, left(m.content, ${graphLabelMax}::int) as label, m.tags, m.importance,
            m.created_at, case when m.embedding_model = ${model} then m.emb end as emb
          from memories m where ${owned(org, agent)} order by m.importance desc, m.id desc limit ${limit}`.pipe(
            Effect.orDie
          ),
        linksAmong: (org, wanted) =>
          sql<LinkRow>`select source_id, target_id, position from memory_links
          where org_id = ${org} and source_id = any(${ids(wanted)}) and target_id = any(${ids(wanted)})
          order by source_id, position`.pipe(Effect.orDie),
        countLiving: (org, agent) =>
          sql<{ n: number }>`select count(*)::int as n from memories m where ${owned(org, agent)}`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        walk: (org, agent, after, at, limit) =>
          sql<{ id: MemoryId }>`select id from memories where org_id = ${org} and agent_id = ${agent} and id > ${after}
            and (expires_at is null or expires_at > ${at}) order by id limit ${limit}`.pipe(
            Effect.map((rows) => rows.map(({ id }) => id)),
            Effect.orDie
          ),
        copy: Effect.fnUntraced(function*(org, to, pairs, at) {
          yield* sql`insert into memories (id, org_id, agent_id, kind, content, tags, importance, source_type, source_id,
            expires_at, created_at, updated_at, embedding_model, code, emb, embed_at)
          select p.copied, m.org_id, ${to}, m.kind, m.content, m.tags, m.importance, m.source_type, m.source_id,
            m.expires_at, ${at}, ${at}, m.embedding_model, m.code, m.emb, ${at}
          from unnest(${ids(pairs.map(([from]) => from))}, ${ids(pairs.map(([, copied]) => copied))}) p(id, copied)
          join memories m on m.org_id = ${org} and m.id = p.id`
          yield* count(org, to, pairs.length)
        }, Effect.orDie),
        linksOf: (org, sources) =>
          sql<LinkRow>`select source_id, target_id, position from memory_links
          where org_id = ${org} and source_id = any(${ids(sources)})`.pipe(Effect.orDie),
        insertLinks: (org, links) =>
          sql`insert into memory_links (source_id, target_id, org_id, position)
          select l.source, l.target, ${org}, l.position
          from unnest(${ids(links.map(({ source_id }) => source_id))}, ${ids(links.map(({ target_id }) => target_id))},
            ${links.map(({ position }) => position)}::int[]) l(source, target, position)`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        claimUnembedded: (model, limit, seconds) =>
          sql<UnembeddedRow>`update memories m set embed_at = hub_time_or_last() + ${seconds}::int * interval '1 second'
          where m.id in (
            select d.id from memories d
            where (d.embedding_model < ${model} or d.embedding_model > ${model}) and d.embed_at <= hub_time_or_last()
              and (d.expires_at is null or d.expires_at > hub_time_or_last())
            order by d.embed_at limit ${limit} for update skip locked)
          returning m.id, m.org_id, m.content`.pipe(Effect.orDie),
        storeVector: ({ content, id, org_id: org }, vector) =>
          sql`update memories set embedding_model = ${vector.model}, code = ${codeOf(vector)},
            emb = ${vector.halves}::bytea, embed_at = hub_time_or_last()
          where org_id = ${org} and id = ${id} and content = ${content}`.pipe(Effect.asVoid, Effect.orDie),
        postpone: ({ id, org_id: org }, seconds) =>
          sql`update memories set embed_at = hub_time_or_last() + ${seconds}::int * interval '1 second'
          where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}
