import { apiVersion } from "@countersign/domain/discovery"
import { ensureDemo } from "@countersign/hub/demo/workspace"
import { openApiDocument } from "@countersign/hub/discovery/service"
import { singleConnection } from "@countersign/hub/platform/db"
import { newestMigration } from "@countersign/hub/platform/migrations"
import { restore } from "@countersign/hub/platform/postgres/backup"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { until } from "../../support/health.ts"
import { announcedFile, type HubProgram, spawnCommand, spawnHub } from "../../support/hub-program.ts"
import {
  cookieOf,
  expectStatus,
  firstOwner,
  type HubInTest,
  makeAgent,
  makeService,
  makeToken,
  masterKey,
  startHub,
  topUp
} from "../../support/hub.ts"
import { missingOwnPostgres, ownPostgres } from "../../support/own-postgres.ts"
import { freshDatabase, targetOf, urlOf } from "../../support/pg.ts"
import { requireFor } from "../../support/required.ts"
import { closedPort, httpUpstream } from "../../support/upstream.ts"
import { temporaryDirectory } from "../platform/postgres/hub-fixture.ts"

const databaseOf = (database: string) => ({ DATABASE_URL: urlOf(database), HUB_MASTER_KEY: masterKey })

/** Runs to its end; returns both outputs. */
const run = Effect.fnUntraced(
  function*(args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, input = "") {
    const program = yield* spawnCommand(args, env)
    yield* program.send(input)
    const { code } = yield* program.ended
    return { code, said: program.lines.join("\n") }
  }
)
const signIn = ({ api }: HubProgram) =>
  Effect.map(
    api("POST", "/auth/login", { body: { email: "ada@countersign.test", password: "correct horse battery" } }),
    (answer) => cookieOf(expectStatus(answer, 200))
  )
const beside = (hub: HubInTest, args: ReadonlyArray<string>, input = "") =>
  run(args, databaseOf(hub.target.database), input)

describe("hub doctor", () => {
  it.live("passes beside a running hub, and reports a figure that was changed", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      yield* hub.run(ensureDemo({ asked: true }))
      const healthy = yield* beside(hub, ["doctor"])
      assert.strictEqual(healthy.code, 0, healthy.said)
      assert.match(healthy.said, /^wallet_balance +0$/m)
      assert.match(healthy.said, /^All \d+ checks passed\.$/m)
      yield* hub.run(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update limits set used = used - 1 where kind = 1`)
      )
      const failing = yield* beside(hub, ["doctor"])
      assert.strictEqual(failing.code, 1)
      assert.match(failing.said, /^wallet_used +1 /m)
      assert.match(failing.said, /checks failed/)
    }))

  it.live("refuses a database of another version, and does not create a data directory by mistake", () =>
    Effect.gen(function*() {
      const { database } = yield* freshDatabase
      const admin = yield* singleConnection(targetOf(database), "test")
      yield* admin`delete from migrations where migration_id > 1`
      const old = yield* run(["doctor"], databaseOf(database))
      assert.deepStrictEqual([old.code, old.said], [
        1,
        `The database is at migration 1, but this program needs ${newestMigration()}: run "npm run hub -- migrate", or start the hub.`
      ])
      const directory = join(yield* temporaryDirectory, "none")
      const none = yield* run(["doctor"], { HUB_DATA_DIR: directory })
      assert.strictEqual(none.code, 1)
      assert.match(none.said, /no data of a hub/)
      assert.isFalse(existsSync(directory))
    }))
})

describe("hub migrate", () => {
  it.live("migrates an empty database to this version, and does nothing the second time", () =>
    Effect.gen(function*() {
      const HUB_DATA_DIR = yield* temporaryDirectory
      const first = yield* run(["migrate"], { HUB_DATA_DIR })
      assert.strictEqual(first.code, 0, first.said)
      assert.match(first.said, /^0001 identity$/m)
      const second = yield* run(["migrate"], { HUB_DATA_DIR })
      assert.deepStrictEqual([second.code, second.said], [0, "The database is up to date."])
      assert.strictEqual((yield* run(["doctor"], { HUB_DATA_DIR })).code, 0)
    }))
})

describe("hub openapi", () => {
  it.live("prints exactly the document that the hub serves", () =>
    Effect.gen(function*() {
      const printed = yield* run(["openapi"])
      assert.strictEqual(printed.code, 0)
      assert.deepStrictEqual(JSON.parse(printed.said), JSON.parse(JSON.stringify(openApiDocument())))
    }))
})

describe("hub reset-password", () => {
  it.live("reads the new password from standard input, does not echo it, and ends every session", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const owner = yield* firstOwner(hub)
      const next = "an entirely new password"
      const done = yield* beside(hub, ["reset-password", owner.email.toUpperCase()], `${next}\n`)
      assert.strictEqual(done.code, 0, done.said)
      assert.notInclude(done.said, next)
      const login = (password: string) =>
        Effect.map(hub.api("POST", "/auth/login", { body: { email: owner.email, password } }), ({ status }) => status)
      assert.strictEqual((yield* hub.api("GET", "/auth/me", { cookie: owner.cookie })).status, 401)
      assert.strictEqual(yield* login(owner.password), 401)
      assert.strictEqual(yield* login(next), 200)
    }))

  it.live("generates one on request, and takes one by flag", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const { email } = yield* firstOwner(hub)
      const made = yield* beside(hub, ["reset-password", email, "--generate"])
      const password = made.said.split("\n").at(-1) ?? ""
      assert.strictEqual((yield* hub.api("POST", "/auth/login", { body: { email, password } })).status, 200)
      const given = yield* beside(hub, ["reset-password", email, "--password", "by flag, to be short"])
      assert.notInclude(given.said, "by flag")
      assert.strictEqual(
        (yield* hub.api("POST", "/auth/login", { body: { email, password: "by flag, to be short" } })).status,
        200
      )
    }))

  it.live("changes nothing for an unknown person, a short password, or none", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const { cookie, email } = yield* firstOwner(hub)
      for (
        const [args, input, pattern] of [
          [
            ["nobody@countersign.test"],
            "an entirely new password\n",
            /No person has the email address nobody@countersign\.test/
          ],
          [[email], "short\n", /12 to 256 characters/],
          [[email], "", /No password was given/]
        ] as const
      ) {
        const refused = yield* beside(hub, ["reset-password", ...args], input)
        assert.strictEqual(refused.code, 1)
        assert.match(refused.said, pattern)
        assert.lengthOf(refused.said.split("\n"), 1)
      }
      assert.strictEqual((yield* hub.api("GET", "/auth/me", { cookie })).status, 200)
    }))
})

describe("hub demo-key", () => {
  it.live("prints a line whose key works at once on the running hub, and ends the old key at once", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      yield* hub.run(ensureDemo({ asked: true }))
      const keyIn = ({ said }: { readonly said: string }) => /Bearer (agent_key_live_\w+)/.exec(said)?.[1] ?? "none"
      const old = keyIn(yield* beside(hub, ["demo-key"]))
      const say = (key: string) =>
        hub.api("POST", "/service-requests", {
          key,
          body: { service: "echo", operation: "say", payload: { text: "hello" } }
        })
      assert.strictEqual((yield* say(old)).body.status, "executed")
      const next = keyIn(yield* beside(hub, ["demo-key"]))
      assert.strictEqual((yield* say(old)).status, 401)
      assert.strictEqual((yield* say(next)).body.status, "executed")
    }))

  it.live("reports that there is no demo", () =>
    Effect.gen(function*() {
      const refused = yield* beside(yield* startHub(), ["demo-key"])
      assert.strictEqual(refused.code, 1)
      assert.match(refused.said, /no workspace Demo/)
    }))
})

describe("hub race-test", () => {
  const race = (hub: HubInTest, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
    run(["race-test", "--url", hub.url, ...args], env)
  const agents = (hub: HubInTest, cookie: string) =>
    Effect.map(hub.api("GET", "/agents", { cookie }), ({ body }) => body.data)

  it.live("spends exactly the cap with any number of concurrent requests, and leaves no agent behind", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const owner = yield* firstOwner(hub)
      yield* topUp(hub, owner, 1_000)
      const env = { HUB_OWNER_EMAIL: owner.email, HUB_OWNER_PASSWORD: owner.password }
      const done = yield* race(hub, ["--requests", "150", "--connections", "40", "--cap-cents", "30"], env)
      assert.strictEqual(done.code, 0, done.said)
      assert.match(done.said, /^ {2}executed: 30$/m)
      assert.match(done.said, /^ {2}blocked monthly_budget_exceeded: 120$/m)
      assert.match(done.said, /^over the cap: 0 cents$/m)
      assert.deepStrictEqual(yield* agents(hub, owner.cookie), [])
      assert.strictEqual((yield* hub.api("GET", "/balance", { cookie: owner.cookie })).body.available_cents, 970)
    }))

  it.live("also runs with a token: its agent remains, without permissions", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const owner = yield* firstOwner(hub)
      yield* topUp(hub, owner, 10)
      const token = yield* makeToken(hub, owner, [
        "agents:read",
        "agents:write",
        "agents:keys",
        "budgets:read",
        "budgets:write"
      ])
      const done = yield* race(hub, ["--token", token, "--requests", "20", "--cap-cents", "10"])
      assert.strictEqual(done.code, 0, done.said)
      assert.notInclude(done.said, token)
      const [left] = yield* agents(hub, owner.cookie)
      assert.deepStrictEqual(left.bindings.map(({ enabled }: { enabled: boolean }) => enabled), [false])
    }))

  it.live("deletes its agent when it is stopped half-way", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const owner = yield* firstOwner(hub)
      yield* topUp(hub, owner, 1_000)
      const program = yield* spawnCommand([
        "race-test",
        "--url",
        hub.url,
        "--requests",
        "100000",
        "--connections",
        "2",
        "--cap-cents",
        "1000"
      ], {
        HUB_OWNER_EMAIL: owner.email,
        HUB_OWNER_PASSWORD: owner.password
      })
      const racing = hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1 from requests limit 1`))
      yield* Effect.repeat(racing, { until: (rows) => rows.length > 0, schedule: Schedule.spaced("20 millis") })
      assert.lengthOf(yield* agents(hub, owner.cookie), 1)
      yield* program.kill("SIGTERM")
      assert.strictEqual((yield* program.ended).code, 143)
      assert.deepStrictEqual(yield* agents(hub, owner.cookie), [])
    }))

  it.live("ends with one line if it cannot run", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const owner = yield* firstOwner(hub)
      const who = ["--email", owner.email, "--password", owner.password]
      for (
        const [args, pattern] of [
          [[], /Credentials are missing/],
          [["--email", owner.email, "--password", "a wrong password"], /Signing in was refused \(401\)/],
          [who, /The wallet has 0 cents/],
          [[...who, "--requests", "50", "--cap-cents", "50"], /cannot pass a cap/]
        ] as const
      ) {
        const refused = yield* race(hub, args)
        assert.deepStrictEqual([refused.code, refused.said.split("\n").length], [1, 1], refused.said)
        assert.match(refused.said, pattern)
      }
      const nobody = yield* run(["race-test", "--url", `http://127.0.0.1:${yield* closedPort}`, ...who])
      assert.match(nobody.said, /could not be reached: connect ECONNREFUSED/)
      assert.deepStrictEqual(yield* agents(hub, owner.cookie), [])
    }))
})

describe("hub backup and restore", () => {
  /** Makes the settings of hubs with one kind of database, each with its own. */
  const kinds = {
    embedded: Effect.succeed((folder: string) => Effect.succeed({ HUB_DATA_DIR: folder })),
    own: Effect.map(
      ownPostgres,
      ({ create }) => (folder: string) =>
        Effect.map(create(`hub_${basename(folder)}`), (DATABASE_URL) => ({
          HUB_DATA_DIR: folder,
          HUB_MASTER_KEY: masterKey,
          DATABASE_URL
        }))
    )
  }
  it.live.each(
    [["its embedded database", "embedded"], ["a PostgreSQL server", "own"]] as const
  )(
    "copy a running hub on %s, with its requests, keys, and objects, in use and deleted ones",
    ([, kind], context) =>
      Effect.gen(function*() {
        if (kind === "own") requireFor(context, missingOwnPostgres())
        const directory = yield* temporaryDirectory
        const file = join(directory, "hub.backup")
        const settingsOf = yield* kinds[kind]
        const from = yield* settingsOf(join(directory, "from"))
        const to = yield* settingsOf(join(directory, "to"))
        const hub = yield* spawnHub({
          env: {
            ...from,
            HUB_OWNER_EMAIL: "ada@countersign.test",
            HUB_OWNER_PASSWORD: "correct horse battery",
            HUB_DEMO: "1"
          }
        })
        const [, key = ""] = /Bearer (agent_key_live_\w+)/.exec(yield* announcedFile(hub, /Demo is ready/)) ?? []
        const cookie = yield* signIn(hub)
        const store = (name: string, text: string) =>
          Effect.map(
            hub.api("POST", `/storage/objects?key=${name}`, {
              cookie,
              headers: { "content-type": "application/octet-stream" },
              body: text
            }),
            (answer) => expectStatus(answer, 201).body.id as string
          )
        const kept = yield* store("kept", "kept bytes")
        const deleted = yield* store("deleted", "deleted bytes")
        expectStatus(yield* hub.api("DELETE", `/storage/objects/${deleted}`, { cookie }), 204)
        writeFileSync(join(from.HUB_DATA_DIR, "objects", "part", "countersign-upload-1"), "half of")
        // Uploads and removals go on meanwhile.
        const writers = yield* Effect.forkChild(Effect.forever(Effect.gen(function*() {
          const id = yield* store("busy", "busy bytes")
          yield* hub.api("DELETE", `/storage/objects/${id}`, { cookie })
        })))
        if ("DATABASE_URL" in from) {
          const changed = yield* singleConnection({ url: Redacted.make(String(from.DATABASE_URL)) }, "test")
          yield* changed`update limits set used = used + 1 where kind = 1`
        }
        const made = yield* run(["backup", file], from)
        assert.strictEqual(made.code, 0, made.said)
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        yield* Fiber.interrupt(writers)
        const before = yield* hub.api("GET", "/service-requests", { key })
        assert.strictEqual((yield* run(["backup", file], from)).code, 1)

        const refusal = Effect.fnUntraced(function*(env: Readonly<Record<string, string>>, pattern: RegExp) {
          const refused = yield* run(["restore", file], env)
          assert.deepStrictEqual([refused.code, refused.said.split("\n").length], [1, 1], refused.said)
          assert.match(refused.said, pattern)
        })
        yield* refusal(from, /is (in use|not empty)/)
        if (kind === "own") {
          yield* refusal(
            { ...to, HUB_MASTER_KEY: Buffer.alloc(32).toString("base64") },
            /HUB_MASTER_KEY is not the key/
          )
          assert.match(
            (yield* Effect.flip(restore({ fromFile: file, dataDir: to.HUB_DATA_DIR }))).message,
            /set DATABASE_URL to an empty database/
          )
        } else yield* refusal({ ...databaseOf("any"), ...to }, /restore it without DATABASE_URL/)
        assert.deepStrictEqual(readdirSync(to.HUB_DATA_DIR), ["hub.lock"])
        const asCopy = kind === "own"
        const restored = yield* run(["restore", file, ...asCopy ? ["--as-copy"] : []], to)
        // The server's books were changed before the backup, and the restore reports it.
        assert.strictEqual(restored.code, kind === "own" ? 1 : 0, restored.said)
        assert.match(restored.said, kind === "own" ? /^wallet_used +[1-9]/m : /^All \d+ checks passed\.$/m)
        assert.strictEqual(readdirSync(to.HUB_DATA_DIR).includes("master.key"), kind === "embedded")
        const second = yield* spawnHub({ env: to })
        assert.strictEqual(second.lines.some((line) => line.includes("This hub is a paused copy")), asCopy)
        assert.deepStrictEqual((yield* second.api("GET", "/service-requests", { key })).body.data, before.body.data)
        const again = yield* signIn(second)
        expectStatus(yield* second.api("POST", `/storage/objects/${deleted}/restore`, { cookie: again }), 200)
        for (const [id, text] of [[kept, "kept bytes"], [deleted, "deleted bytes"]] as const) {
          const answer = yield* second.api("GET", `/storage/objects/${id}/download`, { cookie: again })
          const { pathname } = new URL(expectStatus(answer, 302).headers.get("location") ?? "")
          const bytes = yield* Effect.promise(() => fetch(second.url + pathname).then((answer) => answer.text()))
          assert.strictEqual(bytes, text)
        }
        assert.isFalse(existsSync(join(to.HUB_DATA_DIR, "objects", "part", "countersign-upload-1")))
        const listed = (status: string) =>
          Effect.map(
            second.api("GET", `/storage/objects?limit=200&status=${status}`, { cookie: again }),
            (page) => expectStatus(page, 200).body.data as ReadonlyArray<{ readonly id: string }>
          )
        const rows = (yield* Effect.all([listed("live"), listed("deleted")])).flat()
        assert.isAbove(rows.length, 2, "nothing was stored during the backup")
        const stored = new Set(readdirSync(join(to.HUB_DATA_DIR, "objects"), { recursive: true, encoding: "utf8" }))
        for (const { id } of rows) {
          assert.isTrue([...stored].some((path) => path.endsWith(`${id}/1`)), `the bytes of ${id}`)
        }
      }),
    240_000
  )

  it.live("leave out the master key on request", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const HUB_DATA_DIR = join(directory, "from")
      const file = join(directory, "hub.backup")
      assert.strictEqual((yield* run(["migrate"], { HUB_DATA_DIR })).code, 0)
      const made = yield* run(["backup", file, "--without-key"], { HUB_DATA_DIR })
      assert.strictEqual(made.code, 0, made.said)
      assert.match(made.said, /master key is not in it/)
      assert.strictEqual((yield* run(["restore", file], { HUB_DATA_DIR: join(directory, "to") })).code, 0)
      assert.notInclude(readdirSync(join(directory, "to")), "master.key")
    }))

  it.live("restore a copy that calls nobody until its pause ends, and serves meanwhile", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const [from, to, file] = [join(directory, "from"), join(directory, "to"), join(directory, "hub.backup")]
      const upstream = yield* httpUpstream((_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      )
      const calls = () => upstream.received.filter(({ url }) => url === "/work").length
      const deliveryOf = (id: string) =>
        Effect.sync(() => upstream.received.some(({ body, url }) => url === "/hook" && String(body).includes(id)))
      const env = {
        HUB_EGRESS_ALLOW: "127.0.0.1",
        HUB_OWNER_EMAIL: "ada@countersign.test",
        HUB_OWNER_PASSWORD: "correct horse battery"
      }
      const dispatch = (hub: HubProgram, key: string) =>
        Effect.map(
          hub.api("POST", "/service-requests", { key, body: { service: "work", operation: "run", payload: {} } }),
          ({ body }) => body as { readonly id: string; readonly status: string }
        )
      const key = yield* Effect.scoped(Effect.gen(function*() {
        const hub = yield* spawnHub({ env: { ...env, HUB_DATA_DIR: from } })
        const cookie = yield* signIn(hub)
        expectStatus(
          yield* hub.api("POST", "/webhook-endpoints", { cookie, body: { url: `${upstream.origin}/hook` } }),
          201
        )
        yield* makeService(hub, { cookie }, {
          name: "work",
          kind: "http",
          base_url: upstream.origin,
          operations: [{
            name: "run",
            method: "POST",
            path: "/work",
            payload_schema: { type: "object" },
            price: { type: "fixed", cents: 1 }
          }]
        })
        yield* topUp(hub, { cookie }, 100)
        const agent = yield* makeAgent(hub, { cookie }, { bindings: [{ service: "work", operations: ["*"] }] })
        assert.strictEqual((yield* dispatch(hub, agent.key)).status, "executed")
        const made = yield* run(["backup", file], { HUB_DATA_DIR: from })
        assert.strictEqual(made.code, 0, made.said)
        return agent.key
      }))
      const before = calls()
      const restored = yield* run(["restore", file, "--as-copy"], { HUB_DATA_DIR: to })
      assert.strictEqual(restored.code, 0, restored.said)
      const held = yield* Effect.scoped(Effect.gen(function*() {
        const copy = yield* spawnHub({ env: { ...env, HUB_DATA_DIR: to } })
        const outcome = yield* dispatch(copy, key)
        assert.strictEqual(outcome.status, "failed")
        return outcome.id
      }))
      assert.strictEqual(calls(), before)
      assert.isFalse(yield* deliveryOf(held))

      rmSync(join(to, "paused-copy"))
      const hub = yield* spawnHub({ env: { ...env, HUB_DATA_DIR: to } })
      assert.strictEqual((yield* dispatch(hub, key)).status, "executed")
      assert.strictEqual(calls(), before + 1)
      yield* until("the held delivery arrives", deliveryOf(held))
    }))
})

describe("the program", () => {
  it.live("lists its commands, prints the version of the API, and rejects unknown ones", () =>
    Effect.gen(function*() {
      assert.match((yield* run(["--version"])).said, new RegExp(`\\bv?${apiVersion}$`))
      const help = yield* run(["--help"])
      assert.strictEqual(help.code, 0)
      for (
        const command of [
          "start",
          "migrate",
          "doctor",
          "openapi",
          "backup",
          "restore",
          "reset-password",
          "race-test",
          "demo-key"
        ]
      ) assert.include(help.said, command)
      assert.strictEqual((yield* run([])).code, 0)
      const unknown = yield* run(["strat"])
      assert.strictEqual(unknown.code, 1)
      assert.match(unknown.said, /Unknown subcommand "strat"/)
    }))

  it.live("ends with one line that names a wrong setting and exit code 78, for every command", () =>
    Effect.gen(function*() {
      for (const command of [["doctor"], ["migrate"], ["backup", "/nonexistent/x"], ["demo-key"], ["race-test"]]) {
        const refused = yield* run(command, { HUB_PORT: "http" })
        assert.deepStrictEqual(
          [refused.code, refused.said],
          [78, "HUB_PORT must be a whole number from 0 to 65535"],
          command[0]
        )
      }
    }))
})
