/** Counts of the console's tests for the last line of `npm test`, as counts-reporter.ts is for the others. */
import { writeFileSync } from "node:fs"
import type { Reporter, Suite } from "@playwright/test/reporter"

export default class ConsoleCounts implements Reporter {
  suite: Suite | undefined
  /** Outside of any test: the set-up, a file that cannot be loaded. */
  errors = 0

  printsToStdio() {
    return false
  }

  onBegin(_: unknown, suite: Suite) {
    this.suite = suite
  }

  onError() {
    this.errors++
  }

  onEnd() {
    const outcomes = this.suite?.allTests().map((test) => test.outcome()) ?? []
    const passed = outcomes.filter((outcome) => outcome === "expected" || outcome === "flaky").length
    const failed = outcomes.filter((outcome) => outcome === "unexpected").length + this.errors
    const file = process.env["TEST_COUNTS_FILE"]
    if (file !== undefined) writeFileSync(file, JSON.stringify({ passed, failed }))
  }
}
