/** Counts for the last line of `npm test`, and what failed for the lines before it: test/run.mjs prints both after every other output. */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

/** A title, then the first line of each error. */
const told = (title: string, errors: ReadonlyArray<{ readonly message: string }> = []): string =>
  [title, ...errors.map(({ message }) => `  ${message.split("\n")[0]}`)].join("\n")

export default class CountsReporter implements Reporter {
  readonly onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules, unhandledErrors) => {
    let passed = 0
    const failures = unhandledErrors.map((error) => told("outside of any test", [error]))
    const titled = (module: TestModule, name = "") => [relative(process.cwd(), module.moduleId), name].filter(Boolean).join(" > ")
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        if (state === "passed") passed++
        if (state === "failed") failures.push(told(titled(module, test.fullName), errors))
      }
      // a file or a suite whose set-up failed has tests that never ran; it must not look like fewer tests
      failures.push(...module.errors().map((error) => told(titled(module), [error])))
      for (const suite of module.children.allSuites()) {
        failures.push(...suite.errors().map((error) => told(titled(module, suite.fullName), [error])))
      }
    }
    const file = process.env["TEST_COUNTS_FILE"]
    if (file !== undefined) writeFileSync(file, JSON.stringify({ passed, failures }))
  }
}
