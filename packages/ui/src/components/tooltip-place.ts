/**
 * Places a tooltip beside its control: on the requested side, on the opposite side if there is no room, and never
 * beyond the window.
 */

export type Side = "top" | "right" | "bottom" | "left"

interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}
interface Size {
  readonly width: number
  readonly height: number
}

/** Between control and tooltip, and between tooltip and window edge, in px. */
const gap = 6
const margin = 8

const opposite: Readonly<Record<Side, Side>> = { top: "bottom", bottom: "top", left: "right", right: "left" }

const at = (control: Box, word: Size, side: Side): { readonly left: number; readonly top: number } => {
  const middle = {
    left: control.left + (control.width - word.width) / 2,
    top: control.top + (control.height - word.height) / 2
  }
  switch (side) {
    case "top":
      return { left: middle.left, top: control.top - gap - word.height }
    case "bottom":
      return { left: middle.left, top: control.top + control.height + gap }
    case "left":
      return { left: control.left - gap - word.width, top: middle.top }
    case "right":
      return { left: control.left + control.width + gap, top: middle.top }
  }
}

const fits = (place: { readonly left: number; readonly top: number }, word: Size, view: Size, side: Side): boolean =>
  side === "top" || side === "bottom"
    ? place.top >= margin && place.top + word.height <= view.height - margin
    : place.left >= margin && place.left + word.width <= view.width - margin

const within = (value: number, size: number, view: number): number =>
  Math.round(Math.max(margin, Math.min(value, view - margin - size)))

export const tooltipPlace = (
  control: Box,
  word: Size,
  view: Size,
  side: Side
): { readonly left: number; readonly top: number } => {
  const wanted = at(control, word, side)
  const other = at(control, word, opposite[side])
  const { left, top } = fits(wanted, word, view, side) || !fits(other, word, view, side) ? wanted : other
  return { left: within(left, word.width, view.width), top: within(top, word.height, view.height) }
}
