/** Sessions of chat and the tree of their messages. */
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { textArray } from "../platform/db.ts"
import type { MessageRow, SessionRow } from "./records.ts"

export interface NewSession {
  readonly id: string
  readonly agent: AgentId
  readonly user: string | null
  readonly title: string
  readonly model: string
  readonly mode: Mode
  readonly at: Date
}

export interface SessionFilter {
  readonly agent: AgentId | undefined
  readonly mode: Mode | undefined
  /** The caller's own sessions, and those of the caller's agents; undefined: all. */
  readonly owner: { readonly user: string; readonly teams: ReadonlyArray<string> } | undefined
  readonly before: string | undefined
  readonly limit: number
}

export type NewMessage =
  & Pick<MessageRow, "role" | "parts" | "created_at">
  & {
    readonly id: string
    readonly session: string
    readonly parent: string | null
    readonly turn: string | null
    /** Of the session, set with the message. */
    readonly title?: string
  }

/** The longest path of a prompt, in messages. */
const pathMax = 4_000

export class ChatSessionsRepository extends Context.Service<ChatSessionsRepository, {
  readonly insert: (org: OrgId, session: NewSession) => Effect.Effect<void>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<SessionRow>>
  /** Locks the session until the transaction ends. */
  readonly lock: (org: OrgId, id: string) => Effect.Effect<void>
  /** Newest first; returns one more than `limit` when there are more. */
  readonly list: (org: OrgId, filter: SessionFilter) => Effect.Effect<ReadonlyArray<SessionRow>>
  readonly update: (
    org: OrgId,
    id: string,
    change: { readonly title?: string; readonly model?: string },
    at: Date
  ) => Effect.Effect<void>
  readonly close: (org: OrgId, id: string, at: Date) => Effect.Effect<void>
  /** Also makes it the session's newest. */
  readonly addMessage: (org: OrgId, message: NewMessage) => Effect.Effect<void>
  readonly message: (org: OrgId, session: string, id: string) => Effect.Effect<Option.Option<MessageRow>>
  /** Newest first; returns one more than `limit` when there are more. */
  readonly messages: (
    org: OrgId,
    session: string,
    range: { readonly before: string | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<MessageRow>>
  /** From the root to this message of a session; undefined: to its newest. Empty without such a message. */
  readonly pathIn: (
    org: OrgId,
    session: string,
    message: string | undefined
  ) => Effect.Effect<ReadonlyArray<MessageRow>>
  /** From the root to the message. */
  readonly path: (org: OrgId, id: string) => Effect.Effect<ReadonlyArray<MessageRow>>
}>()("@countersign/hub/chat/ChatSessionsRepository") {
  static readonly layer = Layer.effect(
    ChatSessionsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = sql`select s.*, t.id as turn_id, t.state as turn_state, a.owner_user_id, a.team_id,
          a.name as agent_name, a.personality
        from chat_sessions s
        join agents a on a.org_id = s.org_id and a.id = s.agent_id
        left join chat_turns t on t.session_id = s.id and t.ended_at is null`
      const columns = sql`m.id, m.role, m.parts, m.parent_id, m.turn_id, m.created_at`
      const older = (column: string, before: string | undefined) =>
        before === undefined ? sql`` : sql`and ${sql.literal(column)} < ${before}`

      /** `from`: selects the message at the end of the path. */
      const pathFrom = (org: OrgId, from: Statement.Fragment) =>
        sql<MessageRow>`with recursive path as (
            select ${columns}, 1 as depth from chat_messages m where m.org_id = ${org} and ${from}
            union all
            select ${columns}, p.depth + 1 from path p
              join chat_messages m on m.org_id = ${org} and m.id = p.parent_id where p.depth < ${pathMax})
          select id, role, parts, parent_id, turn_id, created_at from path order by depth desc`.pipe(Effect.orDie)

      return ChatSessionsRepository.of({
        insert: (org, { agent, at, id, mode, model, title, user }) =>
          sql`insert into chat_sessions (org_id, id, agent_id, user_id, title, model, mode, status, created_at, updated_at)
          values (${org}, ${id}, ${agent}, ${user}, ${title}, ${model}, ${mode}, 'active', ${at}, ${at})`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        find: (org, id) =>
          sql<SessionRow>`${rows} where s.org_id = ${org} and s.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row)),
            Effect.orDie
          ),
        lock: (org, id) =>
          sql`select 1 from chat_sessions where org_id = ${org} and id = ${id} for no key update`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        list: (org, { agent, before, limit, mode, owner }) =>
          sql<SessionRow>`${rows} where s.org_id = ${org} and s.status = 'active' ${older("s.id", before)}
            ${agent === undefined ? sql`` : sql`and s.agent_id = ${agent}`}
            ${mode === undefined ? sql`` : sql`and s.mode = ${mode}`}
            ${
            owner === undefined ? sql`` : sql`and (s.user_id = ${owner.user} or a.owner_user_id = ${owner.user}
              or a.team_id = any(${textArray([...owner.teams])}))`
          }
          order by s.id desc limit ${limit + 1}`.pipe(Effect.orDie),
        update: (org, id, { model, title }, at) =>
          sql`update chat_sessions set title = coalesce(${title ?? null}, title), model = coalesce(${
            model ?? null
          }, model),
            updated_at = ${at} where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        close: (org, id, at) =>
          sql`update chat_sessions set status = 'closed', updated_at = ${at} where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        addMessage: (org, { created_at, id, parent, parts, role, session, title, turn }) =>
          sql`with stored as (
            insert into chat_messages (org_id, id, session_id, role, parts, parent_id, turn_id, created_at)
            values (${org}, ${id}, ${session}, ${role}, ${parts}, ${parent}, ${turn}, ${created_at}))
          update chat_sessions set head_id = ${id}, title = coalesce(${
            title ?? null
          }, title), updated_at = ${created_at}
          where org_id = ${org} and id = ${session}`.pipe(Effect.asVoid, Effect.orDie),
        message: (org, session, id) =>
          sql<MessageRow>`select ${columns} from chat_messages m
          where m.org_id = ${org} and m.session_id = ${session} and m.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row)),
            Effect.orDie
          ),
        messages: (org, session, { before, limit }) =>
          sql<MessageRow>`select ${columns} from chat_messages m
          where m.org_id = ${org} and m.session_id = ${session} ${older("m.id", before)}
          order by m.id desc limit ${limit + 1}`.pipe(Effect.orDie),
        pathIn: (org, session, message) =>
          pathFrom(
            org,
            message === undefined
              ? sql`m.id = (select s.head_id from chat_sessions s where s.org_id = ${org} and s.id = ${session})`
              : sql`m.session_id = ${session} and m.id = ${message}`
          ),
        path: (org, id) => pathFrom(org, sql`m.id = ${id}`)
      })
    })
  )
}
