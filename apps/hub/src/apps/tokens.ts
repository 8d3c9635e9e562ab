/**
 * The tokens of connected apps: opened for a call, renewed under a lease by one hub at a time, never cached. Spec:
 * reference/apps.md "Renewal", "Services".
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Metric, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { MasterKey } from "../platform/master-key.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { open, seal } from "../platform/sealed.ts"
import { appRenewals } from "../platform/telemetry.ts"
import type { AppAccess } from "../providers/adapter.ts"
import { Egress } from "../providers/egress.ts"
import { readTokenAnswer, refreshCall, revokeCall, type Tokens } from "./oauth.ts"
import { AppProviders, clientOf, type Provider } from "./providers.ts"
import { AppsRepository, type ServiceCall, type StoredTokens, type TokenRow } from "./repository.ts"
import { chooseApp, destinationProblem, renewalSeconds } from "./rules.ts"

/** Longer than a renewal takes; a killed hub's lease ends after it. */
const leaseSeconds = 30
/** How long a call waits for another's renewal once the current token has expired. */
const waitMillisMax = 15_000
const waitStepMillis = 200
/** After a renewal that the provider did not answer. */
const retrySeconds = 60

export type Renewal =
  /** The tokens are new, by this renewal or another. */
  | { readonly kind: "current"; readonly row: TokenRow }
  /** Not connected any more, or without a refresh token, or the provider rejected it. */
  | { readonly kind: "ended" }
  | { readonly kind: "no_refresh_token" }
  /** Another hub renews it, and does not end. */
  | { readonly kind: "busy" }
  | { readonly kind: "unreachable"; readonly detail: string; readonly isTimeout: boolean }

export type SealedTokens = Pick<TokenRow, "id" | "org_id" | "access_token" | "refresh_token">

export const tokenPlace = (org: OrgId, app: string, kind: "access" | "refresh" | "verifier") =>
  [org, app, kind] as const

export class AppTokens extends Context.Service<AppTokens, {
  /** The app of a call, with a token that has not expired. */
  readonly access: (call: ServiceCall) => Effect.Effect<AppAccess>
  /** Renews the tokens, unless they are newer than `version`. Of several callers one calls the provider. */
  readonly renew: (org: OrgId, id: string, version: number) => Effect.Effect<Renewal>
  /** Seals the tokens of an answer, with the times of their expiry and renewal. `hasRefresh`: a refresh token is stored. */
  readonly sealed: (
    org: OrgId,
    app: string,
    provider: Provider,
    tokens: Tokens,
    hasRefresh: boolean
  ) => StoredTokens
  /** Both tokens in clear, for their revocation. */
  readonly opened: (row: SealedTokens) => { readonly access: string; readonly refresh: string | undefined }
}>()("@countersign/hub/apps/AppTokens") {
  static readonly layer = Layer.effect(
    AppTokens,
    Effect.gen(function*() {
      const repository = yield* AppsRepository
      const providers = yield* AppProviders
      const egress = yield* Egress
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const { key } = yield* MasterKey
      const scope = yield* Effect.scope

      const opened = (row: SealedTokens) => ({
        access: open(Redacted.value(key), row.access_token, tokenPlace(row.org_id, row.id, "access")),
        refresh: row.refresh_token === null
          ? undefined
          : open(Redacted.value(key), row.refresh_token, tokenPlace(row.org_id, row.id, "refresh"))
      })

      const sealed = (
        org: OrgId,
        app: string,
        { definition }: Provider,
        { access, lifetimeSeconds, refresh }: Tokens,
        hasRefresh: boolean
      ): StoredTokens => ({
        access: seal(Redacted.value(key), access, tokenPlace(org, app, "access")),
        refresh: refresh === undefined
          ? undefined
          : seal(Redacted.value(key), refresh, tokenPlace(org, app, "refresh")),
        lifetimeSeconds,
        renewalSeconds: hasRefresh || refresh !== undefined
          ? renewalSeconds(lifetimeSeconds, definition.keepalive_days)
          : undefined
      })

      /** False when the tokens were replaced meanwhile. */
      const reject = Effect.fnUntraced(function*(row: TokenRow, reason: string) {
        yield* heads.lock(row.org_id)
        const note = `The provider no longer accepts the sign-in (${reason}). Sign in again.`
        if (!(yield* repository.reject(row.org_id, row.id, row.version, note))) return false
        yield* audit.record(row.org_id, hubActor, {
          action: "app.needs_reauth",
          subject: { type: "app", id: row.id },
          data: { provider: row.provider, reason }
        })
        return true
      }, db.transaction)

      const newest = (row: TokenRow) =>
        Effect.map(
          repository.tokens(row.org_id, row.id),
          (now): Renewal =>
            Option.isSome(now) && now.value.version > row.version
              ? { kind: "current", row: now.value }
              : { kind: "ended" }
        )

      /** The provider may use a refresh token up, so a started call is not interrupted before its answer is stored. */
      const perform = Effect.fnUntraced(function*(row: TokenRow, refresh: string, lease: string) {
        const release = repository.release(row.org_id, row.id, lease, retrySeconds)
        const failed = (detail: string, isTimeout = false) =>
          Effect.as(release, { kind: "unreachable", detail, isTimeout } satisfies Renewal as Renewal)
        const provider = Option.getOrUndefined(yield* providers.find(row.org_id, row.provider))
        const client = provider === undefined ? undefined : clientOf(provider)
        if (provider === undefined || client === undefined) {
          return yield* failed(`The provider "${row.provider}" has no OAuth client.`)
        }
        const params = JSON.parse(row.params) as Record<string, string>
        const answer = yield* Effect.result(
          egress.request(refreshCall(provider.definition, client, refresh, params))
        )
        if (answer._tag === "Failure") {
          return yield* failed(
            `${provider.title} could not be reached: ${answer.failure.message}.`,
            answer.failure._tag === "UpstreamTimeout"
          )
        }
        const read = readTokenAnswer(provider.definition, answer.success)
        switch (read.kind) {
          case "tokens": {
            const tokens = sealed(row.org_id, row.id, provider, read.tokens, true)
            if (yield* repository.store(row.org_id, row.id, { version: row.version, lease }, tokens)) {
              return yield* newest(row)
            }
            // The app was disconnected meanwhile, or connected again: nobody would revoke these tokens later.
            const { access, refresh: renewed } = read.tokens
            const call = revokeCall(provider.definition, client, { access, refresh: renewed ?? refresh }, params)
            if (call !== undefined) yield* Effect.ignore(egress.request(call))
            return yield* newest(row)
          }
          case "refused":
            return read.rejected
              ? (yield* reject(row, read.reason)) ? { kind: "ended" } satisfies Renewal : yield* newest(row)
              : yield* failed(`${provider.title} refused to renew the token (${read.reason}).`)
          case "invalid":
            return yield* failed(`${provider.title} did not renew the token: ${read.reason}.`)
        }
      }, Effect.uninterruptible)

      const renew = Effect.fn("AppTokens.renew")(function*(
        org: OrgId,
        id: string,
        version: number
      ): Effect.fn.Return<Renewal> {
        for (let waited = 0;; waited += waitStepMillis) {
          const row = Option.getOrUndefined(yield* repository.tokens(org, id))
          if (row === undefined) return { kind: "ended" }
          if (row.version > version) return { kind: "current", row }
          const { refresh } = opened(row)
          if (refresh === undefined) return { kind: "no_refresh_token" }
          const lease = randomUUID()
          if (yield* repository.claim(org, id, row.version, lease, leaseSeconds)) {
            const renewal = yield* perform(row, refresh, lease)
            yield* Metric.update(Metric.withAttributes(appRenewals, { result: renewal.kind }), 1)
            return renewal
          }
          if (waited >= waitMillisMax) return { kind: "busy" }
          yield* Effect.sleep(waitStepMillis)
        }
      })

      const missing = (detail: string): AppAccess => ({ kind: "missing", detail })

      const renewing = new Set<string>()
      /** Once at a time in this hub, without waiting for it. */
      const renewBehind = Effect.fnUntraced(function*({ id, org_id, version }: TokenRow) {
        if (renewing.has(id)) return
        renewing.add(id)
        yield* Effect.forkIn(
          Effect.ensuring(renew(org_id, id, version), Effect.sync(() => renewing.delete(id))),
          scope
        )
      })

      /** The tokens for a call. Current ones are used until they expire: a slow token endpoint delays no call. */
      const usable = Effect.fnUntraced(function*(row: TokenRow): Effect.fn.Return<TokenRow | AppAccess> {
        if (!row.expired) {
          if (row.renewal_due && !row.leased) yield* renewBehind(row)
          return row
        }
        const renewal = yield* renew(row.org_id, row.id, row.version)
        switch (renewal.kind) {
          case "current":
            return renewal.row
          case "ended":
            return missing(`The connected app of "${row.provider}" needs a new sign-in.`)
          case "no_refresh_token":
            yield* reject(row, "expired")
            return missing(`The connected app of "${row.provider}" has expired and needs a new sign-in.`)
          case "busy":
          case "unreachable":
            return {
              kind: "unavailable",
              detail: renewal.kind === "busy"
                ? "The token of the connected app is being renewed. Try again."
                : renewal.detail
            }
        }
      })

      const access = Effect.fn("AppTokens.access")(function*(
        call: ServiceCall
      ): Effect.fn.Return<AppAccess> {
        const { org, reference, service } = call
        const { apps, caller } = yield* repository.candidates(call)
        const app = chooseApp(reference, apps, caller)
        const stored = app === undefined ? Option.none() : yield* repository.tokens(org, app.id)
        const provider = app === undefined
          ? undefined
          : Option.getOrUndefined(yield* providers.find(org, app.provider))
        if (Option.isNone(stored) || provider === undefined) {
          return missing(
            `The service "${service}" needs a connected app of "${reference}", and the agent may use none.`
          )
        }
        const row = yield* usable(stored.value)
        if ("kind" in row) return row
        yield* repository.touch(org, row.id)
        return {
          kind: "ready",
          token: opened(row).access,
          values: JSON.parse(row.captured) as Record<string, string>,
          problemOf: (url) => destinationProblem(provider.definition.hosts, url, providers.urlRules),
          renewed: Effect.map(
            renew(org, row.id, row.version),
            (renewal) => renewal.kind === "current" ? opened(renewal.row).access : undefined
          )
        }
      })

      return AppTokens.of({ access, renew, sealed, opened })
    })
  )
}
