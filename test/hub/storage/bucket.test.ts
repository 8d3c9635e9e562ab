/** Objects over HTTP, in the bucket of an S3-compatible server, also when it is silent or gone, or when a hub is killed. */
import { StorageSweeper } from "@countersign/hub/storage/sweeper"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { request } from "undici"
import { diagnosesOf } from "../../support/health.ts"
import { spawnHub } from "../../support/hub-program.ts"
import { expectStatus, HubTest, makeAgent, startHub, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { s3Bucket, type S3Gate, s3Gate, s3Keys, s3Server } from "../../support/s3-server.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

class Store extends Context.Service<
  Store,
  S3Gate & {
    /** The settings of a hub with this bucket. */
    readonly env: Readonly<Record<string, string>>
    /** The names in the bucket. */
    readonly names: () => ReadonlyArray<string>
  }
>()("test/hub/storage/Store") {
  static readonly layer = Layer.effect(
    Store,
    Effect.gen(function*() {
      const { directory, url } = yield* s3Server
      const gate = yield* s3Gate(url)
      const env = {
        HUB_S3_BUCKET: s3Bucket,
        HUB_S3_ENDPOINT: gate.url.href,
        HUB_S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
        HUB_S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey
      }
      const names = () =>
        readdirSync(join(directory, s3Bucket), { recursive: true, encoding: "utf8" }).flatMap((file) =>
          file.endsWith("._S3rver_object") ? [file.slice(0, -"._S3rver_object".length)] : []
        ).toSorted()
      return Store.of({ ...gate, env, names })
    })
  )
}

const BucketHub = Layer.unwrap(Effect.map(Store, ({ env }) => HubTest({ env }))).pipe(Layer.provideMerge(Store.layer))

const raw = (method: "GET" | "PUT", url: string, headers: Record<string, string> = {}, body?: string) =>
  Effect.promise(async () => {
    const answer = await request(url, { method, headers, ...body === undefined ? {} : { body } })
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  })

layer(BucketHub, { excludeTestServices: true })("objects in a bucket", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const store = yield* Store
    const org = yield* makeWorkspace(hub)
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    const { api } = hub
    const presign = (key: string, text: string, who = hub) =>
      Effect.map(
        who.api("POST", "/storage/objects/presign-upload", {
          ...admin,
          body: { key, content_type: "text/plain", size_bytes: text.length, sha256: sha256(text) }
        }),
        (answer) => expectStatus(answer, 201).body
      )
    const uploaded = Effect.fnUntraced(function*(key: string, text: string) {
      const made = yield* presign(key, text)
      assert.strictEqual((yield* raw("PUT", made.url, made.headers, text)).status, 200)
      return made.object_id as string
    })
    const confirm = (id: string, who: Pick<typeof hub, "api"> = hub) =>
      who.api("POST", `/storage/objects/${id}/confirm`, admin)
    const put = (key: string, text: string, who: Pick<typeof hub, "api"> = hub) =>
      who.api("POST", `/storage/objects?key=${key}&content_type=text/plain`, {
        ...admin,
        headers: { "content-type": "application/octet-stream" },
        body: text
      })
    const download = Effect.fnUntraced(function*(id: string) {
      const { headers } = expectStatus(yield* api("GET", `/storage/objects/${id}/download`, admin), 302)
      return headers.get("location") ?? ""
    })
    const get = (id: string) => Effect.map(api("GET", `/storage/objects/${id}`, admin), ({ body }) => body)
    const names = () => store.names().filter((name) => name.includes(org))
    const sweepIn = (hours: number) =>
      hub.run(Effect.flatMap(StorageSweeper, ({ sweepAt }) => sweepAt(new Date(Date.now() + hours * 3_600_000))))
    return { hub, store, org, admin, api, presign, uploaded, confirm, put, download, get, names, sweepIn }
  })

  it.effect("go to the store and come from it by signed URLs, and an unexpired upload URL cannot change them", () =>
    Effect.gen(function*() {
      const { api, admin, confirm, download, names, org, presign, store, sweepIn } = yield* world
      const made = yield* presign("a/hello.txt", "hello")
      assert.strictEqual(new URL(made.url).origin, store.url.origin)
      const upload = (text: string, type = "text/plain") => raw("PUT", made.url, { "content-type": type }, text)
      assert.deepStrictEqual(
        [(yield* upload("hello", "text/html")).status, (yield* upload("hello, world")).status],
        [403, 403]
      )
      assert.strictEqual((yield* confirm(made.object_id)).body.error.code, "not_uploaded")
      assert.strictEqual((yield* upload("jello")).status, 200)
      assert.strictEqual(expectStatus(yield* confirm(made.object_id), 409).body.error.code, "checksum_mismatch")
      assert.strictEqual((yield* upload("hello")).status, 200)
      const object = expectStatus(yield* confirm(made.object_id), 200).body
      assert.deepStrictEqual([object.status, object.sha256], ["live", sha256("hello")])
      yield* upload("jello")
      const link = yield* download(object.id)
      assert.strictEqual(new URL(link).origin, store.url.origin)
      const got = yield* raw("GET", link)
      assert.deepStrictEqual(
        [got.text, got.headers["content-type"], got.headers["content-disposition"]],
        ["hello", "text/plain; charset=utf-8", "inline; filename=\"hello.txt\""]
      )
      assert.strictEqual((yield* raw("GET", link, { range: "bytes=1-2" })).text, "el")
      assert.strictEqual((yield* raw("PUT", link, {}, "x")).status, 403)
      // Two refused confirmations came before.
      const final = `o/${org}/${object.id}/3`
      assert.strictEqual(names().length, 2, "the late upload left bytes without a row")
      yield* sweepIn(25)
      assert.deepStrictEqual(names(), [final])
      expectStatus(yield* api("DELETE", `/storage/objects/${object.id}`, admin), 204)
      assert.deepStrictEqual(names(), [final], "a deleted object keeps its bytes for restoring")
      expectStatus(yield* api("POST", `/storage/objects/${object.id}/restore`, admin), 200)
    }))

  it.effect("are sent to agents as content, or as a URL of the store when they are large", () =>
    Effect.gen(function*() {
      const { admin, api, hub, put } = yield* world
      const agent = yield* makeAgent(hub, admin, { bindings: [{ service: "storage", operations: ["*"] }] })
      const act = (operation: string, payload: object) =>
        Effect.map(
          api("POST", "/service-requests", { key: agent.key, body: { service: "storage", operation, payload } }),
          (answer) => expectStatus(answer, 200).body
        )
      assert.strictEqual(
        (yield* act("put", { key: "n", content_type: "text/plain", content: "hi" })).status,
        "executed"
      )
      assert.strictEqual((yield* act("get", { key: "n" })).result.content, "hi")
      const large = "x".repeat(512 * 1024 + 1)
      expectStatus(yield* put("large", large), 201)
      const { result } = yield* act("get", { key: "large" })
      assert.strictEqual(sha256((yield* raw("GET", result.url)).text), sha256(large))
    }))

  it.effect("answer 202 verifying when the confirmation takes too long, and become live without another call", () =>
    Effect.gen(function*() {
      const { confirm, hub, store, uploaded } = yield* world
      const hurried = yield* startHub({ database: hub.target, env: store.env, storage: { confirmMillis: 0 } })
      const id = yield* uploaded("slow", "bytes")
      const first = expectStatus(yield* confirm(id, hurried), 202).body
      assert.deepStrictEqual([first.status, first.sha256], ["verifying", undefined])
      const { status } = expectStatus(yield* confirm(id), 200).body
      assert.strictEqual(status, "live")
    }))

  it.effect("are 503 while the store is silent or refuses connections, and nothing is left of the attempts", () =>
    Effect.gen(function*() {
      const { confirm, get, hub, names, put, store, sweepIn, uploaded } = yield* world
      const brief = yield* startHub({ database: hub.target, env: store.env, storage: { storeSilenceMillis: 300 } })
      const id = yield* uploaded("left", "bytes")
      store.hold("GET")
      store.hold("PUT")
      const silent = yield* Effect.all([confirm(id, brief), put("direct", "bytes", brief)], { concurrency: 2 })
      for (const answer of silent) {
        assert.match(expectStatus(answer, 503).body.error.message, /does not respond/)
      }
      yield* store.open
      yield* store.close
      for (const answer of [yield* confirm(id), yield* put("direct", "bytes")]) {
        assert.match(expectStatus(answer, 503).body.error.message, /does not respond/)
      }
      assert.strictEqual((yield* get(id)).status, "pending")
      yield* store.listen
      expectStatus(yield* confirm(id), 200)
      yield* sweepIn(49)
      assert.strictEqual(names().length, 1, "one object, with its bytes")
    }))

  it.effect("survive kill -9 of a hub during a confirmation, a removal, and a direct upload: no row without bytes, no bytes without a row", () =>
    Effect.gen(function*() {
      const { admin, api, get, hub, names, org, put, store, sweepIn, uploaded } = yield* world
      const killed = yield* spawnHub({ database: hub.target, env: store.env })
      const [confirmed, canceled] = [yield* uploaded("confirmed", "bytes"), yield* uploaded("canceled", "bytes")]
      const stored = store.hold("PUT")
      const removed = store.hold("DELETE")
      const calls = yield* Effect.forkChild(Effect.all(
        [
          killed.api("POST", `/storage/objects/${confirmed}/confirm`, admin),
          put("direct", "bytes", killed),
          killed.api("DELETE", `/storage/objects/${canceled}`, admin)
        ].map(Effect.exit),
        { concurrency: 3 }
      ))
      yield* Effect.all([stored, removed], { concurrency: 2 })
      yield* killed.kill("SIGKILL")
      yield* killed.ended
      yield* Fiber.join(calls)
      yield* store.open
      assert.deepStrictEqual([(yield* get(confirmed)).status, (yield* get(canceled)).status], ["verifying", "deleted"])

      yield* hub.run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update storage_objects set claimed_until = hub_time_or_last() - interval '1 second'
          where org_id = ${org} and status = 'verifying'`
        yield* Effect.flatMap(StorageSweeper, ({ resume }) => resume)
      }))
      yield* sweepIn(49)
      assert.deepStrictEqual((yield* get(confirmed)).sha256, sha256("bytes"))
      expectStatus(yield* api("GET", `/storage/objects/${canceled}`, admin), 404)
      assert.deepStrictEqual(names(), [`o/${org}/${confirmed}/2`])
      const usage = expectStatus(yield* api("GET", "/storage/usage", admin), 200).body
      assert.deepStrictEqual([usage.used_bytes, usage.deleted_bytes], [5, 0])
      const faults = (yield* diagnosesOf(hub.target)).filter(({ bad, check }) => check.startsWith("storage") && bad > 0)
      assert.deepStrictEqual(faults, [])
    }))
})
