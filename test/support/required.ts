/**
 * Tests with a requirement on the machine: if it is missing, the test fails in CI, and is skipped with the reason
 * elsewhere.
 */
import { test, type TestContext } from "vitest"
import { inCi, type Missing } from "./requirements.mjs"

/** Ends the test if something is missing. Call it first, or as soon as the test can check. */
export const requireFor = (context: Pick<TestContext, "skip">, missing: Missing | undefined): void => {
  if (missing === undefined) return
  if (inCi) throw new Error(`${missing.reason}, which CI must have: ${missing.provide}`)
  context.skip(missing.reason)
}

/** `test` for several tests with the same requirement. */
export const testWith =
  (missing: Missing | undefined) => (title: string, run: () => Promise<void> | void, timeout?: number): void =>
    test(title, timeout === undefined ? {} : { timeout }, async (context) => {
      requireFor(context, missing)
      await run()
    })
