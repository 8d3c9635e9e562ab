/** Counts for the last line of `npm test`, which test/run.mjs prints after every other output. */
import { writeFileSync } from "node:fs"
import type { Reporter } from "vitest/node"

export default class CountsReporter implements Reporter {
  readonly onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules, unhandledErrors) => {
    let passed = 0
    let failed = unhandledErrors.length
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === "passed") passed++
        if (state === "failed") failed++
      }
      // a file or a suite whose set-up failed has tests that never ran; it must not look like fewer tests
      failed += module.errors().length
      for (const suite of module.children.allSuites()) failed += suite.errors().length
    }
    const file = process.env["TEST_COUNTS_FILE"]
    if (file !== undefined) writeFileSync(file, JSON.stringify({ passed, failed }))
  }
}
