/**
 * One object of 1 GiB through a hub with its own directory, and verified in a bucket: how much memory the hub takes
 * above its idle state.
 */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { request } from "undici"
import { type Api, expectStatus } from "../support/hub.ts"
import { s3Bucket, s3Keys, s3Server } from "../support/s3-server.ts"
import { below, type Figure, info } from "./figures.ts"
import { residentBytes } from "./machine.ts"
import { type BenchHub, database, makeWorkspace, type Stage, startHub } from "./stage.ts"

const bytes = 1 << 30
const chunk = Buffer.alloc(1 << 20, "0123456789abcdef")
const sampleMillis = 50
const aboveIdleMax = 60
const timeouts = { headersTimeout: 0, bodyTimeout: 0 }

const mib = (size: number) => size / (1 << 20)

const digest = (() => {
  const hash = createHash("sha256")
  for (let sent = 0; sent < bytes; sent += chunk.length) hash.update(chunk)
  return hash.digest("hex")
})()

interface Step {
  readonly seconds: number
  /** Of the hub's memory, above the given bytes. */
  readonly peakMib: number
}

const measured = <A>(hub: BenchHub, idle: number, work: () => Promise<A>) =>
  Effect.promise(async (): Promise<Step & { readonly value: A }> => {
    let peak = 0
    const sample = () => peak = Math.max(peak, residentBytes(hub.pid))
    const timer = setInterval(sample, sampleMillis)
    const began = performance.now()
    try {
      const value = await work()
      sample()
      return { value, seconds: (performance.now() - began) / 1_000, peakMib: mib(peak - idle) }
    } finally {
      clearInterval(timer)
    }
  })

const upload = async (url: string, headers: Record<string, string>) => {
  const body = Readable.from(
    (function*() {
      for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk
    })(),
    { objectMode: false }
  )
  const answer = await request(url, {
    method: "PUT",
    headers: { ...headers, "content-length": String(bytes) },
    body,
    ...timeouts
  })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`the upload was answered with ${answer.statusCode}: ${text}`)
}

const download = async (url: string) => {
  const answer = await request(url, timeouts)
  const hash = createHash("sha256")
  for await (const part of answer.body) hash.update(part as Buffer)
  if (hash.digest("hex") !== digest) throw new Error(`the download (${answer.statusCode}) has other bytes`)
}

/** Uploads, confirms, and downloads one object. */
const roundTrip = Effect.fnUntraced(function*(hub: BenchHub, isOwnStore: boolean) {
  const { cookie } = yield* makeWorkspace(hub)
  const call = (...[method, path, body]: [string, string, unknown?]) =>
    (hub.api satisfies Api)(method, path, { cookie, ...body === undefined ? {} : { body } })
  /** The hub's public URL has the port of its settings. */
  const here = (signed: string) => {
    const { pathname, search } = new URL(signed)
    return isOwnStore ? `http://127.0.0.1:${hub.port}${pathname}${search}` : signed
  }
  const made = expectStatus(
    yield* call("POST", "/storage/objects/presign-upload", {
      key: "large",
      content_type: "application/octet-stream",
      size_bytes: bytes,
      sha256: digest
    }),
    201
  ).body
  const idle = residentBytes(hub.pid)
  const up = yield* measured(hub, idle, () => upload(here(made.url), made.headers))
  const confirmed = yield* measured(hub, idle, async () => {
    for (;;) {
      const answer = await Effect.runPromise(call("POST", `/storage/objects/${made.object_id}/confirm`))
      if (answer.status !== 202) return expectStatus(answer, 200).body.sha256
    }
  })
  if (confirmed.value !== digest) return yield* Effect.die(new Error("the object has another digest"))
  const link = yield* call("GET", `/storage/objects/${made.object_id}/download`)
  const url = here(expectStatus(link, 302).headers.get("location") ?? "")
  const down = yield* measured(hub, idle, () => download(url))
  return { up, confirmed, down }
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cs-bench-objects-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const speed = ({ seconds }: Step) => `${(mib(bytes) / seconds).toFixed(0)} MiB/s`

export const storage: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const local = yield* Effect.scoped(Effect.gen(function*() {
    const hub = yield* startHub(yield* database, { env: { HUB_DATA_DIR: yield* folder } })
    return yield* roundTrip(hub, true)
  }))
  const bucket = yield* Effect.scoped(Effect.gen(function*() {
    const { url } = yield* s3Server
    const hub = yield* startHub(yield* database, {
      env: {
        HUB_S3_BUCKET: s3Bucket,
        HUB_S3_ENDPOINT: url.href,
        HUB_S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
        HUB_S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey
      }
    })
    return yield* roundTrip(hub, false)
  }))
  return [
    below("1 GiB uploaded to the hub: memory above idle", aboveIdleMax, local.up.peakMib, 0, " MB"),
    below("the same confirmed", aboveIdleMax, local.confirmed.peakMib, 0, " MB"),
    below("the same downloaded", aboveIdleMax, local.down.peakMib, 0, " MB"),
    below("1 GiB in a bucket confirmed: memory above idle", aboveIdleMax, bucket.confirmed.peakMib, 0, " MB"),
    info("upload, confirmation, download", [local.up, local.confirmed, local.down].map(speed).join(", ")),
    info("confirmation in a bucket", speed(bucket.confirmed))
  ]
})
