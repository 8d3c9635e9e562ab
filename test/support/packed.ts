/** The npm package `countersign`, built, packed, and installed as a person has it. */
import { Effect, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildPackage } from "../../packages/countersign/scripts/build.ts"

/** @throws Error with the output if the program fails */
export const must = (
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: NodeJS.ProcessEnv = {}
): string => {
  const done = spawnSync(program, args, { cwd, encoding: "utf8", env: { ...process.env, ...env } })
  if (done.status !== 0) throw new Error(`${program} ${args.join(" ")}\n${done.stdout}\n${done.stderr}`)
  return done.stdout
}

export interface Packed {
  /** Holds all the rest, and is removed with the scope. */
  readonly folder: string
  readonly tarball: string
  /** An empty folder. */
  readonly machine: string
  /** Installs the package in `machine`. */
  readonly install: () => void
}

export const packed: Effect.Effect<Packed, never, Scope.Scope> = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-package-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  )
  yield* Effect.promise(() => buildPackage(join(folder, "built")))
  must("npm", ["pack", "--silent", "--pack-destination", folder], join(folder, "built"))
  const tarball = join(folder, readdirSync(folder).find((file) => file.endsWith(".tgz"))!)
  const machine = join(folder, "machine")
  mkdirSync(machine)
  return {
    folder,
    tarball,
    machine,
    install: () => void must("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", tarball], machine)
  }
})
