/** Colors as drawn, because computed styles do not show what forced colors do to text and marks. */
import type { Page } from "@playwright/test"

export interface Box {
  readonly name: string
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface Drawn {
  readonly name: string
  /** The WCAG contrast ratio between the darkest and the lightest pixel. */
  readonly contrast: number
  /** The most frequent color, as `r g b`. */
  readonly color: string
}

/** The colors of the page in these boxes, in CSS pixels. Skips boxes smaller than a pixel. */
export const drawnIn = async (page: Page, boxes: ReadonlyArray<Box>): Promise<ReadonlyArray<Drawn>> => {
  const picture = (await page.screenshot({ animations: "disabled", caret: "hide" })).toString("base64")
  // A separate page, because the console's policy does not load such a picture.
  const blank = await page.context().newPage()
  try {
    return await blank.evaluate(async ({ boxes, picture }) => {
      const image = new Image()
      image.src = `data:image/png;base64,${picture}`
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      const drawing = canvas.getContext("2d", { willReadFrequently: true })!
      drawing.drawImage(image, 0, 0)
      const channel = (value: number) =>
        value <= 0.04045 * 255 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
      const luminance = (r: number, g: number, b: number) =>
        0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
      return boxes.flatMap(({ height, left, name, top, width }) => {
        const [x0, y0] = [Math.max(0, Math.round(left)), Math.max(0, Math.round(top))]
        const [x1, y1] = [
          Math.min(image.width, Math.round(left + width)),
          Math.min(image.height, Math.round(top + height))
        ]
        if (x1 <= x0 || y1 <= y0) return []
        const { data } = drawing.getImageData(x0, y0, x1 - x0, y1 - y0)
        const counts = new Map<string, number>()
        let [darkest, lightest] = [1, 0]
        for (let at = 0; at < data.length; at += 4) {
          const [r = 0, g = 0, b = 0] = data.subarray(at, at + 3)
          const light = luminance(r, g, b)
          darkest = Math.min(darkest, light)
          lightest = Math.max(lightest, light)
          const color = `${r} ${g} ${b}`
          counts.set(color, (counts.get(color) ?? 0) + 1)
        }
        const [color] = [...counts].reduce((most, each) => each[1] > most[1] ? each : most)
        return [{ name, contrast: (lightest + 0.05) / (darkest + 0.05), color }]
      })
    }, { boxes, picture })
  } finally {
    await blank.close()
  }
}

/** The contrast ratio of two colors in the format of `drawnIn`. */
export const contrastOf = (one: string, other: string): number => {
  const channel = (value: number) =>
    value <= 0.04045 * 255 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
  const luminance = (color: string) => {
    const [r = 0, g = 0, b = 0] = color.split(" ").map(Number)
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
  }
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}
