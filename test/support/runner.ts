/** Vitest's runner, with the number of tries that `retries.mjs` gives each file. */
import { relative } from "node:path"
import { type RunnerTestCase, TestRunner } from "vitest"
import { retriesOf } from "./retries.mjs"

export default class extends TestRunner {
  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    test.retry = retriesOf(relative(this.config.root, test.file.filepath))
    await super.onBeforeRunTask(test)
  }
}
