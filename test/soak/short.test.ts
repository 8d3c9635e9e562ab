/** The short form of every soak scenario without a separate test file; a new scenario is included automatically. */
import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hasOwnFile, testShortForm } from "../support/short-form.ts"
import { loadScenario, scenarioNames } from "./scenario.ts"

for (const name of scenarioNames().filter((name) => !hasOwnFile(name))) testShortForm(name)

describe("the folder of scenarios", () => {
  const withFolder = async (files: Readonly<Record<string, string>>, check: (folder: string) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), "cs-soak-"))
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
      await check(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const failureOf = (work: Promise<unknown>): Promise<string> =>
    work.then(() => "no failure", (error: Error) => error.message)

  it("lists every module except the frame and the tests", () =>
    withFolder(
      { "b.ts": "", "a.ts": "", "main.ts": "", "scenario.ts": "", "short.test.ts": "", "notes.md": "" },
      async (folder) => {
        assert.deepStrictEqual(scenarioNames(folder), ["a", "b"])
      }
    ))

  it("rejects a module without a scenario, and a scenario with another name than its file", () =>
    withFolder({
      "empty.ts": "export {}",
      "renamed.ts": `export const soak = { name: "other", summary: "", run: async () => {} }`
    }, async (folder) => {
      assert.include(await failureOf(loadScenario("empty", folder)), `test/soak/empty.ts exports no "soak" scenario`)
      assert.include(await failureOf(loadScenario("renamed", folder)), `test/soak/renamed.ts is named "other"`)
    }))
})
