import { type TaskStatus, taskStatuses } from "@countersign/domain/delegated-tasks"
import { type Side, transition } from "@countersign/hub/delegations/rules"
import { assert, describe, it } from "@effect/vitest"

describe("transitions of delegated tasks", () => {
  const open = ["accepted", "in_progress"] as const
  const allowed = (side: Side, from: TaskStatus) =>
    taskStatuses.filter((to) => transition(side, from, to) === "allowed")

  it("the agent that works on a task reports its progress and its end", () => {
    assert.deepStrictEqual(allowed("to", "accepted"), ["in_progress", "completed", "failed"])
    assert.deepStrictEqual(allowed("to", "in_progress"), ["completed", "failed"])
  })
  it("the agent that delegated a task cancels it", () => {
    for (const from of open) assert.deepStrictEqual(allowed("from", from), ["cancelled"])
  })
  it("a status of the other side is forbidden in every status", () => {
    for (const from of taskStatuses) {
      assert.strictEqual(transition("to", from, "cancelled"), "forbidden")
      for (const to of ["in_progress", "completed", "failed"] as const) {
        assert.strictEqual(transition("from", from, to), "forbidden")
      }
    }
  })
  it("a task that ended does not change, and no task becomes accepted again", () => {
    for (const from of ["completed", "failed", "cancelled"] as const) {
      assert.deepStrictEqual([...allowed("to", from), ...allowed("from", from)], [])
      assert.strictEqual(transition("from", from, "cancelled"), "invalid")
    }
    for (const side of ["from", "to"] as const) {
      for (const from of taskStatuses) assert.strictEqual(transition(side, from, "accepted"), "invalid")
    }
  })
})
