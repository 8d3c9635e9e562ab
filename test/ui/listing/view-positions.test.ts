import { moved, newPositions } from "@countersign/ui/listing/view-positions.ts"
import { describe, expect, it } from "vitest"

const views = (...positions: ReadonlyArray<number>) => positions.map((position, at) => ({ id: `v${at}`, position }))

describe("the order of saved views", () => {
  it("moves one view and keeps the others in their order", () => {
    expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"])
    expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"])
    expect(moved(["a", "b", "c"], 0, -1)).toEqual(["a", "b", "c"])
    expect(moved(["a", "b", "c"], 2, 3)).toEqual(["a", "b", "c"])
  })
  it("changes the positions of as few views as one pass allows, ties included", () => {
    expect(newPositions(views(0, 1, 2))).toEqual([])
    expect(newPositions(views(0, 0, 2))).toEqual([{ id: "v1", position: 1 }])
    expect(newPositions(views(0, 2, 1))).toEqual([{ id: "v2", position: 3 }])
    expect(newPositions(views(5, 3, 9))).toEqual([{ id: "v1", position: 6 }])
  })
  it("numbers all views from 0 if the largest position would be exceeded", () => {
    expect(newPositions(views(1_000_000, 3))).toEqual([{ id: "v0", position: 0 }, { id: "v1", position: 1 }])
  })
})
