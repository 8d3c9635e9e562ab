/** `npm test` itself: its counts, its last line, and its exit code, on small suites in a separate project. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { requireFor } from "../support/required.ts"
import { missingChromium } from "../support/requirements.mjs"

const root = dirname(dirname(import.meta.dirname))
const created: Array<string> = []
afterAll(() => {
  for (const folder of created) rmSync(folder, { recursive: true, force: true })
})

/** Files that `run.mjs` imports, and the runner and the reporters. */
const support = [
  ...readdirSync(join(root, "test", "support")).filter((name) => name.endsWith(".mjs")),
  "console-counts.ts",
  "counts-reporter.ts",
  "required.ts",
  "runner.ts"
]

const config = `
import { defineConfig } from "vitest/config"
export default defineConfig({ test: { include: ["test/**/*.test.ts"], globalSetup: ["set-up.ts"], runner: "./test/support/runner.ts", pool: "forks" } })`

/** A project with this project's runner and these files. */
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

/** The environment of the run under test, without that of the current test run. */
const clean = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CI$|VITEST|TEST_|NODE_OPTIONS$|REQUIRE_)/.test(name))
  )

/**
 * Runs `node test/run.mjs test` with filters; by default with one that selects only vitest. `begun` gets the process.
 */
const run = (
  folder: string,
  { atOnce = false, begun, ci = false, filters = ["test/"] }: {
    readonly atOnce?: boolean
    readonly begun?: (child: ChildProcess) => void
    readonly ci?: boolean
    readonly filters?: ReadonlyArray<string>
  } = {}
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(folder, "test", "run.mjs"), "test", ...filters], {
      cwd: folder,
      env: { ...clean(), ...(ci ? { CI: "true" } : {}), NO_COLOR: "1", TEST_AT_ONCE: atOnce ? "1" : "0" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => text += chunk.toString())
    child.once("error", reject)
    child.once("close", (code) => {
      const lines = text.trimEnd().split("\n")
      resolve({ code, lines, last: lines.at(-1) })
    })
    begun?.(child)
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

describe.concurrent("npm test", () => {
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
    const growth = outcome.lines.filter((line) => line.startsWith("vitest: "))
    assert.lengthOf(growth, 1)
    assert.match(growth[0] ?? "", /^vitest: 1 tests in \d+ s \(\d+\.\d s per 100 tests\)/)
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
    const outcome = await run(projectWith({ "test/a/passes.test.ts": passes }), { filters: ["test/nowhere"] })
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

/** Writes a file, then waits until the other program has written one. */
const writesAndWaits = (own: string, other: string) => `
  const { existsSync, writeFileSync } = await import("node:fs")
  console.log("${own} writes")
  writeFileSync("${own}", String(process.pid))
  while (!existsSync("${other}")) await new Promise((resolve) => setTimeout(resolve, 20))`

/** Runs both programs; no console test opens a browser. */
const both = (inVitest: string, inConsole: string) =>
  projectWith({
    "test/a/one.test.ts": `import { test } from "vitest"\ntest("one", async () => {${inVitest}\n}, 100_000)`,
    "test/e2e/console/playwright.config.ts":
      `export default { testDir: ".", reporter: [["list"], ["../../support/console-counts.ts"]], timeout: 100_000 }`,
    "test/e2e/console/two.spec.ts": `import { test } from "@playwright/test"\ntest("two", async () => {${inConsole}\n})`
  })
const filters = ["test/a", "test/e2e/console"]

describe("npm test with both programs", () => {
  it("runs them at once, prints the output of one after the other, and adds up their results", async (context) => {
    requireFor(context, missingChromium())
    const programs = both(writesAndWaits("first", "second"), writesAndWaits("second", "first"))
    const outcome = await run(programs, { atOnce: true, filters })
    const all = outcome.lines.join("\n")
    assert.strictEqual(outcome.last, "2 passed, 0 failed, 0 skipped", all)
    assert.strictEqual(outcome.code, 0)
    const order = [/^first writes/, /^ +Duration /, /^second writes/, /^ {2}1 passed \(/, /^Slowest files:/].map((
      pattern
    ) => outcome.lines.findIndex((line) => pattern.test(line)))
    assert.notInclude(order, -1, all)
    assert.deepStrictEqual(order, order.toSorted((a, b) => a - b), all)
    for (const name of ["vitest", "Playwright"]) {
      assert.isTrue(outcome.lines.some((line) => line.startsWith(`${name}: 1 tests in `)), all)
    }
  })

  it("runs the second after the first where there are few cores", async (context) => {
    requireFor(context, missingChromium())
    const first = `(await import("node:fs")).writeFileSync("ended", "")`
    const second = `if (!(await import("node:fs")).existsSync("ended")) throw new Error("the first has not ended")`
    const outcome = await run(both(first, second), { filters })
    assert.strictEqual(outcome.last, "2 passed, 0 failed, 0 skipped", outcome.lines.join("\n"))
  })

  it("fails when only the second fails", async (context) => {
    requireFor(context, missingChromium())
    const outcome = await run(both("", `throw new Error("the second is wrong")`), { filters })
    assert.strictEqual(outcome.last, "1 passed, 1 failed, 0 skipped", outcome.lines.join("\n"))
    assert.strictEqual(outcome.code, 1)
  })

  it("ends both by one signal", async (context) => {
    requireFor(context, missingChromium())
    const folder = both(writesAndWaits("first", "never"), writesAndWaits("second", "never"))
    const pidOf = (name: string) => {
      const path = join(folder, name)
      return existsSync(path) ? Number(readFileSync(path, "utf8")) : 0
    }
    const outcome = await run(folder, {
      atOnce: true,
      filters,
      begun: (child) => {
        const timer = setInterval(() => {
          if (pidOf("first") === 0 || pidOf("second") === 0) return
          clearInterval(timer)
          child.kill("SIGTERM")
        }, 20)
        child.once("close", () => clearInterval(timer))
      }
    })
    assert.isAbove(outcome.code ?? 0, 128, outcome.lines.join("\n"))
    assert.match(outcome.last ?? "", /^0 passed, [1-9]\d* failed, 0 skipped$/)
    for (const name of ["first", "second"]) {
      const isAlive = () => existsSync(`/proc/${pidOf(name)}`)
      while (isAlive()) await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
})

describe("the list of files without a second try", () => {
  it("names files and folders that exist", async () => {
    const { unretried, unretriedConsole } = await import("../support/retries.mjs")
    const all = [...unretried, ...unretriedConsole.map((file) => `test/e2e/console/${file}`)]
    const missing = all.filter((path) => !existsSync(join(root, path)))
    assert.deepStrictEqual(missing, [])
  })

  it("has exactly the console's files that set no retries", async () => {
    const { unretriedConsole } = await import("../support/retries.mjs")
    const folder = join(root, "test", "e2e", "console")
    const setting = readdirSync(folder).filter((file) =>
      file.endsWith(".spec.ts") &&
      /^test\.describe\.configure\(\{[^}]*retries: 0[^}]*\}\)$/mu.test(readFileSync(join(folder, file), "utf8"))
    )
    assert.deepStrictEqual(setting.toSorted(), unretriedConsole.toSorted())
  })
})
