import { describe, expect, it } from "vitest"
import { dwellMillis, makeKeyGuard, settleMillis } from "../../../packages/ui/src/approvals/key-guard.ts"

describe("key guard", () => {
  it("enables keys after the same id and digest were visible for half a second", () => {
    const guard = makeKeyGuard()
    expect(guard.actsFrom()).toBeUndefined()
    guard.show("apr_1 aa", 1_000)
    expect(guard.actsFrom()).toBe(1_000 + dwellMillis)
    guard.show("apr_1 aa", 1_400)
    expect(guard.actsFrom()).toBe(1_000 + dwellMillis)
  })

  it("disables keys when another approval or digest is shown", () => {
    const guard = makeKeyGuard()
    guard.show("apr_1 aa", 0)
    guard.show("apr_2 aa", 2_000)
    expect(guard.actsFrom()).toBe(2_000 + dwellMillis)
    guard.show("apr_2 bb", 3_000)
    expect(guard.actsFrom()).toBe(3_000 + dwellMillis)
  })

  it("disables keys while the page is hidden, and restarts the time afterwards", () => {
    const guard = makeKeyGuard()
    guard.show("apr_1 aa", 0)
    guard.show(undefined, 5_000)
    expect(guard.actsFrom()).toBeUndefined()
    guard.show("apr_1 aa", 9_000)
    expect(guard.actsFrom()).toBe(9_000 + dwellMillis)
  })

  it("disables keys after a change without user action, for the longer of the two times", () => {
    const guard = makeKeyGuard()
    guard.show("apr_1 aa", 0)
    guard.change(100)
    expect(guard.actsFrom()).toBe(100 + settleMillis)
    guard.change(5_000)
    expect(guard.actsFrom()).toBe(5_000 + settleMillis)
    guard.show("apr_2 aa", 5_700)
    expect(guard.actsFrom()).toBe(5_700 + dwellMillis)
  })
})
