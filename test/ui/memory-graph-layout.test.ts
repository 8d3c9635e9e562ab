/** The layout of the graph of memories. */
import { graphHeight, graphWidth, layoutOf } from "@countersign/ui/memories/graph-layout"
import { assert, describe, it } from "@effect/vitest"

const distance = (one: { readonly x: number; readonly y: number }, other: { readonly x: number; readonly y: number }) =>
  Math.hypot(one.x - other.x, one.y - other.y)

describe("the layout of a graph", () => {
  it("has each node in the frame, at its own place, and always the same one", () => {
    for (const count of [0, 1, 2, 3, 40, 500]) {
      const edges = Array.from(
        { length: Math.max(0, count - 1) },
        (_, at) => ({ source: 0, target: at + 1, weight: 1 })
      )
      const places = layoutOf(count, edges)
      assert.strictEqual(places.length, count)
      assert.isTrue(places.every(({ x, y }) => x >= 0 && x <= graphWidth && y >= 0 && y <= graphHeight))
      assert.strictEqual(new Set(places.map(({ x, y }) => `${x} ${y}`)).size, count)
      assert.deepStrictEqual(layoutOf(count, edges), places)
    }
  })

  it("has connected nodes closer together than others", () => {
    const places = layoutOf(6, [
      { source: 0, target: 1, weight: 1 },
      { source: 1, target: 2, weight: 1 },
      { source: 0, target: 2, weight: 1 },
      { source: 3, target: 4, weight: 1 },
      { source: 4, target: 5, weight: 1 },
      { source: 3, target: 5, weight: 1 }
    ])
    const at = (node: number) => places[node]!
    const within = Math.max(distance(at(0), at(1)), distance(at(3), at(4)))
    const between = Math.min(...[0, 1, 2].flatMap((one) => [3, 4, 5].map((other) => distance(at(one), at(other)))))
    assert.isBelow(within, between)
  })
})
