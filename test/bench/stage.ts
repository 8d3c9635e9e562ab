/**
 * The environment of benches: one embedded PostgreSQL in a temporary directory, with hubs and load generators in
 * separate processes.
 */
import type { DatabaseTarget } from "@countersign/hub/platform/db"
import { startEmbedded } from "@countersign/hub/platform/postgres/embedded"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hubNodeArguments } from "../../apps/hub/scripts/installation.mjs"
import { type Program, spawnProgram } from "../support/hub-program.ts"
import { type Api, apiOf, cookieOf, expectStatus, makeAgent, topUp } from "../support/hub.ts"
import { freshDatabase, urlOf } from "../support/pg.ts"
import type { BareOptions } from "./bare.ts"
import type { LoadOptions, LoadResult } from "./load.ts"
import type { PassThroughOptions } from "./pass-through.ts"

export interface Options {
  readonly rounds: number
  /** Seconds of one measurement under load. */
  readonly seconds: number
  readonly callers: number
  /** Rows of audit in the grown database. */
  readonly rows: number
  /** Folder for profiles. */
  readonly out: string
}

export class Stage extends Context.Service<
  Stage,
  Options & {
    /** The embedded server's first process. */
    readonly postgresPid: Effect.Effect<number | undefined>
  }
>()("test/bench/Stage") {
  static readonly layer = (options: Options) =>
    Layer.effect(Stage, Effect.map(serve(), (postgresPid) => Stage.of({ ...options, postgresPid })))
}

/**
 * Starts an embedded server in a temporary directory, which `test/support/pg.ts` uses from then on; returns the id of
 * its first process.
 */
const serve = Effect.fnUntraced(function*(memoryMib?: number) {
  const dataDir = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "cs-bench-pg-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  )
  const { connection, pid } = yield* startEmbedded({ dataDir, tuning: { memoryMib } })
  process.env["TEST_PG_USER"] = connection.username
  if ("path" in connection) process.env["TEST_PG_SOCKET"] = connection.path
  else {Object.assign(process.env, {
      TEST_PG_PORT: String(connection.port),
      TEST_PG_PASSWORD: Redacted.value(connection.password)
    })}
  return pid
})

/** Makes databases and hubs on a second server with this much shared memory, beside the first. */
export const onServer = Effect.fnUntraced(function*<A, E, R>(memoryMib: number, make: Effect.Effect<A, E, R>) {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("TEST_PG_")))
  yield* serve(memoryMib)
  const made = yield* make
  Object.assign(process.env, own)
  return made
})

export type BenchDatabase = DatabaseTarget & { readonly database: string }

export const database: Effect.Effect<BenchDatabase, never, Scope.Scope> = freshDatabase

const masterKey = createHash("sha256").update("a bench's master key").digest("base64")
export const owner = { email: "owner@countersign.test", password: "correct horse battery" }

export interface BenchHub extends Program {
  readonly port: number
  readonly api: Api
}

/**
 * A hub over a database, with the memory settings of the product; `oneByOne` runs each phase of a request in a separate
 * transaction.
 */
export const startHub = Effect.fnUntraced(function*(
  { database }: BenchDatabase,
  { env, oneByOne = false, profile }: {
    readonly oneByOne?: boolean
    readonly profile?: string
    readonly env?: Readonly<Record<string, string>>
  } = {}
) {
  const command = [process.execPath, ...hubNodeArguments(), join(import.meta.dirname, "hub.ts")]
  const program = yield* spawnProgram(command, {
    DATABASE_URL: urlOf(database),
    HUB_MASTER_KEY: masterKey,
    HUB_PORT: "0",
    HUB_LOG_LEVEL: "warn",
    HUB_OWNER_EMAIL: owner.email,
    HUB_OWNER_PASSWORD: owner.password,
    // Higher than any load and still counted, because the rate limit is part of the path.
    HUB_RATE_LIMIT_AGENT: "1000000:1000000",
    HUB_RATE_LIMIT_USER: "off",
    HUB_OPEN_CALLS: "off",
    ...(oneByOne ? { BENCH_ONE_BY_ONE: "1" } : {}),
    ...(profile === undefined ? {} : { BENCH_PROFILE: profile }),
    ...env
  })
  const [, port = ""] = yield* program.line(/^hub on (\d+)/)
  return { ...program, port: Number(port), api: apiOf(`http://127.0.0.1:${port}`) } satisfies BenchHub
})

export interface Workspace {
  readonly org: string
  readonly cookie: string
  readonly agent: string
  readonly key: string
}

/**
 * The first workspace of a hub with money, and an agent that may use `echo`, these services, and those shipped ones.
 */
export const makeWorkspace = Effect.fnUntraced(function*(
  { api }: Pick<BenchHub, "api">,
  services: ReadonlyArray<unknown> = [],
  shipped: ReadonlyArray<string> = []
) {
  const entered = expectStatus(yield* api("POST", "/auth/login", { body: owner }), 200)
  const cookie = cookieOf(entered)
  for (const definition of services) expectStatus(yield* api("POST", "/services", { cookie, body: definition }), 201)
  const names = ["echo", ...shipped, ...services.map((definition) => (definition as { readonly name: string }).name)]
  const { id, key } = yield* makeAgent({ api }, { cookie }, {
    bindings: names.map((service) => ({ service, operations: ["*"] }))
  })
  for (let times = 0; times < 5; times++) yield* topUp({ api }, { cookie }, 1_000_000_000)
  return { org: entered.body.active_workspace, cookie, agent: id, key } satisfies Workspace
})

export const sayHello = { service: "echo", operation: "say", payload: { text: "hello" } }

export const bearer = ({ key }: Workspace) => ({ authorization: `Bearer ${key}` })

/** Runs the generator to its end; a single bad answer fails the bench, because skipped work is fast. */
export const load = Effect.fnUntraced(function*(options: LoadOptions) {
  const program = yield* spawnProgram([process.execPath, join(import.meta.dirname, "load.ts"), JSON.stringify(options)])
  const [line] = yield* program.line(/^\{.*\}$/)
  const result = JSON.parse(line) as LoadResult
  if (result.bad.length > 0) {
    return yield* Effect.die(new Error(`an answer was not what it should be: ${result.bad[0]}`))
  }
  return result
}, Effect.scoped)

interface LoadSize {
  readonly callers: number
  readonly seconds: number
}

/** Requests of a workspace's agent, over this many connections. */
export const dispatchLoad = (
  workspace: Workspace,
  ports: ReadonlyArray<number>,
  request: unknown,
  { callers, seconds }: LoadSize
): LoadOptions => ({
  ports,
  connections: callers,
  warmMillis: 1_000,
  millis: seconds * 1000,
  requestsMax: 2_000_000,
  method: "POST",
  path: "/api/v1/service-requests",
  headers: bearer(workspace),
  body: JSON.stringify(request),
  expect: "\"status\":\"executed\""
})

export const sayLoad = (workspace: Workspace, ports: ReadonlyArray<number>, size: LoadSize): LoadOptions =>
  dispatchLoad(workspace, ports, sayHello, size)

/** A chat as an OpenAI client sends it, and the completion with which a model provider answers at once. */
export const chat = {
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: "Say hello in one word." }],
  max_tokens: 16
}
const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model: chat.model,
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 14, completion_tokens: 2, total_tokens: 16 }
}
const chunk = (delta: object, more: object = {}) => ({
  id: completion.id,
  object: "chat.completion.chunk",
  created: completion.created,
  model: chat.model,
  choices: [{ index: 0, delta, finish_reason: null, ...more }]
})
/** The same as a stream. */
const completionStream = [
  chunk({ role: "assistant", content: "" }),
  chunk({ content: "Hello." }),
  chunk({}, { finish_reason: "stop" }),
  { ...chunk({}), choices: [], usage: completion.usage }
].map((data) => `data: ${JSON.stringify(data)}\n\n`).join("") + "data: [DONE]\n\n"
export const chatRequest = { service: "llm", operation: "chat", payload: chat }

export const startBare = Effect.fnUntraced(function*(options: BareOptions) {
  const program = yield* spawnProgram([process.execPath, join(import.meta.dirname, "bare.ts"), JSON.stringify(options)])
  const [, port = ""] = yield* program.line(/^bare on (\d+)/)
  return { ...program, port: Number(port) }
})

/** A proxy that only forwards to a port on loopback; with a database, it commits one row before each call. */
export const startPassThrough = Effect.fnUntraced(function*(upstream: number, target?: BenchDatabase) {
  const options: PassThroughOptions = {
    upstream,
    ...target === undefined ? {} : { database: urlOf(target.database) }
  }
  const program = yield* spawnProgram([
    process.execPath,
    join(import.meta.dirname, "pass-through.ts"),
    JSON.stringify(options)
  ])
  const [, port = ""] = yield* program.line(/^pass-through on (\d+)/)
  return { ...program, port: Number(port) }
})

/** A model provider on loopback, in a separate process. */
export const startModels = startBare({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(completion),
  streamed: { headers: { "content-type": "text/event-stream" }, body: completionStream }
})
