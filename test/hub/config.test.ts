import { parseConfig, SettingError } from "@countersign/hub/config"
import { settingNames, unknownSettings } from "@countersign/hub/setting-names"
import { Option, Redacted } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { certificate, key } from "../support/tls.ts"

const parse = (env: Record<string, string>) => parseConfig(env, { projectDir: "/srv/hub", terminal: false })

const directory = mkdtempSync(join(tmpdir(), "countersign-config-"))
afterAll(() => rmSync(directory, { recursive: true }))
const written = (name: string, text: string) => {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}
const certFile = written("cert.pem", certificate)
const keyFile = written("key.pem", key.toString())
const noneFile = written("none.pem", "no certificate, no key\n")
const otherFile = written(
  "other.pem",
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "pem", type: "pkcs8" }).toString()
)

describe("settings", () => {
  it("have the defaults of the contract", () => {
    const config = parse({})
    assert.strictEqual(config.host, "127.0.0.1")
    assert.strictEqual(config.port, 4780)
    assert.strictEqual(config.publicUrl.origin, "http://127.0.0.1:4780")
    assert.strictEqual(config.dataDir, "/srv/hub/.data")
    assert.strictEqual(config.logFormat, "json")
    assert.deepStrictEqual(config.rateLimit.agent, Option.some({ perSecond: 100, burst: 200 }))
    assert.deepStrictEqual(config.rateLimit.login, Option.some({ perSecond: 5 / 60, burst: 5 }))
    assert.deepStrictEqual(config.demo, Option.none())
  })

  it("read a secret from a file, without its line break, and refuse both", () => {
    const path = written("stripe.key", "sk_test_1\n")
    const { stripe } = parse({ HUB_STRIPE_SECRET_KEY_FILE: path, HUB_STRIPE_API_BASE: "http://127.0.0.1:9" })
    assert.deepStrictEqual(Option.map(stripe.secretKey, (secret) => Redacted.value(secret)), Option.some("sk_test_1"))
    assert.deepStrictEqual([stripe.apiBase.origin, stripe.isDefaultBase], ["http://127.0.0.1:9", false])
    assert.isTrue(parse({}).stripe.isDefaultBase)
    assert.isTrue(Option.isNone(parse({ HUB_HOST_FILE: path }).stripe.secretKey))
    for (
      const env of [
        { HUB_STRIPE_SECRET_KEY_FILE: path, HUB_STRIPE_SECRET_KEY: "sk_test_2" },
        { HUB_STRIPE_SECRET_KEY_FILE: join(directory, "missing") }
      ]
    ) assert.throws(() => parse(env), /^HUB_STRIPE_SECRET_KEY_FILE /)
    assert.throws(() => parse({ HUB_STRIPE_API_BASE: "stripe" }), /^HUB_STRIPE_API_BASE /)
  })

  it("name the provider of a reconcile secret in lower case, with - for _", () => {
    assert.deepStrictEqual([...parse({ HUB_RECONCILE_SECRET_MY_VOICE: "s" }).reconcileSecrets.keys()], ["my-voice"])
  })

  it("name the OAuth client of a provider of apps, whose secret may be in a file", () => {
    const path = written("client-secret", "of a file\n")
    const { appClients } = parse({ HUB_APP_MY_CRM_CLIENT_ID: "c", HUB_APP_MY_CRM_CLIENT_SECRET_FILE: path })
    const client = appClients.get("my-crm")
    assert.deepStrictEqual([client?.id, client && Redacted.value(client.secret)], ["c", "of a file"])
    assert.throws(() => parse({ HUB_APP_GITHUB_CLIENT_ID: "c" }), /^HUB_APP_GITHUB_CLIENT_SECRET must also be set/)
    assert.throws(() => parse({ HUB_APP_GITHUB_CLIENT_SECRET: "s" }), /^HUB_APP_GITHUB_CLIENT_ID must also be set/)
  })

  it("disable a rate limit", () => assert.isTrue(Option.isNone(parse({ HUB_RATE_LIMIT_AGENT: "off" }).rateLimit.agent)))

  it("limit open calls by caller, or remove the limit", () => {
    assert.deepStrictEqual(parse({}).openCallsPerCaller, Option.some(100))
    assert.deepStrictEqual(parse({ HUB_OPEN_CALLS: "off" }).openCallsPerCaller, Option.none())
  })

  it("limit the memory of the embedded PostgreSQL in MiB or GiB", () => {
    assert.strictEqual(parse({}).postgresMemoryMib, 256)
    assert.strictEqual(parse({ HUB_POSTGRES_MEMORY: "64MiB" }).postgresMemoryMib, 64)
    assert.strictEqual(parse({ HUB_POSTGRES_MEMORY: "2 GiB" }).postgresMemoryMib, 2048)
  })

  it("take a certificate and its key", () => {
    const { tls } = parse({ HUB_TLS_CERT: certFile, HUB_TLS_KEY: keyFile })
    assert.deepStrictEqual(tls, Option.some({ cert: certificate, key: key.toString() }))
  })

  it.each([
    ["HUB_PORT", { HUB_PORT: "70000" }],
    ["HUB_HOST", { HUB_HOST: "256.1.1.1" }],
    ["HUB_HOST", { HUB_HOST: "127.0.0.1:4780" }],
    ["HUB_PORT", { HUB_PORT: "4780x" }],
    ["HUB_PUBLIC_URL", { HUB_PUBLIC_URL: "hub.example" }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://x", HUB_MASTER_KEY: Buffer.alloc(32).toString("base64") }],
    ["HUB_MASTER_KEY", { DATABASE_URL: "postgres://localhost/hub" }],
    ["HUB_MASTER_KEY", { HUB_MASTER_KEY: "too short" }],
    ["HUB_OWNER_PASSWORD", { HUB_OWNER_EMAIL: "a@b.test" }],
    ["HUB_OWNER_EMAIL", { HUB_OWNER_PASSWORD: "correct horse battery" }],
    ["HUB_OWNER_EMAIL", { HUB_OWNER_EMAIL: "ada", HUB_OWNER_PASSWORD: "correct horse battery" }],
    ["HUB_OWNER_PASSWORD", { HUB_OWNER_EMAIL: "a@b.test", HUB_OWNER_PASSWORD: "too short" }],
    ["HUB_MAIL_FROM", { HUB_MAIL_FROM: "countersign" }],
    ["HUB_DEMO", { HUB_DEMO: "yes" }],
    ["HUB_EGRESS_ALLOW", { HUB_EGRESS_ALLOW: "10.0.0.0/99" }],
    ["HUB_LOG_LEVEL", { HUB_LOG_LEVEL: "loud" }],
    ["HUB_LOG_FORMAT", { HUB_LOG_FORMAT: "xml" }],
    ["HUB_OPEN_CALLS", { HUB_OPEN_CALLS: "0" }],
    ["HUB_POSTGRES_MEMORY", { HUB_POSTGRES_MEMORY: "63MiB" }],
    ["HUB_POSTGRES_MEMORY", { HUB_POSTGRES_MEMORY: "65GiB" }],
    ["HUB_POSTGRES_MEMORY", { HUB_POSTGRES_MEMORY: "256" }],
    ["HUB_RATE_LIMIT_USER", { HUB_RATE_LIMIT_USER: "many" }],
    ["HUB_TLS_KEY", { HUB_TLS_CERT: "/nowhere" }],
    ["HUB_TLS_CERT", { HUB_TLS_CERT: noneFile, HUB_TLS_KEY: keyFile }],
    ["HUB_TLS_KEY", { HUB_TLS_CERT: certFile, HUB_TLS_KEY: noneFile }],
    ["HUB_TLS_KEY", { HUB_TLS_CERT: certFile, HUB_TLS_KEY: otherFile }],
    ["HUB_TRUSTED_PROXIES", { HUB_TRUSTED_PROXIES: "localhost" }],
    ["HUB_SMTP_URL", { HUB_SMTP_URL: "http://mail" }],
    ["HUB_SMTP_URL", { HUB_SMTP_URL: "smtp://" }],
    ["HUB_LLM_BASE_URL", { HUB_LLM_BASE_URL: "model" }],
    ["HUB_EMBEDDINGS_URL", { HUB_EMBEDDINGS_URL: "embeddings" }],
    [
      "HUB_EMBEDDINGS_CENTS_PER_MILLION_TOKENS",
      { HUB_EMBEDDINGS_URL: "http://127.0.0.1:1", HUB_EMBEDDINGS_CENTS_PER_MILLION_TOKENS: "-2" }
    ],
    ["HUB_EMBEDDINGS_DIMENSIONS", { HUB_EMBEDDINGS_URL: "http://127.0.0.1:1", HUB_EMBEDDINGS_MODEL: "own" }],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }]
  ])("stop the start with a line that names %s", (setting, env) => {
    try {
      parse(env as Record<string, string>)
    } catch (error) {
      assert.instanceOf(error, SettingError)
      assert.strictEqual((error as SettingError).setting, setting)
      assert.notInclude((error as SettingError).message, "\n")
      return
    }
    assert.fail(`${setting} was accepted`)
  })
})

describe("names of settings", () => {
  it("are listed for the warning of a mistyped one", () => {
    const source = readFileSync(new URL("../../apps/hub/src/config.ts", import.meta.url), "utf8")
    const read = new Set([...source.matchAll(/"(HUB_[A-Z0-9_]*[A-Z0-9])"/g)].map(([, name]) => name))
    assert.deepStrictEqual([...read].filter((name) => !settingNames.includes(name!)), [])
  })

  it("are suggested for a similar unknown name", () => {
    assert.deepStrictEqual(
      unknownSettings({
        HUB_PROT: "1",
        HUB_NONSENSE_AT_ALL: "1",
        HUB_PORT: "1",
        HUB_MASTER_KEY_FILE: "x",
        HUB_APP_SLACK_CLIENT_ID: "x",
        PATH: "x"
      }),
      ["HUB_NONSENSE_AT_ALL is not a setting", "HUB_PROT is not a setting; did you mean HUB_PORT?"]
    )
  })
})
