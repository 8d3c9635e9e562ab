/**
 * Pure rules of connected apps: addresses and hosts of definitions, due times of renewals, and the app that a call
 * uses. Spec: reference/apps.md "Definitions", "Renewal", "Services".
 */
import type { AppDefinition, AppStatus, AppVisibility } from "@countersign/domain/apps"
import type { Detail } from "@countersign/domain/errors"
import { dottedPath } from "@countersign/domain/json"
import { parsePointer } from "@countersign/domain/pointer"
import { Result } from "effect"
import { isListed, portOf, urlProblem, type UrlRules } from "../providers/egress-rules.ts"

const place = /\{([A-Za-z][A-Za-z0-9_.-]{0,63})\}/g
/** A value of a place in a URL: the characters of a host or a path segment. */
const placeValue = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,198}[A-Za-z0-9])?$/

/** Set by the hub in the query of the sign-in page. */
const ownParameters: ReadonlySet<string> = new Set([
  "client_id",
  "client_secret",
  "code",
  "code_challenge",
  "code_challenge_method",
  "redirect_uri",
  "response_mode",
  "response_type",
  "scope",
  "state"
])

const urlsOf = (definition: AppDefinition): ReadonlyArray<readonly [path: string, url: string]> => [
  ["authorize_url", definition.authorize_url],
  ["token_url", definition.token_url],
  ...definition.revoke === undefined ? [] : [["revoke.url", definition.revoke.url] as const],
  ...Object.entries(definition.capture ?? {}).flatMap(([name, source]) =>
    typeof source === "string" ? [] : [[`capture.${name}.url`, source.url] as const]
  )
]

/** The names in `{…}` of the definition's URLs, without the client's id. */
export const placesOf = (definition: AppDefinition): ReadonlySet<string> =>
  new Set(
    urlsOf(definition).flatMap(([, url]) => [...url.matchAll(place)].map(([, name = ""]) => name)).filter((name) =>
      name !== "client_id"
    )
  )

/** A URL with the values of its places. */
export const filledUrl = (url: string, values: Readonly<Record<string, string>>): string =>
  url.replace(place, (whole, name: string) => Object.hasOwn(values, name) ? encodeURIComponent(values[name]!) : whole)

/** Whether tokens may be sent to a URL's host. A host without a port means the scheme's own port. */
export const coversHost = (hosts: ReadonlyArray<string>, url: URL): boolean => {
  const port = String(portOf(url))
  const own = url.protocol === "https:" ? "443" : "80"
  return hosts.some((entry) => {
    const [, host = "", listed = own] = /^(.*?)(?::(\d{1,5}))?$/.exec(entry) ?? []
    const name = url.hostname.toLowerCase()
    if (listed !== port) return false
    return host.startsWith("*.") ? name.endsWith(host.slice(1)) && name.length > host.length - 1 : name === host
  })
}

/** Why a token may not be sent to a URL; undefined when it may. */
export const destinationProblem = (
  hosts: ReadonlyArray<string>,
  text: string,
  rules: UrlRules
): string | undefined => {
  const problem = urlProblem(text, rules)
  if (problem !== undefined) return problem
  const url = new URL(text)
  // On an address of the operator, a host without a port means every port, as in HUB_EGRESS_ALLOW.
  return coversHost(hosts, url) || isListed(rules.allow, url) && hosts.includes(url.hostname)
    ? undefined
    : `Tokens are not sent to ${url.host}: the provider's hosts do not list it.`
}

/** Whether a place is in the host of a URL, so that its value decides who gets the client's secret. */
const hasOpenHost = (url: string): boolean => /^[a-z]+:\/\/[^/?#]*\{/i.test(url)

/** Every problem of a definition that its schema cannot express, paths below `at`. */
export const definitionProblems = (definition: AppDefinition, rules: UrlRules, at = ""): ReadonlyArray<Detail> => {
  const places = placesOf(definition)
  const values = { ...definition.params, client_id: "id" }
  const refuse = (path: string, message: string): Detail => ({ path: dottedPath(at, path), message })
  const pointers = [
    ...Object.entries(definition.pointers ?? {}).map(([name, pointer]) => [`pointers.${name}`, pointer] as const),
    ...Object.entries(definition.capture ?? {}).map(([name, source]) =>
      typeof source === "string"
        ? [`capture.${name}`, source] as const
        : [`capture.${name}.pointer`, source.pointer] as const
    )
  ]
  return [
    ...urlsOf(definition).flatMap(([path, url]) => {
      const missing = [...url.matchAll(place)].map(([, name = ""]) => name).filter((name) =>
        name !== "client_id" && definition.params?.[name] === undefined
      )
      if (missing.length > 0) return [refuse(path, `{${missing[0]}} has no default in params.`)]
      const filled = filledUrl(url, values)
      const problem = path.startsWith("capture.")
        ? destinationProblem(definition.hosts, filled, rules)
        : urlProblem(filled, rules)
      if (problem !== undefined) return [refuse(path, problem)]
      return hasOpenHost(url) && !coversHost(definition.hosts, new URL(filled))
        ? [refuse(path, "A parameter in the host is allowed only if hosts lists the result.")]
        : []
    }),
    ...Object.entries(definition.params ?? {}).flatMap(([name, value]) =>
      ownParameters.has(name)
        ? [refuse(`params.${name}`, "The hub sets this parameter.")]
        : places.has(name) && !placeValue.test(value)
        ? [refuse(`params.${name}`, "Use letters, digits, dots, - and _.")]
        : []
    ),
    ...pointers.flatMap(([path, pointer]) => {
      const parsed = parsePointer(pointer)
      return Result.isFailure(parsed) ? [refuse(path, parsed.failure)] : []
    })
  ]
}

/** Why a connection may not set these parameters. */
export const paramsProblems = (
  definition: AppDefinition,
  given: Readonly<Record<string, string>>
): ReadonlyArray<Detail> => {
  const places = placesOf(definition)
  const values = { ...definition.params, ...given }
  const refuse = (name: string, message: string): Detail => ({ path: dottedPath("params", name), message })
  return Object.entries(given).flatMap(([name, value]) => {
    if (ownParameters.has(name)) return [refuse(name, "The hub sets this parameter.")]
    if (!places.has(name)) return []
    if (!placeValue.test(value)) return [refuse(name, "Use letters, digits, dots, - and _.")]
    const open = urlsOf(definition).filter(([, url]) => hasOpenHost(url) && url.includes(`{${name}}`))
    const leaves = open.some(([, url]) => {
      const parsed = URL.parse(filledUrl(url, { ...values, client_id: "id" }))
      return parsed === null || !coversHost(definition.hosts, parsed)
    })
    return leaves ? [refuse(name, "This is not a host of the provider.")] : []
  })
}

export interface SignIn {
  readonly clientId: string
  readonly redirectUri: string
  readonly state: string
  readonly scopes: ReadonlyArray<string>
  readonly params: Readonly<Record<string, string>>
  /** The S256 challenge; absent without PKCE. */
  readonly challenge?: string
}

/** The address of the provider's sign-in page. */
export const authorizeUrl = (definition: AppDefinition, signIn: SignIn): string => {
  const values = { ...definition.params, ...signIn.params }
  const places = placesOf(definition)
  const url = new URL(filledUrl(definition.authorize_url, { ...values, client_id: signIn.clientId }))
  for (const [name, value] of Object.entries(values)) if (!places.has(name)) url.searchParams.set(name, value)
  url.searchParams.set("response_type", "code")
  url.searchParams.set("client_id", signIn.clientId)
  url.searchParams.set("redirect_uri", signIn.redirectUri)
  url.searchParams.set("state", signIn.state)
  if (signIn.scopes.length > 0) {
    url.searchParams.set("scope", signIn.scopes.join(definition.scopes?.separator ?? " "))
  }
  if (signIn.challenge !== undefined) {
    url.searchParams.set("code_challenge", signIn.challenge)
    url.searchParams.set("code_challenge_method", "S256")
  }
  return url.href
}

const renewBeforeSecondsMax = 300
const daySeconds = 86_400

/** How long before its expiry a token is renewed: a tenth of its life, five minutes at most. */
export const renewalMarginSeconds = (lifetimeSeconds: number): number =>
  Math.min(renewBeforeSecondsMax, Math.ceil(lifetimeSeconds / 10))

/** Seconds from now until tokens are renewed without a call; undefined: never. */
export const renewalSeconds = (
  lifetimeSeconds: number | undefined,
  keepaliveDays: number | undefined
): number | undefined => {
  const due = [
    ...lifetimeSeconds === undefined ? [] : [Math.max(0, lifetimeSeconds - renewalMarginSeconds(lifetimeSeconds))],
    ...keepaliveDays === undefined ? [] : [keepaliveDays * daySeconds / 2]
  ]
  return due.length === 0 ? undefined : Math.min(...due)
}

export interface Candidate {
  readonly id: string
  readonly provider: string
  readonly user_id: string
  readonly status: AppStatus
  readonly visibility: AppVisibility
}

export interface Caller {
  /** The person who owns the agent. */
  readonly owner: string | null
  /** The app of the agent's binding. */
  readonly bound: string | null
}

/** Whether the agents of a person may use an app. */
export const mayUse = (owner: string | null, app: Candidate): boolean =>
  app.visibility === "workspace" || app.user_id === owner

/**
 * The app that a call uses: the one that the service names; otherwise, for a provider, the binding's, the newest of the
 * agent's owner, or the only shared one. Undefined: none that is connected and may be used.
 */
export const chooseApp = <A extends Candidate>(
  reference: string,
  apps: ReadonlyArray<A>,
  { bound, owner }: Caller
): A | undefined => {
  const usable = apps.filter((app) => app.status === "connected" && mayUse(owner, app))
  const named = usable.find(({ id }) => id === reference)
  if (named !== undefined) return named
  const ofProvider = usable.filter(({ provider }) => provider === reference)
  if (bound !== null) return ofProvider.find(({ id }) => id === bound)
  const own = ofProvider.filter(({ user_id }) => user_id === owner).sort((one, other) => one.id < other.id ? 1 : -1)
  if (own[0] !== undefined) return own[0]
  const shared = ofProvider.filter(({ visibility }) => visibility === "workspace")
  return shared.length === 1 ? shared[0] : undefined
}
