/**
 * An S3-compatible server for tests: s3rver in the maintained fork of 20 minutes, because it verifies signatures of
 * headers and URLs and installs from npm in seconds. Pinned by `test/support/s3rver/package-lock.json`.
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
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

/** The address of a running server, until the scope ends. */
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
  return new URL(`http://127.0.0.1:${String(port).trim()}`)
})
