/**
 * The console in a browser against a real hub. Each worker has one hub in a separate process; each test has separate
 * people and workspaces, so that tests are independent. Every page of a test is watched: a violation of the content
 * security policy or an uncaught error fails the test.
 */
import type { Role } from "@countersign/domain/auth"
import type { BindingInput } from "@countersign/domain/bindings"
import { newId, type OrgId } from "@countersign/domain/ids"
import type { CreatePolicyInput } from "@countersign/domain/policies"
import { credentialHash, opaqueToken } from "@countersign/hub/auth/hash"
import { Passwords } from "@countersign/hub/auth/passwords"
import { SessionsRepository, UsersRepository } from "@countersign/hub/auth/repository"
import { Database, Db } from "@countersign/hub/platform/db"
import { poolLayer } from "@countersign/hub/platform/pool"
import { WorkspacesRepository } from "@countersign/hub/workspaces/repository"
import { type Browser, type BrowserContext, expect, type Page, test as base } from "@playwright/test"
import { Effect, Exit, Layer, ManagedRuntime, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { ServerResponse } from "node:http"
import { broken } from "./axe.ts"
import { ContextPool, type PooledContext, type Reports, watch } from "./console-contexts.ts"
import { announcedFile, type HubProgram, spawnHub } from "./hub-program.ts"
import { type Answer, type Call, cookieOf, expectStatus } from "./hub.ts"
import { freshDatabase } from "./pg.ts"
import { closedPort, httpUpstream, type Received, type Upstream } from "./upstream.ts"

export { expect } from "@playwright/test"

export const password = "correct horse battery"

export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly password: string
  /** The cookie of a session in `org`: `svc_session=…`. */
  readonly cookie: string
  readonly org: OrgId
}

export interface ConsoleHub {
  /** Without a path. */
  readonly url: string
  /** Calls the API; `path` is below `/api/v1`. Returns answers of any status. */
  readonly api: (method: string, path: string, call?: Call) => Promise<Answer>
  readonly workspace: (name: string) => Promise<OrgId>
  /** A signed-in person; without `org`, the owner of a new workspace. */
  readonly person: (
    options?: { readonly org?: string; readonly role?: Role; readonly name?: string; readonly workspace?: string }
  ) => Promise<Person>
  /** Runs a SQL statement outside the hub, as a person with access to the database can. */
  readonly runSql: (statement: string) => Promise<void>
  /** Adds an existing person to another workspace. */
  readonly join: (person: Person, org: string, role?: Role) => Promise<void>
  /** Sets the expiry of an approval to now; the hub expires it as usual. */
  readonly expireApproval: (approval: string) => Promise<void>
}

/** A hub without people, for tests of the first setup and of restarts. */
export interface BareHub {
  readonly url: string
  readonly api: ConsoleHub["api"]
  readonly setupLink: () => Promise<string>
  /** Creates the first owner by the API and signs in. */
  readonly setUp: () => Promise<Person>
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>
  /** Starts the hub again at the same address with the same database. */
  readonly restart: () => Promise<void>
}

export interface Agent {
  readonly id: string
  readonly name: string
  readonly key: string
}

/** Prepares data for a test by the API, as one person. */
export interface PersonApi {
  readonly person: Person
  /** Throws the answer on any other status. */
  readonly call: (method: string, path: string, status: number, body?: unknown) => Promise<Answer["body"]>
  /** Bound to `echo` unless bindings are given. */
  readonly agent: (input?: {
    readonly name?: string
    readonly mode?: "live" | "test"
    readonly monthly_budget_cents?: number
    readonly team_id?: string
    readonly bindings?: ReadonlyArray<BindingInput>
  }) => Promise<Agent>
  /** The same as `call`, with the agent's key. */
  readonly asAgent: (
    agent: Pick<Agent, "key">,
    method: string,
    path: string,
    status: number,
    body?: unknown
  ) => Promise<Answer["body"]>
  /** A child of an agent, bound to `echo`. */
  readonly spawn: (parent: Pick<Agent, "key">, input: {
    readonly name: string
    readonly monthly_budget_cents: number
    readonly ttl_seconds?: number
  }) => Promise<Agent>
  /** Adds a file to storage; returns its object. */
  readonly store: (key: string, contentType: string, text: string) => Promise<string>
  readonly topUp: (cents: number) => Promise<void>
  readonly policy: (rule: CreatePolicyInput) => Promise<Answer["body"]>
  /** A service at an upstream with one operation `buy` of a fixed price. */
  readonly service: (
    upstream: Upstream,
    input?: { readonly name?: string; readonly cents?: number; readonly operation?: string }
  ) => Promise<string>
  /** Sends a request as an agent; returns the request. */
  readonly send: (
    agent: Agent,
    call: { readonly service: string; readonly operation: string; readonly payload?: unknown },
    headers?: Readonly<Record<string, string>>
  ) => Promise<Answer["body"]>
  /** Adds funds, an agent, a service, and requests above the threshold; returns the pending approvals, oldest first. */
  readonly waiting: (
    upstream: Upstream,
    count?: number,
    cents?: number
  ) => Promise<{ readonly agent: Agent; readonly service: string; readonly approvals: ReadonlyArray<string> }>
}

const promised = <A>(effect: Effect.Effect<A, never, Scope.Scope>, scope: Scope.Scope) =>
  Effect.runPromise(Scope.provide(effect, scope))

type Seeds = UsersRepository | SessionsRepository | WorkspacesRepository | Passwords | SqlClient.SqlClient

const seedsOf = (target: Parameters<typeof Database.of>[0]["target"]): ManagedRuntime.ManagedRuntime<Seeds, never> =>
  ManagedRuntime.make(
    Layer.mergeAll(UsersRepository.layer, SessionsRepository.layer, WorkspacesRepository.layer, Passwords.layer).pipe(
      Layer.provide(Db.layer),
      Layer.provideMerge(poolLayer),
      Layer.provide(Layer.succeed(Database, { target, embedded: false, announceDraining: Effect.void })),
      Layer.orDie
    )
  )

/** Holds the approving key until the approval is sent; if the key is disabled, presses it once. */
export const holdToApprove = async (page: Page): Promise<void> => {
  await page.keyboard.down("Shift")
  await page.keyboard.down("A")
  await expect(page.locator("[data-held]")).toHaveCount(0)
  await page.keyboard.up("A")
  await page.keyboard.up("Shift")
}

/** Lets the hub call providers on loopback. */
const env = { HUB_EGRESS_ALLOW: "127.0.0.1" }

const hubWith = (program: HubProgram, seeds: ManagedRuntime.ManagedRuntime<Seeds, never>): ConsoleHub => {
  /** All people share one password, so that it is hashed once: for the first person, because some tests have none. */
  let hashed: Promise<string> | undefined
  const passwordHash = () =>
    hashed ??= seeds.runPromise(Effect.flatMap(Passwords, (passwords) => Effect.orDie(passwords.hash(password))))
  const api: ConsoleHub["api"] = (method, path, call) => Effect.runPromise(program.api(method, path, call))
  const workspace = (name: string) =>
    seeds.runPromise(Effect.flatMap(WorkspacesRepository, (workspaces) => workspaces.createOrg(name)))
  const join = (person: Pick<Person, "id">, org: string, role: Role = "owner") =>
    seeds.runPromise(
      Effect.flatMap(WorkspacesRepository, (workspaces) => workspaces.addMember(org as OrgId, person.id, role))
    )
  return {
    url: program.url,
    api,
    workspace,
    join,
    runSql: (statement) =>
      seeds.runPromise(
        Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(Effect.asVoid(sql.unsafe(statement))))
      ),
    expireApproval: (approval) =>
      seeds.runPromise(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.orDie(Effect.asVoid(sql`update approvals set expires_at = clock_timestamp() where id = ${approval}`)))
      ),
    person: async ({ name = "Ada", org, role = "owner", workspace: title = "Acme" } = {}) => {
      const home = org === undefined ? await workspace(title) : org as OrgId
      const email = `${newId("usr").slice(4)}@countersign.test`
      const user = { email, name, passwordHash: await passwordHash() }
      const id = await seeds.runPromise(Effect.flatMap(UsersRepository, (users) => Effect.orDie(users.create(user))))
      await join({ id }, home, role)
      // Opened as by a sign-in, which would verify the password: tens of milliseconds of CPU for each person.
      const token = opaqueToken()
      const session = { tokenHash: credentialHash(token), user: id, org: home, ip: "127.0.0.1", userAgent: undefined }
      await seeds.runPromise(Effect.flatMap(SessionsRepository, (sessions) => sessions.open(session)))
      return { id, name, email, password, org: home, cookie: `svc_session=${token}` }
    }
  }
}

const bareHub = async (scope: Scope.Scope, settings: Readonly<Record<string, string>>): Promise<BareHub> => {
  const database = await promised(Effect.orDie(freshDatabase), scope)
  const HUB_PORT = settings["HUB_PORT"] ?? String(await Effect.runPromise(closedPort))
  const begin = () => promised(spawnHub({ database, env: { ...env, ...settings, HUB_PORT } }), scope)
  let program = await begin()
  const { url } = program
  const api: BareHub["api"] = (method, path, call) => Effect.runPromise(program.api(method, path, call))
  const setupLink = async () => {
    const text = await Effect.runPromise(announcedFile(program, /The setup link/))
    return /\S+\/setup#token=\S+/.exec(text)?.[0] ?? ""
  }
  return {
    url,
    api,
    setupLink,
    setUp: async () => {
      const token = new URL(await setupLink()).hash.replace("#token=", "")
      const [email, name] = ["ada@countersign.test", "Ada"]
      const made = expectStatus(await api("POST", "/auth/setup", { body: { token, email, password, name } }), 201)
      return { id: made.body.user.id, name, email, password, org: made.body.active_workspace, cookie: cookieOf(made) }
    },
    kill: (signal = "SIGKILL") => Effect.runPromise(Effect.andThen(program.kill(signal), Effect.asVoid(program.ended))),
    restart: async () => {
      program = await begin()
    }
  }
}

/** API calls of one person for the setup of a test. */
export const apiFor = (hub: Pick<ConsoleHub, "api" | "url">, person: Person): PersonApi => {
  const call: PersonApi["call"] = async (method, path, status, body) => {
    const answer = await hub.api(method, path, {
      cookie: person.cookie,
      headers: { "svc-workspace": person.org },
      ...body === undefined ? {} : { body }
    })
    return expectStatus(answer, status).body
  }
  const asAgent: PersonApi["asAgent"] = async ({ key }, method, path, status, body) =>
    expectStatus(await hub.api(method, path, { key, ...body === undefined ? {} : { body } }), status).body
  const api: PersonApi = {
    person,
    call,
    asAgent,
    store: async (key, content_type, text) => {
      const made = await call("POST", "/storage/objects/presign-upload", 201, {
        key,
        content_type,
        size_bytes: Buffer.byteLength(text)
      })
      const { pathname } = new URL(made.url)
      const sent = await fetch(hub.url + pathname, {
        method: "PUT",
        headers: { "content-type": content_type },
        body: text
      })
      expect(sent.status).toBe(200)
      await call("POST", `/storage/objects/${made.object_id}/confirm`, 200)
      return made.object_id
    },
    spawn: async (parent, input) => {
      const services = [{ service: "echo", operations: ["*"] }]
      const made = await asAgent(parent, "POST", "/agents/spawn", 201, { services, ...input })
      return { id: made.id, name: made.name, key: made.api_key }
    },
    agent: async ({ bindings = [{ service: "echo", operations: ["*"] }], ...input } = {}) => {
      const made = await call("POST", "/agents", 201, { name: "Scout", ...input })
      for (const binding of bindings) await call("POST", `/agents/${made.id}/services`, 201, binding)
      return { id: made.id, name: made.name, key: made.api_key }
    },
    topUp: async (amount_cents) => void await call("POST", "/balance/top-up", 201, { amount_cents }),
    policy: (rule) => call("POST", "/policies", 201, rule),
    service: async (upstream, { cents = 4_200, name = `shop-${newId("req").slice(-8)}`, operation = "buy" } = {}) => {
      await call("POST", "/services", 201, {
        name,
        title: "Shop",
        kind: "http",
        base_url: upstream.origin,
        operations: [{
          name: operation,
          title: "Buy",
          method: "POST",
          path: "/buy",
          price: { type: "fixed", cents },
          payload_schema: {
            type: "object",
            additionalProperties: true,
            properties: {
              item: { type: "string", title: "Item" },
              quantity: { type: "integer", title: "Quantity" },
              note: { type: "string", title: "Note" }
            }
          }
        }]
      })
      return name
    },
    send: async (agent, { operation, payload = {}, service }, headers = {}) => {
      const answer = await hub.api("POST", "/service-requests", {
        key: agent.key,
        body: { service, operation, payload },
        headers
      })
      if (answer.status >= 300) throw new Error(`the request was refused with ${answer.status}: ${answer.text}`)
      return answer.body
    },
    waiting: async (upstream, count = 1, cents = 4_200) => {
      await api.topUp(cents * count * 2)
      const service = await api.service(upstream, { cents })
      const agent = await api.agent({ bindings: [{ service, operations: ["*"] }] })
      const approvals: Array<string> = []
      for (let at = 1; at <= count; at++) {
        const { approval_id } = await api.send(agent, {
          service,
          operation: "buy",
          payload: { item: `Item ${at}`, quantity: at }
        })
        approvals.push(approval_id)
      }
      return { agent, service, approvals }
    }
  }
  return api
}

/** Puts the person's session into the browser, without the sign-in page. */
export const signIn = async (
  where: Page | BrowserContext,
  hub: Pick<ConsoleHub, "url">,
  { cookie }: Pick<Person, "cookie">
): Promise<void> => {
  const [name = "", value = ""] = cookie.split("=")
  const context = "context" in where ? where.context() : where
  await context.addCookies([{ name, value, url: hub.url, httpOnly: true, sameSite: "Lax" }])
}

export interface Problems {
  readonly found: Array<string>
  /** Texts of expected problems, which do not fail the test. */
  readonly expected: Array<string | RegExp>
}

const reportsTo = ({ found }: Problems): Reports => ({
  violation: (text) => void found.push(`content security policy: ${text}`),
  error: (text) => void found.push(`uncaught: ${text}`)
})

/** A context with the options of the test, for this test only. */
const newContext = async (browser: Browser, problems: Problems): Promise<PooledContext> => {
  const context = await browser.newContext()
  await watch(context, () => reportsTo(problems))
  return { context, newPage: () => context.newPage(), release: () => context.close() }
}

/** Fails the test if the current state of the screen breaks an accessibility rule of WCAG 2.2 AA. */
export const expectAccessible = async (page: Page): Promise<void> =>
  expect(await broken(page, { scope: "state" })).toEqual([])

interface WorkerFixtures {
  /** Shared by all tests of a worker. */
  readonly hub: ConsoleHub
  readonly contexts: ContextPool
}

interface TestFixtures {
  /** A new context, for tests of other options, an empty cache, or `setOffline`: `test.use({ isContextNew: true })`. */
  readonly isContextNew: boolean
  readonly problems: Problems
  /** The context of `page`. */
  readonly pooled: PooledContext
  /** Owner of a workspace for this test only. */
  readonly owner: Person
  /** The owner's API calls. */
  readonly api: PersonApi
  /** A page in a new browser context, signed in as a person, watched like `page`. */
  readonly pageOf: (person: Person) => Promise<Page>
  /** A provider on loopback; by default it accepts every purchase. */
  readonly upstream: (answer?: (request: Received, response: ServerResponse) => void) => Promise<Upstream>
  /** A separate hub with these settings, such as `HUB_DEMO`. */
  readonly newHub: (settings?: Readonly<Record<string, string>>) => Promise<BareHub>
}

const sold = (_: Received, response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json" }).end(
    JSON.stringify({ order: "ord_1", status: "sold" })
  )
}

/** Runs until the test ends. */
const scoped = async (use: (scope: Scope.Scope) => Promise<void>): Promise<void> => {
  const scope = await Effect.runPromise(Scope.make())
  try {
    await use(scope)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  hub: [async ({ browserName: _ }, use) => {
    await scoped(async (scope) => {
      const database = await promised(Effect.orDie(freshDatabase), scope)
      const program = await promised(spawnHub({ database, env }), scope)
      const seeds = seedsOf(database)
      await use(hubWith(program, seeds))
      await seeds.dispose()
    })
  }, { scope: "worker", timeout: 120_000 }],
  baseURL: async ({ hub }, use) => use(hub.url),
  problems: async ({ browserName: _ }, use) => {
    const problems: Problems = { found: [], expected: [] }
    await use(problems)
    const unexpected = problems.found.filter((text) =>
      !problems.expected.some((known) => typeof known === "string" ? text.includes(known) : known.test(text))
    )
    expect(unexpected, "problems that the browser reported").toEqual([])
  },
  contexts: [async ({ browser, hub }, use) => use(new ContextPool(browser, hub.url)), { scope: "worker" }],
  isContextNew: [false, { option: true }],
  pooled: async ({ browser, contexts, isContextNew, problems }, use) => {
    const pooled = await (isContextNew ? newContext(browser, problems) : contexts.acquire(reportsTo(problems)))
    await use(pooled)
    await pooled.release()
  },
  context: async ({ pooled }, use) => use(pooled.context),
  page: async ({ pooled, viewport }, use) => use(await pooled.newPage(viewport)),
  owner: async ({ hub }, use) => use(await hub.person()),
  api: async ({ hub, owner }, use) => use(apiFor(hub, owner)),
  pageOf: async ({ contexts, hub, problems, viewport }, use) => {
    const opened: Array<PooledContext> = []
    await use(async (person) => {
      const pooled = await contexts.acquire(reportsTo(problems))
      opened.push(pooled)
      await signIn(pooled.context, hub, person)
      return pooled.newPage(viewport)
    })
    for (const pooled of opened) await pooled.release()
  },
  upstream: async ({ browserName: _ }, use) =>
    scoped((scope) => use((answer = sold) => promised(httpUpstream(answer), scope))),
  newHub: async ({ browserName: _ }, use) => scoped((scope) => use((settings = {}) => bareHub(scope, settings)))
})
