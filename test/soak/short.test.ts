/** The short form of every soak scenario; a new file is included automatically. */
import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { requireFor } from "../support/required.ts"
import { loadScenario, scenarioNames } from "./scenario.ts"

const seed = 1
const linesShown = 20

for (const name of scenarioNames()) {
  it(`${name} at scale 1`, { timeout: 600_000 }, async (context) => {
    const scenario = await loadScenario(name)
    requireFor(context, scenario.missing?.())
    const lines: Array<string> = []
    try {
      await scenario.run({ seed, scale: 1, log: (line) => lines.push(line) })
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(
        [`${reason} (repeat it: npm run soak -- ${name} --seed ${seed} --scale 1)`, ...lines.slice(-linesShown)].join(
          "\n"
        ),
        { cause }
      )
    }
  })
}

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
