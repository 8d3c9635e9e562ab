/**
 * A failed start shows an error and leaves no process without a window. A separate process, since main composes itself
 * only once.
 */
import { expect, test } from "vitest"
import { ensureBuilt, eventually, loadBuiltMain } from "../../../support/built-main.ts"

test("shows a failed start in a system dialog, and exits", async () => {
  ensureBuilt()
  const { record } = await loadBuiltMain(({ sessions }) => {
    sessions.get = () => {
      throw new Error("no session here")
    }
  })
  await eventually(() => record.exits.length > 0 ? true : undefined)
  expect(record.errorBoxes).toEqual(["Countersign cannot start: no session here"])
  expect(record.exits).toEqual([1])
  expect(record.windows).toEqual([])
}, 600_000)
