/**
 * An upgrade from the commit in `upgrade-from.txt` to this one, under load on one database. Spec: reference/operation.md
 * "Versions". Callers use the hubs that are ready, and repeat requests with the same idempotency key.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expectHealthy, until } from "../support/health.ts"
import { quickRecovery, spawnProgram } from "../support/hub-program.ts"
import { apiOf, cookieOf, expectStatus, makeAgent, makeService, masterKey, topUp } from "../support/hub.ts"
import { freshDatabase, targetOf, urlOf } from "../support/pg.ts"
import { requireFor } from "../support/required.ts"
import { scratchFolder } from "../support/scratch.ts"
import { httpUpstream } from "../support/upstream.ts"

const root = join(import.meta.dirname, "..", "..")
const from = readFileSync(join(import.meta.dirname, "upgrade-from.txt"), "utf8").trim()
const git = (...args: ReadonlyArray<string>) => spawnSync("git", args, { cwd: root, maxBuffer: 512 * 2 ** 20 })
const missing = git("cat-file", "-e", `${from}^{commit}`).status === 0
  ? undefined
  : { reason: `commit ${from} is not in this clone`, provide: "git fetch --unshallow" }

const owner = { email: "ada@countersign.test", password: "correct horse battery" }
const workers = 4
const funds = 100_000

/** The sources of the commit, with the packages of this clone. */
const checkOut = (folder: string): void => {
  const { stdout } = git("archive", from, "apps", "packages", "resources", "package.json", "package-lock.json")
  const unpacked = spawnSync("tar", ["-x", "-C", folder], { input: stdout })
  assert.strictEqual(unpacked.status, 0, String(unpacked.stderr))
  const modules = join(folder, "node_modules")
  mkdirSync(join(modules, "@countersign"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "@countersign") symlinkSync(join(root, "node_modules", name), join(modules, name))
  }
  for (const name of readdirSync(join(folder, "packages"))) {
    symlinkSync(join(folder, "packages", name), join(modules, "@countersign", name))
  }
}

it.live("an upgrade under load charges every request once, and loses none", (context) =>
  Effect.gen(function*() {
    requireFor(context, missing)
    const scratch = yield* Effect.acquireRelease(
      Effect.sync(() => scratchFolder("upgrade-")),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const old = join(scratch, "old")
    mkdirSync(old)
    checkOut(old)
    const { database } = yield* freshDatabase
    const admin = yield* singleConnection(targetOf(database), "test")
    yield* admin`drop schema public cascade`
    yield* admin`create schema public`
    const start = Effect.fnUntraced(function*(sources: string, name: string) {
      const program = yield* spawnProgram([process.execPath, join(sources, "apps/hub/src/main.ts"), "start"], {
        HUB_DATA_DIR: join(scratch, name),
        HUB_PORT: "0",
        HUB_LOG_LEVEL: "warn",
        HUB_RATE_LIMIT_AGENT: "off",
        HUB_EGRESS_ALLOW: "127.0.0.1",
        HUB_OWNER_EMAIL: owner.email,
        HUB_OWNER_PASSWORD: owner.password,
        ...quickRecovery,
        DATABASE_URL: urlOf(database),
        HUB_MASTER_KEY: masterKey
      })
      const [, url = ""] = yield* program.line(/Countersign is ready on ([^\s"]+)/)
      return { ...program, url, api: apiOf(url) }
    })
    const isReady = (url: string) =>
      Effect.promise(() => fetch(`${url}/ready`).then(({ status }) => status === 200, () => false))

    const provider = yield* httpUpstream((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    )
    const before = yield* start(old, "before")
    const as = { cookie: cookieOf(expectStatus(yield* before.api("POST", "/auth/login", { body: owner }), 200)) }
    yield* makeService(before, as, {
      name: "work",
      kind: "http",
      base_url: provider.origin,
      operations: [{
        name: "run",
        method: "POST",
        path: "/work",
        payload_schema: { type: "object" },
        price: { type: "fixed", cents: 3 }
      }]
    })
    yield* topUp(before, as, funds)
    const { key } = yield* makeAgent(before, as, { bindings: [{ service: "work", operations: ["*"] }] })

    const hubs = [before.url]
    const executed = new Map<string, string>()
    const attempt = (url: string, name: string) =>
      Effect.promise(() =>
        fetch(`${url}/api/v1/service-requests`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": name },
          body: JSON.stringify({ service: "work", operation: "run", payload: { name } })
        }).then((answer) => answer.json() as Promise<{ readonly status?: string }>, () => ({ status: undefined }))
      )
    let stopping = false
    const load = Effect.fnUntraced(function*(worker: number) {
      for (let n = 0; !stopping; n++) {
        const name = `request-${worker}-${n}`
        for (let tries = 0; !executed.has(name); tries++) {
          const url = hubs[(worker + n + tries) % hubs.length]!
          if (!(yield* isReady(url))) {
            yield* Effect.sleep("20 millis")
            continue
          }
          const { status } = yield* attempt(url, name)
          if (status === "executed") executed.set(name, url)
          else assert.oneOf(status, [undefined, "running"], `the outcome of ${name}`)
        }
      }
    })
    const callers = yield* Effect.forkChild(
      Effect.all(Array.from({ length: workers }, (_, worker) => load(worker)), { concurrency: "unbounded" })
    )
    const executedBy = (url: string) => [...executed.values()].filter((by) => by === url).length
    yield* until("the old hub works", Effect.sync(() => executedBy(before.url) > 20))

    const after = yield* start(root, "after")
    hubs.push(after.url)
    yield* until("the new hub works", Effect.sync(() => executedBy(after.url) > 20))
    yield* before.kill("SIGTERM")
    assert.deepStrictEqual(yield* before.ended, { code: 0, signal: null })
    const moved = executed.size
    yield* until("the new hub works alone", Effect.sync(() => executed.size > moved + 20))
    stopping = true
    yield* Fiber.join(callers)

    const names = provider.received.map(({ body }) => (JSON.parse(String(body)) as { readonly name: string }).name)
    assert.deepStrictEqual(names.toSorted(), [...executed.keys()].toSorted())
    const balance = expectStatus(yield* after.api("GET", "/balance", as), 200).body
    assert.deepInclude(balance, { balance_cents: funds - 3 * executed.size, held_cents: 0 })
    yield* expectHealthy(targetOf(database))
  }).pipe(Effect.scoped), 300_000)
