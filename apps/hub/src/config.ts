/**
 * Every setting of a hub, read once. Spec: reference/operation.md "Settings". A missing or wrong one stops the start
 * with a line that names it.
 */
import { isEmail, isNewPassword, passwordLengthMax, passwordLengthMin } from "@countersign/domain/identity"
import { memoriesMaxDefault } from "@countersign/domain/memories"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import ipaddr from "ipaddr.js"
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { createSecureContext, type SecureContextOptions } from "node:tls"
import { parseOrigin } from "./origins.ts"
import { COPY_FILE } from "./platform/postgres/data-directory.ts"
import { memoryDefaultMib, memoryMaxMib, memoryMinMib } from "./platform/postgres/settings.ts"
import { parseAllowList } from "./providers/egress-rules.ts"
import { parseRoleMapping } from "./sso-settings/role-mapping.ts"
import { isPlainAllowed, type OidcSettings } from "./sso-settings/settings.ts"

export interface Bucket {
  /** Tokens a second, and the size of the bucket. */
  readonly perSecond: number
  readonly burst: number
}

/** The OAuth client of a provider of connected apps. */
export interface AppClient {
  readonly id: string
  readonly secret: Redacted.Redacted
}

export interface HubConfig {
  readonly host: string
  readonly port: number
  readonly publicUrl: URL
  readonly dataDir: string
  /** Nothing leaves this hub: it is a copy of a hub that continues to run. */
  readonly paused: boolean
  /** The limit of the shared memory of the embedded PostgreSQL, in MiB. */
  readonly postgresMemoryMib: number
  readonly databaseUrl: Option.Option<Redacted.Redacted>
  readonly masterKey: Option.Option<Redacted.Redacted<Uint8Array>>
  readonly owner: Option.Option<{ readonly email: string; readonly password: Redacted.Redacted }>
  /** Unset: on for an empty embedded hub on loopback whose settings name no owner. */
  readonly demo: Option.Option<boolean>
  readonly egressAllow: ReadonlyArray<string>
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error"
  readonly logFormat: "pretty" | "json"
  /** Whether a person reads the output: secrets are never printed to anything else. */
  readonly terminal: boolean
  readonly rateLimit: {
    readonly agent: Option.Option<Bucket>
    readonly user: Option.Option<Bucket>
    readonly login: Option.Option<Bucket>
    readonly hook: Option.Option<Bucket>
  }
  /**
   * Maximum number of streams, downloads, and polls with `?wait=` that one caller may keep open at a time; none: no
   * limit.
   */
  readonly openCallsPerCaller: Option.Option<number>
  readonly tls: Option.Option<{ readonly cert: string; readonly key: string }>
  /** As browsers send them; `*` allows any. */
  readonly corsOrigins: ReadonlyArray<string>
  readonly trustedProxies: ReadonlyArray<string>
  readonly smtpUrl: Option.Option<Redacted.Redacted>
  readonly mailFrom: Option.Option<string>
  /** The model provider, and the form of its API. */
  readonly llm: Option.Option<{
    readonly baseUrl: string
    readonly apiKey: Option.Option<Redacted.Redacted>
    readonly wire: "openai" | "anthropic"
  }>
  /** For Anthropic's models, beside the provider above. */
  readonly anthropicKey: Option.Option<Redacted.Redacted>
  /** An OpenAI-compatible endpoint in place of the built-in embedder. */
  readonly embeddings: Option.Option<{
    readonly url: URL
    readonly key: Option.Option<Redacted.Redacted>
    readonly model: string
    readonly dimensions: number
    /** Set for a model with variable dimensions: other endpoints do not accept the field. */
    readonly sendsDimensions: boolean
    /** What workspaces pay for a million tokens. */
    readonly centsPerMillionTokens: number
  }>
  /** An OpenAI-compatible endpoint of speech, beside the built-in voices. */
  readonly tts: Option.Option<{ readonly url: URL; readonly key: Option.Option<Redacted.Redacted> }>
  /** Required from clients of `/metrics` that are not on loopback. */
  readonly metricsToken: Option.Option<Redacted.Redacted>
  readonly otlpEndpoint: Option.Option<string>
  /** Payments. Without the key there is no checkout, without the secret its events are 404. */
  readonly stripe: {
    readonly secretKey: Option.Option<Redacted.Redacted>
    readonly webhookSecret: Option.Option<Redacted.Redacted>
    readonly apiBase: URL
    readonly isDefaultBase: boolean
  }
  /** Approvals in Slack. Without the secret, its clicks are 404. */
  readonly slack: { readonly signingSecret: Option.Option<Redacted.Redacted>; readonly apiBase: URL }
  /** Approvals in Discord. Without the key, 32 bytes, its interactions are 404. */
  readonly discord: { readonly publicKey: Option.Option<Uint8Array>; readonly apiBase: URL }
  /** Phone calls: another address of Telnyx's API, and the keys of the status hook, which is 404 without one. */
  readonly voice: {
    readonly apiBase: Option.Option<URL>
    readonly telnyxPublicKey: Option.Option<Uint8Array>
    readonly twilioAuthToken: Option.Option<Redacted.Redacted>
  }
  /** Sign-in by OpenID Connect. */
  readonly oidc: Option.Option<OidcSettings>
  /** `HUB_APP_<PROVIDER>_CLIENT_ID` and `_CLIENT_SECRET`, by provider in lower case with `-` for `_`. */
  readonly appClients: ReadonlyMap<string, AppClient>
  /** Limits in bytes; without `s3` objects are in the data directory. */
  readonly storage: {
    readonly objectBytesMax: number
    readonly workspaceBytesMax: number
    readonly s3: Option.Option<{
      readonly bucket: string
      readonly endpoint: URL
      readonly publicEndpoint: URL
      readonly region: string
      readonly accessKeyId: string
      readonly secretAccessKey: Redacted.Redacted
      readonly pathStyle: boolean
    }>
  }
  /** Memories of one agent. */
  readonly memoriesMax: number
  /** `HUB_RECONCILE_SECRET_<PROVIDER>`, by provider in lower case with `-` for `_`. */
  readonly reconcileSecrets: ReadonlyMap<string, Redacted.Redacted>
  /** How long a hub may be silent before its open holds may be taken over. Tests shorten it. */
  readonly ownerLeaseSeconds: number
  /** How much longer a hold of a dead owner, or of a freshly started database, is kept. */
  readonly ownerGraceSeconds: number
  /** How long a clock that jumped must run steadily before it is trusted. Tests shorten it. */
  readonly clockSteadySeconds: number
}

export class Settings extends Context.Service<Settings, HubConfig>()("@countersign/hub/config/Settings") {
  static readonly layerOf = (config: HubConfig) => Layer.succeed(Settings, config)
}

/** A missing or wrong setting: one line that names it. */
export class SettingError extends Error {
  readonly setting: string
  /** Without a change, because another server is not there yet: a supervisor starts the hub again. */
  readonly mayPass: boolean
  constructor(setting: string, problem: string, { mayPass = false }: { readonly mayPass?: boolean } = {}) {
    super(`${setting} ${problem}`)
    this.setting = setting
    this.mayPass = mayPass
  }
}

type Env = Readonly<Record<string, string | undefined>>

const text = (env: Env, name: string): string | undefined => {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? undefined : value
}
const list = (env: Env, name: string) =>
  (text(env, name) ?? "").split(",").map((part) => part.trim()).filter((part) => part !== "")

const choice = <const A extends string>(env: Env, name: string, values: ReadonlyArray<A>, fallback: A): A => {
  const value = text(env, name)
  if (value === undefined) return fallback
  if (!(values as ReadonlyArray<string>).includes(value)) {
    throw new SettingError(name, `must be one of ${values.join(", ")}`)
  }
  return value as A
}

const integer = (env: Env, name: string, fallback: number, minimum: number, maximum: number): number => {
  const value = text(env, name)
  if (value === undefined) return fallback
  const number = Number(value)
  if (!Number.isInteger(number) || number < minimum || number > maximum) {
    throw new SettingError(name, `must be a whole number from ${minimum} to ${maximum}`)
  }
  return number
}

const mebibytes = (env: Env, name: string, fallback: number, minimum: number, maximum: number): number => {
  const value = text(env, name)
  if (value === undefined) return fallback
  const [, count, unit] = /^(\d{1,6}) ?(MiB|GiB)$/.exec(value) ?? []
  const mib = Number(count) * (unit === "GiB" ? 1024 : 1)
  if (!(mib >= minimum && mib <= maximum)) {
    throw new SettingError(name, `must be a size from ${minimum}MiB to ${maximum / 1024}GiB, such as ${fallback}MiB`)
  }
  return mib
}

const units: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }

const byteSize = (env: Env, name: string, fallback: number, maximum: number, example: string): number => {
  const value = text(env, name)
  if (value === undefined) return fallback
  const [, count, unit] = /^(\d{1,15}) ?(KiB|MiB|GiB|TiB)?$/.exec(value) ?? []
  const bytes = Number(count) * (unit === undefined ? 1 : units[unit]!)
  if (!(bytes >= 1 && bytes <= maximum)) throw new SettingError(name, `must be a size such as ${example}`)
  return bytes
}

const url = (name: string, value: string, protocols: ReadonlyArray<string>): URL => {
  const parsed = URL.parse(value)
  if (parsed === null || !protocols.includes(parsed.protocol)) {
    throw new SettingError(name, `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(" or ")}`)
  }
  return parsed
}

const bucket = (env: Env, name: string, fallback: string): Option.Option<Bucket> => {
  const value = text(env, name) ?? fallback
  if (value === "off") return Option.none()
  const perSecond = /^(\d+(?:\.\d+)?):(\d+)$/.exec(value)
  const perMinute = /^(\d+)\/min$/.exec(value)
  if (perSecond !== null && Number(perSecond[1]) > 0 && Number(perSecond[2]) >= 1) {
    return Option.some({ perSecond: Number(perSecond[1]), burst: Number(perSecond[2]) })
  }
  if (perMinute !== null && Number(perMinute[1]) > 0) {
    return Option.some({ perSecond: Number(perMinute[1]) / 60, burst: Number(perMinute[1]) })
  }
  throw new SettingError(name, "must be RATE:BURST (a second), N/min, or off")
}

const count = (env: Env, name: string, fallback: number, maximum: number): Option.Option<number> =>
  text(env, name) === "off" ? Option.none() : Option.some(integer(env, name, fallback, 1, maximum))

const cidrs = (env: Env, name: string) => {
  const values = list(env, name)
  for (const value of values) {
    if (!(value.includes("/") ? ipaddr.isValidCIDR(value) : ipaddr.isValid(value))) {
      throw new SettingError(name, `has "${value}", which is not an address or a CIDR`)
    }
  }
  return values
}

const origins = (env: Env) =>
  list(env, "HUB_CORS_ORIGINS").map((value) => {
    const origin = parseOrigin(value)
    if (origin === undefined) {
      throw new SettingError(
        "HUB_CORS_ORIGINS",
        `has "${value}", which is not an origin such as https://console.example`
      )
    }
    return origin
  })

const allowList = (env: Env) => {
  const { problem } = parseAllowList(env["HUB_EGRESS_ALLOW"] ?? "")
  if (problem !== undefined) throw new SettingError("HUB_EGRESS_ALLOW", `has an invalid entry: ${problem}`)
  return list(env, "HUB_EGRESS_ALLOW")
}

const file = (name: string, path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    throw new SettingError(name, `names ${path}, which cannot be read`)
  }
}

/** Read at the start: an error of the listener would not name the setting. */
const certified = (certPath: string, keyPath: string): { readonly cert: string; readonly key: string } => {
  const pair = { cert: file("HUB_TLS_CERT", certPath), key: file("HUB_TLS_KEY", keyPath) }
  const check = (name: string, options: SecureContextOptions, problem: string) => {
    try {
      createSecureContext(options)
    } catch {
      throw new SettingError(name, problem)
    }
  }
  check("HUB_TLS_CERT", { cert: pair.cert }, `names ${certPath}, which contains no certificate in PEM format`)
  check(
    "HUB_TLS_KEY",
    { key: pair.key },
    `names ${keyPath}, which contains no private key in PEM format without a passphrase`
  )
  check("HUB_TLS_KEY", pair, `names ${keyPath}, which is not the key of the certificate`)
  return pair
}

const masterKey = (value: string): Redacted.Redacted<Uint8Array> => {
  const bytes = Buffer.from(value, "base64")
  if (bytes.length !== 32 || bytes.toString("base64").replace(/=+$/, "") !== value.replace(/=+$/, "")) {
    throw new SettingError("HUB_MASTER_KEY", "must be 32 bytes in base64")
  }
  return Redacted.make(new Uint8Array(bytes))
}

/** Settings that hold a secret: each is read from the file that `<NAME>_FILE` names, too. */
const isSecret = (name: string): boolean =>
  [
    "DATABASE_URL",
    "HUB_MASTER_KEY",
    "HUB_OWNER_PASSWORD",
    "HUB_SMTP_URL",
    "HUB_LLM_API_KEY",
    "HUB_ANTHROPIC_API_KEY",
    "HUB_EMBEDDINGS_KEY",
    "HUB_TTS_KEY",
    "HUB_METRICS_TOKEN",
    "HUB_OIDC_CLIENT_SECRET",
    "HUB_S3_SECRET_ACCESS_KEY",
    "HUB_STRIPE_SECRET_KEY",
    "HUB_STRIPE_WEBHOOK_SECRET",
    "HUB_SLACK_SIGNING_SECRET",
    "HUB_DISCORD_PUBLIC_KEY",
    "HUB_TELNYX_PUBLIC_KEY",
    "HUB_TWILIO_AUTH_TOKEN"
  ].includes(name) || name.startsWith("HUB_RECONCILE_SECRET_") || /^HUB_APP_.+_CLIENT_SECRET$/.test(name)

/** The settings with the contents of the files that they name, without a line break at the end. */
const withSecretFiles = (env: Env): Env => {
  const read: Record<string, string> = {}
  for (const [setting, path] of Object.entries(env)) {
    const name = setting.replace(/_FILE$/, "")
    if (name === setting || path === undefined || path === "" || !isSecret(name)) continue
    if (env[name] !== undefined && env[name] !== "") {
      throw new SettingError(setting, `cannot be set beside ${name}`)
    }
    read[name] = file(setting, path).replace(/\r?\n$/, "")
  }
  return { ...env, ...read }
}

/** An Ed25519 public key. */
const publicKey = (env: Env, name: string, encoding: "hex" | "base64"): Option.Option<Uint8Array> => {
  const value = text(env, name)
  if (value === undefined) return Option.none()
  const bytes = Buffer.from(value, encoding)
  if (bytes.length !== 32) throw new SettingError(name, `must be an Ed25519 public key: 32 bytes in ${encoding}`)
  return Option.some(new Uint8Array(bytes))
}

const appClients = (env: Env): ReadonlyMap<string, AppClient> => {
  const clients = new Map<string, AppClient>()
  for (const name of Object.keys(env)) {
    const [, provider] = /^HUB_APP_([A-Z][A-Z0-9_]*)_CLIENT_(?:ID|SECRET)$/.exec(name) ?? []
    if (provider === undefined || text(env, name) === undefined) continue
    const [id, secret] = [text(env, `HUB_APP_${provider}_CLIENT_ID`), text(env, `HUB_APP_${provider}_CLIENT_SECRET`)]
    if (id === undefined || secret === undefined) {
      throw new SettingError(
        `HUB_APP_${provider}_CLIENT_${id === undefined ? "ID" : "SECRET"}`,
        "must also be set: an OAuth client requires both"
      )
    }
    clients.set(provider.toLowerCase().replaceAll("_", "-"), { id, secret: Redacted.make(secret) })
  }
  return clients
}

/** A single PUT of S3 takes no more. */
const objectBytesMax = 5 * 2 ** 30

const s3Of = (env: Env): HubConfig["storage"]["s3"] => {
  const bucket = text(env, "HUB_S3_BUCKET")
  if (bucket === undefined) return Option.none()
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new SettingError("HUB_S3_BUCKET", "must be the name of a bucket: 3 to 63 lower-case letters, digits, - and .")
  }
  const needed = (name: string): string => {
    const value = text(env, name)
    if (value === undefined) throw new SettingError(name, "must also be set: HUB_S3_BUCKET requires it")
    return value
  }
  const region = text(env, "HUB_S3_REGION") ?? "us-east-1"
  const own = text(env, "HUB_S3_ENDPOINT")
  const endpoint = url("HUB_S3_ENDPOINT", own ?? `https://s3.${region}.amazonaws.com`, ["http:", "https:"])
  const publicEndpoint = text(env, "HUB_S3_PUBLIC_ENDPOINT")
  return Option.some({
    bucket,
    region,
    endpoint,
    publicEndpoint: publicEndpoint === undefined
      ? endpoint
      : url("HUB_S3_PUBLIC_ENDPOINT", publicEndpoint, ["http:", "https:"]),
    accessKeyId: needed("HUB_S3_ACCESS_KEY_ID"),
    secretAccessKey: Redacted.make(needed("HUB_S3_SECRET_ACCESS_KEY")),
    pathStyle: choice(env, "HUB_S3_PATH_STYLE", ["0", "1"], own === undefined ? "0" : "1") === "1"
  })
}

/** Numbers of a vector, of well-known models. */
const knownDimensions: ReadonlyMap<string, number> = new Map([
  ["text-embedding-3-small", 1_536],
  ["text-embedding-3-large", 3_072],
  ["text-embedding-ada-002", 1_536]
])
const dimensionsMax = 4_096
/** Cents for a million tokens, of well-known models. */
const knownEmbeddingPrices: ReadonlyMap<string, number> = new Map([
  ["text-embedding-3-small", 2],
  ["text-embedding-3-large", 13],
  ["text-embedding-ada-002", 10]
])
const embeddingPriceMax = 100_000

const embeddingPrice = (env: Env, model: string): number => {
  const name = "HUB_EMBEDDINGS_CENTS_PER_MILLION_TOKENS"
  const value = text(env, name)
  if (value === undefined) return knownEmbeddingPrices.get(model) ?? 0
  const cents = /^\d{1,6}(\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN
  if (!(cents <= embeddingPriceMax)) {
    throw new SettingError(name, `must be a number of cents from 0 to ${embeddingPriceMax}, such as 2 or 0.5`)
  }
  return cents
}

const embeddingsOf = (env: Env): HubConfig["embeddings"] => {
  const endpoint = text(env, "HUB_EMBEDDINGS_URL")
  if (endpoint === undefined) return Option.none()
  const model = text(env, "HUB_EMBEDDINGS_MODEL") ?? "text-embedding-3-small"
  if (model.length > 200) throw new SettingError("HUB_EMBEDDINGS_MODEL", "must have at most 200 characters")
  const known = knownDimensions.get(model)
  const sendsDimensions = text(env, "HUB_EMBEDDINGS_DIMENSIONS") !== undefined
  if (known === undefined && !sendsDimensions) {
    throw new SettingError(
      "HUB_EMBEDDINGS_DIMENSIONS",
      `must also be set: the length of the vectors of ${model} is not known`
    )
  }
  return Option.some({
    url: url("HUB_EMBEDDINGS_URL", endpoint, ["http:", "https:"]),
    key: Option.map(
      Option.fromUndefinedOr(text(env, "HUB_EMBEDDINGS_KEY")),
      (value) => Redacted.make(value)
    ),
    model,
    dimensions: integer(env, "HUB_EMBEDDINGS_DIMENSIONS", known ?? 1, 1, dimensionsMax),
    sendsDimensions: sendsDimensions && known !== undefined,
    centsPerMillionTokens: embeddingPrice(env, model)
  })
}

const flag = (env: Env, name: string): boolean => choice(env, name, ["0", "1"], "0") === "1"

const oidcOf = (env: Env, egressAllow: ReadonlyArray<string>): HubConfig["oidc"] => {
  const issuer = text(env, "HUB_OIDC_ISSUER")
  if (issuer === undefined) {
    const other = Object.keys(env).find((name) => name.startsWith("HUB_OIDC_") && text(env, name) !== undefined)
    if (other !== undefined) throw new SettingError("HUB_OIDC_ISSUER", `must also be set: ${other} requires it`)
    return Option.none()
  }
  const address = url("HUB_OIDC_ISSUER", issuer, ["http:", "https:"])
  if (address.search !== "" || address.hash !== "" || address.username !== "") {
    throw new SettingError("HUB_OIDC_ISSUER", "must be a URL without a query, a fragment, or a user")
  }
  if (address.protocol === "http:" && !isPlainAllowed(address, egressAllow)) {
    throw new SettingError("HUB_OIDC_ISSUER", "must be https, except on loopback and for hosts in HUB_EGRESS_ALLOW")
  }
  const clientId = text(env, "HUB_OIDC_CLIENT_ID")
  if (clientId === undefined) {
    throw new SettingError("HUB_OIDC_CLIENT_ID", "must also be set: HUB_OIDC_ISSUER requires it")
  }
  const scopes = (text(env, "HUB_OIDC_SCOPES") ?? "openid email profile").split(/\s+/)
  if (!scopes.includes("openid")) throw new SettingError("HUB_OIDC_SCOPES", "must include openid")
  const roles = text(env, "HUB_OIDC_ROLES")
  const mapping = roles === undefined ? undefined : parseRoleMapping(roles)
  if (typeof mapping === "string") throw new SettingError("HUB_OIDC_ROLES", mapping)
  return Option.some({
    issuer,
    clientId,
    clientSecret: Option.map(
      Option.fromUndefinedOr(text(env, "HUB_OIDC_CLIENT_SECRET")),
      (value) => Redacted.make(value)
    ),
    scopes,
    roles: Option.fromUndefinedOr(mapping),
    only: flag(env, "HUB_OIDC_ONLY"),
    sessionHours: integer(env, "HUB_OIDC_SESSION_HOURS", 12, 1, 24 * 90),
    linkEmail: flag(env, "HUB_OIDC_LINK_EMAIL")
  })
}

/** @throws SettingError */
export const parseConfig = (
  settings: Env,
  options: { readonly projectDir: string; readonly terminal: boolean }
): HubConfig => {
  const env = withSecretFiles(settings)
  const host = text(env, "HUB_HOST") ?? "127.0.0.1"
  const port = integer(env, "HUB_PORT", 4780, 0, 65535)
  const tlsCert = text(env, "HUB_TLS_CERT")
  const tlsKey = text(env, "HUB_TLS_KEY")
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new SettingError(
      tlsCert === undefined ? "HUB_TLS_CERT" : "HUB_TLS_KEY",
      "must also be set: https requires both"
    )
  }
  const shownHost = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host
  const listenUrl = `${tlsCert === undefined ? "http" : "https"}://${shownHost}:${port}`
  const publicText = text(env, "HUB_PUBLIC_URL")
  if (publicText === undefined && URL.parse(listenUrl) === null) {
    throw new SettingError("HUB_HOST", "must be an address or the name of a host")
  }
  const publicUrl = url("HUB_PUBLIC_URL", publicText ?? listenUrl, ["http:", "https:"])
  const databaseUrl = text(env, "DATABASE_URL")
  if (databaseUrl !== undefined) url("DATABASE_URL", databaseUrl, ["postgres:", "postgresql:"])
  const key = text(env, "HUB_MASTER_KEY")
  if (databaseUrl !== undefined && key === undefined) {
    throw new SettingError(
      "HUB_MASTER_KEY",
      "must be set with DATABASE_URL: 32 bytes in base64, the same on every hub"
    )
  }
  const ownerEmail = text(env, "HUB_OWNER_EMAIL")
  const ownerPassword = env["HUB_OWNER_PASSWORD"]
  if ((ownerEmail === undefined) !== (ownerPassword === undefined || ownerPassword === "")) {
    throw new SettingError(
      ownerEmail === undefined ? "HUB_OWNER_EMAIL" : "HUB_OWNER_PASSWORD",
      "must also be set: the first owner requires both"
    )
  }
  if (ownerEmail !== undefined && !isEmail(ownerEmail)) {
    throw new SettingError("HUB_OWNER_EMAIL", "must be an e-mail address")
  }
  if (ownerEmail !== undefined && !isNewPassword(ownerPassword ?? "")) {
    throw new SettingError("HUB_OWNER_PASSWORD", `must have ${passwordLengthMin} to ${passwordLengthMax} characters`)
  }
  const demo = text(env, "HUB_DEMO")
  if (demo !== undefined && demo !== "0" && demo !== "1") throw new SettingError("HUB_DEMO", "must be 0 or 1")
  const llmBaseUrl = text(env, "HUB_LLM_BASE_URL")
  if (llmBaseUrl !== undefined) url("HUB_LLM_BASE_URL", llmBaseUrl, ["http:", "https:"])
  const smtpUrl = text(env, "HUB_SMTP_URL")
  if (smtpUrl !== undefined && url("HUB_SMTP_URL", smtpUrl, ["smtp:", "smtps:"]).hostname === "") {
    throw new SettingError("HUB_SMTP_URL", "must name a host")
  }
  const mailFrom = text(env, "HUB_MAIL_FROM")
  if (mailFrom !== undefined && !/[^\s<>@]@[^\s<>@]/u.test(mailFrom)) {
    throw new SettingError("HUB_MAIL_FROM", "must be an e-mail address, or a name with one: Hub <hub@example.com>")
  }
  const stripeBase = text(env, "HUB_STRIPE_API_BASE")
  const otlpEndpoint = text(env, "OTEL_EXPORTER_OTLP_ENDPOINT")
  if (otlpEndpoint !== undefined) url("OTEL_EXPORTER_OTLP_ENDPOINT", otlpEndpoint, ["http:", "https:"])
  const reconcileSecrets = new Map<string, Redacted.Redacted>()
  for (const [name, value] of Object.entries(env)) {
    const provider = /^HUB_RECONCILE_SECRET_([A-Z][A-Z0-9_]*)$/.exec(name)?.[1]
    if (provider !== undefined && value !== undefined && value !== "") {
      reconcileSecrets.set(provider.toLowerCase().replaceAll("_", "-"), Redacted.make(value))
    }
  }
  const dataDir = resolve(options.projectDir, text(env, "HUB_DATA_DIR") ?? ".data")
  const paused = flag(env, "HUB_PAUSED") || existsSync(join(dataDir, COPY_FILE))
  const some = <A>(value: A | undefined) => Option.fromNullishOr(value) as Option.Option<A>
  return {
    host,
    port,
    publicUrl,
    dataDir,
    paused,
    postgresMemoryMib: mebibytes(env, "HUB_POSTGRES_MEMORY", memoryDefaultMib, memoryMinMib, memoryMaxMib),
    databaseUrl: Option.map(some(databaseUrl), (value) => Redacted.make(value)),
    masterKey: Option.map(some(key), masterKey),
    owner: ownerEmail === undefined
      ? Option.none()
      : Option.some({ email: ownerEmail, password: Redacted.make(ownerPassword ?? "") }),
    demo: Option.map(some(demo), (value) => value === "1"),
    egressAllow: allowList(env),
    logLevel: choice(env, "HUB_LOG_LEVEL", ["trace", "debug", "info", "warn", "error"], "info"),
    logFormat: choice(env, "HUB_LOG_FORMAT", ["pretty", "json"], options.terminal ? "pretty" : "json"),
    terminal: options.terminal,
    rateLimit: {
      agent: bucket(env, "HUB_RATE_LIMIT_AGENT", "100:200"),
      user: bucket(env, "HUB_RATE_LIMIT_USER", "50:100"),
      login: bucket(env, "HUB_RATE_LIMIT_LOGIN", "5/min"),
      hook: bucket(env, "HUB_RATE_LIMIT_HOOK", "20:40")
    },
    openCallsPerCaller: count(env, "HUB_OPEN_CALLS", 100, 100_000),
    tls: tlsCert === undefined || tlsKey === undefined
      ? Option.none()
      : Option.some(certified(tlsCert, tlsKey)),
    corsOrigins: origins(env),
    trustedProxies: cidrs(env, "HUB_TRUSTED_PROXIES"),
    smtpUrl: Option.map(some(paused ? undefined : smtpUrl), (value) => Redacted.make(value)),
    mailFrom: some(mailFrom),
    llm: llmBaseUrl === undefined
      ? Option.none()
      : Option.some({
        baseUrl: llmBaseUrl,
        apiKey: Option.map(some(text(env, "HUB_LLM_API_KEY")), (value) => Redacted.make(value)),
        wire: choice(
          env,
          "HUB_LLM_WIRE",
          ["openai", "anthropic"],
          /(?:^|\.)anthropic\.com$/u.test(new URL(llmBaseUrl).hostname) ? "anthropic" : "openai"
        )
      }),
    anthropicKey: Option.map(some(text(env, "HUB_ANTHROPIC_API_KEY")), (value) => Redacted.make(value)),
    embeddings: embeddingsOf(env),
    tts: Option.map(some(text(env, "HUB_TTS_URL")), (value) => ({
      url: url("HUB_TTS_URL", value, ["http:", "https:"]),
      key: Option.map(some(text(env, "HUB_TTS_KEY")), (secret) => Redacted.make(secret))
    })),
    metricsToken: Option.map(some(text(env, "HUB_METRICS_TOKEN")), (value) => Redacted.make(value)),
    otlpEndpoint: some(paused ? undefined : otlpEndpoint),
    stripe: {
      secretKey: Option.map(some(text(env, "HUB_STRIPE_SECRET_KEY")), (value) => Redacted.make(value)),
      webhookSecret: Option.map(some(text(env, "HUB_STRIPE_WEBHOOK_SECRET")), (value) => Redacted.make(value)),
      apiBase: url("HUB_STRIPE_API_BASE", stripeBase ?? "https://api.stripe.com", ["http:", "https:"]),
      isDefaultBase: stripeBase === undefined
    },
    slack: {
      signingSecret: Option.map(some(text(env, "HUB_SLACK_SIGNING_SECRET")), (value) => Redacted.make(value)),
      apiBase: url("HUB_SLACK_API_BASE", text(env, "HUB_SLACK_API_BASE") ?? "https://slack.com/api", [
        "http:",
        "https:"
      ])
    },
    discord: {
      publicKey: publicKey(env, "HUB_DISCORD_PUBLIC_KEY", "hex"),
      apiBase: url("HUB_DISCORD_API_BASE", text(env, "HUB_DISCORD_API_BASE") ?? "https://discord.com/api/v10", [
        "http:",
        "https:"
      ])
    },
    voice: {
      apiBase: Option.map(
        some(text(env, "HUB_VOICE_API_BASE")),
        (value) => url("HUB_VOICE_API_BASE", value, ["http:", "https:"])
      ),
      telnyxPublicKey: publicKey(env, "HUB_TELNYX_PUBLIC_KEY", "base64"),
      twilioAuthToken: Option.map(some(text(env, "HUB_TWILIO_AUTH_TOKEN")), (value) => Redacted.make(value))
    },
    oidc: oidcOf(env, allowList(env)),
    appClients: appClients(env),
    storage: {
      objectBytesMax: byteSize(env, "HUB_STORAGE_OBJECT_MAX", 2 ** 30, objectBytesMax, "1GiB, at most 5GiB"),
      workspaceBytesMax: byteSize(env, "HUB_STORAGE_WORKSPACE_MAX", 10 * 2 ** 30, 2 ** 50, "10GiB"),
      s3: s3Of(env)
    },
    memoriesMax: integer(env, "HUB_MEMORY_MAX", memoriesMaxDefault, 1, 1_000_000),
    reconcileSecrets,
    ownerLeaseSeconds: integer(env, "HUB_OWNER_LEASE_SECONDS", 15, 1, 60),
    ownerGraceSeconds: integer(env, "HUB_OWNER_GRACE_SECONDS", 15, 0, 60),
    clockSteadySeconds: integer(env, "HUB_CLOCK_STEADY_SECONDS", 300, 1, 86_400)
  }
}

/** The settings of this process. @throws SettingError */
export const configFromEnv = (): HubConfig =>
  parseConfig(process.env, {
    projectDir: resolve(import.meta.dirname, "../../.."),
    terminal: process.stdout.isTTY === true
  })

export const configEffect = Effect.try({ try: configFromEnv, catch: (error) => error as SettingError })
