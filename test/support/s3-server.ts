/**
 * An S3-compatible server for tests: s3rver in the maintained fork of 20 minutes, because it verifies signatures of
 * headers and URLs and installs from npm in seconds. Pinned by `test/support/s3rver/package-lock.json`.
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { ensureNodePackages } from "./cached-tools.mjs"

/** The keys that the server accepts. */
export const s3Keys = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" }
export const s3Bucket = "objects"

const program = (module: string, directory: string): string =>
  `const { default: S3rver } = await import(${JSON.stringify(module)})
  const server = new S3rver({ port: 0, address: "127.0.0.1", silent: true, directory: ${JSON.stringify(directory)},
    configureBuckets: [{ name: ${JSON.stringify(s3Bucket)} }] })
  const { port } = await server.run()
  process.stdout.write(port + "\\n")`

/** The address of a running server, and the directory of its buckets, until the scope ends. */
export const s3Server = Effect.gen(function*() {
  const packages = yield* Effect.sync(() => ensureNodePackages("s3rver", join(import.meta.dirname, "s3rver")))
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-s3-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const module = pathToFileURL(join(packages, "node_modules/@20minutes/s3rver/lib/s3rver.js")).href
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--input-type=module", "-e", program(module, directory)], {
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  const [port] = yield* Effect.promise(() => once(child.stdout, "data"))
  return { url: new URL(`http://127.0.0.1:${String(port).trim()}`), directory }
})

export interface S3Gate {
  readonly url: URL
  /** Keeps back the store's answers to a method until the gate opens; ends with the first of them. */
  readonly hold: (method: "GET" | "PUT" | "DELETE") => Effect.Effect<void>
  /** Sends what was kept back, and everything after it. */
  readonly open: Effect.Effect<void>
  /** Refuses connections until it listens again. */
  readonly close: Effect.Effect<void>
  readonly listen: Effect.Effect<void>
}

/** A proxy in front of a store, which tests close. */
export const s3Gate = Effect.fnUntraced(function*(target: URL) {
  const held = new Map<string, { readonly note: () => void; readonly waiting: Array<() => void> }>()
  const server = createServer((from, to) => {
    const { headers, method = "GET", url } = from
    const onward = request({ host: target.hostname, port: target.port, method, path: url, headers }, (answer) => {
      const pass = () => {
        to.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.on("error", () => to.destroy()).pipe(to)
      }
      const hold = held.get(method)
      if (hold === undefined) return pass()
      hold.waiting.push(pass)
      hold.note()
    })
    to.on("error", () => {})
    from.on("error", () => onward.destroy()).pipe(onward.on("error", () => to.destroy()))
  })
  const listen = (port: number) =>
    Effect.promise(() => new Promise<void>((done) => void server.listen(port, "127.0.0.1", done)))
  const close = Effect.promise(() =>
    new Promise<void>((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  )
  yield* Effect.acquireRelease(listen(0), () => server.listening ? close : Effect.void)
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    hold: (method) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(method, { note: resolve, waiting: [] })
      return Effect.promise(() => promise)
    },
    open: Effect.sync(() => {
      const kept = [...held.values()]
      held.clear()
      for (const { waiting } of kept) for (const go of waiting) go()
    }),
    close,
    listen: listen(port)
  } satisfies S3Gate as S3Gate
})
