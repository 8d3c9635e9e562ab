/**
 * A hub in a host's hands: PostgreSQL with a limited role on a small disk, two hubs behind nginx and Caddy with TLS, hubs
 * that stop and are killed under load, a full disk, a newer database, and a directory that was copied while it was in
 * use. No request is lost or charged twice. Spec: reference/operation.md "Several hubs".
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { startEmbedded } from "@countersign/hub/platform/postgres/embedded"
import { assert } from "@effect/vitest"
import { Effect, Logger, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { connect, makeDevice } from "../support/device.ts"
import { listenTo } from "../support/event-stream.ts"
import { startCaddy, startNginx, trustedCertificate } from "../support/fronts.ts"
import { expectHealthy, until } from "../support/health.ts"
import { type Program, spawnCommand, spawnHub } from "../support/hub-program.ts"
import { type Api, apiOf, cookieOf, expectStatus, makeAgent, masterKey, topUp } from "../support/hub.ts"
import { type Chance, chanceOf } from "../support/random.ts"
import { missingProgram } from "../support/requirements.mjs"
import { scratchFolder } from "../support/scratch.ts"
import { fill, missingDisk, smallDisk } from "../support/small-disk.ts"
import { closedPort } from "../support/upstream.ts"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

const owner = { email: "ada@countersign.test", password: "correct horse battery" }
const metricsToken = "scrape me"
const funds = 1_000_000
const priceCents = 1
const callers = 4
const pauseMillis = 50
/** For a hub without a database, or with a full disk: every call is answered within this time. */
const answerMillisMax = 30_000
const diskMebibytes = 400

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => scratchFolder("cs-host-")),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
)

interface Hub extends Program {
  readonly url: string
  readonly api: Api
}

/** A separate server, and a role that may only log in. `admin` runs a statement as its superuser. */
const ownPostgres = Effect.fnUntraced(function*(dataDir: string) {
  const { connection } = yield* startEmbedded({ dataDir, tuning: { memoryMib: 64, connections: 60 } }).pipe(
    Effect.provide(Logger.layer([]))
  )
  assert.property(connection, "path")
  const { path, username } = connection as { readonly path: string; readonly username: string }
  const admin = (database: string, statement: string) =>
    Effect.scoped(Effect.flatMap(
      singleConnection({ path, username, database }, "test"),
      (sql) => Effect.orDie(sql.unsafe(statement))
    )).pipe(Effect.orDie)
  yield* admin("postgres", "create role hub login")
  yield* admin("postgres", "create database hub")
  const query = new URLSearchParams({ host: dirname(path), port: "5432", user: "hub" })
  return { admin, url: `postgres:///hub?${query}`, target: { path, username, database: "hub" } }
})

/** What a client needs works through the proxy, and the metrics do not. */
const checkFront = Effect.fnUntraced(function*(url: string, cookie: string) {
  const api = apiOf(url)
  const login = expectStatus(yield* api("POST", "/auth/login", { body: owner }), 200)
  assert.match(login.headers.getSetCookie()[0] ?? "", /; Secure/)
  assert.match(login.headers.get("strict-transport-security") ?? "", /^max-age=/)
  for (const path of ["/metrics", "/api/v1/metrics"]) {
    assert.strictEqual((yield* Effect.promise(() => fetch(`${url}${path}`))).status, 404, path)
  }
  const stream = yield* listenTo(url, "/events", { cookie })
  assert.strictEqual(stream.response.status, 200)
  const made = yield* makeAgent({ api }, { cookie }, { bindings: [] })
  while ((yield* stream.frame).data.subject.id !== made.id);
  const device = yield* makeDevice({ api }, { cookie })
  const socket = yield* connect({ url }, device)
  socket.send({
    type: "hello",
    min_protocol: 1,
    max_protocol: 1,
    app_version: "0.2.0",
    instance_id: "i",
    boot_id: "b",
    roots: []
  })
  assert.isString((yield* socket.next("welcome")).session_id)
  socket.close()
}, Effect.scoped)

/** Agents that send requests through the proxies, and repeat each with its key until it is answered. */
const startLoad = (fronts: ReadonlyArray<string>, key: string) => {
  let isOver = false
  let slowest = 0
  const statuses = new Map<number, number>()
  const ends: Array<string> = []
  const call = async (front: string, idempotencyKey: string): Promise<string | undefined> => {
    const began = performance.now()
    const answer = await Effect.runPromise(
      apiOf(front)("POST", "/service-requests", {
        key,
        headers: { "idempotency-key": idempotencyKey },
        body: { service: "echo", operation: "say", payload: { text: "hello" } }
      })
    ).catch(() => undefined)
    slowest = Math.max(slowest, performance.now() - began)
    statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1)
    return answer?.status === 200 && ["executed", "failed"].includes(answer.body.status)
      ? answer.body.status
      : undefined
  }
  const workers = Array.from({ length: callers }, async (_, caller) => {
    for (let at = 0; !isOver; at++) {
      let end: string | undefined
      while (end === undefined) {
        end = await call(fronts[caller % fronts.length]!, `call-${caller}-${at}`)
        if (end === undefined) await new Promise((resolve) => setTimeout(resolve, pauseMillis))
      }
      ends.push(end)
      await new Promise((resolve) => setTimeout(resolve, pauseMillis))
    }
  })
  return {
    answered: () => ends.length,
    statuses: () => JSON.stringify(Object.fromEntries(statuses)),
    /** Resolves with the number of executed requests. */
    end: Effect.promise(async () => {
      isOver = true
      await Promise.all(workers)
      assert.isBelow(slowest, answerMillisMax)
      return ends.filter((end) => end === "executed").length
    })
  }
}

const run = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance: Chance = chanceOf(seed)
    const folder = yield* temporaryFolder
    const disk = yield* smallDisk(diskMebibytes)
    assert.isDefined(disk, missingDisk.reason)
    const dataDir = join(disk ?? "", "data")
    const postgres = yield* ownPostgres(dataDir)
    yield* trustedCertificate(folder)
    const ports = {
      hubs: [yield* closedPort, yield* closedPort],
      nginx: yield* closedPort,
      plain: yield* closedPort,
      caddy: yield* closedPort
    }
    const addresses = ports.hubs.map((port) => `http://127.0.0.1:${port}`)
    const fronts = [ports.nginx, ports.caddy].map((port) => `https://127.0.0.1:${port}`)
    const settings = {
      DATABASE_URL: postgres.url,
      HUB_MASTER_KEY: masterKey,
      HUB_OWNER_EMAIL: owner.email,
      HUB_OWNER_PASSWORD: owner.password,
      HUB_PUBLIC_URL: fronts[0]!,
      HUB_TRUSTED_PROXIES: "127.0.0.1",
      HUB_METRICS_TOKEN: metricsToken
    }
    const start = (at: number): Effect.Effect<Hub, never, Scope.Scope> =>
      Effect.map(
        spawnHub({ env: { ...settings, HUB_PORT: String(ports.hubs[at]) } }),
        (hub) => ({ ...hub, url: addresses[at]!, api: apiOf(addresses[at]!) })
      )
    const isReady = ({ api }: { readonly api: Api }) => Effect.map(api("GET", "/ready"), ({ status }) => status === 200)
    /** A start that must end: its exit code and its output. */
    const refusedStart = Effect.fnUntraced(function*(env: Readonly<Record<string, string>>) {
      const program = yield* spawnCommand(["start"], { HUB_DATA_DIR: join(folder, "refused"), HUB_PORT: "0", ...env })
      const { code } = yield* program.ended
      return { code, text: program.lines.join("\n") }
    })

    const limited = yield* refusedStart(settings)
    assert.strictEqual(limited.code, 78)
    assert.match(
      limited.text,
      /the role hub, which needs CREATE on schema public: grant usage, create on schema public/
    )
    yield* postgres.admin("hub", "grant usage, create on schema public to hub")
    const hubs = [yield* start(0), yield* start(1)]
    mkdirSync(join(folder, "caddy"))
    cpSync(join(folder, "cert.pem"), join(folder, "caddy", "cert.pem"))
    cpSync(join(folder, "key.pem"), join(folder, "caddy", "key.pem"))
    yield* startNginx({ folder, port: ports.nginx, plainPort: ports.plain, hubs: addresses })
    yield* startCaddy({ folder: join(folder, "caddy"), port: ports.caddy, hubs: addresses })
    const cookie = cookieOf(expectStatus(yield* hubs[0]!.api("POST", "/auth/login", { body: owner }), 200))
    for (const front of fronts) yield* checkFront(front, cookie)
    log("two hubs with a limited role serve through nginx and Caddy")

    for (const { url } of hubs) {
      const headers = { authorization: `Bearer ${metricsToken}` }
      const metrics = yield* Effect.promise(() => fetch(`${url}/metrics`, { headers }).then((answer) => answer.text()))
      const checked = spawnSync("promtool", ["check", "metrics"], { input: metrics, encoding: "utf8" })
      assert.deepStrictEqual([checked.status, checked.stdout + checked.stderr], [0, ""])
    }

    yield* topUp({ api: hubs[0]!.api }, { cookie }, funds)
    const { key } = yield* makeAgent({ api: hubs[0]!.api }, { cookie })
    const load = startLoad(fronts, key)
    const answeredMore = (count: number) => {
      const enough = load.answered() + count
      return until(`${count} more requests are answered`, Effect.sync(() => load.answered() >= enough))
    }
    for (let round = 0; round < scale; round++) {
      yield* answeredMore(10 + chance.int(30))
      yield* hubs[0]!.kill("SIGTERM")
      assert.deepStrictEqual(yield* hubs[0]!.ended, { code: 0, signal: null })
      yield* answeredMore(10)
      hubs[0] = yield* start(0)
      yield* answeredMore(10 + chance.int(30))
      yield* hubs[1]!.kill("SIGKILL")
      yield* hubs[1]!.ended
      yield* answeredMore(10)
      hubs[1] = yield* start(1)
    }
    log(`hubs stopped and were killed under load: ${load.statuses()}`)

    const filler = join(disk ?? "", "filler")
    fill(filler)
    yield* until("no hub is ready", Effect.map(Effect.all(hubs.map(isReady)), (ready) => !ready.includes(true)))
    const body = { service: "echo", operation: "say", payload: { text: "refused" } }
    const refused = yield* hubs[0]!.api("POST", "/service-requests", { key, body })
    assert.strictEqual(refused.status, 503, refused.text)
    rmSync(filler)
    yield* until("both hubs are ready", Effect.map(Effect.all(hubs.map(isReady)), (ready) => !ready.includes(false)))
    yield* answeredMore(10)
    log(`the disk was full: ${load.statuses()}`)

    const executed = yield* load.end
    const { balance_cents: balance } = expectStatus(yield* hubs[0]!.api("GET", "/balance", { cookie }), 200).body
    assert.strictEqual(balance, funds - executed * priceCents)

    yield* postgres.admin("hub", "insert into migrations (migration_id, name) values (9999, 'newer')")
    yield* until("no hub is ready", Effect.map(Effect.all(hubs.map(isReady)), (ready) => !ready.includes(true)))
    const older = yield* refusedStart(settings)
    assert.strictEqual(older.code, 78)
    assert.match(older.text, /This hub is too old: the database is at migration 9999/)
    yield* postgres.admin("hub", "delete from migrations where migration_id = 9999")
    yield* until("both hubs are ready", Effect.map(Effect.all(hubs.map(isReady)), (ready) => !ready.includes(false)))
    log("a database of a newer version was refused")

    const copy = join(folder, "copy")
    cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.includes(".s.PGSQL") })
    const copied = yield* refusedStart({ HUB_DATA_DIR: copy })
    assert.strictEqual(copied.code, 78)
    assert.include(copied.text, `${join(copy, "postgres", "postmaster.pid")} names the process`)
    log("a copy of a directory in use was refused")

    for (const hub of hubs) {
      yield* hub.kill("SIGTERM")
      assert.strictEqual((yield* hub.ended).code, 0)
    }
    yield* expectHealthy(postgres.target)
    log(`${executed} requests executed, each charged once`)
  }).pipe(Effect.scoped, Effect.runPromise)

export const soak: SoakScenario = {
  name: "host",
  summary:
    "two hubs behind nginx and Caddy on a PostgreSQL with a limited role: stops, kills, a full disk, a newer database",
  missing: () =>
    missingProgram("nginx", "nginx-light") ?? missingProgram("caddy", "caddy") ??
      missingProgram("promtool", "prometheus") ?? (process.getuid?.() === 0 ? undefined : missingDisk),
  run
}
