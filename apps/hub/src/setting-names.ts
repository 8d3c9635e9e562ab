/** The names of all settings, to warn of one that is mistyped: a wrong name would otherwise have no effect. */
import { meantName } from "@countersign/domain/similar-names"

/** Every setting that `config.ts` reads; a test compares both. */
export const settingNames: ReadonlyArray<string> = [
  "HUB_ANTHROPIC_API_KEY",
  "HUB_CLOCK_STEADY_SECONDS",
  "HUB_CORS_ORIGINS",
  "HUB_DATA_DIR",
  "HUB_DEMO",
  "HUB_DISCORD_API_BASE",
  "HUB_DISCORD_PUBLIC_KEY",
  "HUB_EGRESS_ALLOW",
  "HUB_EMBEDDINGS_CENTS_PER_MILLION_TOKENS",
  "HUB_EMBEDDINGS_DIMENSIONS",
  "HUB_EMBEDDINGS_KEY",
  "HUB_EMBEDDINGS_MODEL",
  "HUB_EMBEDDINGS_URL",
  "HUB_HOST",
  "HUB_LLM_API_KEY",
  "HUB_LLM_BASE_URL",
  "HUB_LLM_WIRE",
  "HUB_LOG_FORMAT",
  "HUB_LOG_LEVEL",
  "HUB_MAIL_FROM",
  "HUB_MASTER_KEY",
  "HUB_MEMORY_MAX",
  "HUB_METRICS_TOKEN",
  "HUB_OIDC_CLIENT_ID",
  "HUB_OIDC_CLIENT_SECRET",
  "HUB_OIDC_ISSUER",
  "HUB_OIDC_LINK_EMAIL",
  "HUB_OIDC_ONLY",
  "HUB_OIDC_ROLES",
  "HUB_OIDC_SCOPES",
  "HUB_OIDC_SESSION_HOURS",
  "HUB_OPEN_CALLS",
  "HUB_OWNER_EMAIL",
  "HUB_OWNER_GRACE_SECONDS",
  "HUB_OWNER_LEASE_SECONDS",
  "HUB_OWNER_PASSWORD",
  "HUB_PAUSED",
  "HUB_PORT",
  "HUB_POSTGRES_MEMORY",
  "HUB_PUBLIC_URL",
  "HUB_RATE_LIMIT_AGENT",
  "HUB_RATE_LIMIT_HOOK",
  "HUB_RATE_LIMIT_LOGIN",
  "HUB_RATE_LIMIT_USER",
  "HUB_S3_ACCESS_KEY_ID",
  "HUB_S3_BUCKET",
  "HUB_S3_ENDPOINT",
  "HUB_S3_PATH_STYLE",
  "HUB_S3_PUBLIC_ENDPOINT",
  "HUB_S3_REGION",
  "HUB_S3_SECRET_ACCESS_KEY",
  "HUB_SLACK_API_BASE",
  "HUB_SLACK_SIGNING_SECRET",
  "HUB_SMTP_URL",
  "HUB_STORAGE_OBJECT_MAX",
  "HUB_STORAGE_WORKSPACE_MAX",
  "HUB_STRIPE_API_BASE",
  "HUB_STRIPE_SECRET_KEY",
  "HUB_STRIPE_WEBHOOK_SECRET",
  "HUB_TELNYX_PUBLIC_KEY",
  "HUB_TLS_CERT",
  "HUB_TLS_KEY",
  "HUB_TRUSTED_PROXIES",
  "HUB_TTS_KEY",
  "HUB_TTS_URL",
  "HUB_TWILIO_AUTH_TOKEN",
  "HUB_VOICE_API_BASE"
]

const known = new Set(settingNames)
const patterns = [/^HUB_APP_.+_CLIENT_(?:ID|SECRET)$/, /^HUB_RECONCILE_SECRET_.+$/]

const isKnown = (name: string): boolean =>
  known.has(name) || patterns.some((pattern) => pattern.test(name)) ||
  (name.endsWith("_FILE") && isKnown(name.slice(0, -"_FILE".length)))

/** A warning for each name that begins with `HUB_` and is no setting. */
export const unknownSettings = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.keys(env).filter((name) => name.startsWith("HUB_") && !isKnown(name)).sort().map((name) => {
    const similar = meantName(name, settingNames)
    return `${name} is not a setting${similar === undefined ? "" : `; did you mean ${similar}?`}`
  })
