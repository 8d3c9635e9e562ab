import {
  openWindowState,
  placeWindow,
  type Rectangle,
  sizeDefault,
  sizeMin
} from "@countersign/desktop/main/windows/state"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { chanceOf } from "../../support/random.ts"

const main: Rectangle = { x: 0, y: 0, width: 1_920, height: 1_040 }
const left: Rectangle = { x: -1_280, y: 100, width: 1_280, height: 1_000 }

describe("the position of the window", () => {
  it("is centered by default, no larger than the display", () => {
    assert.deepStrictEqual(placeWindow(undefined, [main]), sizeDefault)
    assert.deepStrictEqual(placeWindow(undefined, [{ x: 0, y: 0, width: 800, height: 600 }]), {
      width: 800,
      height: 600
    })
  })

  it("is the saved one, also on a display to the left", () => {
    const saved = { x: -1_200, y: 150, width: 900, height: 700 }
    assert.deepStrictEqual(placeWindow(saved, [main, left]), saved)
  })

  it("is centered with its size when its display is gone", () => {
    assert.deepStrictEqual(placeWindow({ x: -1_200, y: 150, width: 900, height: 700 }, [main]), {
      width: 900,
      height: 700
    })
  })

  it("is not used when only the bottom edge would be reachable", () => {
    assert.notProperty(placeWindow({ x: 100, y: -650, width: 900, height: 700 }, [main]), "x")
  })

  it("is always within one existing display, with a usable size", () => {
    for (let seed = 1; seed <= 3_000; seed++) {
      const chance = chanceOf(seed)
      const displays = Array.from({ length: 1 + chance.int(3) }, (): Rectangle => ({
        x: chance.int(6_000) - 3_000,
        y: chance.int(4_000) - 2_000,
        width: 320 + chance.int(3_000),
        height: 240 + chance.int(2_000)
      }))
      const saved = {
        x: chance.int(12_000) - 6_000,
        y: chance.int(8_000) - 4_000,
        width: chance.int(5_000),
        height: chance.int(4_000)
      }
      const { height, width, x, y } = placeWindow(saved, displays)
      const inside = (area: Rectangle) =>
        x === undefined || y === undefined ||
        x >= area.x && y >= area.y && x + width <= area.x + area.width && y + height <= area.y + area.height
      assert.isTrue(
        displays.some((area) => inside(area) && width <= area.width && height <= area.height),
        `seed ${seed}`
      )
      assert.isTrue(
        displays.some((area) =>
          width >= Math.min(sizeMin.width, area.width) && height >= Math.min(sizeMin.height, area.height)
        ),
        `seed ${seed}`
      )
    }
  })

  it("is saved, and ignored when the file is invalid", () => {
    const folder = mkdtempSync(join(tmpdir(), "window-"))
    try {
      const kept = openWindowState(join(folder, "window.json"))
      assert.isUndefined(kept.read())
      kept.write({ x: 1.4, y: 2, width: 900, height: 700 }, true)
      assert.deepStrictEqual(kept.read(), {
        version: 1,
        bounds: { x: 1, y: 2, width: 900, height: 700 },
        maximized: true
      })
      writeFileSync(join(folder, "window.json"), "[]")
      assert.isUndefined(kept.read())
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
