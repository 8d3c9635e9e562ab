/** A start that fails: a person is told, and nothing stays behind without a window. A process of its own, since main composes itself once. */
import { expect, test } from "vitest"
import { ensureBuilt, eventually, loadBuiltMain } from "../../../support/built-main.ts"

test("is told of in a box of the system's, and ends", async () => {
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
