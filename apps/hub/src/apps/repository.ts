/** Connected apps with their sealed tokens, sign-ins in progress, and the OAuth clients of workspaces. */
import type { AppStatus, AppVisibility } from "@countersign/domain/apps"
import type { AgentId, AppId, OrgId, UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"
import type { Caller, Candidate } from "./rules.ts"

export interface AppRow {
  readonly id: AppId
  readonly org_id: OrgId
  readonly user_id: UserId
  readonly provider: string
  readonly name: string
  readonly status: AppStatus
  readonly visibility: AppVisibility
  readonly scopes: ReadonlyArray<string>
  /** JSON text. */
  readonly params: string
  readonly account: string | null
  readonly expires_at: Date | null
  readonly note: string | null
  readonly last_used_at: Date | null
  readonly created_at: Date
}

export type NewApp = Pick<
  AppRow,
  "id" | "org_id" | "user_id" | "provider" | "name" | "visibility" | "scopes" | "params" | "created_at"
>

/** The tokens of a connected app, sealed, at the database's time. */
export interface TokenRow {
  readonly id: string
  readonly org_id: OrgId
  readonly provider: string
  readonly params: string
  /** JSON text. */
  readonly captured: string
  readonly access_token: Uint8Array
  readonly refresh_token: Uint8Array | null
  readonly version: number
  readonly expired: boolean
  readonly renewal_due: boolean
  /** Somebody renews the tokens now. */
  readonly leased: boolean
}

export interface StoredTokens {
  readonly access: Uint8Array
  /** Undefined: the stored one stays. */
  readonly refresh: Uint8Array | undefined
  readonly lifetimeSeconds: number | undefined
  readonly renewalSeconds: number | undefined
}

export interface Connection extends StoredTokens {
  readonly scopes: ReadonlyArray<string>
  readonly account: string | undefined
  /** JSON text. */
  readonly captured: string
}

export interface StateRow {
  readonly org_id: OrgId
  readonly app_id: string
  readonly verifier: Uint8Array
  readonly params: string
  readonly scopes: ReadonlyArray<string>
}

export interface ProviderRow {
  readonly name: string
  readonly client_id: string
  readonly secret: Uint8Array
  /** JSON text. */
  readonly definition: string | null
}

export interface ServiceCall {
  readonly org: OrgId
  /** Empty when the hub itself calls: it uses only apps that the workspace shares. */
  readonly agent: AgentId | ""
  readonly service: string
  /** An app's id, or a provider's name. */
  readonly reference: string
}

export class AppsRepository extends Context.Service<AppsRepository, {
  readonly insert: (app: NewApp) => Effect.Effect<void>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<AppRow>>
  /** Newest first. `onlyOf`: those that this person sees as a member. */
  readonly list: (
    org: OrgId,
    onlyOf: string | undefined,
    after: string | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<AppRow>>
  readonly count: (org: OrgId) => Effect.Effect<number>
  readonly update: (
    org: OrgId,
    id: string,
    change: { readonly name: string; readonly visibility: AppVisibility; readonly at: Date }
  ) => Effect.Effect<void>
  readonly remove: (org: OrgId, id: string) => Effect.Effect<void>
  /** Call it under the workspace's lock. */
  readonly connect: (org: OrgId, id: string, connection: Connection) => Effect.Effect<void>
  /** Deletes the tokens. */
  readonly end: (
    org: OrgId,
    id: string,
    status: "revoked" | "needs_reauth",
    note: string | null
  ) => Effect.Effect<void>
  /** Of an app that is disconnected. */
  readonly setNote: (org: OrgId, id: string, note: string | null) => Effect.Effect<void>
  /** None unless the app is connected. */
  readonly tokens: (org: OrgId, id: string) => Effect.Effect<Option.Option<TokenRow>>
  /** Compare-and-set on the version: of two hubs one renews. */
  readonly claim: (org: OrgId, id: string, version: number, lease: string, seconds: number) => Effect.Effect<boolean>
  /** Ends a lease without new tokens; the next renewal without a call is due after `retrySeconds`. */
  readonly release: (org: OrgId, id: string, lease: string, retrySeconds: number) => Effect.Effect<void>
  /** Stores renewed tokens unless they were changed since the claim. */
  readonly store: (
    org: OrgId,
    id: string,
    claimed: { readonly version: number; readonly lease: string },
    tokens: StoredTokens
  ) => Effect.Effect<boolean>
  /** Deletes the tokens of this version, which the provider rejects. */
  readonly reject: (org: OrgId, id: string, version: number, note: string) => Effect.Effect<boolean>
  /** At most once a minute. */
  readonly touch: (org: OrgId, id: string) => Effect.Effect<void>
  /** Those that a service's reference may mean, and who calls. */
  readonly candidates: (
    call: ServiceCall
  ) => Effect.Effect<{ readonly caller: Caller; readonly apps: ReadonlyArray<Candidate> }>
  /** Apps of all workspaces whose renewal is due, at most some of one provider, so that a slow one delays no other. */
  readonly due: (
    limit: number,
    ofProvider: number
  ) => Effect.Effect<ReadonlyArray<{ readonly org_id: OrgId; readonly id: string }>>
  /** Replaces the app's earlier sign-ins. */
  readonly putState: (
    state: StateRow & {
      readonly hash: Uint8Array
      readonly user_id: string
      readonly seconds: number
    }
  ) => Effect.Effect<void>
  /** Uses a state up. None when it was used, has expired, or is another person's. */
  readonly takeState: (hash: Uint8Array, user: string) => Effect.Effect<Option.Option<StateRow>>
  readonly dropExpiredStates: Effect.Effect<void>
  readonly providers: (org: OrgId) => Effect.Effect<ReadonlyArray<ProviderRow>>
  readonly provider: (org: OrgId, name: string) => Effect.Effect<Option.Option<ProviderRow>>
  readonly putProvider: (
    org: OrgId,
    provider: ProviderRow & { readonly at: Date }
  ) => Effect.Effect<void>
  /** Connected apps of a provider. */
  readonly connectedTo: (org: OrgId, provider: string) => Effect.Effect<ReadonlyArray<string>>
  /** In order of id. */
  readonly ofUser: (org: OrgId, user: string) => Effect.Effect<ReadonlyArray<AppRow>>
  readonly transfer: (org: OrgId, id: string, to: string) => Effect.Effect<void>
}>()("@countersign/hub/apps/AppsRepository") {
  static readonly layer = Layer.effect(
    AppsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns =
        sql`id, org_id, user_id, provider, name, status, visibility, scopes, params, account, expires_at, note,
        last_used_at, created_at`
      const after = (seconds: number | undefined) =>
        seconds === undefined ? sql`null` : sql`hub_time_or_last() + ${seconds}::float8 * interval '1 second'`
      const changed = (rows: ReadonlyArray<unknown>) => rows.length > 0
      const first = <A>(rows: ReadonlyArray<A>) => Option.fromNullishOr(rows[0])

      return AppsRepository.of({
        insert: ({ created_at: at, id, name, org_id, params, provider, scopes, user_id, visibility }) =>
          sql`insert into apps (id, org_id, user_id, provider, name, visibility, scopes, params, created_at, updated_at)
          values (${id}, ${org_id}, ${user_id}, ${provider}, ${name}, ${visibility}, ${
            textArray(scopes)
          }, ${params}, ${at}, ${at})`.pipe(Effect.asVoid, Effect.orDie),
        find: (org, id) =>
          sql<AppRow>`select ${columns} from apps where org_id = ${org} and id = ${id}`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        list: (org, onlyOf, before, limit) =>
          sql<AppRow>`select ${columns} from apps where org_id = ${org}
            and ${onlyOf === undefined ? sql`true` : sql`(user_id = ${onlyOf} or visibility = 'workspace')`}
            and ${before === undefined ? sql`true` : sql`id < ${before}`} order by id desc limit ${limit}`.pipe(
            Effect.orDie
          ),
        count: (org) =>
          sql<{ n: number }>`select count(*) as n from apps where org_id = ${org}`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        update: (org, id, { at, name, visibility }) =>
          sql`update apps set name = ${name}, visibility = ${visibility}, updated_at = ${at}
          where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        remove: (org, id) =>
          sql`delete from apps where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        connect: (org, id, { access, account, captured, lifetimeSeconds, refresh, renewalSeconds, scopes }) =>
          sql`update apps set status = 'connected', access_token = ${access}, refresh_token = ${refresh ?? null},
            expires_at = ${after(lifetimeSeconds)}, refresh_at = ${
            after(refresh === undefined ? undefined : renewalSeconds)
          }, scopes = ${textArray(scopes)}, account = ${account ?? null}, captured = ${captured}, note = null,
            version = version + 1, lease = null, lease_until = null, updated_at = hub_time_or_last()
          where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        end: (org, id, status, note) =>
          sql`update apps set status = ${status}, access_token = null, refresh_token = null, expires_at = null,
            refresh_at = null, note = ${note}, version = version + 1, lease = null, lease_until = null,
            updated_at = hub_time_or_last()
          where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        setNote: (org, id, note) =>
          sql`update apps set note = ${note} where org_id = ${org} and id = ${id} and status = 'revoked'`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        tokens: (org, id) =>
          sql<TokenRow>`select id, org_id, provider, params, captured, access_token, refresh_token, version,
            coalesce(expires_at <= hub_time_or_last(), false) as expired,
            coalesce(refresh_at <= hub_time_or_last(), false) as renewal_due,
            coalesce(lease_until > hub_time_or_last(), false) as leased
          from apps where org_id = ${org} and id = ${id} and status = 'connected'`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        claim: (org, id, version, lease, seconds) =>
          sql`update apps set lease = ${lease}, lease_until = ${after(seconds)}
          where org_id = ${org} and id = ${id} and version = ${version} and status = 'connected'
            and (lease_until is null or lease_until <= hub_time_or_last()) returning id`.pipe(
            Effect.map(changed),
            Effect.orDie
          ),
        release: (org, id, lease, retrySeconds) =>
          sql`update apps set lease = null, lease_until = null,
            refresh_at = case when refresh_token is null then null else ${after(retrySeconds)} end
          where org_id = ${org} and id = ${id} and lease = ${lease}`.pipe(Effect.asVoid, Effect.orDie),
        store: (org, id, { lease, version }, { access, lifetimeSeconds, refresh, renewalSeconds }) =>
          sql`update apps set access_token = ${access}, refresh_token = coalesce(${
            refresh ?? null
          }::bytea, refresh_token),
            expires_at = ${after(lifetimeSeconds)}, refresh_at = ${after(renewalSeconds)}, version = version + 1,
            lease = null, lease_until = null, updated_at = hub_time_or_last()
          where org_id = ${org} and id = ${id} and version = ${version} and lease = ${lease} and status = 'connected'
          returning id`.pipe(
            Effect.map(changed),
            Effect.orDie
          ),
        reject: (org, id, version, note) =>
          sql`update apps set status = 'needs_reauth', access_token = null, refresh_token = null, expires_at = null,
            refresh_at = null, note = ${note}, version = version + 1, lease = null, lease_until = null,
            updated_at = hub_time_or_last()
          where org_id = ${org} and id = ${id} and version = ${version} and status = 'connected' returning id`.pipe(
            Effect.map(changed),
            Effect.orDie
          ),
        touch: (org, id) =>
          sql`update apps set last_used_at = hub_time_or_last() where org_id = ${org} and id = ${id}
            and (last_used_at is null or last_used_at < hub_time_or_last() - interval '1 minute')`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        candidates: Effect.fnUntraced(function*({ agent, org, reference, service }) {
          const [caller] = yield* sql<Caller>`select g.owner_user_id as owner, b.app_id as bound from agents g
            left join bindings b on b.org_id = g.org_id and b.agent_id = g.id and b.service = ${service}
            where g.org_id = ${org} and g.id = ${agent}`
          const apps = yield* sql<Candidate>`select id, provider, user_id, status, visibility from apps
            where org_id = ${org} and status = 'connected' and (id = ${reference} or provider = ${reference})`
          return { caller: caller ?? { owner: null, bound: null }, apps }
        }, Effect.orDie),
        due: (limit, ofProvider) =>
          sql<{ org_id: OrgId; id: string }>`select org_id, id from (select org_id, id, refresh_at,
              row_number() over (partition by org_id, provider order by refresh_at) as place
            from apps where refresh_at <= hub_time_or_last()
              and (lease_until is null or lease_until <= hub_time_or_last())) as ranked
          where place <= ${ofProvider} order by place, refresh_at limit ${limit}`.pipe(Effect.orDie),
        putState: Effect.fnUntraced(function*({ app_id, hash, org_id, params, scopes, seconds, user_id, verifier }) {
          yield* sql`delete from app_states where org_id = ${org_id} and app_id = ${app_id}`
          yield* sql`insert into app_states (hash, org_id, app_id, user_id, verifier, params, scopes, expires_at)
          values (${hash}, ${org_id}, ${app_id}, ${user_id}, ${verifier}, ${params}, ${textArray(scopes)}, ${
            after(seconds)
          })`
        }, Effect.orDie),
        takeState: (hash, user) =>
          sql<StateRow>`delete from app_states where hash = ${hash} and user_id = ${user}
            and expires_at > hub_time_or_last() returning org_id, app_id, verifier, params, scopes`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        dropExpiredStates: sql`delete from app_states where expires_at <= hub_time_or_last()`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
        providers: (org) =>
          sql<ProviderRow>`select name, client_id, secret, definition from app_providers where org_id = ${org}
          order by name`.pipe(Effect.orDie),
        provider: (org, name) =>
          sql<ProviderRow>`select name, client_id, secret, definition from app_providers
          where org_id = ${org} and name = ${name}`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        putProvider: (org, { at, client_id, definition, name, secret }) =>
          sql`insert into app_providers (org_id, name, client_id, secret, definition, updated_at)
          values (${org}, ${name}, ${client_id}, ${secret}, ${definition}, ${at})
          on conflict (org_id, name) do update set client_id = excluded.client_id, secret = excluded.secret,
            definition = excluded.definition, updated_at = excluded.updated_at`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        connectedTo: (org, provider) =>
          sql<{ id: string }>`select id from apps
          where org_id = ${org} and provider = ${provider} and status = 'connected' order by id`.pipe(
            Effect.map((rows) => rows.map(({ id }) => id)),
            Effect.orDie
          ),
        ofUser: (org, user) =>
          sql<AppRow>`select ${columns} from apps where org_id = ${org} and user_id = ${user} order by id`.pipe(
            Effect.orDie
          ),
        transfer: (org, id, to) =>
          sql`update apps set user_id = ${to}, updated_at = hub_time_or_last()
          where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}
