/**
 * The append-only, hash-chained log of a workspace, which is also its event log. Dispatch writes its entries inside the
 * tick; all other changes record here, in their own transaction. Spec: reference/audit-and-events.md "Audit log", "Hash
 * chain".
 */
import type { DevicePrincipal, Principal } from "@countersign/domain/auth"
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import type { LastChange } from "@countersign/domain/versions"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { entryDataText } from "./audit-entry-data.ts"
import { encodePositions } from "./event-cursor.ts"
import { Signals } from "./signals.ts"

export interface Actor {
  readonly type: "user" | "agent" | "hub" | "provider" | "device"
  readonly id: string
  readonly name: string
  readonly ip?: string
  /** The messenger by which a person acted; in the entry's data. */
  readonly via?: { readonly kind: "messenger"; readonly provider: string; readonly account: string }
}

/** The hub as an actor: sweepers, expiry, the first start. */
export const hubActor: Actor = { type: "hub", id: "hub", name: "Countersign" }

export const actorOf = (principal: Principal | DevicePrincipal): Actor =>
  principal.kind === "device"
    ? { type: "device", id: principal.device_id, name: principal.name, ip: principal.ip }
    : principal.kind === "agent"
    ? { type: "agent", id: principal.agent_id, name: principal.agent_name, ip: principal.ip }
    : {
      type: "user",
      id: principal.user_id,
      name: principal.name === "" ? principal.email : principal.name,
      ip: principal.ip,
      ...(principal.via.kind === "messenger"
        ? { via: { kind: "messenger", provider: principal.via.provider, account: principal.via.account } }
        : {})
    }

/** Removes control characters: U+001F separates the fields of a hashed entry. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, " ")

/** An actor in the form that the tick takes: type, id, and name, separated by spaces; only the name may contain one. */
export const actorLine = (actor: Actor): string => `${actor.type} ${actor.id} ${plain(actor.name)}`

/** An entry that a function of the database appends in its own transaction. */
export interface EntryRow {
  readonly id: string
  readonly action: string
  readonly actor: Actor
  readonly data: string
}

export interface Entry {
  /** `aud_…`, if the caller stores it; default: a new one. */
  readonly id?: string
  /**
   * Dotted, noun first: `agent.created`, `policy.updated`, `secret.put`. The event types of `/events` derive from it.
   */
  readonly action: string
  readonly subject?: { readonly type: string; readonly id: string }
  readonly agent_id?: AgentId
  readonly outcome?: string
  readonly reason_code?: string
  readonly cost_cents?: number
  /** Facts of the change; never a secret. */
  readonly data?: Readonly<Record<string, unknown>>
}

const withVia = ({ via }: Actor, entry: Entry): Entry =>
  via === undefined ? entry : { ...entry, data: { ...entry.data, via } }

export const entryRow = (actor: Actor, entry: Entry): EntryRow => ({
  id: entry.id ?? newId("aud"),
  action: entry.action,
  actor: { ...actor, name: plain(actor.name) },
  data: entryDataText(withVia(actor, entry).data)
})

/** The entries that edits of one object write. */
export interface ChangeFilter {
  readonly subject: string
  readonly actions: ReadonlyArray<string>
  readonly service?: string
}

interface ChangeRow {
  readonly actor_type: string
  readonly actor_id: string
  readonly actor_name: string
  readonly created_at: Date
}

/** The only place that appends an entry outside the tick to a workspace's chain. */
const makeLogRepository = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Runs in the caller's transaction, which holds the workspace's lock from here on; `committed` runs after it. */
  append: (org: OrgId, actor: Actor, entry: Entry, committed: Effect.Effect<void>): Effect.Effect<void> =>
    sql`select append_audit(${org}, ${
      entry.id ?? newId("aud")
    }, ${entry.action}, ${actor.type}, ${actor.id}, ${actor.name},
      ${entry.subject?.type ?? null}, ${entry.subject?.id ?? null}, ${entry.agent_id ?? null}, ${entry.outcome ?? null},
      ${entry.reason_code ?? null}, ${entry.cost_cents === undefined ? null : BigInt(entry.cost_cents)}::bigint,
      ${actor.ip ?? null}, ${entryDataText(entry.data)})`.pipe(
      Effect.andThen(sql.afterCommit(committed)),
      Effect.orDie
    ),
  /** Reads by subject, newest first: an object has as many entries as edits. */
  lastChange: (org: OrgId, { actions, service, subject }: ChangeFilter): Effect.Effect<LastChange | undefined> =>
    sql<ChangeRow>`select actor_type, actor_id, actor_name, created_at from audit
      where org_id = ${org} and subject_id = ${subject} and action = any(${[...actions]}::text[])
        and (${service ?? null}::text is null or data::json->>'service' = ${service ?? null})
      order by seq desc limit 1`.pipe(
      Effect.map(([row]) =>
        row === undefined ? undefined : {
          actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
          at: row.created_at.toISOString()
        }
      ),
      Effect.orDie
    ),
  seqOf: (org: OrgId): Effect.Effect<number> =>
    sql<{ seq: number }>`select seq from org_heads where org_id = ${org}`.pipe(
      Effect.map(([head]) => head?.seq ?? 0),
      Effect.orDie
    )
}))

export class AuditLog extends Context.Service<AuditLog, {
  /**
   * Appends one entry; call it inside the transaction of the change, and as late as possible: the workspace's lock is
   * held from here to the commit. Readers of events are notified after the commit.
   */
  readonly record: (org: OrgId, actor: Actor, entry: Entry) => Effect.Effect<void>
  /** A list's `as_of`: read it before the list, so that a client that continues from it misses nothing. */
  readonly asOf: (org: OrgId) => Effect.Effect<string>
  /** The actor and the time of the latest edit of an object. */
  readonly lastChange: (org: OrgId, filter: ChangeFilter) => Effect.Effect<LastChange | undefined>
  /** The last entry's `seq`. */
  readonly seqOf: (org: OrgId) => Effect.Effect<number>
}>()("@countersign/hub/platform/AuditLog") {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function*() {
      const log = yield* makeLogRepository
      const signals = yield* Signals
      return AuditLog.of({
        record: (org, actor, entry) =>
          log.append(
            org,
            { ...actor, name: plain(actor.name) },
            withVia(actor, entry),
            Effect.sync(() => signals.log(org))
          ),
        asOf: (org) => Effect.map(log.seqOf(org), (seq) => encodePositions(new Map([[org, seq]]))),
        lastChange: log.lastChange,
        seqOf: log.seqOf
      })
    })
  )
}
