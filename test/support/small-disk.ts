/** A small file system in memory, to fill it. */
import { Effect, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmdirSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Missing } from "./requirements.mjs"

/** @returns its folder; `undefined` where this user may not mount one */
export const smallDisk = (mebibytes: number): Effect.Effect<string | undefined, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "hub-disk-"))
      if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", path]).status === 0) return path
      rmdirSync(path)
      return undefined
    }),
    (path) =>
      Effect.sync(() => {
        if (path === undefined) return
        spawnSync("umount", ["--lazy", path])
        rmdirSync(path)
      })
  )

export const missingDisk: Missing = { reason: "this user may not mount a tmpfs", provide: "run the tests as root" }

/** Writes a file until the disk has no space. */
export const fill = (path: string): void => {
  const file = openSync(path, "w")
  const piece = Buffer.alloc(1 << 16)
  try {
    for (;;) writeSync(file, piece)
  } catch {
    // The disk is full.
  } finally {
    closeSync(file)
  }
}
