/** Objects over HTTP, in the hub's own directory. */
import { newId } from "@countersign/domain/ids"
import { hubActor } from "@countersign/hub/platform/audit-log"
import { objectCheck } from "@countersign/hub/storage/check"
import { finalName } from "@countersign/hub/storage/rules"
import { Storage } from "@countersign/hub/storage/service"
import { spool } from "@countersign/hub/storage/spool"
import { type BlobStore, ObjectStore } from "@countersign/hub/storage/store"
import { StorageSweepRepository } from "@countersign/hub/storage/sweep-repository"
import { StorageSweeper } from "@countersign/hub/storage/sweeper"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { request } from "undici"
import { diagnosesOf, until } from "../../support/health.ts"
import { expectStatus, HubTest, makeAgent, startHub, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

const folder = mkdtempSync(join(tmpdir(), "countersign-storage-"))
const objects = join(folder, "objects")

const StorageHub = Layer.provideMerge(
  HubTest({
    env: { HUB_DATA_DIR: folder, HUB_STORAGE_OBJECT_MAX: "1MiB", HUB_STORAGE_WORKSPACE_MAX: "2000" }
  }),
  Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))))
)

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** A call to a whole address, without redirects. */
const raw = (method: "GET" | "HEAD" | "PUT", url: string, headers: Record<string, string> = {}, body?: string) =>
  Effect.promise(async () => {
    const answer = await request(url, { method, headers, ...body === undefined ? {} : { body } })
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  })

/** The files of the hub's directory that receive bytes. */
const spooled = () =>
  readdirSync(objects, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("countersign-upload-"))

/** The number of faults by check, of all workspaces. */
const doctorFinds = Effect.gen(function*() {
  const { target } = yield* TestHub
  return Object.fromEntries((yield* diagnosesOf(target)).map(({ bad, check }) => [check, bad]))
})

layer(StorageHub, { excludeTestServices: true })("objects", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const org = yield* makeWorkspace(hub)
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    const member = yield* makeSignedIn(hub, org, "member", "Mara")
    const { api, url } = hub
    /** The hub's public URL has the port of its settings, which is 0 in tests. */
    const here = (signed: string) => url + new URL(signed).pathname + new URL(signed).search
    const presign = (body: object, who: object = admin) =>
      api("POST", "/storage/objects/presign-upload", { ...who, body: { content_type: "text/plain", ...body } })
    const confirm = (id: string, who: object = admin) => api("POST", `/storage/objects/${id}/confirm`, who)
    const put = (key: string, text: string, who: { readonly cookie: string } = admin) =>
      api("POST", `/storage/objects?key=${encodeURIComponent(key)}&content_type=text/plain`, {
        ...who,
        headers: { "content-type": "application/octet-stream" },
        body: text
      })
    const keys = (query = "", who: object = admin) =>
      Effect.map(
        api("GET", `/storage/objects${query}`, who),
        (answer) => expectStatus(answer, 200).body.data.map(({ key }: { key: string }) => key) as ReadonlyArray<string>
      )
    const used = Effect.map(api("GET", "/storage/usage", admin), (answer) => {
      const { deleted_bytes, used_bytes } = expectStatus(answer, 200).body
      return [used_bytes, deleted_bytes]
    })
    const linkOf = Effect.fnUntraced(function*(id: string, query = "") {
      const answer = expectStatus(yield* api("GET", `/storage/objects/${id}/download${query}`, admin), 302)
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      return here(answer.headers.get("location") ?? "")
    })
    return { hub, api, org, admin, member, here, presign, confirm, put, keys, used, linkOf }
  })

  it.effect("are stored whole or not at all, whenever the client disconnects", () =>
    Effect.gen(function*() {
      const { hub, org, used } = yield* world
      const rounds = 120
      const stored = yield* hub.run(Effect.gen(function*() {
        const storage = yield* Storage
        const store = yield* ObjectStore
        const sql = yield* SqlClient.SqlClient
        const directory = yield* Effect.orDie(store.spoolFolder)
        const limits = { bytesMax: 1, silenceMillis: 60_000 }
        const by = { org, user: null, actor: hubActor } as const
        for (let round = 0; round < rounds; round++) {
          const call = yield* spool(Readable.from([Buffer.from("x")], { objectMode: false }), directory, limits).pipe(
            Effect.orDie,
            Effect.flatMap((file) => storage.store(by, { key: `cut/${round}`, contentType: "text/plain", file })),
            Effect.scoped,
            Effect.forkChild
          )
          // More progress in each round. The last one is complete, however slow the machine is.
          for (let step = 0; step < round; step++) {
            yield* Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))
          }
          yield* round === rounds - 1 ? Fiber.join(call) : Fiber.interrupt(call)
        }
        const rows = yield* Effect.orDie(
          sql<{ id: string; generation: number }>`select id, generation from storage_objects where org_id = ${org}`
        )
        for (const { generation, id } of rows) {
          assert.strictEqual(yield* Effect.orDie(store.size(finalName(org, id, generation))), 1, id)
        }
        return rows.length
      }))
      assert.isAbove(stored, 0)
      assert.deepStrictEqual(yield* used, [stored, 0])
    }))

  it.effect("leave no bytes of an upload that was canceled before they arrived", () =>
    Effect.gen(function*() {
      const { admin, api, here, hub, presign } = yield* world
      const { headers, object_id: id, url } = expectStatus(yield* presign({ key: "late.txt", size_bytes: 5 }), 201).body
      const sender = connect(Number(new URL(hub.url).port), "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => sender.destroy()))
      const signed = new URL(here(url))
      const answer = text(sender)
      const before = spooled()
      sender.write(
        `PUT ${signed.pathname}${signed.search} HTTP/1.1\r\nhost: hub\r\nconnection: close\r\n` +
          `content-type: ${headers["content-type"]}\r\ncontent-length: 5\r\n\r\nhel`
      )
      yield* until("the bytes arrive in a file", Effect.sync(() => spooled().length > before.length))
      expectStatus(yield* api("DELETE", `/storage/objects/${id}`, admin), 204)
      sender.write("lo")
      assert.match(yield* Effect.promise(() => answer), /^HTTP\/1\.1 409 /)
      yield* hub.run(Effect.gen(function*() {
        const store = yield* ObjectStore
        const names = yield* Effect.orDie(Stream.runCollect(store.list("tmp/", "")))
        assert.notInclude(names.flat().map(({ name }) => name).join(" "), id)
      }))
    }).pipe(Effect.scoped))

  it.effect("are listed once their upload is confirmed, and a later upload to the URL cannot change them", () =>
    Effect.gen(function*() {
      const { api, admin, confirm, here, keys, linkOf, presign, used } = yield* world
      const made =
        expectStatus(yield* presign({ key: "a/hello.txt", size_bytes: 5, sha256: sha256("hello") }), 201).body
      assert.deepStrictEqual([made.method, made.headers], ["PUT", { "content-type": "text/plain" }])
      assert.deepStrictEqual([yield* keys(), yield* used], [[], [5, 0]])
      assert.strictEqual((yield* confirm(made.object_id)).body.error.code, "not_uploaded")
      const upload = (text: string) => raw("PUT", here(made.url), made.headers, text)
      assert.strictEqual((yield* upload("hell")).status, 400)
      assert.strictEqual((yield* upload("jello")).status, 200)
      const wrong = expectStatus(yield* confirm(made.object_id), 409).body.error
      assert.deepStrictEqual([wrong.code, wrong.data.uploaded.sha256], ["checksum_mismatch", sha256("jello")])
      assert.strictEqual((yield* upload("hello")).status, 200)
      const object = expectStatus(yield* confirm(made.object_id), 200).body
      assert.deepStrictEqual(
        [object.status, object.sha256, object.size_bytes, object.key],
        ["live", sha256("hello"), 5, "a/hello.txt"]
      )
      assert.deepStrictEqual(expectStatus(yield* confirm(made.object_id), 200).body, object)
      assert.strictEqual((yield* upload("jello")).status, 409)
      assert.deepStrictEqual([yield* keys(), yield* used], [["a/hello.txt"], [5, 0]])
      assert.strictEqual((yield* raw("GET", yield* linkOf(made.object_id))).text, "hello")
      const { body } = expectStatus(yield* api("GET", `/audit-logs?subject_id=${made.object_id}`, admin), 200)
      assert.deepStrictEqual(
        body.data.map(({ action }: { action: string }) => action),
        ["storage_object.created", "storage_object.presigned"]
      )
    }))

  it.effect("are confirmed once when confirmations race", () =>
    Effect.gen(function*() {
      const { api, admin, confirm, here, presign } = yield* world
      const made = expectStatus(yield* presign({ key: "raced", size_bytes: 2 }), 201).body
      yield* raw("PUT", here(made.url), made.headers, "hi")
      const answers = yield* Effect.all(Array.from({ length: 6 }, () => confirm(made.object_id)), { concurrency: 6 })
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200, 200, 200, 200])
      const { body } = expectStatus(yield* api("GET", `/audit-logs?subject_id=${made.object_id}`, admin), 200)
      assert.strictEqual(body.data.length, 2, "presigned and created, each once")
    }))

  it.effect("download in ranges, conditionally, with safe headers, from a URL for one object and one purpose", () =>
    Effect.gen(function*() {
      const { linkOf, put, hub: { url } } = yield* world
      const { id } = expectStatus(yield* put("dir/ünï \"x\".txt", "0123456789"), 201).body
      const link = yield* linkOf(id)
      const whole = yield* raw("GET", link)
      assert.deepStrictEqual([whole.status, whole.text, whole.headers["content-length"]], [200, "0123456789", "10"])
      assert.deepStrictEqual(
        ["content-type", "x-content-type-options", "content-security-policy", "content-disposition"].map((name) =>
          whole.headers[name]
        ),
        [
          "text/plain; charset=utf-8",
          "nosniff",
          "sandbox; default-src 'none'",
          "inline; filename=\"_n_ _x_.txt\"; filename*=UTF-8''%C3%BCn%C3%AF%20%22x%22.txt"
        ]
      )
      const head = yield* raw("HEAD", link)
      assert.deepStrictEqual([head.status, head.text, head.headers["content-length"]], [200, "", "10"])
      for (
        const [range, status, text, content] of [
          ["bytes=2-4", 206, "234", "bytes 2-4/10"],
          ["bytes=-3", 206, "789", "bytes 7-9/10"],
          ["bytes=8-99", 206, "89", "bytes 8-9/10"],
          ["bytes=10-", 416, "", "bytes */10"],
          ["bytes=0-1,4-5", 200, "0123456789", undefined],
          ["bytes=5-2", 200, "0123456789", undefined]
        ] as const
      ) {
        const answer = yield* raw("GET", link, { range })
        assert.deepStrictEqual([answer.status, answer.headers["content-range"]], [status, content], range)
        if (status !== 416) assert.strictEqual(answer.text, text)
      }
      const etag = String(whole.headers["etag"])
      assert.strictEqual((yield* raw("GET", link, { "if-none-match": etag })).status, 304)
      assert.strictEqual((yield* raw("GET", link, { range: "bytes=0-1", "if-range": "\"other\"" })).status, 200)
      const saved = yield* raw("GET", yield* linkOf(id, "?disposition=attachment"))
      assert.match(String(saved.headers["content-disposition"]), /^attachment; /)
      assert.strictEqual((yield* raw("PUT", link, {}, "x")).status, 404)
      const flipped = link.slice(0, -1) + (link.endsWith("A") ? "B" : "A")
      for (const wrong of [flipped, `${url}/api/v1/storage/blobs/nothing`]) {
        assert.strictEqual((yield* raw("GET", wrong)).status, 404)
      }
    }))

  it.effect("are served as files when their type could run scripts", () =>
    Effect.gen(function*() {
      const { api, admin, linkOf } = yield* world
      for (const type of ["text/html", "image/svg+xml", "application/pdf"]) {
        const made = yield* api(
          "POST",
          `/storage/objects?key=${newId("obj")}&content_type=${encodeURIComponent(type)}`,
          {
            ...admin,
            headers: { "content-type": "application/octet-stream" },
            body: "<script>1</script>"
          }
        )
        const answer = yield* raw("GET", yield* linkOf(expectStatus(made, 201).body.id))
        assert.match(String(answer.headers["content-disposition"]), /^attachment; /, type)
      }
    }))

  it.effect("are uploaded as a form, and refuse other types, keys with path tricks, and bodies over the limit", () =>
    Effect.gen(function*() {
      const { api, admin, put } = yield* world
      const form = (parts: ReadonlyArray<string>) =>
        api("POST", "/storage/objects", {
          ...admin,
          headers: { "content-type": "multipart/form-data; boundary=XX" },
          body: `${parts.map((part) => `--XX\r\ncontent-disposition: form-data; ${part}\r\n`).join("")}--XX--\r\n`
        })
      const file = "name=\"file\"; filename=\"f\"\r\ncontent-type: image/png\r\n\r\npng"
      const made = expectStatus(yield* form([file, "name=\"key\"\r\n\r\npics/1.png"]), 201)
      assert.deepStrictEqual(
        [made.body.key, made.body.content_type, made.body.size_bytes, made.body.sha256],
        ["pics/1.png", "image/png", 3, sha256("png")]
      )
      assert.strictEqual(made.headers.get("location"), `/api/v1/storage/objects/${made.body.id}`)
      assert.strictEqual((yield* form([file])).body.error.details[0].path, "key")
      assert.strictEqual((yield* form(["name=\"key\"\r\n\r\nk"])).body.error.details[0].path, "file")
      for (const key of ["", "/a", "a/", "a//b", ".", "a/../b", "a/./b", "a\u0000b", "a\nb", "x".repeat(513)]) {
        assert.strictEqual((yield* put(key, "x")).status, 400, JSON.stringify(key))
      }
      assert.strictEqual((yield* put("e\u0301", "x")).body.key, "\u00e9", "keys are in the form NFC")
      const json = yield* api("POST", "/storage/objects?key=a", { ...admin, body: {} })
      assert.strictEqual(json.status, 415)
      const large = yield* put("large", "x".repeat(33 * 1024 * 1024))
      assert.strictEqual(large.status, 413)
    }))

  it.effect("never exceed the workspace's limit, also when uploads race; deleted and pending ones count", () =>
    Effect.gen(function*() {
      const { api, admin, presign, put, used } = yield* world
      const answers = yield* Effect.all(
        Array.from(
          { length: 8 },
          (_, at) => at % 2 === 0 ? presign({ key: `p${at}`, size_bytes: 300 }) : put(`d${at}`, "x".repeat(300))
        ),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 201, 201, 201, 201, 409, 409])
      const refused = answers.find(({ status }) => status === 409)!
      assert.strictEqual(refused.body.error.code, "storage_quota_exceeded")
      assert.deepStrictEqual(yield* used, [1_800, 0])
      const own = expectStatus(yield* presign({ key: "own", size_bytes: 2 * 1024 * 1024 }), 409)
      assert.strictEqual(own.body.error.code, "storage_quota_exceeded")
      const pending = answers.find(({ body }) => body.object_id !== undefined)!.body.object_id
      expectStatus(yield* api("DELETE", `/storage/objects/${pending}`, admin), 204)
      const live = answers.find(({ body }) => body.status === "live")!.body.id
      expectStatus(yield* api("DELETE", `/storage/objects/${live}`, admin), 204)
      assert.deepStrictEqual(yield* used, [1_500, 300])
      expectStatus(yield* api("GET", `/storage/objects/${pending}`, admin), 404)
    }))

  it.effect("are renamed, deleted, restored, and replaced by key", () =>
    Effect.gen(function*() {
      const { api, admin, hub, keys, linkOf, put, used } = yield* world
      const first = expectStatus(yield* put("k", "one"), 201).body
      const link = yield* linkOf(first.id)
      const second = expectStatus(yield* put("k", "two"), 201).body
      assert.deepStrictEqual([yield* keys(), yield* keys("?status=deleted"), yield* used], [["k"], ["k"], [6, 3]])
      assert.strictEqual((yield* raw("GET", link)).status, 404, "a deleted object's URL ends")
      const restore = (id: string) => api("POST", `/storage/objects/${id}/restore`, admin)
      assert.strictEqual(expectStatus(yield* restore(first.id), 409).body.error.code, "key_taken")
      const renamed = expectStatus(
        yield* api("PATCH", `/storage/objects/${second.id}`, {
          ...admin,
          body: { key: "k2", metadata: { by: "Ada" } }
        }),
        200
      ).body
      assert.deepStrictEqual([renamed.key, renamed.metadata], ["k2", { by: "Ada" }])
      const restored = expectStatus(yield* restore(first.id), 200).body
      assert.deepStrictEqual([restored.status, restored.deleted_at, yield* used], ["live", undefined, [6, 0]])
      const taken = yield* api("PATCH", `/storage/objects/${second.id}`, { ...admin, body: { key: "k" } })
      assert.strictEqual(taken.body.error.code, "key_taken")
      expectStatus(yield* api("DELETE", `/storage/objects/${first.id}`, admin), 204)
      yield* hub.run(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql`update storage_objects set deleted_at = deleted_at - interval '8 days' where id = ${first.id}`)
      )
      expectStatus(yield* restore(first.id), 410)
      yield* hub.run(Effect.flatMap(StorageSweeper, ({ sweepAt }) =>
        sweepAt(new Date())))
      expectStatus(yield* api("GET", `/storage/objects/${first.id}`, admin), 404)
      assert.deepStrictEqual(yield* used, [3, 0])
    }))

  it.effect("are listed by prefix, folder, and page, and a member sees and replaces only their own", () =>
    Effect.gen(function*() {
      const { api, admin, keys, member, put } = yield* world
      for (const key of ["a/1", "a/2", "a/b/3", "a!", "b/4", "c", "ż/5"]) expectStatus(yield* put(key, "x"), 201)
      assert.deepStrictEqual(yield* keys("?sort=key&prefix=a/"), ["a/1", "a/2", "a/b/3"])
      assert.deepStrictEqual(yield* keys("?sort=key&prefix=a/&delimiter=/"), ["a/1", "a/2"])
      assert.deepStrictEqual(yield* keys("?limit=2"), ["ż/5", "c"])
      const page = expectStatus(yield* api("GET", "/storage/objects?sort=key&limit=3", admin), 200).body
      assert.deepStrictEqual(yield* keys(`?sort=key&limit=2&cursor=${page.next_cursor}`), ["a/b/3", "b/4"])
      const folders = (prefix: string, who: object = admin) =>
        Effect.map(
          api("GET", `/storage/folders?prefix=${encodeURIComponent(prefix)}`, who),
          (answer) => expectStatus(answer, 200).body.data
        )
      assert.deepStrictEqual([yield* folders(""), yield* folders("a/"), yield* folders("ż/")], [
        ["a/", "b/", "ż/"],
        ["a/b/"],
        []
      ])
      assert.deepStrictEqual([yield* keys("", member), yield* folders("", member)], [[], []])
      assert.strictEqual((yield* put("c", "mine", member)).body.error.code, "key_taken")
      const own = expectStatus(yield* put("mine", "mine", member), 201).body
      assert.deepStrictEqual([yield* keys("", member), (yield* keys()).length], [["mine"], 8])
      const [first] = expectStatus(yield* api("GET", "/storage/objects?prefix=c", admin), 200).body.data
      expectStatus(yield* api("GET", `/storage/objects/${first.id}`, member), 404)
      expectStatus(yield* api("DELETE", `/storage/objects/${own.id}`, member), 204)
    }))

  it.effect("are read and written by an agent with the binding, free of charge, and by no other", () =>
    Effect.gen(function*() {
      const { api, admin, hub, keys, put } = yield* world
      const agent = yield* makeAgent(hub, admin, { bindings: [{ service: "storage", operations: ["*"] }] })
      const other = yield* makeAgent(hub, admin)
      const act = (operation: string, payload: object, { key }: { readonly key: string } = agent) =>
        Effect.map(
          api("POST", "/service-requests", { key, body: { service: "storage", operation, payload } }),
          (answer) => expectStatus(answer, 200).body
        )
      const made = yield* act("put", { key: "n/1", content_type: "text/plain", content: "aGk=", encoding: "base64" })
      assert.deepStrictEqual([made.status, made.cost_cents, made.result.key], ["executed", 0, "n/1"])
      const got = yield* act("get", { key: "n/1" })
      assert.deepStrictEqual([got.result.content, got.result.encoding, got.result.sha256], ["hi", "utf8", sha256("hi")])
      expectStatus(yield* put("n/2", "two"), 201)
      const listed = yield* act("list", { prefix: "n/" })
      assert.deepStrictEqual(listed.result.data.map(({ key }: { key: string }) => key), ["n/1", "n/2"])
      assert.deepStrictEqual((yield* act("get", { key: "none" })).status, "failed")
      assert.deepStrictEqual((yield* act("put", { key: "../x", content_type: "a/b", content: "" })).status, "failed")
      assert.strictEqual((yield* act("get", { key: "n/1" }, other)).reason_code, "policy_violation")
      assert.deepStrictEqual(yield* keys("?sort=key", { key: agent.key }), ["n/1", "n/2"])
      expectStatus(yield* api("GET", "/storage/objects", { key: other.key }), 403)
    }))

  it.effect("survive a hub that died during a verification: another one finishes it", () =>
    Effect.gen(function*() {
      const { api, admin, here, hub, presign } = yield* world
      const made = expectStatus(yield* presign({ key: "left", size_bytes: 2 }), 201).body
      yield* raw("PUT", here(made.url), made.headers, "hi")
      yield* hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`update storage_objects set status = 'verifying', generation = 1,
          claimed_until = hub_time_or_last() - interval '1 second' where id = ${made.object_id}`))
      yield* hub.run(Effect.flatMap(StorageSweeper, ({ resume }) =>
        resume))
      const object = expectStatus(yield* api("GET", `/storage/objects/${made.object_id}`, admin), 200).body
      assert.deepStrictEqual([object.status, object.sha256], ["live", sha256("hi")])
    }))

  it.effect("are 503 on a full disk, also to an upload URL, and leave no bytes and no row", () =>
    Effect.gen(function*() {
      const { admin, here, hub, keys, presign, used } = yield* world
      const made = expectStatus(yield* presign({ key: "p", size_bytes: 2 }), 201).body
      const noSpace = () => Promise.reject(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }))
      const full = yield* startHub({
        database: hub.target,
        env: { HUB_DATA_DIR: folder },
        storage: {
          files: {
            open: async (...file: Parameters<typeof open>) => Object.assign(await open(...file), { write: noSpace })
          }
        }
      })
      const direct = yield* full.api("POST", "/storage/objects?key=d", {
        ...admin,
        headers: { "content-type": "application/octet-stream" },
        body: "hi"
      })
      assert.match(expectStatus(direct, 503).body.error.message, /is full/)
      const url = new URL(here(made.url))
      const sent = yield* raw("PUT", `${full.url}${url.pathname}`, made.headers, "hi")
      assert.deepStrictEqual([sent.status, /is full/.test(sent.text)], [503, true])
      const agent = yield* makeAgent(hub, admin, { bindings: [{ service: "storage", operations: ["*"] }] })
      const put = { service: "storage", operation: "put", payload: { key: "a", content_type: "a/b", content: "hi" } }
      const acted = expectStatus(yield* full.api("POST", "/service-requests", { key: agent.key, body: put }), 200).body
      assert.deepStrictEqual([acted.status, acted.cost_cents], ["failed", 0])
      assert.deepStrictEqual([yield* keys(), yield* used], [[], [2, 0]])
      assert.deepStrictEqual(readdirSync(join(objects, "part")), [])
      assert.strictEqual((yield* raw("PUT", here(made.url), made.headers, "hi")).status, 200, "with space again")
    }))

  it.effect("are swept: bytes without a row go after their time, rows without bytes are marked, symbolic links are not followed", () =>
    Effect.gen(function*() {
      const { api, admin, hub, linkOf, org, put } = yield* world
      const sweep = hub.run(Effect.flatMap(StorageSweeper, ({ sweepAt }) => sweepAt(new Date())))
      const { id } = expectStatus(yield* put("kept", "kept"), 201).body
      const own = join(objects, "o", org, id)
      writeFileSync(join(own, "7"), "orphan")
      writeFileSync(join(own, "8"), "orphan")
      const old = new Date(Date.now() - 49 * 3_600_000)
      utimesSync(join(own, "7"), old, old)
      yield* sweep
      assert.deepStrictEqual(readdirSync(own).toSorted(), ["1", "8"])
      const marked = hub.run(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`select id from storage_objects where org_id = ${org} and missing_at is not null`
        )
      )
      assert.strictEqual((yield* marked).length, 0)
      const link = yield* linkOf(id)
      rmSync(own, { recursive: true })
      yield* sweep
      assert.strictEqual((yield* marked).length, 1)
      const missing = yield* doctorFinds
      assert.deepStrictEqual([missing["storage_missing"], missing["storage_bytes"]], [1, 0])
      symlinkSync("/etc", own)
      assert.strictEqual((yield* raw("GET", link)).status, 503)
      rmSync(own)
      expectStatus(yield* api("DELETE", `/storage/objects/${id}`, admin), 204)
    }))

  it.effect("are checked in bounded parts: each continues where the last stopped, and lists names instead of asking for each", () =>
    Effect.gen(function*() {
      const { hub, org, put } = yield* world
      const ids: Array<string> = []
      for (const key of ["1", "2", "3", "4"]) ids.push(expectStatus(yield* put(key, key), 201).body.id)
      rmSync(join(objects, "o", org, ids[1]!), { recursive: true })
      rmSync(join(objects, "o", org, ids[3]!), { recursive: true })
      const missing = hub.run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ id: string }>`select id from storage_objects
          where org_id = ${org} and missing_at is not null order by id`
        return rows.map(({ id }) => id)
      }))
      yield* hub.run(Effect.gen(function*() {
        const store = yield* ObjectStore
        // Pages of one blob.
        const narrow: BlobStore = {
          ...store,
          list: (area, after) =>
            Stream.flatMap(store.list(area, after), (page) => Stream.fromIterable(page.map((blob) => [blob]))),
          size: () => Effect.die(new Error("one call for each object"))
        }
        const check = objectCheck(narrow, yield* StorageSweepRepository)
        const at = new Date(Date.now() + 1_000)
        const part = (from: string) => check.objects({ at, from, pagesMax: 1 })
        // The blobs of other tests come before.
        let place = finalName(org, ids[0]!, 0)
        const places: Array<string> = []
        do places.push(place = yield* part(place))
        while (place !== "" && places.length < 10)
        assert.deepStrictEqual(places, [finalName(org, ids[0]!, 1), finalName(org, ids[2]!, 1), ""])
      }))
      assert.deepStrictEqual(yield* missing, [ids[1], ids[3]])
      for (const at of [1, 3]) {
        const folder = join(objects, "o", org, ids[at]!)
        mkdirSync(folder)
        writeFileSync(join(folder, "1"), String(at + 1))
      }
      yield* hub.run(Effect.flatMap(StorageSweeper, ({ sweepAt }) => sweepAt(new Date())))
      assert.deepStrictEqual(yield* missing, [], "restored bytes end the alert")
    }))

  it.effect("leave no received bytes of a dead hub, and keep those of an upload in progress", () =>
    Effect.gen(function*() {
      const { hub } = yield* world
      const part = join(objects, "part")
      const old = new Date(Date.now() - 25 * 3_600_000)
      for (const name of ["countersign-upload-old", "countersign-upload-new", "other"]) {
        writeFileSync(join(part, name), "x")
        if (!name.endsWith("new")) utimesSync(join(part, name), old, old)
      }
      const since = new Date(Date.now() - 24 * 3_600_000)
      yield* hub.run(Effect.flatMap(ObjectStore, ({ removeLeft }) => removeLeft(since)))
      assert.deepStrictEqual(readdirSync(part).toSorted(), ["countersign-upload-new", "other"])
      for (const name of readdirSync(part)) rmSync(join(part, name))
    }))

  it.effect("answer 503 storage_not_shared on a hub with another directory, and work on one with the same", () =>
    Effect.gen(function*() {
      const { admin, hub, put } = yield* world
      expectStatus(yield* put("shared", "x"), 201)
      const list = Effect.fnUntraced(function*(dir: string) {
        const second = yield* startHub({ database: hub.target, env: { HUB_DATA_DIR: dir } })
        return yield* second.api("POST", "/storage/objects?key=second", {
          ...admin,
          headers: { "content-type": "application/octet-stream" },
          body: "y"
        })
      })
      const other = mkdtempSync(join(tmpdir(), "countersign-storage-"))
      const refused = expectStatus(yield* list(other), 503).body.error
      assert.deepStrictEqual([refused.code, /HUB_S3_BUCKET/.test(refused.message)], ["storage_not_shared", true])
      assert.deepStrictEqual(readdirSync(other), [])
      rmSync(other, { recursive: true })
      expectStatus(yield* list(folder), 201)
    }))
})
