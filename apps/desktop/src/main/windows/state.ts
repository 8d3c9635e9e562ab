/**
 * The window's last position, kept over restarts and moved onto an existing display, so that an unplugged display does
 * not hide the window.
 */
import { Schema } from "effect"
import { keptFile } from "../platform/kept-file.ts"

export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const sizeMin = { width: 390, height: 480 } as const
export const sizeDefault = { width: 1_280, height: 860 } as const
/** The part of the top edge that must be reachable, because it is the handle for dragging. */
const handleMin = { width: 120, height: 24 } as const

const Pixels = Schema.Int.check(Schema.isBetween({ minimum: -100_000, maximum: 100_000 }))
export const WindowState = Schema.Struct({
  version: Schema.Literal(1),
  bounds: Schema.Struct({ x: Pixels, y: Pixels, width: Pixels, height: Pixels }),
  maximized: Schema.Boolean
})
export type WindowState = typeof WindowState.Type

const between = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value))

/** Size of the overlap of both rectangles. */
const shared = (a: Rectangle, b: Rectangle) => ({
  width: Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)),
  height: Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y))
})

/** Without a saved position the system places the window. `displays`: work areas, the primary one first; not empty. */
export const placeWindow = (
  saved: Rectangle | undefined,
  displays: ReadonlyArray<Rectangle>
): { readonly width: number; readonly height: number; readonly x?: number; readonly y?: number } => {
  const primary = displays[0] ?? { x: 0, y: 0, ...sizeDefault }
  const fit = (wanted: { readonly width: number; readonly height: number }, area: Rectangle) => ({
    // On a display smaller than the minimum size, the window has the display's size.
    width: Math.min(Math.max(wanted.width, sizeMin.width), area.width),
    height: Math.min(Math.max(wanted.height, sizeMin.height), area.height)
  })
  if (saved === undefined) return fit(sizeDefault, primary)
  const home = displays
    .map((area) => ({ area, ...shared({ ...saved, height: handleMin.height }, area), whole: shared(saved, area) }))
    .filter(({ height, width }) => width >= handleMin.width && height >= handleMin.height)
    .sort((a, b) => b.whole.width * b.whole.height - a.whole.width * a.whole.height)[0]?.area
  if (home === undefined) return fit(saved, primary)
  const size = fit(saved, home)
  return {
    ...size,
    x: between(saved.x, home.x, home.x + home.width - size.width),
    y: between(saved.y, home.y, home.y + home.height - size.height)
  }
}

export interface KeptWindow {
  readonly read: () => WindowState | undefined
  /** Ignores a failed write. */
  readonly write: (bounds: Rectangle, maximized: boolean) => void
}

export const openWindowState = (path: string): KeptWindow => {
  const file = keptFile(path, WindowState)
  return {
    read: () => file.read().value,
    write: ({ height, width, x, y }, maximized) => {
      const bounds = { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) }
      try {
        file.write({ version: 1, bounds, maximized })
      } catch {
        // Only the position is lost.
      }
    }
  }
}
