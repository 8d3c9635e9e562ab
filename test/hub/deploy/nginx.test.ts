import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as tls from "node:tls"
import { makeAuthority } from "../../support/authority.ts"
import { connect, makeDevice } from "../../support/device.ts"
import { listenTo } from "../../support/event-stream.ts"
import { until } from "../../support/health.ts"
import {
  apiOf,
  expectStatus,
  firstOwner,
  type HubInTest,
  makeAgent,
  type OwnerInTest,
  startHub,
  topUp
} from "../../support/hub.ts"
import { freshDatabase } from "../../support/pg.ts"
import { requireFor } from "../../support/required.ts"
import { missingProgram } from "../../support/requirements.mjs"
import { closedPort } from "../../support/upstream.ts"

const example = join(import.meta.dirname, "..", "..", "..", "resources", "deploy", "nginx.conf")
const missing = missingProgram("nginx", "nginx-light")

/** The example with the test's ports and certificate, run by nginx in the foreground. */
const configured = (
  folder: string,
  ports: { readonly plain: number; readonly secure: number },
  hubs: ReadonlyArray<string>
) =>
  readFileSync(example, "utf8")
    .replace("listen 80;", `listen 127.0.0.1:${ports.plain};`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${ports.secure} ssl;`)
    .replaceAll("server_name hub.example.com;", "server_name localhost 127.0.0.1;")
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${folder}/cert.pem;`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${folder}/key.pem;`)
    .replace(/ {2}server 127.0.0.1:4780.*\n {2}# server 127.0.0.1:4781.*\n/, () =>
      hubs.map((url) => `  server ${new URL(url).host} max_fails=1 fail_timeout=5s;\n`).join(""))

const runNginx = (folder: string, config: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
        `${name}_temp_path ${folder}/${name};`
      )
      writeFileSync(
        join(folder, "nginx.conf"),
        `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;\nevents {}\n` +
          `http { access_log off; ${paths.join(" ")}\n${config}\n}\n`
      )
      return spawn("nginx", ["-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")], { stdio: "inherit" })
    }),
    (child) =>
      Effect.promise(() =>
        new Promise<void>((done) => {
          if (child.exitCode !== null) return done()
          child.once("exit", () => done())
          child.kill("SIGTERM")
        })
      )
  )

class Front extends Context.Service<Front, {
  readonly hubs: ReadonlyArray<HubInTest>
  readonly owner: OwnerInTest
  /** The address of nginx. */
  readonly url: string
}>()("test/hub/deploy/Front") {}

const folderLayer = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "hub-nginx-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const FrontLive = Layer.effect(
  Front,
  Effect.gen(function*() {
    const folder = yield* folderLayer
    const authority = makeAuthority("nginx test")
    writeFileSync(join(folder, "cert.pem"), authority.server.cert)
    writeFileSync(join(folder, "key.pem"), authority.server.key)
    const before = tls.getCACertificates("default")
    yield* Effect.acquireRelease(
      Effect.sync(() => tls.setDefaultCACertificates([...before, authority.pem])),
      () => Effect.sync(() => tls.setDefaultCACertificates(before))
    )
    const [plain, secure] = [yield* closedPort, yield* closedPort]
    const url = `https://127.0.0.1:${secure}`
    const database = yield* freshDatabase
    const env = { HUB_PUBLIC_URL: url, HUB_TRUSTED_PROXIES: "127.0.0.1" }
    const hubs = [yield* startHub({ database, env }), yield* startHub({ database, env })]
    const owner = yield* firstOwner(hubs[0]!)
    if (missing === undefined) {
      yield* runNginx(folder, configured(folder, { plain, secure }, hubs.map((hub) => hub.url)))
      yield* until(
        "nginx answers",
        Effect.promise(() => fetch(`${url}/ready`).then(({ status }) => status === 200, () => false))
      )
    }
    return { hubs, owner, url }
  })
)

layer(FrontLive, { excludeTestServices: true, timeout: 120_000 })(
  "two hubs behind resources/deploy/nginx.conf",
  (it) => {
    it.effect(
      "serve sign-in, event streams, and device sockets over TLS, but no metrics",
      (context) =>
        Effect.gen(function*() {
          requireFor(context, missing)
          const { owner, url } = yield* Front
          const api = apiOf(url)
          const login = expectStatus(
            yield* api("POST", "/auth/login", { body: { email: owner.email, password: owner.password } }),
            200
          )
          assert.match(login.headers.getSetCookie()[0] ?? "", /; Secure/)
          assert.match(login.headers.get("strict-transport-security") ?? "", /^max-age=/)
          for (const path of ["/metrics", "/api/v1/metrics"]) {
            assert.strictEqual(
              (yield* Effect.promise(() => fetch(`${url}${path}`))).status,
              404,
              path
            )
          }

          const stream = yield* listenTo(url, "/events", { cookie: owner.cookie })
          assert.strictEqual(stream.response.status, 200)
          const made = yield* makeAgent({ api }, owner)
          for (;;) {
            const { data } = yield* stream.frame
            if (data.subject.id === made.id) break
          }

          const device = yield* makeDevice({ api }, owner)
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
        }).pipe(Effect.scoped),
      60_000
    )

    // The last test: it stops a hub.
    it.effect("continue to serve when one of them stops", (context) =>
      Effect.gen(function*() {
        requireFor(context, missing)
        const { hubs, owner, url } = yield* Front
        const api = apiOf(url)
        yield* topUp({ api }, owner, 1_000)
        const { key } = yield* makeAgent({ api }, owner)
        yield* hubs[0]!.stop
        const say = { service: "echo", operation: "say", payload: { text: "hello" } }
        for (let call = 0; call < 20; call++) {
          const done = yield* api("POST", "/service-requests", {
            key,
            headers: { "idempotency-key": `call-${call}` },
            body: say
          })
          assert.deepStrictEqual([done.status, done.body.status], [200, "executed"])
        }
        const { used } = yield* Effect.map(
          api("GET", "/balance", { cookie: owner.cookie }),
          ({ body }) => ({ used: 1_000 - body.balance_cents })
        )
        assert.strictEqual(used, 20)
      }), 60_000)
  }
)
