/**
 * Draws the tray icons: `node apps/desktop/scripts/tray-pictures.mjs`, with an installed Chromium. Each file is a strip
 * of cells side by side, 16 and 32 px, in color and as templates for macOS; `cellOf` in `src/main/waiting/tray.ts`
 * selects the cell. Also draws the app's icon. Design brief 2.
 */
import { chromium } from "@playwright/test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findChromium } from "../../../test/support/chromium.mjs"
import { root } from "../../hub/scripts/installation.mjs"
import { icns, ico } from "./icon-files.mjs"

const folder = join(root, "resources", "desktop")
const side = 16
/** Heights of a seal's six ticks in 16 px, each 1.5 px wide. */
const ticks = [5, 9, 12, 7, 10, 6]

/**
 * Colors that are legible on light and dark panels, outlined in the other color; templates are black, and macOS tints
 * them.
 */
const looks = {
  colour: {
    ink: "oklch(.235 .012 265)",
    paper: "oklch(.972 .004 95)",
    hold: "oklch(.50 .10 70)",
    stop: "oklch(.50 .17 27)",
    plain: false
  },
  template: { ink: "#000", paper: "none", hold: "#000", stop: "#000", plain: true }
}

const seal = (look, { lean = "" } = {}) =>
  ticks.map((height, at) =>
    `<rect x="${(1.5 + at * 2.2).toFixed(2)}" y="${
      (13.5 - height).toFixed(2)
    }" width="1.5" height="${height}" fill="${look.ink}"${lean}/>`
  ).join("")

/** The plate makes dark ticks visible on a dark panel. */
const plate = (look) =>
  look.plain
    ? ""
    : `<rect x=".5" y=".5" width="15" height="15" rx="3" fill="${look.paper}" stroke="${look.ink}" stroke-width="1"/>`
const sealOnPlate = (look) =>
  look.plain ? `${seal(look)}` : `${plate(look)}<g transform="translate(2.2 1.6) scale(.72 .8)">${seal(look)}</g>`

const none = sealOnPlate

/** Hollow ticks struck through: the shape shows the state, not only a gray. */
const offline = (look, id) =>
  `<defs><mask id="${id}"><rect width="16" height="16" fill="#fff"/><path d="M1 15 15 1" stroke="#000" stroke-width="4"/></mask></defs>
  <g mask="url(#${id})">${
    sealOnPlate(look)
  }</g><path d="M2 14 14 2" stroke="${look.ink}" stroke-width="1.8" stroke-linecap="round"/>`

/** An octagon with a bar cut out. */
const stopped = (look, id) =>
  `<defs><mask id="${id}"><rect width="16" height="16" fill="#fff"/>${
    look.plain ? `<rect x="4" y="6.5" width="8" height="3" fill="#000"/>` : ""
  }</mask></defs>
  <path d="M5 .5h6l4.5 4.5v6L11 15.5H5L.5 11V5z" fill="${look.stop}" ${
    look.plain ? "" : `stroke="${look.paper}" stroke-width=".8"`
  } mask="url(#${id})"/>
  ${look.plain ? "" : `<rect x="4" y="6.5" width="8" height="3" fill="${look.paper}"/>`}`

/** Custom digits of 3 × 5 units: fonts blur at 16 px and differ between machines. */
const digits = {
  0: "111101101101111",
  1: "010110010010111",
  2: "111001111100111",
  3: "111001111001111",
  4: "101101111001001",
  5: "111100111001111",
  6: "111100111101111",
  7: "111001010010010",
  8: "111101111101111",
  9: "111101111001111",
  "+": "000010111010000"
}
const textCells = (text, fill) => {
  // Whole pixels where they fit; three characters are narrower.
  const [across, down] = text.length <= 2 ? [2, 2] : [1.25, 2]
  const left = (16 - (text.length * 4 - 1) * across) / 2
  const top = (16 - 5 * down) / 2
  const cells = [...text].flatMap((character, place) =>
    [...digits[character]].flatMap((bit, at) => {
      const x = left + (place * 4 + at % 3) * across
      return bit === "0"
        ? []
        : [`<rect x="${x}" y="${top + Math.floor(at / 3) * down}" width="${across}" height="${down}"/>`]
    })
  )
  return `<g fill="${fill}" shape-rendering="crispEdges">${cells.join("")}</g>`
}

/** A filled plate with the count cut out. */
const waiting = (look, id, text) =>
  look.plain
    ? `<defs><mask id="${id}"><rect width="16" height="16" fill="#fff"/>${
      textCells(text, "#000")
    }</mask></defs><rect width="16" height="16" rx="3.5" fill="${look.ink}" mask="url(#${id})"/>`
    : `<rect x=".4" y=".4" width="15.2" height="15.2" rx="3.5" fill="${look.hold}" stroke="${look.paper}" stroke-width=".8"/>${
      textCells(text, "#fff")
    }`

const pictures = (look) => [
  none(look),
  offline(look, "offline"),
  stopped(look, "stopped"),
  ...[...Array.from({ length: 99 }, (_, at) => String(at + 1)), "99+"].map((text) =>
    waiting(look, `w${text.replace("+", "p")}`, text)
  )
]

const strip = (look) => {
  const cells = pictures(look)
  return {
    width: cells.length * side,
    height: side,
    svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${cells.length * side} ${side}" width="${
      cells.length * side
    }" height="${side}">
${
      cells.map((cell, at) =>
        `<svg x="${at * side}" width="${side}" height="${side}" viewBox="0 0 16 16">${cell}</svg>`
      ).join("\n")
    }
</svg>
`
  }
}

/** The seal in its frame. */
const icon = () => {
  const heights = [7, 11, 5, 12, 8, 10, 4, 9]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><rect x="3" y="3" width="58" height="58" rx="11" fill="oklch(.972 .004 95)" stroke="oklch(.235 .012 265)" stroke-width="2.5"/>
<rect x="11" y="14" width="42" height="36" fill="none" stroke="oklch(.455 .076 200)" stroke-width="2"/>
${
    heights.map((height, at) =>
      `<rect x="${(15 + at * 4.35).toFixed(2)}" y="${(44 - height * 2).toFixed(2)}" width="2.9" height="${
        height * 2
      }" fill="oklch(.235 .012 265)"/>`
    ).join("")
  }</svg>
`
}

const executablePath = findChromium()
if (executablePath === undefined) throw new Error("No Chromium is found; set CHROMIUM_BIN")
const browser = await chromium.launch({ executablePath })
try {
  const draw = async (svg, width, height, scale, path) => {
    const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: scale })
    await page.setContent(`<style>*{margin:0}svg{display:block}</style>${svg}`)
    await page.screenshot({ path, omitBackground: true })
    await page.close()
  }
  for (const [name, look] of Object.entries(looks)) {
    const { height, svg, width } = strip(look)
    const prefix = name === "colour" ? "tray" : "tray-template"
    await draw(svg, width, height, 1, join(folder, `${prefix}-16.png`))
    await draw(svg, width, height, 2, join(folder, `${prefix}-32.png`))
  }
  writeFileSync(join(folder, "icon.svg"), icon())
  const sides = [32, 256, 512]
  for (const side of sides) await draw(icon(), 64, 64, side / 64, join(folder, `icon-${side}.png`))
  const pictures = sides.map((side) => ({ side, png: readFileSync(join(folder, `icon-${side}.png`)) }))
  writeFileSync(join(folder, "icon.ico"), ico(pictures.slice(0, 2)))
  writeFileSync(join(folder, "icon.icns"), icns(pictures))
} finally {
  await browser.close()
}
