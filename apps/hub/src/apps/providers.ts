/** Providers of connected apps: shipped definitions, those of a workspace, and their OAuth clients. */
import { hasOwnHost, sampleBaseUrl } from "@countersign/domain/app-base-url"
import type { AppDefinition, AppProvider, ShippedApp } from "@countersign/domain/apps"
import type { Detail } from "@countersign/domain/errors"
import { idPattern, type OrgId } from "@countersign/domain/ids"
import type { HttpService } from "@countersign/domain/services"
import { capitalized } from "@countersign/domain/text"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "../config.ts"
import { MasterKey } from "../platform/master-key.ts"
import { open } from "../platform/sealed.ts"
import { parseAllowList, type UrlRules } from "../providers/egress-rules.ts"
import type { Client } from "./oauth.ts"
import { AppsRepository, type ProviderRow } from "./repository.ts"
import { destinationProblem, placesOf } from "./rules.ts"
import { shippedApps } from "./shipped.ts"

export interface Provider {
  readonly name: string
  readonly title: string
  readonly definition: AppDefinition
  readonly isShipped: boolean
  readonly client:
    | { readonly source: "workspace" | "hub"; readonly id: string; readonly secret: () => string }
    | undefined
}

const isApp = idPattern("app")

/** The place that a client's secret is sealed for. */
export const secretPlace = (org: OrgId, name: string) => [org, name, "client_secret"] as const

export const clientOf = ({ client }: Provider): Client | undefined =>
  client === undefined ? undefined : { id: client.id, secret: client.secret() }

export class AppProviders extends Context.Service<AppProviders, {
  readonly redirectUri: string
  readonly urlRules: UrlRules
  readonly isShipped: (name: string) => boolean
  /** In order of name. */
  readonly all: (org: OrgId) => Effect.Effect<ReadonlyArray<Provider>>
  readonly find: (org: OrgId, name: string) => Effect.Effect<Option.Option<Provider>>
  readonly view: (provider: Provider) => AppProvider
  /** Why a service may not use the connected app that its `auth` names: no such app, or another host. */
  readonly serviceProblems: (
    org: OrgId,
    service: Pick<HttpService, "auth" | "base_url">
  ) => Effect.Effect<ReadonlyArray<Detail>>
}>()("@countersign/hub/apps/AppProviders") {
  static readonly layer = Layer.effect(
    AppProviders,
    Effect.gen(function*() {
      const repository = yield* AppsRepository
      const { appClients, egressAllow, publicUrl } = yield* Settings
      const { key } = yield* MasterKey
      const redirectUri = `${publicUrl.origin}/api/v1/apps/callback`

      const providerOf = (
        org: OrgId,
        name: string,
        app: ShippedApp | undefined,
        row: ProviderRow | undefined
      ): Provider | undefined => {
        const own = row?.definition ?? null
        const definition = own === null ? app : JSON.parse(own) as AppDefinition
        if (definition === undefined) return undefined
        const setting = appClients.get(name)
        return {
          name,
          title: app?.title ?? capitalized(name.replaceAll(/[-_]/g, " ")),
          definition,
          isShipped: own === null,
          client: row !== undefined
            ? {
              source: "workspace",
              id: row.client_id,
              secret: () => open(Redacted.value(key), row.secret, secretPlace(org, name))
            }
            : setting === undefined
            ? undefined
            : { source: "hub", id: setting.id, secret: () => Redacted.value(setting.secret) }
        }
      }

      const find = (org: OrgId, name: string) =>
        Effect.map(
          repository.provider(org, name),
          (row) => Option.fromNullishOr(providerOf(org, name, shippedApps().get(name), Option.getOrUndefined(row)))
        )
      const urlRules: UrlRules = { allow: parseAllowList(egressAllow.join(",")).entries }

      return AppProviders.of({
        redirectUri,
        urlRules,
        isShipped: (name) => shippedApps().has(name),
        all: Effect.fnUntraced(function*(org) {
          const rows = new Map((yield* repository.providers(org)).map((row) => [row.name, row]))
          const names = [...new Set([...shippedApps().keys(), ...rows.keys()])].sort()
          return names.flatMap((name) => providerOf(org, name, shippedApps().get(name), rows.get(name)) ?? [])
        }),
        find,
        serviceProblems: Effect.fnUntraced(function*(org, { auth, base_url }) {
          const reference = auth?.type === "oauth_app" ? auth.app : undefined
          if (reference === undefined) return []
          const app = isApp.test(reference) ? yield* repository.find(org, reference) : Option.none()
          const provider = yield* find(org, Option.isSome(app) ? app.value.provider : reference)
          if (Option.isNone(provider)) {
            return [{ path: "auth.app", message: `There is no connected app and no provider "${reference}".` }]
          }
          const problem = hasOwnHost(base_url)
            ? destinationProblem(provider.value.definition.hosts, sampleBaseUrl(base_url), urlRules)
            : undefined
          return problem === undefined ? [] : [{ path: "base_url", message: problem }]
        }),
        view: ({ client, definition, isShipped, name, title }) => {
          const places = placesOf(definition)
          return {
            name,
            title,
            shipped: isShipped,
            configured: client !== undefined,
            ...client === undefined ? {} : { client: { source: client.source, client_id: client.id } },
            redirect_uri: redirectUri,
            ...definition.setup_url === undefined ? {} : { setup_url: definition.setup_url },
            default_scopes: definition.scopes?.default ?? [],
            params: Object.fromEntries(
              Object.entries(definition.params ?? {}).filter(([parameter]) => places.has(parameter))
            ),
            hosts: definition.hosts
          }
        }
      })
    })
  )
}
