/** Counts and failures of the console's tests for the end of `npm test`, as counts-reporter.ts tells those of the others. */
import { writeFileSync } from "node:fs"
import type { Reporter, Suite, TestError } from "@playwright/test/reporter"

export default class ConsoleCounts implements Reporter {
  suite: Suite | undefined
  readonly failures: Array<string> = []

  printsToStdio() {
    return false
  }

  onBegin(_: unknown, suite: Suite) {
    this.suite = suite
  }

  /** Outside of any test: the set-up, a file that cannot be loaded. */
  onError({ message }: TestError) {
    this.failures.push(`outside of any test\n  ${message?.split("\n")[0]}`)
  }

  onEnd() {
    let passed = 0
    for (const test of this.suite?.allTests() ?? []) {
      const outcome = test.outcome()
      if (outcome === "expected" || outcome === "flaky") passed++
      if (outcome === "unexpected") {
        const reason = test.results.at(-1)?.error?.message?.split("\n")[0]
        this.failures.push(`${test.titlePath().filter(Boolean).join(" > ")}\n  ${reason}`)
      }
    }
    const file = process.env["TEST_COUNTS_FILE"]
    if (file !== undefined) writeFileSync(file, JSON.stringify({ passed, failures: this.failures }))
  }
}
