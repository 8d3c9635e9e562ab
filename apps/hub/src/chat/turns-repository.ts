/** Turns, their steps, and their events. A write of an earlier owner, or of an earlier attempt, changes nothing. */
import type { Mode } from "@countersign/domain/auth"
import type { PauseReason, TurnState } from "@countersign/domain/chat"
import type { TurnUsage } from "@countersign/domain/chat-events"
import type { AgentId, ChatTurnId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { EntryRow } from "../platform/audit-log.ts"
import { byteaArray, int4Array, int8Array, textArray } from "../platform/db.ts"
import type { EventRow, SessionRow, StepRow, TurnRow } from "./records.ts"

export interface NewTurn {
  readonly id: string
  readonly session: string
  readonly agent: AgentId
  readonly user: string | null
  readonly mode: Mode
  readonly model: string
  readonly userMessage: string
  readonly message: string
  readonly background: boolean
  readonly forceApproval: boolean
  readonly localTools: string
  readonly key: { readonly scope: string; readonly key: string; readonly hash: Uint8Array } | undefined
}

/** A turn with its first model call, and the rows that it was decided on. */
export interface BegunTurn {
  readonly turn: NewTurn
  /** The hub that drives it. */
  readonly owner: number
  /** The person who begins it. */
  readonly member: string | null
  readonly session: Pick<SessionRow, "head_id" | "title" | "model" | "owner_user_id" | "team_id">
  /** The person's new message. */
  readonly message:
    | { readonly parts: string; readonly parent: string | null; readonly title?: string }
    | undefined
  readonly step: StepRow
  readonly events: ReadonlyArray<EventRow>
  readonly entry: EntryRow
}

/** What identifies the right to write: the hub's number, and the turn's attempt. */
export interface Claim {
  readonly turn: string
  readonly owner: number
  readonly attempt: number
}

export interface ClaimedTurn {
  readonly id: string
  readonly org_id: OrgId
  readonly attempt: number
  /** Of a turn that this hub has just begun. */
  readonly user_message_id?: string
}

/** What a safe point reads. */
export interface TurnFlags {
  readonly cancel_requested: boolean
  readonly watched: boolean
  readonly overtime: boolean
  readonly local_overdue: boolean
}

export interface TurnChange {
  readonly state: TurnState
  readonly pauseReason?: PauseReason
  /** JSON. */
  readonly error?: string
  readonly ended?: boolean
  /** The hub gives it back: it waits, or has ended. */
  readonly released: boolean
  readonly localHours?: number
}

/** Added to the turn's counts. */
export interface UsageChange {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly costCents: number
  readonly microCents: number
}

export interface NewBlob {
  readonly id: string
  readonly session: string
  readonly turn: string
  readonly name: string
  readonly contentType: string
  readonly body: Uint8Array
}

export interface Blob {
  readonly session_id: string
  readonly turn_id: string
  readonly name: string
  readonly content_type: string
  readonly body: Uint8Array
}

export interface EventPage {
  readonly state: TurnState
  readonly events: ReadonlyArray<EventRow>
}

/** Events of one page of a stream. */
export const eventsAtOnce = 500

/** Turns that run, or that wait for an approval or a local tool. */
export const openTurns = [
  "select from chat_turns where state in ('queued', 'running')",
  "select from chat_turns where state in ('waiting_approval', 'waiting_local')"
]

export class ChatTurnsRepository extends Context.Service<ChatTurnsRepository, {
  /** `owner` 0: no hub drives it yet, it is queued. */
  readonly insert: (org: OrgId, turn: NewTurn, owner: number, at: Date) => Effect.Effect<void>
  /**
   * Stores all of it in one transaction, with its audit entry; false, and nothing is stored, when a row that was read
   * has changed, or the session has an open turn.
   */
  readonly begin: (org: OrgId, begun: BegunTurn) => Effect.Effect<boolean>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<TurnRow>>
  /** Locks it until the transaction ends. */
  readonly lock: (org: OrgId, id: string) => Effect.Effect<Option.Option<TurnRow>>
  readonly byKey: (org: OrgId, scope: string, key: string) => Effect.Effect<Option.Option<TurnRow>>
  readonly openOf: (org: OrgId, session: string) => Effect.Effect<Option.Option<ChatTurnId>>
  readonly steps: (org: OrgId, turns: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StepRow>>
  /** Turns without an owner that are to run, and those of owners that ended. */
  readonly claim: (owner: number, limit: number) => Effect.Effect<ReadonlyArray<ClaimedTurn>>
  /** Own turns that this process does not drive. */
  readonly stranded: (owner: number, driven: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ClaimedTurn>>
  /** undefined: it belongs to another hub now. */
  readonly flags: (
    claim: Claim,
    limits: { readonly readerSeconds: number; readonly minutes: number }
  ) => Effect.Effect<TurnFlags | undefined>
  /** Changes the turn in the caller's transaction; false when it belongs to another hub. */
  readonly change: (
    claim: Claim,
    change: TurnChange | undefined,
    usage: UsageChange | undefined,
    at: Date | undefined
  ) => Effect.Effect<boolean>
  /** Adds steps, events, and counts by one statement; false when the turn belongs to another hub. */
  readonly append: (org: OrgId, claim: Claim, added: {
    readonly steps: ReadonlyArray<StepRow>
    readonly events: ReadonlyArray<EventRow>
    readonly usage: UsageChange | undefined
  }) => Effect.Effect<boolean>
  readonly putSteps: (org: OrgId, steps: ReadonlyArray<StepRow>) => Effect.Effect<void>
  readonly addEvents: (org: OrgId, events: ReadonlyArray<EventRow>) => Effect.Effect<void>
  /** Events of several turns at once; returns the turns that their writers still own. */
  readonly appendEvents: (
    events: ReadonlyArray<EventRow & Omit<Claim, "turn">>
  ) => Effect.Effect<ReadonlySet<string>>
  /** Events after a position, with the turn's state of the same moment; undefined without such a turn. */
  readonly events: (org: OrgId, turn: string, after: number) => Effect.Effect<EventPage | undefined>
  readonly usage: (org: OrgId, turn: string) => Effect.Effect<TurnUsage>
  /** The streamed length of each part from this one on, in UTF-16 units. */
  readonly streamed: (org: OrgId, turn: string, part: number) => Effect.Effect<ReadonlyMap<number, number>>
  /** Notes that streams of these turns are open. */
  readonly touch: (turns: ReadonlyArray<string>) => Effect.Effect<void>
  /** Lets a turn run again, without an owner. */
  readonly resume: (
    org: OrgId,
    turn: string,
    change: {
      readonly background?: boolean
      readonly localTools?: string
      readonly cancel?: boolean
      readonly at: Date
    }
  ) => Effect.Effect<void>
  readonly requestCancel: (org: OrgId, turn: string) => Effect.Effect<void>
  /** Lets turns in the background run again whose pending requests were decided; returns how many. */
  readonly wakeDecided: (requests: ReadonlyArray<string> | undefined) => Effect.Effect<number>
  /** Whether a turn in the background waits for a person. */
  readonly isAnyWaiting: Effect.Effect<boolean>
  /** Lets turns run again whose local tools did not answer in time; returns how many. */
  readonly wakeOverdue: Effect.Effect<number>
  /** Whether an approval of a pending step of the turn was decided. */
  readonly isDecided: (org: OrgId, turn: string) => Effect.Effect<boolean>
  /** Gives turns back to other hubs. */
  readonly release: (owner: number, turns: ReadonlyArray<string>) => Effect.Effect<void>
  readonly addSessionCost: (org: OrgId, session: string, cents: number) => Effect.Effect<void>
  /** What the model read of a call of the session, by the model's id of the call. */
  readonly resultOf: (org: OrgId, session: string, call: string) => Effect.Effect<string | undefined>
  readonly addBlob: (org: OrgId, blob: NewBlob) => Effect.Effect<void>
  readonly blob: (org: OrgId, id: string) => Effect.Effect<Option.Option<Blob>>
}>()("@countersign/hub/chat/ChatTurnsRepository") {
  static readonly layer = Layer.effect(
    ChatTurnsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = sql`select t.*, a.name as agent_name, a.personality,
          coalesce((select max(e.seq) from chat_events e where e.turn_id = t.id), 0) as last_seq
        from chat_turns t join agents a on a.org_id = t.org_id and a.id = t.agent_id`
      const one = (found: ReadonlyArray<TurnRow>) => Option.fromUndefinedOr(found[0])
      const own = ({ attempt, owner, turn }: Claim) => sql`id = ${turn} and owner = ${owner} and attempt = ${attempt}`
      const counting = (usage: UsageChange | undefined) =>
        sql`input_tokens = input_tokens + ${usage?.inputTokens ?? 0}::int,
          output_tokens = output_tokens + ${usage?.outputTokens ?? 0}::int,
          cached_tokens = cached_tokens + ${usage?.cachedTokens ?? 0}::int,
          cost_cents = cost_cents + ${BigInt(usage?.costCents ?? 0)}::bigint,
          accrued_micro_cents = accrued_micro_cents + ${BigInt(usage?.microCents ?? 0)}::bigint`
      const stepsInsert = (org: OrgId, steps: ReadonlyArray<StepRow>, where = sql``) =>
        sql`insert into chat_steps as s
            (org_id, turn_id, step, kind, state, call, request_id, approval_id, output, cost_cents)
          select ${org}, * from unnest(${textArray(steps.map((step) => step.turn_id))},
            ${int4Array(steps.map(({ step }) => step))}, ${textArray(steps.map(({ kind }) => kind))},
            ${textArray(steps.map(({ state }) => state))}, ${textArray(steps.map(({ call }) => call))},
            ${textArray(steps.map((step) => step.request_id))}, ${textArray(steps.map((step) => step.approval_id))},
            ${textArray(steps.map(({ output }) => output))}, ${
          int8Array(steps.map((step) => step.cost_cents))
        }) ${where}
          on conflict (turn_id, step) do update set state = excluded.state, call = excluded.call,
            request_id = excluded.request_id, approval_id = excluded.approval_id, output = excluded.output,
            cost_cents = excluded.cost_cents`
      const eventsInsert = (org: OrgId, events: ReadonlyArray<EventRow>, where = sql``) =>
        sql`insert into chat_events (org_id, turn_id, seq, event, data)
          select ${org}, * from unnest(${textArray(events.map((event) => event.turn_id))},
            ${int4Array(events.map(({ seq }) => seq))}, ${textArray(events.map(({ event }) => event))},
            ${textArray(events.map(({ data }) => data))}) ${where}`
      const running = sql`state = 'running', pause_reason = null, owner = 0, resumed_at = hub_time_or_last()`

      return ChatTurnsRepository.of({
        insert: (org, turn, owner, at) =>
          sql`insert into chat_turns (org_id, id, session_id, agent_id, user_id, mode, model, user_message_id, message_id,
            state, background, force_approval, local_tools, owner, attempt, read_at, resumed_at, key_scope, key, key_hash,
            created_at)
          values (${org}, ${turn.id}, ${turn.session}, ${turn.agent}, ${turn.user}, ${turn.mode}, ${turn.model},
            ${turn.userMessage}, ${turn.message}, ${owner === 0 ? "queued" : "running"}, ${turn.background},
            ${turn.forceApproval}, ${turn.localTools}, ${owner}, 1, ${at}, ${at}, ${turn.key?.scope ?? null},
            ${turn.key?.key ?? null}, ${turn.key?.hash ?? null}, ${at})`.pipe(Effect.asVoid, Effect.orDie),
        begin: (org, { entry, events, member, message, owner, session, step, turn }) =>
          sql<
            { begun: boolean }
          >`select begin_turn(${org}, ${member}, ${turn.session}, ${session.head_id}, ${session.title},
            ${session.model}, ${session.owner_user_id}, ${session.team_id}, ${turn.id}, ${turn.agent}, ${turn.user},
            ${turn.mode}, ${turn.model}, ${turn.userMessage}, ${message === undefined ? null : turn.userMessage},
            ${message?.parent ?? null}, ${message?.parts ?? null}, ${message?.title ?? null}, ${turn.message},
            ${turn.background}, ${turn.forceApproval}, ${turn.localTools}, ${owner}, ${turn.key?.scope ?? null},
            ${turn.key?.key ?? null}, ${turn.key?.hash ?? null}, ${step.kind}, ${step.call}, ${step.request_id},
            ${textArray(events.map(({ event }) => event))}, ${textArray(events.map(({ data }) => data))}, ${entry.id},
            ${entry.action}, ${entry.actor.type}, ${entry.actor.id}, ${entry.actor.name}, ${entry.actor.ip ?? null},
            ${entry.data}) as begun`.pipe(Effect.map(([row]) => row?.begun === true), Effect.orDie),
        find: (org, id) =>
          sql<TurnRow>`${rows} where t.org_id = ${org} and t.id = ${id}`.pipe(Effect.map(one), Effect.orDie),
        lock: Effect.fnUntraced(function*(org, id) {
          yield* sql`select 1 from chat_turns where org_id = ${org} and id = ${id} for no key update`
          return one(yield* sql<TurnRow>`${rows} where t.org_id = ${org} and t.id = ${id}`)
        }, Effect.orDie),
        byKey: (org, scope, key) =>
          sql<TurnRow>`${rows} where t.org_id = ${org} and t.key_scope = ${scope} and t.key = ${key}`.pipe(
            Effect.map(one),
            Effect.orDie
          ),
        openOf: (org, session) =>
          sql<{ id: ChatTurnId }>`select id from chat_turns
          where org_id = ${org} and session_id = ${session} and ended_at is null`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row?.id)),
            Effect.orDie
          ),
        steps: (org, turns) =>
          sql<StepRow>`select turn_id, step, kind, state, call, request_id, approval_id, output, cost_cents
          from chat_steps where org_id = ${org} and turn_id = any(${textArray([...turns])}) order by turn_id, step`
            .pipe(
              Effect.orDie
            ),
        claim: (owner, limit) =>
          sql<ClaimedTurn>`update chat_turns t set owner = ${owner}, attempt = t.attempt + 1, state = 'running'
          where t.id in (select x.id from chat_turns x where x.owner = 0 and x.state in ('queued', 'running')
              order by x.id limit ${limit} for update skip locked)
            or t.id in (select x.id from owners o join chat_turns x on x.owner = o.num
              where o.ended and o.num <> ${owner} and x.state in ('queued', 'running')
              limit ${limit} for update of x skip locked)
          returning t.id, t.org_id, t.attempt`.pipe(Effect.orDie),
        stranded: (owner, driven) =>
          sql<ClaimedTurn>`update chat_turns set attempt = attempt + 1
          where owner = ${owner} and state in ('queued', 'running') and id <> all(${textArray([...driven])})
          returning id, org_id, attempt`.pipe(Effect.orDie),
        flags: (claim, { minutes, readerSeconds }) =>
          sql<TurnFlags>`select cancel_requested,
            background or read_at > hub_time_or_last() - make_interval(secs => ${readerSeconds}::int) as watched,
            resumed_at < hub_time_or_last() - make_interval(mins => ${minutes}::int) as overtime,
            coalesce(local_until <= hub_time_or_last(), false) as local_overdue
          from chat_turns where ${own(claim)}`.pipe(Effect.map(([row]) => row), Effect.orDie),
        change: (claim, change, usage, at) =>
          sql`update chat_turns set
            ${
            change === undefined ? sql`` : sql`state = ${change.state}, pause_reason = ${change.pauseReason ?? null},
              error = ${change.error ?? null}, ended_at = ${change.ended === true ? at ?? null : null},
              owner = ${change.released ? 0 : claim.owner}, ${
              change.localHours === undefined
                ? sql``
                : sql`local_until = hub_time_or_last() + make_interval(hours => ${change.localHours}::int),`
            }`
          } ${counting(usage)}
          where ${own(claim)} returning 1`.pipe(Effect.map((found) => found.length > 0), Effect.orDie),
        // The update comes first: it locks the turn, and nothing is added to a turn that it does not find.
        append: (org, claim, { events, steps, usage }) =>
          sql`with held as (update chat_turns set ${counting(usage)}
            where org_id = ${org} and ${own(claim)} returning 1)
          ${
            steps.length === 0
              ? sql``
              : sql`, steps as (${stepsInsert(org, steps, sql`where exists (select from held)`)})`
          }
          ${
            events.length === 0
              ? sql``
              : sql`, events as (${eventsInsert(org, events, sql`where exists (select from held)`)})`
          }
          select 1 from held`.pipe(Effect.map((found) => found.length > 0), Effect.orDie),
        putSteps: (org, steps) =>
          steps.length === 0 ? Effect.void : stepsInsert(org, steps).pipe(Effect.asVoid, Effect.orDie),
        addEvents: (org, events) =>
          events.length === 0 ? Effect.void : eventsInsert(org, events).pipe(Effect.asVoid, Effect.orDie),
        // The lock orders the insert before or after a change of the owner.
        appendEvents: (events) =>
          sql<{ turn_id: string }>`with held as (
            select t.id, t.org_id, n.seq, n.event, n.data
            from unnest(${textArray(events.map((event) => event.turn_id))}, ${int4Array(events.map(({ seq }) => seq))},
              ${textArray(events.map(({ event }) => event))}, ${textArray(events.map(({ data }) => data))},
              ${int4Array(events.map(({ owner }) => owner))}, ${int4Array(events.map(({ attempt }) => attempt))})
              as n(turn_id, seq, event, data, owner, attempt)
            join chat_turns t on t.id = n.turn_id and t.owner = n.owner and t.attempt = n.attempt
            for share of t)
          insert into chat_events (org_id, turn_id, seq, event, data)
          select org_id, id, seq, event, data from held returning turn_id`.pipe(
            Effect.map((found) => new Set(found.map(({ turn_id }) => turn_id))),
            Effect.orDie
          ),
        events: (org, turn, after) =>
          sql<
            { state: TurnState; seq: number | null; event: string; data: string }
          >`select t.state, e.seq, e.event, e.data
          from chat_turns t left join chat_events e on e.turn_id = t.id and e.seq > ${after}
          where t.org_id = ${org} and t.id = ${turn} order by e.seq limit ${eventsAtOnce}`.pipe(
            Effect.map((found) =>
              found[0] === undefined ? undefined : {
                state: found[0].state,
                events: found.flatMap(({ data, event, seq }) =>
                  seq === null ? [] : [{ turn_id: turn, seq, event, data }]
                )
              }
            ),
            Effect.orDie
          ),
        usage: (org, turn) =>
          sql<TurnUsage>`select input_tokens, output_tokens, cached_tokens, cost_cents, accrued_micro_cents
          from chat_turns where org_id = ${org} and id = ${turn}`.pipe(
            Effect.flatMap(([row]) => row === undefined ? Effect.die(`no turn ${turn}`) : Effect.succeed(row)),
            Effect.orDie
          ),
        streamed: (org, turn, part) =>
          sql<{ data: string }>`select data from chat_events
          where org_id = ${org} and turn_id = ${turn} and event in ('thinking', 'message_delta')
            and (data::json->>'part')::int >= ${part} order by seq`.pipe(
            Effect.map((found) => {
              const lengths = new Map<number, number>()
              for (const { data } of found) {
                const { delta, offset, part: at } = JSON.parse(data) as {
                  readonly part: number
                  readonly offset: number
                  readonly delta: string
                }
                lengths.set(at, offset + delta.length)
              }
              return lengths
            }),
            Effect.orDie
          ),
        touch: (turns) =>
          sql`update chat_turns set read_at = hub_time_or_last()
          where id = any(${textArray([...turns])}) and ended_at is null`.pipe(Effect.asVoid, Effect.orDie),
        resume: (org, turn, { at, background, cancel, localTools }) =>
          sql`update chat_turns set ${running}, read_at = ${at}, background = coalesce(${
            background ?? null
          }::boolean, background),
            local_tools = coalesce(${localTools ?? null}, local_tools), cancel_requested = cancel_requested or ${
            cancel === true
          }
          where org_id = ${org} and id = ${turn}`.pipe(Effect.asVoid, Effect.orDie),
        requestCancel: (org, turn) =>
          sql`update chat_turns set cancel_requested = true where org_id = ${org} and id = ${turn}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        wakeDecided: (requests) =>
          sql`update chat_turns t set ${running}
          where t.state = 'waiting_approval' and t.background and exists (
            select 1 from chat_steps s join approvals a on a.org_id = s.org_id and a.id = s.approval_id
            where s.turn_id = t.id and s.state = 'pending' and a.status <> 'pending'
              ${requests === undefined ? sql`` : sql`and s.request_id = any(${textArray([...requests])})`})
          returning 1`.pipe(Effect.map((found) => found.length), Effect.orDie),
        isAnyWaiting: sql`select 1 from chat_turns where state = 'waiting_approval' and background limit 1`.pipe(
          Effect.map((found) => found.length > 0),
          Effect.orDie
        ),
        wakeOverdue: sql`update chat_turns set ${running}
          where state = 'waiting_local' and local_until <= hub_time_or_last() returning 1`.pipe(
          Effect.map((found) => found.length),
          Effect.orDie
        ),
        isDecided: (org, turn) =>
          sql`select 1 from chat_steps s join approvals a on a.org_id = s.org_id and a.id = s.approval_id
          where s.org_id = ${org} and s.turn_id = ${turn} and s.state = 'pending' and a.status <> 'pending' limit 1`
            .pipe(
              Effect.map((found) => found.length > 0),
              Effect.orDie
            ),
        release: (owner, turns) =>
          sql`update chat_turns set owner = 0
          where owner = ${owner} and id = any(${textArray([...turns])})`.pipe(Effect.asVoid, Effect.orDie),
        addSessionCost: (org, session, cents) =>
          sql`update chat_sessions set cost_cents = cost_cents + ${BigInt(cents)}::bigint
          where org_id = ${org} and id = ${session}`.pipe(Effect.asVoid, Effect.orDie),
        resultOf: (org, session, call) =>
          sql<{ text: string }>`select s.output::json->>'text' as text from chat_turns t
          join chat_steps s on s.org_id = t.org_id and s.turn_id = t.id and s.kind in ('tool', 'local') and s.state = 'done'
          where t.org_id = ${org} and t.session_id = ${session} and s.call::json->>'model_call_id' = ${call}
          order by s.turn_id desc limit 1`.pipe(Effect.map(([row]) => row?.text), Effect.orDie),
        addBlob: (org, { body, contentType, id, name, session, turn }) =>
          sql`insert into chat_blobs (org_id, id, session_id, turn_id, name, content_type, body, created_at)
          select ${org}, ${id}, ${session}, ${turn}, ${name}, ${contentType}, b,
            hub_time_or_last()
          from unnest(${byteaArray([body])}) b on conflict do nothing`.pipe(Effect.asVoid, Effect.orDie),
        blob: (org, id) =>
          sql<Blob>`select session_id, turn_id, name, content_type, body from chat_blobs
          where org_id = ${org} and id = ${id}`.pipe(Effect.map(([row]) => Option.fromUndefinedOr(row)), Effect.orDie)
      })
    })
  )
}
