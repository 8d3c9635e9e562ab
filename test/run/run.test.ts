/** `npm test` itself: its counts, its last line and its exit code, on small suites in a project of their own. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const root = dirname(dirname(import.meta.dirname))
const created: Array<string> = []
afterAll(() => {
  for (const folder of created) rmSync(folder, { recursive: true, force: true })
})

const support = [
  "chromium.mjs",
  "counts-reporter.ts",
  "required.ts",
  "requirements.mjs",
  "results.mjs",
  "retries.mjs",
  "runner.ts"
]

const config = `
import { defineConfig } from "vitest/config"
export default defineConfig({ test: { include: ["test/**/*.test.ts"], globalSetup: ["set-up.ts"], runner: "./test/support/runner.ts", pool: "forks" } })`

/** A project with the runner of this one and these files. */
const projectWith = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "cs-run-"))
  created.push(folder)
  cpSync(join(root, "apps", "hub", "scripts"), join(folder, "apps", "hub", "scripts"), { recursive: true })
  for (const file of support) cpSync(join(root, "test", "support", file), join(folder, "test", "support", file))
  cpSync(join(root, "test", "run.mjs"), join(folder, "test", "run.mjs"))
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(root, file), join(folder, file))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  for (
    const [name, text] of Object.entries({
      "vitest.config.ts": config,
      "set-up.ts": "export default () => {}",
      ...files
    })
  ) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

interface Outcome {
  readonly code: number | null
  readonly lines: ReadonlyArray<string>
  readonly last: string | undefined
}

/** The environment of the run under test: nothing of the one that this test is in. */
const clean = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CI$|VITEST|TEST_|NODE_OPTIONS$|REQUIRE_)/.test(name))
  )

/** `node test/run.mjs test` with a filter that keeps it to vitest. */
const run = (
  folder: string,
  { ci = false, filter = "test/" }: { readonly ci?: boolean; readonly filter?: string } = {}
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(folder, "test", "run.mjs"), "test", filter], {
      cwd: folder,
      env: { ...clean(), ...(ci ? { CI: "true" } : {}), NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => text += chunk.toString())
    child.once("error", reject)
    child.once("close", (code) => {
      const lines = text.trimEnd().split("\n")
      resolve({ code, lines, last: lines.at(-1) })
    })
  })

const passes = `import { test } from "vitest"\ntest("passes", () => {})`
const needsTool = `import { test } from "vitest"
import { requireFor } from "../support/required.ts"
test("needs a tool", (context) => requireFor(context, { reason: "the tool is not installed", provide: "apt-get install the-tool" }))`
const secondTry = (count: number) =>
  `import { test } from "vitest"
for (let n = 1; n <= ${count}; n++) {
  let tries = 0
  test("passes at the second try " + n, () => { if (++tries === 1) throw new Error("first try") })
}`

describe.concurrent("npm test", { timeout: 120_000 }, () => {
  it("counts passed and skipped tests, lists the reasons and the slowest files, and ends with 0", async () => {
    const outcome = await run(projectWith({
      "test/a/passes.test.ts": passes,
      "test/a/tool.test.ts": needsTool,
      "test/a/later.test.ts": `import { test } from "vitest"\ntest.todo("comes later")`
    }))
    assert.strictEqual(outcome.last, "1 passed, 0 failed, 2 skipped", outcome.lines.join("\n"))
    assert.strictEqual(outcome.code, 0)
    const at = outcome.lines.indexOf("SKIPPED test/a/tool.test.ts > needs a tool")
    assert.strictEqual(outcome.lines[at + 1], "  the tool is not installed")
    assert.include(outcome.lines, "SKIPPED test/a/later.test.ts > comes later")
    assert.match(outcome.lines[outcome.lines.indexOf("Slowest files:") + 1] ?? "", /^ {2}\d+\.\d s test\/a\//)
  })

  it("in CI fails a test whose tool is missing, and names the command that installs it", async () => {
    const outcome = await run(projectWith({ "test/a/passes.test.ts": passes, "test/a/tool.test.ts": needsTool }), {
      ci: true
    })
    assert.strictEqual(outcome.last, "1 passed, 1 failed, 0 skipped", outcome.lines.join("\n"))
    assert.notStrictEqual(outcome.code, 0)
    const at = outcome.lines.indexOf("FAILED test/a/tool.test.ts > needs a tool")
    assert.strictEqual(
      outcome.lines[at + 1],
      "  the tool is not installed, which CI must have: apt-get install the-tool"
    )
  })

  it("in CI reports a second try as flaky, and gives none to races, kills, money and protocols", async () => {
    const outcome = await run(
      projectWith({ "test/ui/view.test.ts": secondTry(1), "test/hub/dispatch/races.test.ts": secondTry(1) }),
      { ci: true }
    )
    assert.strictEqual(outcome.last, "1 passed, 1 failed, 0 skipped", outcome.lines.join("\n"))
    assert.include(outcome.lines, "FLAKY test/ui/view.test.ts > passes at the second try 1")
    assert.include(outcome.lines, "FAILED test/hub/dispatch/races.test.ts > passes at the second try 1")
  })

  it("in CI fails when more than three tests are flaky", async () => {
    const outcome = await run(projectWith({ "test/ui/view.test.ts": secondTry(4) }), { ci: true })
    assert.strictEqual(outcome.last, "4 passed, 1 failed, 0 skipped", outcome.lines.join("\n"))
    assert.include(outcome.lines, "FAILED 4 tests passed only at their second try; at most 3 may")
    assert.strictEqual(outcome.code, 1)
  })

  it("counts as failures a crashed process, a failed set-up, and errors outside any test, ECONNRESET included", async () => {
    const outcome = await run(projectWith({
      "test/a/passes.test.ts": passes,
      "test/a/crash.test.ts":
        `import { test } from "vitest"\ntest("dies", () => process.kill(process.pid, "SIGKILL"))\ntest("never runs", () => {})`,
      "test/a/set-up.test.ts":
        `import { beforeAll, test } from "vitest"\nbeforeAll(() => { throw new Error("no set-up") })\ntest("is not reached", () => {})`,
      "test/a/reset.test.ts": `import { test } from "vitest"
test("leaves a rejection behind", async () => {
  void Promise.reject(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }))
  await new Promise((resolve) => setImmediate(resolve))
})`
    }))
    const all = outcome.lines.join("\n")
    assert.match(outcome.last ?? "", /^2 passed, [1-9]\d* failed, \d+ skipped$/, all)
    assert.notStrictEqual(outcome.code, 0)
    const failed = outcome.lines.map((line, at) =>
      line.startsWith("FAILED ") ? `${line} ${outcome.lines[at + 1]?.trim()}` : ""
    ).filter(Boolean)
    assert.isTrue(failed.some((line) => line.includes("test/a/crash.test.ts")), all)
    assert.isTrue(failed.some((line) => line.includes("test/a/set-up.test.ts") && line.includes("no set-up")), all)
    assert.include(failed, "FAILED outside any test read ECONNRESET")
  })

  it("fails when it finds no test", async () => {
    const outcome = await run(projectWith({ "test/a/passes.test.ts": passes }), { filter: "test/nowhere" })
    assert.match(outcome.last ?? "", /^0 passed, [1-9]\d* failed, 0 skipped$/, outcome.lines.join("\n"))
    assert.strictEqual(outcome.code, 1)
  })

  it("fails when the test program is killed before it reports", async () => {
    const outcome = await run(projectWith({
      "test/a/passes.test.ts": passes,
      "set-up.ts": `export default () => process.kill(process.pid, "SIGKILL")`
    }))
    assert.strictEqual(outcome.last, "0 passed, 1 failed, 0 skipped", outcome.lines.join("\n"))
    assert.include(outcome.lines, "FAILED vitest.mjs ended with SIGKILL before it reported its results")
    assert.notStrictEqual(outcome.code, 0)
  })
})

describe("the list of files without a second try", () => {
  it("names files and folders that exist", async () => {
    const { unretried, unretriedConsole } = await import("../support/retries.mjs")
    const all = [...unretried, ...unretriedConsole.map((file) => `test/e2e/console/${file}`)]
    const missing = all.filter((path) => !existsSync(join(root, path)))
    assert.deepStrictEqual(missing, [])
  })
})
