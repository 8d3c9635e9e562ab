/** Writes the results of the console's tests for the summary of `npm test`, as counts-reporter.ts does for vitest. */
import type { Reporter, Suite, TestError } from "@playwright/test/reporter"
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Results } from "./results.mjs"

export default class ConsoleCounts implements Reporter {
  #suite: Suite | undefined
  readonly #results: Results = { passed: 0, failures: [], skipped: [], flaky: [], files: [], programs: [] }

  printsToStdio() {
    return false
  }

  onBegin(_: unknown, suite: Suite) {
    this.#suite = suite
  }

  /** An error outside any test, such as a failed setup or a file that cannot be loaded. */
  onError({ message }: TestError) {
    this.#results.failures.push(`outside any test\n  ${message?.split("\n")[0]}`)
  }

  onEnd() {
    const { failures, files, flaky, skipped } = this.#results
    const seconds = new Map<string, number>()
    for (const test of this.#suite?.allTests() ?? []) {
      const file = relative(process.cwd(), test.location.file)
      const title = [file, ...test.titlePath().slice(3)].join(" > ")
      seconds.set(file, test.results.reduce((total, { duration }) => total + duration / 1000, seconds.get(file) ?? 0))
      const outcome = test.outcome()
      if (outcome === "expected" || outcome === "flaky") this.#results.passed++
      if (outcome === "flaky") flaky.push(title)
      if (outcome === "unexpected") failures.push(`${title}\n  ${test.results.at(-1)?.error?.message?.split("\n")[0]}`)
      if (outcome !== "skipped") continue
      // An explicitly skipped test has an annotation; any other was not reached, because the run stopped.
      const marked = test.annotations.find(({ type }) => type === "skip" || type === "fixme")
      if (marked === undefined) failures.push(`${title}\n  never ran: the run stopped, or its set-up failed`)
      else skipped.push({ title, reason: marked.description ?? `marked "${marked.type}"` })
    }
    files.push(...Array.from(seconds, ([file, total]) => ({ file, seconds: total })))
    const file = process.env["TEST_COUNTS_FILE"]
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.#results))
  }
}
