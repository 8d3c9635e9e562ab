/**
 * Hubs for tests. `startHub` serves one in this process over a new database or a given one, which several hubs may
 * share; `HubTest` is the same as a layer with an owner signed in. For hubs that are killed see `hub-program.ts`.
 */
import type { BindingInput } from "@countersign/domain/bindings"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { FirstOwner } from "@countersign/hub/auth/first-owner"
import { parseConfig, Settings } from "@countersign/hub/config"
import { beginDraining } from "@countersign/hub/draining"
import type { Door } from "@countersign/hub/edge/door"
import { HubLive, ServicesLive } from "@countersign/hub/hub"
import { Database, type DatabaseTarget } from "@countersign/hub/platform/db"
import { loggingLayer } from "@countersign/hub/platform/logging"
import { DatabasePatience, type Patience, patienceDefault } from "@countersign/hub/platform/patience"
import { beginServing, Readiness } from "@countersign/hub/platform/readiness"
import {
  type FileOpener,
  type Patience as StorageTimes,
  patienceDefault as storageTimes,
  SpoolFiles,
  StoragePatience
} from "@countersign/hub/storage/patience"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { HttpServer } from "effect/http"
import { createHash } from "node:crypto"
import { Agent, type Dispatcher, request } from "undici"
import { HashedEmbedder } from "./embedder.ts"
import { connectionsInTests, freshDatabase } from "./pg.ts"

/** The same for all hubs of a run, so that they can share a database. */
export const masterKey = createHash("sha256").update("a test's master key").digest("base64")

/** Rate limits would limit the speed of tests; a test of them sets its own. */
const quietEnv = {
  HUB_HOST: "127.0.0.1",
  HUB_PORT: "0",
  HUB_MASTER_KEY: masterKey,
  HUB_LOG_LEVEL: "error",
  HUB_RATE_LIMIT_AGENT: "off",
  HUB_RATE_LIMIT_USER: "off",
  HUB_RATE_LIMIT_LOGIN: "off",
  HUB_RATE_LIMIT_HOOK: "off",
  HUB_OPEN_CALLS: "off"
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed text if it is JSON. */
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface Call {
  /** An agent key. */
  readonly key?: string
  readonly pat?: string
  /** A session cookie such as the owner's `cookie`: name and value. */
  readonly cookie?: string
  /** Text is sent unchanged, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Api = (method: string, path: string, call?: Call) => Effect.Effect<Answer>

/** One per process. Its requests cost a third of `fetch`, and most of a test's time is requests. */
const connections = new Agent()

const headersOf = (raw: Readonly<Record<string, string | Array<string> | undefined>>): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw)) {
    for (const each of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, each)
  }
  return headers
}

/** Calls a hub at its address; `path` is below `/api/v1`. An interrupted call closes its connection. */
export const apiOf = (url: string): Api => (method, path, { body, cookie, headers, key, pat } = {}) =>
  Effect.promise(async (signal) => {
    const bearer = key ?? pat
    const answer = await request(`${url}/api/v1${path}`, {
      dispatcher: connections,
      method: method as Dispatcher.HttpMethod,
      signal,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(cookie === undefined ? {} : { cookie }),
        ...headers
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await answer.body.text()
    const received = headersOf(answer.headers)
    const isJson = received.get("content-type")?.startsWith("application/json") === true && text !== ""
    return { status: answer.statusCode, headers: received, text, body: isJson ? JSON.parse(text) : undefined }
  })

/** Dies with the answer if it has another status. */
export const expectStatus = (answer: Answer, status: number): Answer => {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`)
  return answer
}

/** The services of a hub, for tests of its internals. */
export type HubServices = Layer.Success<typeof ServicesLive> | Database | Settings | HttpServer.HttpServer | Door

export interface HubInTest {
  /** Without a path. */
  readonly url: string
  readonly target: DatabaseTarget & { readonly database: string }
  readonly api: Api
  /** Runs an effect with the hub's services. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, HubServices>) => Effect.Effect<A, E>
  /** Stops the hub before its scope ends; a second call has no effect. */
  readonly stop: Effect.Effect<void>
}

export interface HubOptions {
  /** A database of `freshDatabase`; default: a new one. */
  readonly database?: DatabaseTarget & { readonly database: string }
  readonly env?: Readonly<Record<string, string>>
  /** Shorter timeouts for tests of an outage. */
  readonly patience?: Partial<Patience>
  /** The same for the store of objects, and a file system that fails. */
  readonly storage?: Partial<StorageTimes> & { readonly files?: FileOpener }
  /** Default: one that needs no model. */
  readonly embedder?: Layer.Layer<never>
}

/**
 * Waits until each background worker has finished its first round, so that `/ready` answers 200. Uses the real clock,
 * even under a test clock.
 */
const workersRan = (readiness: Readiness["Service"]): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let tries = 0; readiness.silent().length > 0; tries++) {
      if (tries > 6_000) throw new Error(`no first round of ${readiness.silent().join(", ")}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })

export const startHub = Effect.fnUntraced(function*(
  { database, embedder = HashedEmbedder, env, patience, storage }: HubOptions = {}
): Effect.fn.Return<HubInTest, never, Scope.Scope> {
  const target = database ?? (yield* freshDatabase)
  const config = parseConfig({ ...quietEnv, ...env }, { projectDir: "/nonexistent", terminal: true })
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  // A separate memo map, so that two hubs share no service.
  const memoMap = yield* Layer.makeMemoMap
  const hub = HubLive.pipe(
    Layer.provideMerge(ServicesLive),
    Layer.provideMerge(Layer.succeed(Database, { target, embedded: false, announceDraining: Effect.void })),
    Layer.provideMerge(Settings.layerOf(config)),
    Layer.provideMerge(loggingLayer(config)),
    Layer.provideMerge(embedder),
    Layer.provideMerge(connectionsInTests),
    Layer.provideMerge(
      patience === undefined ? Layer.empty : Layer.succeed(DatabasePatience, { ...patienceDefault, ...patience })
    ),
    Layer.provideMerge(
      storage === undefined ? Layer.empty : Layer.succeed(StoragePatience, { ...storageTimes, ...storage })
    ),
    Layer.provideMerge(storage?.files === undefined ? Layer.empty : Layer.succeed(SpoolFiles, storage.files))
  )
  const context = yield* Effect.orDie(Layer.buildWithMemoMap(hub, memoMap, scope))
  yield* Effect.provideContext(beginServing, context)
  yield* workersRan(Context.get(context, Readiness))
  // Drains as a signal does, also when the test's scope ends the hub.
  yield* Scope.addFinalizer(scope, Effect.provideContext(beginDraining, context))
  const { address } = Context.get(context, HttpServer.HttpServer)
  const url = `http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}`
  return {
    url,
    target,
    api: apiOf(url),
    run: (effect) => Effect.provideContext(effect, context),
    stop: Scope.close(scope, Exit.void)
  }
})

export interface OwnerInTest {
  readonly email: string
  readonly password: string
  /** The cookie of a session: `svc_session=…`. */
  readonly cookie: string
  readonly user: string
  readonly org: OrgId
}

export const cookieOf = (answer: Answer): string => answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""

/** Creates the first owner by the setup token and signs in. Once per database. */
export const firstOwner = Effect.fnUntraced(function*(
  hub: HubInTest,
  email = "owner@countersign.test"
): Effect.fn.Return<OwnerInTest> {
  const password = "correct horse battery"
  const token = Option.getOrThrow(yield* hub.run(Effect.flatMap(FirstOwner, (owners) => owners.newSetupToken)))
  const made = expectStatus(
    yield* hub.api("POST", "/auth/setup", { body: { token, email, password, name: "Ada" } }),
    201
  )
  return { email, password, cookie: cookieOf(made), user: made.body.user.id, org: made.body.active_workspace }
})

export interface AgentInTest {
  readonly id: AgentId
  /** A live key, unless another mode was requested. */
  readonly key: string
}

/** A new agent with its bindings, created by the person of `cookie`. */
export const makeAgent = Effect.fnUntraced(function*(
  { api }: Pick<HubInTest, "api">,
  { cookie }: Pick<OwnerInTest, "cookie">,
  { bindings = [{ service: "echo", operations: ["*"] }], ...input }: {
    readonly name?: string
    readonly mode?: "live" | "test"
    readonly monthly_budget_cents?: number
    readonly team_id?: string
    readonly bindings?: ReadonlyArray<BindingInput>
  } = {}
): Effect.fn.Return<AgentInTest> {
  const made = expectStatus(yield* api("POST", "/agents", { cookie, body: { name: "Agent", ...input } }), 201)
  for (const body of bindings) {
    expectStatus(yield* api("POST", `/agents/${made.body.id}/services`, { cookie, body }), 201)
  }
  return { id: made.body.id, key: made.body.api_key }
})

/** Adds cents to the workspace's wallet. */
export const topUp = Effect.fnUntraced(function*(
  { api }: Pick<HubInTest, "api">,
  { cookie }: Pick<OwnerInTest, "cookie">,
  cents: number
) {
  expectStatus(yield* api("POST", "/balance/top-up", { cookie, body: { amount_cents: cents } }), 201)
})

/** A token of the owner's with these scopes. */
export const makeToken = Effect.fnUntraced(function*(
  { api }: Pick<HubInTest, "api">,
  { cookie }: Pick<OwnerInTest, "cookie">,
  scopes: ReadonlyArray<string>
): Effect.fn.Return<string> {
  return expectStatus(yield* api("POST", "/tokens", { cookie, body: { name: "test", scopes } }), 201).body.token
})

/** A service of the workspace that calls `url`, in the format of the catalog. */
export const makeService = Effect.fnUntraced(function*(
  { api }: Pick<HubInTest, "api">,
  { cookie }: Pick<OwnerInTest, "cookie">,
  definition: unknown
) {
  return expectStatus(yield* api("POST", "/services", { cookie, body: definition }), 201).body
})

export class TestHub
  extends Context.Service<TestHub, HubInTest & { readonly owner: OwnerInTest }>()("test/support/TestHub")
{}

/** A hub with an owner for a test file: `layer(HubTest())("…", (it) => …)` with `{ excludeTestServices: true }`. */
export const HubTest = (options: HubOptions = {}) =>
  Layer.effect(
    TestHub,
    Effect.gen(function*() {
      const hub = yield* startHub(options)
      return { ...hub, owner: yield* firstOwner(hub) }
    })
  )
