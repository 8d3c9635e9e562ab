/** Writes vitest's results for the summary of `npm test`; test/run.mjs prints them after all other output. */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, TestModule, TestSpecification } from "vitest/node"
import type { Results } from "./results.mjs"

/** A title, then the first line of each error. */
const withErrors = (title: string, errors: ReadonlyArray<{ readonly message: string }> = []): string =>
  [title, ...errors.map(({ message }) => `  ${message.split("\n")[0]}`)].join("\n")

const nameOf = (file: string) => relative(process.cwd(), file)

export default class CountsReporter implements Reporter {
  #expected: ReadonlyArray<string> = []

  readonly onTestRunStart = (specifications: ReadonlyArray<TestSpecification>) => {
    this.#expected = specifications.map(({ moduleId }) => moduleId)
  }

  readonly onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules, unhandledErrors) => {
    const results: Results = { passed: 0, failures: [], skipped: [], flaky: [], files: [], programs: [] }
    results.failures.push(...unhandledErrors.map((error) => withErrors("outside any test", [error])))
    const titled = (module: TestModule, name = "") => [nameOf(module.moduleId), name].filter(Boolean).join(" > ")
    for (const module of modules) {
      let isIncomplete = false
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        const title = titled(module, test.fullName)
        if (state === "passed") results.passed++
        if (state === "passed" && test.diagnostic()?.flaky === true) results.flaky.push(title)
        if (state === "failed") results.failures.push(withErrors(title, errors))
        if (state === "skipped") {
          const { note } = test.result() as { readonly note?: string }
          results.skipped.push({ title, reason: note ?? `marked "${test.options.mode ?? "skip"}"` })
        }
        if (state === "pending") {
          isIncomplete = true
          results.failures.push(
            withErrors(title, [{ message: "never finished: its process ended, or the run stopped" }])
          )
        }
      }
      // If the setup of a file or a suite fails, its tests never run, which must not look like fewer tests.
      results.failures.push(...module.errors().map((error) => withErrors(titled(module), [error])))
      for (const suite of module.children.allSuites()) {
        results.failures.push(...suite.errors().map((error) => withErrors(titled(module, suite.fullName), [error])))
      }
      const state = module.state()
      if (!isIncomplete && (state === "pending" || state === "queued")) {
        results.failures.push(
          withErrors(titled(module), [{ message: "never finished: its process ended, or the run stopped" }])
        )
      }
      const { collectDuration, duration } = module.diagnostic()
      results.files.push({ file: nameOf(module.moduleId), seconds: (collectDuration + duration) / 1000 })
    }
    const reported = new Set(modules.map(({ moduleId }) => moduleId))
    for (const file of this.#expected.filter((file) => !reported.has(file))) {
      results.failures.push(withErrors(nameOf(file), [{ message: "never started" }]))
    }
    const file = process.env["TEST_COUNTS_FILE"]
    if (file !== undefined) writeFileSync(file, JSON.stringify(results))
  }
}
