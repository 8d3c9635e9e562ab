/** Connected apps of a workspace, for its people. Spec: reference/apps.md "App", "Connecting", "Disconnecting". */
import {
  type App,
  type AppProvider,
  appsMax,
  appStateSeconds,
  type CreateAppInput,
  providersMax,
  type PutProviderInput,
  type StartedApp,
  type UpdateAppInput
} from "@countersign/domain/apps"
import { rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  conflict,
  forbidden,
  invalidField,
  invalidRequest,
  notFound,
  upstreamError,
  upstreamTimeout
} from "@countersign/domain/errors"
import { type AppId, newId, type OrgId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { maySeeOf, ownerFilter, seesOwnOnly } from "../auth/own.ts"
import { MembersRepository } from "../members/repository.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { MasterKey } from "../platform/master-key.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { open, seal } from "../platform/sealed.ts"
import { Egress } from "../providers/egress.ts"
import {
  capturedText,
  challengeOf,
  exchangeCall,
  newState,
  newVerifier,
  readTokenAnswer,
  stateHash,
  tokenAnswerBytesMax,
  tokenCallMillis,
  type Tokens
} from "./oauth.ts"
import { AppProviders, clientOf, type Provider, secretPlace } from "./providers.ts"
import { type AppRow, AppsRepository, type StateRow } from "./repository.ts"
import { AppRevocationsRepository } from "./revocations-repository.ts"
import { AppRevocations } from "./revocations.ts"
import { authorizeUrl, definitionProblems, filledUrl, paramsProblems } from "./rules.ts"
import { AppTokens, tokenPlace } from "./tokens.ts"

/** A disconnect makes the first attempt to revoke the tokens at once; after it, or if the hub is killed, others follow. */
const retrySeconds = 60

export const stateMismatch = forbidden(
  "This sign-in was not started by you in this browser, was already used, or has expired. Start again in the console.",
  undefined,
  "state_mismatch"
)

export interface Callback {
  readonly state?: string
  readonly code?: string
  readonly error?: string
}

export class Apps extends Context.Service<Apps, {
  readonly list: (
    user: UserPrincipal,
    query: PageQuery
  ) => Effect.Effect<PageOf<App>, ApiError>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<App, ApiError>
  readonly providers: (user: UserPrincipal) => Effect.Effect<PageOf<AppProvider>>
  readonly putProvider: (
    user: UserPrincipal,
    name: string,
    input: PutProviderInput
  ) => Effect.Effect<AppProvider, ApiError>
  readonly create: (user: UserPrincipal, input: CreateAppInput) => Effect.Effect<StartedApp, ApiError>
  readonly reconnect: (user: UserPrincipal, id: string) => Effect.Effect<StartedApp, ApiError>
  /** Ends a sign-in; the workspace and the app are those of the state. */
  readonly callback: (
    user: UserPrincipal,
    query: Callback
  ) => Effect.Effect<{ readonly org: OrgId; readonly app: string; readonly connected: boolean }, ApiError>
  readonly update: (user: UserPrincipal, id: string, input: UpdateAppInput) => Effect.Effect<App, ApiError>
  readonly refresh: (user: UserPrincipal, id: string) => Effect.Effect<App, ApiError>
  readonly revoke: (user: UserPrincipal, id: string) => Effect.Effect<App, ApiError>
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/apps/Apps") {
  static readonly layer = Layer.effect(
    Apps,
    Effect.gen(function*() {
      const repository = yield* AppsRepository
      const providers = yield* AppProviders
      const tokens = yield* AppTokens
      const revocations = yield* AppRevocationsRepository
      const attempts = yield* AppRevocations
      const members = yield* MembersRepository
      const egress = yield* Egress
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const { key } = yield* MasterKey

      const seen = Effect.fnUntraced(function*(user: UserPrincipal, id: string): Effect.fn.Return<AppRow, ApiError> {
        const row = Option.filter(
          yield* repository.find(user.org_id, id),
          (app) => app.visibility === "workspace" || maySeeOf(user, app.user_id)
        )
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("app"))
      })
      const managed = Effect.fnUntraced(function*(user: UserPrincipal, id: string): Effect.fn.Return<AppRow, ApiError> {
        const row = yield* seen(user, id)
        return row.user_id === user.user_id || !seesOwnOnly(user.role)
          ? row
          : yield* Effect.fail(forbidden("Only the person who connected the app, or an admin, can change it."))
      })
      const view = (org: OrgId, id: string) =>
        Effect.flatMap(
          repository.find(org, id),
          (row) => Option.isSome(row) ? Effect.succeed(toApp(row.value)) : Effect.fail(notFound("app"))
        )

      const usableProvider = Effect.fnUntraced(function*(
        org: OrgId,
        name: string
      ): Effect.fn.Return<Provider, ApiError> {
        const provider = Option.getOrUndefined(yield* providers.find(org, name))
        if (provider === undefined) {
          return yield* Effect.fail(invalidField("provider", `there is no provider "${name}"`))
        }
        if (provider.client === undefined) {
          return yield* Effect.fail(
            conflict(
              "app_not_configured",
              `${provider.title} has no OAuth client yet. A person with workspace:write can set one under Apps.`
            )
          )
        }
        return provider
      })

      /** Stores a new state of the app and returns the address of the sign-in. Runs in the caller's transaction. */
      const begin = Effect.fnUntraced(function*(
        user: UserPrincipal,
        provider: Provider,
        app: { readonly id: string; readonly params: string; readonly scopes: ReadonlyArray<string> }
      ) {
        const state = newState()
        const verifier = newVerifier()
        yield* repository.putState({
          hash: stateHash(state),
          org_id: user.org_id,
          app_id: app.id,
          user_id: user.user_id,
          verifier: seal(Redacted.value(key), verifier, tokenPlace(user.org_id, app.id, "verifier")),
          params: app.params,
          scopes: app.scopes,
          seconds: appStateSeconds
        })
        return authorizeUrl(provider.definition, {
          clientId: provider.client?.id ?? "",
          redirectUri: providers.redirectUri,
          state,
          scopes: app.scopes,
          params: JSON.parse(app.params) as Record<string, string>,
          ...provider.definition.pkce === false ? {} : { challenge: challengeOf(verifier) }
        })
      })

      const create = Effect.fn("Apps.create")(function*(user: UserPrincipal, input: CreateAppInput) {
        const org = user.org_id
        const provider = yield* usableProvider(org, input.provider)
        const problems = paramsProblems(provider.definition, input.params ?? {})
        if (problems.length > 0) {
          return yield* Effect.fail(invalidRequest(problemsSentence("The app", problems), problems))
        }
        yield* members.stays(org, user.user_id)
        const at = yield* heads.lock(org)
        if ((yield* repository.count(org)) >= appsMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A workspace can have ${appsMax} connected apps; delete one first.`)
          )
        }
        const id = newId("app") as AppId
        const app = {
          id,
          org_id: org,
          user_id: user.user_id,
          provider: provider.name,
          name: input.name ?? provider.title,
          visibility: input.visibility ?? "private",
          scopes: [...new Set(input.scopes ?? provider.definition.scopes?.default ?? [])],
          params: JSON.stringify(input.params ?? {}),
          created_at: at
        } as const
        yield* repository.insert(app)
        const authorize_url = yield* begin(user, provider, app)
        yield* audit.record(org, actorOf(user), {
          action: "app.created",
          subject: { type: "app", id },
          data: { provider: app.provider, name: app.name, visibility: app.visibility, scopes: app.scopes }
        })
        return { ...(yield* view(org, id)), authorize_url }
      }, db.transaction)

      const reconnect = Effect.fn("Apps.reconnect")(function*(user: UserPrincipal, id: string) {
        const row = yield* managed(user, id)
        if (row.user_id !== user.user_id && row.visibility === "private") {
          return yield* Effect.fail(forbidden("Only the person who connected a private app can sign in to it again."))
        }
        const provider = yield* usableProvider(user.org_id, row.provider)
        const authorize_url = yield* begin(user, provider, row)
        return { ...toApp(row), authorize_url }
      }, db.transaction)

      /** What a definition keeps from a new connection, also from addresses that the token opens. */
      const captured = Effect.fnUntraced(function*(
        { client, definition, title }: Provider,
        { access, account, captured: fromAnswer }: Tokens,
        params: string
      ): Effect.fn.Return<
        { readonly account: string | undefined; readonly values: Readonly<Record<string, string>> },
        ApiError
      > {
        const values: Record<string, string> = { ...fromAnswer }
        const places = {
          ...definition.params,
          ...JSON.parse(params) as Record<string, string>,
          client_id: client?.id ?? ""
        }
        for (const [name, source] of Object.entries(definition.capture ?? {})) {
          if (typeof source === "string") {
            if (values[name] === undefined && name !== "account") return yield* Effect.fail(lacks(title, name))
            continue
          }
          const answer = yield* Effect.option(egress.request({
            url: filledUrl(source.url, places),
            method: "GET",
            headers: { accept: "application/json", authorization: `Bearer ${access}` },
            timeoutMs: tokenCallMillis,
            maxBytes: tokenAnswerBytesMax,
            overflow: "fail"
          }))
          const document = Option.isSome(answer) && answer.value.status === 200
            ? capturedDocument(answer.value.body)
            : undefined
          const value = document === undefined ? undefined : capturedText(document, source.pointer)
          if (value !== undefined) values[name] = value
          else if (name !== "account") return yield* Effect.fail(lacks(title, name))
        }
        const { account: named, ...rest } = values
        return { account: account ?? named, values: rest }
      })

      const exchange = Effect.fnUntraced(function*(
        provider: Provider,
        { app_id, org_id, params, verifier }: StateRow,
        code: string
      ): Effect.fn.Return<Tokens, ApiError> {
        const client = clientOf(provider)
        if (client === undefined) return yield* Effect.fail(stateMismatch)
        const answer = yield* egress.request(exchangeCall(provider.definition, client, {
          code,
          redirectUri: providers.redirectUri,
          verifier: open(Redacted.value(key), verifier, tokenPlace(org_id, app_id, "verifier")),
          params: JSON.parse(params) as Record<string, string>
        })).pipe(Effect.mapError((error) =>
          error._tag === "UpstreamTimeout"
            ? upstreamTimeout(`${provider.title} did not answer in time. Start the connection again.`)
            : upstreamError(`${provider.title} could not be reached: ${error.message}. Start the connection again.`)
        ))
        const read = readTokenAnswer(provider.definition, answer)
        return read.kind === "tokens"
          ? read.tokens
          : yield* Effect.fail(upstreamError(
            read.kind === "refused"
              ? `${provider.title} refused the sign-in (${read.reason}). Start the connection again.`
              : `${provider.title} did not give a token: ${read.reason}. Start the connection again.`
          ))
      })

      const connect = Effect.fnUntraced(function*(
        user: UserPrincipal,
        provider: Provider,
        state: StateRow,
        given: Tokens,
        kept: { readonly account: string | undefined; readonly values: Readonly<Record<string, string>> }
      ) {
        const { app_id: id, org_id: org } = state
        const role = yield* members.roleOf(org, user.user_id)
        if (role === undefined || !rolePermissions[role].has("apps:write")) return yield* Effect.fail(stateMismatch)
        yield* heads.lock(org)
        const app = Option.getOrUndefined(yield* repository.find(org, id))
        if (app === undefined) return yield* Effect.fail(stateMismatch)
        const scopes = given.scopes ?? state.scopes
        // Some providers end the whole grant: a late revocation would end this one.
        yield* revocations.remove(org, id)
        yield* repository.connect(org, id, {
          ...tokens.sealed(org, id, provider, given, false),
          scopes,
          account: kept.account,
          captured: JSON.stringify(kept.values)
        })
        yield* audit.record(org, actorOf(user), {
          action: "app.connected",
          subject: { type: "app", id },
          data: {
            provider: app.provider,
            scopes,
            ...kept.account === undefined ? {} : { account: kept.account }
          }
        })
      }, db.transaction)

      const callback = Effect.fn("Apps.callback")(function*(user: UserPrincipal, { code, error, state }: Callback) {
        const taken = state === undefined
          ? undefined
          : Option.getOrUndefined(yield* repository.takeState(stateHash(state), user.user_id))
        if (taken === undefined) return yield* Effect.fail(stateMismatch)
        const { app_id: app, org_id: org } = taken
        if (error !== undefined) return { org, app, connected: false }
        if (code === undefined || code === "") return yield* Effect.fail(invalidField("code", "it is missing"))
        const row = Option.getOrUndefined(yield* repository.find(org, app))
        const provider = row === undefined
          ? undefined
          : Option.getOrUndefined(yield* providers.find(org, row.provider))
        if (provider === undefined) return yield* Effect.fail(stateMismatch)
        // A code is valid once: its tokens are stored even if the browser goes away.
        return yield* Effect.uninterruptible(Effect.gen(function*() {
          const given = yield* exchange(provider, taken, code)
          yield* connect(user, provider, taken, given, yield* captured(provider, given, taken.params))
          return { org, app, connected: true }
        }))
      })

      const update = Effect.fn("Apps.update")(function*(user: UserPrincipal, id: string, input: UpdateAppInput) {
        const org = user.org_id
        const at = yield* heads.lock(org)
        const row = yield* managed(user, id)
        if (input.visibility === "workspace" && row.visibility === "private" && row.user_id !== user.user_id) {
          return yield* Effect.fail(forbidden("Only the person who connected a private app can share it."))
        }
        if (Object.keys(input).length === 0) return toApp(row)
        const change = { name: input.name ?? row.name, visibility: input.visibility ?? row.visibility }
        yield* repository.update(org, id, { ...change, at })
        yield* audit.record(org, actorOf(user), {
          action: "app.updated",
          subject: { type: "app", id },
          data: { fields: Object.keys(input), ...change }
        })
        return yield* view(org, id)
      }, db.transaction)

      const recordRefresh = Effect.fnUntraced(function*(user: UserPrincipal, row: AppRow) {
        yield* audit.record(user.org_id, actorOf(user), {
          action: "app.refreshed",
          subject: { type: "app", id: row.id },
          data: { provider: row.provider }
        })
      }, db.transaction)

      const refresh = Effect.fn("Apps.refresh")(function*(user: UserPrincipal, id: string) {
        const row = yield* managed(user, id)
        const now = Option.getOrUndefined(yield* repository.tokens(user.org_id, id))
        if (now === undefined) {
          return yield* Effect.fail(conflict("app_not_connected", "The app is not connected. Sign in again."))
        }
        const renewal = yield* tokens.renew(user.org_id, id, now.version)
        switch (renewal.kind) {
          case "current":
            yield* recordRefresh(user, row)
            return yield* view(user.org_id, id)
          case "ended":
            return yield* Effect.fail(
              conflict("app_not_connected", "The provider no longer accepts the sign-in. Sign in again.")
            )
          case "no_refresh_token":
            return yield* Effect.fail(
              conflict("app_not_connected", "The provider gave no refresh token. Sign in again to renew the access.")
            )
          case "busy":
            return yield* Effect.fail(
              upstreamTimeout("The token is being renewed and the provider is slow. Try again.")
            )
          case "unreachable":
            return yield* Effect.fail(
              renewal.isTimeout ? upstreamTimeout(renewal.detail) : upstreamError(renewal.detail)
            )
        }
      })

      /** Deletes the tokens under the lock, so that no later call uses them, and keeps them for their revocation. */
      const disconnect = Effect.fnUntraced(function*(user: UserPrincipal, id: string) {
        const org = user.org_id
        yield* heads.lock(org)
        const row = yield* managed(user, id)
        if (row.status !== "revoked") {
          // The caller makes the first attempt.
          yield* revocations.keep(org, id, { delaySeconds: retrySeconds, note: null })
          yield* repository.end(org, id, "revoked", null)
          yield* audit.record(org, actorOf(user), {
            action: "app.revoked",
            subject: { type: "app", id },
            data: { provider: row.provider }
          })
        }
        return row
      }, db.transaction)

      const revoke = Effect.fn("Apps.revoke")(function*(user: UserPrincipal, id: string) {
        yield* disconnect(user, id)
        yield* attempts.attempt(user.org_id, id)
        return yield* view(user.org_id, id)
      })

      const forget = Effect.fnUntraced(function*(user: UserPrincipal, row: AppRow) {
        yield* heads.lock(user.org_id)
        yield* repository.remove(user.org_id, row.id)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "app.deleted",
          subject: { type: "app", id: row.id },
          data: { provider: row.provider, name: row.name }
        })
      }, db.transaction)

      const putProvider = Effect.fn("Apps.putProvider")(function*(
        user: UserPrincipal,
        name: string,
        input: PutProviderInput
      ) {
        const org = user.org_id
        if (input.definition === undefined && !providers.isShipped(name)) {
          return yield* Effect.fail(
            invalidField("definition", `the hub does not ship a provider "${name}", so it needs a definition`)
          )
        }
        const problems = input.definition === undefined
          ? []
          : definitionProblems(input.definition, providers.urlRules, "definition")
        if (problems.length > 0) {
          return yield* Effect.fail(invalidRequest(problemsSentence("The provider", problems), problems))
        }
        const at = yield* heads.lock(org)
        const before = Option.getOrUndefined(yield* providers.find(org, name))
        if (before === undefined && (yield* repository.providers(org)).length >= providersMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A workspace can set up ${providersMax} providers of apps.`)
          )
        }
        yield* repository.putProvider(org, {
          name,
          client_id: input.client_id,
          secret: seal(Redacted.value(key), input.client_secret, secretPlace(org, name)),
          definition: input.definition === undefined ? null : JSON.stringify(input.definition),
          at
        })
        const after = Option.getOrUndefined(yield* providers.find(org, name))
        if (after === undefined) return yield* Effect.die("a provider that was stored does not exist")
        // The tokens belong to the earlier client, and may go to the earlier hosts only.
        const isOther = before !== undefined && (
          before.client?.id !== after.client?.id ||
          canonicalize(before.definition) !== canonicalize(after.definition)
        )
        const ended = isOther ? yield* repository.connectedTo(org, name) : []
        for (const id of ended) {
          yield* repository.end(org, id, "needs_reauth", "The provider was set up again. Sign in again.")
          yield* audit.record(org, actorOf(user), {
            action: "app.needs_reauth",
            subject: { type: "app", id },
            data: { provider: name, reason: "provider_changed" }
          })
        }
        yield* audit.record(org, actorOf(user), {
          action: "app_provider.updated",
          subject: { type: "app_provider", id: name },
          data: {
            client_id: input.client_id,
            own_definition: input.definition !== undefined,
            hosts: after.definition.hosts
          }
        })
        return providers.view(after)
      }, db.transaction)

      return Apps.of({
        list: Effect.fn("Apps.list")(function*(user, query) {
          const [after] = (yield* decodeCursor(query.cursor, [/^app_[0-9a-z]{26}$/])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.list(
            user.org_id,
            ownerFilter(user),
            after,
            (query.limit ?? pageLimitDefault) + 1
          )
          const page = toPage(rows, query.limit, ({ id }) => [id])
          return { data: page.data.map(toApp), next_cursor: page.next_cursor, as_of }
        }),
        get: Effect.fn("Apps.get")(function*(user, id) {
          return toApp(yield* seen(user, id))
        }),
        providers: Effect.fn("Apps.providers")(function*(user) {
          const as_of = yield* audit.asOf(user.org_id)
          return { data: (yield* providers.all(user.org_id)).map(providers.view), next_cursor: null, as_of }
        }),
        putProvider,
        create,
        reconnect,
        callback,
        update,
        refresh,
        revoke,
        remove: Effect.fn("Apps.remove")(function*(user, id) {
          const row = yield* disconnect(user, id)
          yield* attempts.attempt(user.org_id, id)
          yield* forget(user, row)
        })
      })
    })
  )
}

const lacks = (title: string, name: string) =>
  upstreamError(`${title} did not give the value "${name}" that its definition needs. Start the connection again.`)

/** JSON of any kind: some providers answer with a list. */
const capturedDocument = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

export const toApp = (row: AppRow): App => ({
  id: row.id,
  provider: row.provider,
  name: row.name,
  status: row.status,
  scopes: row.scopes,
  visibility: row.visibility,
  owner_user_id: row.user_id,
  ...row.account === null ? {} : { account: row.account },
  ...row.expires_at === null ? {} : { expires_at: row.expires_at.toISOString() },
  ...row.last_used_at === null ? {} : { last_used_at: row.last_used_at.toISOString() },
  ...row.note === null ? {} : { note: row.note },
  created_at: row.created_at.toISOString()
})
