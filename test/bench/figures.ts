/** A measured figure and its target. */
export interface Figure {
  readonly name: string
  /** Text such as `≥ 8`. Absent: measured to explain the others. */
  readonly wanted?: string
  readonly measured: string
  readonly met?: boolean
}

export const atLeast = (name: string, wanted: number, measured: number, digits = 2): Figure => ({
  name,
  wanted: `≥ ${wanted}`,
  measured: measured.toFixed(digits),
  met: measured >= wanted
})

export const below = (name: string, wanted: number, measured: number, digits = 2, unit = ""): Figure => ({
  name,
  wanted: `< ${wanted}${unit}`,
  measured: `${measured.toFixed(digits)}${unit}`,
  met: measured < wanted
})

export const info = (name: string, measured: string): Figure => ({ name, measured })

export const table = (figures: ReadonlyArray<Figure>): string =>
  [
    "| figure | wanted | measured | |",
    "|---|---|---|---|",
    ...figures.map(({ measured, met, name, wanted }) =>
      `| ${name} | ${wanted ?? ""} | ${measured} | ${met === undefined ? "" : met ? "met" : "**missed**"} |`
    )
  ].join("\n")
