/** A test that needs something from the machine: without it the test fails in CI, and is skipped with the reason elsewhere. */
import { test, type TestContext } from "vitest"
import { inCi, type Missing } from "./requirements.mjs"

/** Ends the test when something is missing. Call it first, or where the test finds out. */
export const requireFor = (context: Pick<TestContext, "skip">, missing: Missing | undefined): void => {
  if (missing === undefined) return
  if (inCi) throw new Error(`${missing.reason}, which CI must have: ${missing.provide}`)
  context.skip(missing.reason)
}

/** `test`, for tests of which each needs the same. */
export const testWith =
  (missing: Missing | undefined) => (title: string, run: () => Promise<void> | void, timeout?: number): void =>
    test(title, timeout === undefined ? {} : { timeout }, async (context) => {
      requireFor(context, missing)
      await run()
    })
