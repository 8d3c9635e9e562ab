/** The stores of objects: the same suite on the local directory and on a real S3-compatible server. */
import { newId } from "@countersign/domain/ids"
import { EgressStreams } from "@countersign/hub/providers/egress-streams"
import { presignedUrl, signedRequest } from "@countersign/hub/storage/aws-signature"
import { ensureStoreId, localStore } from "@countersign/hub/storage/local-store"
import { finalName, uploadName } from "@countersign/hub/storage/rules"
import { s3Store } from "@countersign/hub/storage/s3-store"
import { spool } from "@countersign/hub/storage/spool"
import { type BlobStore, ObjectStore } from "@countersign/hub/storage/store"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { request } from "undici"
import { s3Bucket, s3Keys, s3Server } from "../../support/s3-server.ts"

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex")

const settingsAt = (endpoint: URL) => ({
  ...s3Keys,
  bucket: s3Bucket,
  endpoint,
  publicEndpoint: endpoint,
  region: "us-east-1",
  pathStyle: true
})

const LocalStore = Layer.effect(
  ObjectStore,
  Effect.gen(function*() {
    const root = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-store-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    yield* Effect.promise(() => ensureStoreId(root))
    return localStore(root, Effect.void)
  })
)

const S3Store = Layer.effect(
  ObjectStore,
  Effect.gen(function*() {
    return s3Store(settingsAt((yield* s3Server).url), yield* EgressStreams)
  })
).pipe(Layer.provide(EgressStreams.layer))

const textOf = (stream: Readable): Promise<string> =>
  Readable.from(stream).toArray().then((all) => Buffer.concat(all as Array<Buffer>).toString())

const suite = (name: string, Store: Layer.Layer<ObjectStore, unknown>) =>
  layer(Store, { excludeTestServices: true })(`the ${name} store`, (it) => {
    const write = (store: BlobStore, blob: string, bytes: string | Buffer) =>
      Effect.scoped(Effect.gen(function*() {
        const file = yield* spool(
          Readable.from([Buffer.from(bytes)], { objectMode: false }),
          yield* store.spoolFolder,
          {
            bytesMax: 10_000_000,
            silenceMillis: 10_000
          }
        )
        yield* store.put(blob, file, "text/plain")
      }))
    const read = (store: BlobStore, blob: string, range?: { readonly start: number; readonly end: number }) =>
      Effect.scoped(Effect.gen(function*() {
        const stream = yield* store.read(blob, range)
        return stream === undefined ? undefined : yield* Effect.promise(() => textOf(stream))
      }))
    const names = () => {
      const org = newId("org")
      const object = newId("obj")
      return { org, object, tmp: uploadName(org, object, "u1"), final: finalName(org, object, 1) }
    }

    it.effect("stores, replaces, reads, and removes bytes, and reports absence", () =>
      Effect.gen(function*() {
        const store = yield* ObjectStore
        const { final } = names()
        assert.deepStrictEqual([yield* store.size(final), yield* read(store, final)], [undefined, undefined])
        yield* write(store, final, "first")
        yield* write(store, final, "0123456789")
        assert.deepStrictEqual([yield* store.size(final), yield* read(store, final)], [10, "0123456789"])
        assert.strictEqual(yield* read(store, final, { start: 2, end: 4 }), "234")
        yield* store.remove(final)
        yield* store.remove(final)
        assert.strictEqual(yield* store.size(final), undefined)
        yield* write(store, final, "")
        assert.deepStrictEqual([yield* store.size(final), yield* read(store, final)], [0, ""])
      }))

    it.effect("seals exactly the bytes that it digests, and a later upload does not change them", () =>
      Effect.gen(function*() {
        const store = yield* ObjectStore
        const { final, tmp } = names()
        const seal = (bytes: number) => store.seal(tmp, final, { bytes, contentType: "text/plain" })
        assert.strictEqual(yield* seal(5), undefined)
        const large = Buffer.alloc(3_000_000, "abc")
        yield* write(store, tmp, large)
        assert.deepStrictEqual(yield* seal(5), { bytes: large.byteLength, sha256: "" })
        assert.deepStrictEqual(yield* seal(large.byteLength), { bytes: large.byteLength, sha256: sha256(large) })
        yield* write(store, tmp, "changed")
        assert.strictEqual(yield* store.size(final), large.byteLength)
        assert.strictEqual(sha256((yield* read(store, final)) ?? ""), sha256(large))
      }))

    it.effect("lists the blobs of an area in order, after a name", () =>
      Effect.gen(function*() {
        const store = yield* ObjectStore
        const all = [names(), names(), names()].map(({ final }) => final).toSorted()
        for (const each of all) yield* write(store, each, "x")
        const listed = (after: string) =>
          Effect.map(
            Stream.runCollect(store.list("o/", after)),
            (pages) => pages.flat().map(({ name }) => name).filter((found) => all.includes(found))
          )
        assert.deepStrictEqual(yield* listed(""), all)
        assert.deepStrictEqual(yield* listed(all[1]!), all.slice(2))
        assert.deepStrictEqual(yield* Stream.runCollect(store.list("o/", "o/z")), [])
        const [blob] = (yield* Stream.runCollect(store.list("o/", ""))).flat()
        assert.isBelow(Math.abs(Date.now() - (blob?.modifiedMillis ?? 0)), 60_000)
      }))
  })

suite("local", LocalStore)
suite("S3", S3Store)

layer(S3Store, { excludeTestServices: true })("signed URLs of S3", (it) => {
  it.effect("take the signed type and length, answer with the signed headers, and refuse a changed signature", () =>
    Effect.gen(function*() {
      const { urls } = yield* ObjectStore
      const name = uploadName(newId("org"), newId("obj"), "u1")
      const at = new Date()
      const upload = yield* urls!.upload(name, { at, seconds: 60, contentType: "text/plain", bytes: 5 })
      const put = (url: string, type: string, body: string) =>
        Effect.promise(async () => {
          const answer = await request(url, { method: "PUT", headers: { "content-type": type }, body })
          await answer.body.dump()
          return answer.statusCode
        })
      assert.strictEqual(yield* put(upload, "text/html", "hello"), 403)
      assert.strictEqual(yield* put(upload, "text/plain", "hello, world"), 403)
      assert.strictEqual(
        yield* put(upload.replace(/.$/, (last) => last === "0" ? "1" : "0"), "text/plain", "hello"),
        403
      )
      assert.strictEqual(yield* put(upload, "text/plain", "hello"), 200)
      // The server encodes an apostrophe differently from Amazon, so the name has none.
      const disposition = "attachment; filename=\"a b.txt\""
      const url = yield* urls!.download(name, {
        at,
        seconds: 60,
        contentType: "text/plain; charset=utf-8",
        disposition
      })
      const answer = yield* Effect.promise(async () => {
        const { body, headers, statusCode } = await request(url)
        return { status: statusCode, headers, text: await body.text() }
      })
      assert.deepStrictEqual(
        [answer.status, answer.text, answer.headers["content-disposition"], answer.headers["content-type"]],
        [200, "hello", disposition, "text/plain; charset=utf-8"]
      )
    }))
})

describe("signatures", () => {
  const key = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1"
  }
  const at = new Date("2013-05-24T00:00:00Z")

  it.effect("of URLs equal the example of Amazon's documentation", () =>
    Effect.gen(function*() {
      const url = yield* presignedUrl(key, {
        method: "GET",
        url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
        at,
        seconds: 86_400
      })
      const signature = new URL(url).searchParams.get("X-Amz-Signature")
      assert.strictEqual(signature, "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }))

  it.effect("of URLs cover the type and the length, and write spaces as %20", () =>
    Effect.gen(function*() {
      const url = yield* presignedUrl(key, {
        method: "PUT",
        url: new URL("https://examplebucket.s3.amazonaws.com/a?response-content-disposition=a b"),
        headers: { "content-type": "text/plain", "content-length": "5" },
        at,
        seconds: 60
      })
      const { searchParams } = new URL(url)
      assert.strictEqual(searchParams.get("X-Amz-SignedHeaders"), "content-length;content-type;host")
      assert.include(url, "response-content-disposition=a%20b&")
    }))

  it.effect("of headers equal the example of Amazon's documentation", () =>
    Effect.gen(function*() {
      const { headers } = yield* signedRequest(key, {
        method: "GET",
        url: new URL("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J"),
        headers: { "x-amz-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        at
      })
      assert.strictEqual(
        headers["authorization"],
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, " +
          "SignedHeaders=host;x-amz-content-sha256;x-amz-date, " +
          "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
      )
    }))
})

layer(EgressStreams.layer, { excludeTestServices: true })("an S3 store that fails", (it) => {
  it.effect("is unreachable when it refuses connections, and when it stays silent", () =>
    Effect.gen(function*() {
      const streams = yield* EgressStreams
      const server = yield* Effect.acquireRelease(
        Effect.promise(() =>
          new Promise<ReturnType<typeof createServer>>((done) => {
            const silent = createServer().listen(0, "127.0.0.1", () => done(silent))
          })
        ),
        (silent) => Effect.sync(() => void silent.close())
      )
      const sockets = new Set<{ destroy: () => unknown }>()
      server.on("connection", (socket) => sockets.add(socket.on("error", () => {})))
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const name = finalName(newId("org"), newId("obj"), 1)
      const at = (url: string) => Effect.flip(s3Store(settingsAt(new URL(url)), streams, 200).size(name))
      assert.strictEqual((yield* at(`http://127.0.0.1:${port}`)).reason, "unreachable")
      for (const socket of sockets) socket.destroy()
      assert.strictEqual((yield* at("http://127.0.0.1:9")).reason, "unreachable")
    }))
})
