import { apiVersion } from "@countersign/domain/discovery"
import { singleConnection } from "@countersign/hub/platform/db"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { existsSync, readdirSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { createServer } from "node:net"
import { join } from "node:path"
import { announcedFile, type HubProgram, spawnCommand, spawnHub, spawnProgram } from "../../support/hub-program.ts"
import { apiOf, cookieOf, firstOwner, makeAgent, makeService, masterKey, startHub } from "../../support/hub.ts"
import { freshDatabase, targetOf, urlOf } from "../../support/pg.ts"
import { closedPort, httpUpstream } from "../../support/upstream.ts"
import { temporaryDirectory } from "../platform/postgres/hub-fixture.ts"

const script = join(import.meta.dirname, "..", "..", "..", "apps", "hub", "scripts", "hub.mjs")
const password = "correct horse battery"
const say = { service: "echo", operation: "say", payload: { text: "hello" } }

const said = ({ lines }: HubProgram, pattern: RegExp) => lines.filter((line) => pattern.test(line))
const demoKeyOf = (hub: HubProgram) =>
  Effect.map(announcedFile(hub, /Demo is ready/), (text) => /Bearer (agent_key_live_\w+)/.exec(text)?.[1] ?? "")
const setUp = Effect.fnUntraced(function*(hub: HubProgram) {
  const [, token = ""] = /\/setup#token=(\S+)/.exec(yield* announcedFile(hub, /The setup link/)) ?? []
  const made = yield* hub.api("POST", "/auth/setup", { body: { token, email: "ada@countersign.test", password } })
  assert.strictEqual(made.status, 201)
  return cookieOf(made)
})

describe("hub start", () => {
  it.live("serves on a free port, prints how to sign in, and ends with 0 on SIGTERM", () =>
    Effect.gen(function*() {
      const hub = yield* spawnHub({ database: yield* freshDatabase })
      assert.match(hub.url, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
      assert.strictEqual((yield* hub.api("GET", "/ready")).status, 200)
      assert.strictEqual((yield* hub.api("GET", "/health")).body.version, apiVersion)
      const docs = yield* hub.api("GET", "/agent-docs")
      assert.strictEqual(docs.body.base_url, `${hub.url}/api/v1`)
      assert.include(yield* announcedFile(hub, /The setup link/), `${hub.url}/setup#token=`)
      assert.lengthOf(said(hub, /Demo/), 0)
      yield* setUp(hub)
      yield* hub.kill("SIGTERM")
      assert.deepStrictEqual(yield* hub.ended, { code: 0, signal: null })
    }))

  it.live("creates the workspace Demo on an empty embedded hub and prints its key once; a killed hub restarts with all of it", () =>
    Effect.gen(function*() {
      const env = { HUB_DATA_DIR: yield* temporaryDirectory }
      const first = yield* spawnHub({ env })
      const key = yield* demoKeyOf(first)
      const done = yield* first.api("POST", "/service-requests", { key, body: say })
      assert.strictEqual(done.body.status, "executed")
      yield* first.kill("SIGKILL")
      assert.strictEqual((yield* first.ended).signal, "SIGKILL")

      const second = yield* spawnHub({ env })
      const cookie = yield* setUp(second)
      assert.lengthOf(said(second, /Bearer/), 0)
      assert.strictEqual(
        (yield* second.api("GET", `/service-requests/${done.body.id}`, { key })).body.status,
        "executed"
      )
      assert.lengthOf((yield* second.api("GET", "/workspaces", { cookie })).body.data, 2)
      yield* second.kill("SIGINT")
      assert.strictEqual((yield* second.ended).code, 0)
      assert.isFalse(readdirSync(join(env.HUB_DATA_DIR, "postgres")).includes("postmaster.pid"))
    }))

  it.live("drains when a signal reaches every process at once, as Ctrl-C under npm does: answers open requests, then ends with 0", () =>
    Effect.gen(function*() {
      const arrived = yield* Deferred.make<ServerResponse>()
      const provider = yield* httpUpstream((_, response) => void Effect.runFork(Deferred.succeed(arrived, response)))
      const env = {
        HUB_DATA_DIR: yield* temporaryDirectory,
        HUB_PORT: "0",
        HUB_LOG_LEVEL: "warn",
        HUB_EGRESS_ALLOW: "127.0.0.1"
      }
      const program = yield* spawnProgram(["node", script, "start"], env)
      const [, url = ""] = yield* program.line(/is ready on ([^\s"]+)/)
      const hub = { ...program, url, api: apiOf(url) }
      const cookie = yield* setUp(hub)
      yield* makeService(hub, { cookie }, {
        name: "slow",
        kind: "http",
        base_url: provider.origin,
        operations: [{
          name: "ask",
          method: "POST",
          path: "/ask",
          payload_schema: { type: "object" },
          price: { type: "fixed", cents: 0 }
        }]
      })
      const { key } = yield* makeAgent(hub, { cookie }, { bindings: [{ service: "slow", operations: ["*"] }] })
      const asking = yield* Effect.forkChild(
        hub.api("POST", "/service-requests", { key, body: { service: "slow", operation: "ask", payload: {} } })
      )
      const response = yield* Deferred.await(arrived)
      yield* program.kill("SIGINT", "group")
      yield* program.line(/Draining/)
      yield* program.kill("SIGINT", "group")
      // No new request begins, on the direct or the common path of dispatch; requests in progress can still be read.
      const begun = [
        hub.api("POST", "/service-requests", { key, body: { service: "slow", operation: "ask", payload: {} } }),
        hub.api("GET", "/agents", { cookie })
      ]
      for (const refused of yield* Effect.all(begun)) {
        assert.deepStrictEqual([refused.status, refused.body.error.code, refused.headers.get("connection")], [
          503,
          "unavailable",
          "close"
        ])
      }
      assert.deepStrictEqual([(yield* hub.api("GET", "/health")).status, (yield* hub.api("GET", "/ready")).status], [
        200,
        503
      ])
      yield* Effect.sync(() => response.setHeader("content-type", "application/json").end(`{"at":"last"}`))
      const answer = yield* Fiber.join(asking)
      assert.deepStrictEqual([answer.status, answer.body.status, answer.body.result], [200, "executed", { at: "last" }])
      assert.deepStrictEqual(yield* program.ended, { code: 0, signal: null })
      assert.lengthOf(program.lines.filter((line) => line.includes("Draining")), 1)
      assert.isFalse(readdirSync(join(env.HUB_DATA_DIR, "postgres")).includes("postmaster.pid"))
    }))

  it.live("creates the owner that the settings name, and no demo", () =>
    Effect.gen(function*() {
      const env = {
        HUB_DATA_DIR: yield* temporaryDirectory,
        HUB_OWNER_EMAIL: "ada@countersign.test",
        HUB_OWNER_PASSWORD: password
      }
      const hub = yield* spawnHub({ env })
      const login = yield* hub.api("POST", "/auth/login", { body: { email: env.HUB_OWNER_EMAIL, password } })
      assert.deepStrictEqual(login.body.workspaces.map(({ name }: { name: string }) => name), ["Default"])
      yield* hub.kill("SIGTERM")
      assert.strictEqual((yield* hub.ended).code, 0)
      assert.lengthOf(said(hub, /setup|Bearer/), 0)
      assert.notInclude(hub.lines.join("\n"), password)
    }))

  it.live("is ready only once the owner of the settings can sign in; until then it refuses requests with 503 and retry-after", () =>
    Effect.gen(function*() {
      const port = yield* closedPort
      const owner = { email: "ada@countersign.test", password }
      const hub = yield* spawnCommand(["start"], {
        DATABASE_URL: urlOf((yield* freshDatabase).database),
        HUB_MASTER_KEY: masterKey,
        HUB_PORT: String(port),
        HUB_LOG_LEVEL: "warn",
        HUB_OWNER_EMAIL: owner.email,
        HUB_OWNER_PASSWORD: owner.password,
        HUB_RATE_LIMIT_LOGIN: "off"
      })
      // Both are requested repeatedly from before the hub listens: the owner must exist as soon as the hub is ready.
      const answers = yield* Effect.promise(async () => {
        const call = async (path: string, body?: unknown) => {
          const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }
          const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, body === undefined ? {} : init).catch(
            () => undefined
          )
          await response?.arrayBuffer()
          return response
        }
        const logins: Array<Response> = []
        for (;;) {
          const ready = await call("/ready")
          const login = await call("/auth/login", owner)
          if (login !== undefined) logins.push(login)
          if (ready?.status === 200) return { ready, login, logins }
          if (ready === undefined) await new Promise((resolve) => setTimeout(resolve, 2))
        }
      })
      assert.strictEqual(answers.login?.status, 200)
      for (const refused of answers.logins.filter(({ status }) => status !== 200)) {
        assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [503, "1"])
      }
      yield* hub.kill("SIGTERM")
      assert.strictEqual((yield* hub.ended).code, 0)
    }))

  it.live("prints no sign-in link when there is an owner", () =>
    Effect.gen(function*() {
      const database = yield* freshDatabase
      const other = yield* startHub({ database })
      yield* firstOwner(other)
      const hub = yield* spawnHub({ database })
      yield* hub.kill("SIGTERM")
      assert.strictEqual((yield* hub.ended).code, 0)
      assert.lengthOf(said(hub, /setup|token/), 0)
    }))

  it.live("ends with one line that names the setting and touches no data; exit code 78, or 1 while the database is not there yet", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const key = Buffer.alloc(32).toString("base64")
      for (
        const [setting, env] of [
          ["HUB_MASTER_KEY", { DATABASE_URL: "postgres://127.0.0.1/hub" }],
          ["DATABASE_URL", { DATABASE_URL: "postgres://nobody@127.0.0.1:9/hub", HUB_MASTER_KEY: key }],
          ["HUB_HOST", { HUB_HOST: "192.0.2.1", HUB_PORT: "4780" }],
          ["HUB_DATA_DIR", { HUB_DATA_DIR: "/dev/null/data" }]
        ] as const
      ) {
        const program = yield* spawnCommand(["start"], { HUB_DATA_DIR: join(directory, "data"), HUB_PORT: "0", ...env })
        assert.deepStrictEqual(
          yield* program.ended,
          { code: setting === "DATABASE_URL" ? 1 : 78, signal: null },
          setting
        )
        assert.lengthOf(program.lines, 1, program.lines.join("\n"))
        assert.match(
          program.lines[0]!,
          new RegExp(`"message":"Countersign (cannot start|must stop): (.* )?${setting} `)
        )
      }
      assert.deepStrictEqual(readdirSync(directory), [])
    }))

  it.live("ends with exit code 78 and a line with the missing grant when the role may not create tables", () =>
    Effect.gen(function*() {
      const { database } = yield* freshDatabase
      const role = `limited_${database}`
      const change = (statement: string) =>
        Effect.scoped(
          Effect.flatMap(singleConnection(targetOf(database), "test"), (sql) => Effect.orDie(sql.unsafe(statement)))
        )
      yield* Effect.acquireRelease(
        change(`create role ${role} login`),
        () => Effect.orDie(change(`drop role ${role}`))
      )
      const url = new URL(urlOf(database))
      if (url.searchParams.has("user")) url.searchParams.set("user", role)
      else url.username = role
      const program = yield* spawnCommand(["start"], {
        DATABASE_URL: url.href,
        HUB_MASTER_KEY: masterKey,
        HUB_PORT: "0",
        HUB_DATA_DIR: join(yield* temporaryDirectory, "data")
      })
      assert.strictEqual((yield* program.ended).code, 78)
      assert.lengthOf(program.lines, 1)
      assert.include(
        program.lines[0],
        `DATABASE_URL names the role ${role}, which needs CREATE on schema public: ` +
          `grant usage, create on schema public to \\"${role}\\"`
      )
    }))

  it.live("ends with exit code 78 and a line that names the port and a free one when another program has it, and creates nothing", () =>
    Effect.gen(function*() {
      const port = yield* Effect.acquireRelease(
        Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
          const server = createServer().listen(0, "127.0.0.1", () => {
            const address = server.address()
            resume(
              Effect.succeed({
                port: typeof address === "object" && address !== null ? address.port : 0,
                close: () => server.close()
              })
            )
          })
        }),
        ({ close }) => Effect.sync(close)
      )
      const directory = join(yield* temporaryDirectory, "data")
      const program = yield* spawnCommand(["start"], {
        HUB_DATA_DIR: directory,
        HUB_PORT: String(port.port),
        HUB_PROT: "4780"
      })
      assert.strictEqual((yield* program.ended).code, 78)
      assert.lengthOf(program.lines, 2)
      assert.match(program.lines.join("\n"), /HUB_PROT is not a setting; did you mean HUB_PORT\?/)
      assert.match(
        program.lines.join("\n"),
        new RegExp(`HUB_PORT ${port.port} is in use: .* such as HUB_PORT=[1-9]\\d+`)
      )
      assert.isFalse(existsSync(directory))
    }))

  it.live("waits for a port that a stopping hub still holds, with any data directory", () =>
    Effect.gen(function*() {
      const arrived = yield* Deferred.make<ServerResponse>()
      const provider = yield* httpUpstream((_, response) => void Effect.runFork(Deferred.succeed(arrived, response)))
      const first = yield* spawnHub({ database: yield* freshDatabase, env: { HUB_EGRESS_ALLOW: "127.0.0.1" } })
      const cookie = yield* setUp(first)
      yield* makeService(first, { cookie }, {
        name: "slow",
        kind: "http",
        base_url: provider.origin,
        operations: [{
          name: "ask",
          method: "POST",
          path: "/ask",
          payload_schema: { type: "object" },
          price: { type: "fixed", cents: 0 }
        }]
      })
      const { key } = yield* makeAgent(first, { cookie }, { bindings: [{ service: "slow", operations: ["*"] }] })
      const asking = yield* Effect.forkChild(
        first.api("POST", "/service-requests", { key, body: { service: "slow", operation: "ask", payload: {} } })
      )
      const response = yield* Deferred.await(arrived)
      yield* first.kill("SIGTERM")
      yield* first.line(/Draining/)
      const second = yield* spawnCommand(["start"], {
        HUB_DATA_DIR: yield* temporaryDirectory,
        HUB_PORT: new URL(first.url).port,
        HUB_DEMO: "0"
      })
      yield* second.line(/Waiting for port/)
      yield* Effect.sync(() => response.setHeader("content-type", "application/json").end("{}"))
      assert.strictEqual((yield* Fiber.join(asking)).body.status, "executed")
      assert.strictEqual((yield* first.ended).code, 0)
      yield* second.line(new RegExp(`is ready on ${first.url}`))
    }))

  it.live("takes over from a draining hub, and refuses a data directory that another hub serves, naming its process", () =>
    Effect.gen(function*() {
      const env = { HUB_DATA_DIR: yield* temporaryDirectory }
      const first = yield* spawnHub({ env })
      const refused = yield* spawnCommand(["start"], { ...env, HUB_PORT: "0", HUB_LOG_LEVEL: "warn" })
      assert.strictEqual((yield* refused.ended).code, 1)
      assert.match(refused.lines.join("\n"), new RegExp(`process id ${first.pid}`))
      yield* first.kill("SIGTERM")
      yield* first.line(/Draining/)
      const second = yield* spawnHub({ env })
      assert.strictEqual((yield* first.ended).code, 0)
      assert.strictEqual((yield* second.api("GET", "/ready")).status, 200)
    }))
})
