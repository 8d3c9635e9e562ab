/** Data on standard output in the chosen format; everything else on standard error. */
import { stripVTControlCharacters, styleText } from "node:util"

export type Format = "table" | "json" | "jsonl" | "csv" | "id"

/** A column reads `key` (a dotted path). Money is dollars in tables and cents in data. */
export interface Column {
  readonly key: string
  readonly title: string
  readonly kind?: "money" | "time"
}

type Row = Readonly<Record<string, unknown>>

export const dollars = (cents: unknown): string =>
  typeof cents === "number" ? `${cents < 0 ? "-" : ""}$${(Math.abs(cents) / 100).toFixed(2)}` : ""

const valueAt = (row: unknown, key: string): unknown =>
  key.split(".").reduce<unknown>((value, part) => (value as Row | null | undefined)?.[part], row)

/** Text of a hub never moves the cursor or hides other text of the screen. */
export const safe = (text: string): string => stripVTControlCharacters(text).replaceAll(/(?!\n)[\p{Cc}\p{Cf}]/gu, " ")

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value)

const cellOf = (row: unknown, { key, kind }: Column): string => {
  const value = valueAt(row, key)
  if (kind === "money") return dollars(value)
  if (kind === "time" && typeof value === "string") return value.slice(0, 16).replace("T", " ")
  return safe(textOf(value)).replaceAll("\n", " ")
}

/** A cell that a spreadsheet would run as a formula begins with an apostrophe (RFC 4180 quoting). */
const csvCell = (value: unknown): string => {
  const text = textOf(value)
  const guarded = typeof value === "string" && /^[=+\-@\t\r]/u.test(text) ? `'${text}` : text
  return /[",\r\n]/u.test(guarded) ? `"${guarded.replaceAll("\"", "\"\"")}"` : guarded
}

const isColored = (): boolean => process.stdout.isTTY === true && (process.env["NO_COLOR"] ?? "") === ""
export const emphasized = (text: string): string => isColored() ? styleText("bold", text) : text

const tableOf = (rows: ReadonlyArray<unknown>, columns: ReadonlyArray<Column>): string => {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map((each) => cellOf(row, each)))]
  const widths = columns.map((_, at) => Math.min(60, Math.max(...cells.map((line) => line[at]!.length))))
  return cells.map((line, index) => {
    const text = line.map((cell, at) => {
      const short = cell.length > widths[at]! ? `${cell.slice(0, widths[at]! - 1)}…` : cell
      return columns[at]!.kind === "money" ? short.padStart(widths[at]!) : short.padEnd(widths[at]!)
    }).join("  ").trimEnd()
    return index === 0 ? emphasized(text) : text
  }).join("\n")
}

const idOf = (row: unknown): string => textOf(valueAt(row, "id") ?? valueAt(row, "name"))

/** Writes the data of one command. */
export class Output {
  readonly format: Format
  readonly isInteractive: boolean
  #isFirst = true

  constructor(format: Format, isInteractive: boolean) {
    this.format = format
    this.isInteractive = isInteractive
  }

  #write(text: string): void {
    process.stdout.write(`${text}\n`)
  }

  /** What a person reads beside the data. */
  note(text: string): void {
    process.stderr.write(`${safe(text)}\n`)
  }

  rows(rows: ReadonlyArray<unknown>, columns: ReadonlyArray<Column>, empty: string): void {
    switch (this.format) {
      case "json":
        return this.#write(JSON.stringify(rows, undefined, 2))
      case "jsonl":
        for (const row of rows) this.#write(JSON.stringify(row))
        return
      case "csv":
        this.#write(columns.map(({ key }) => key).join(","))
        for (const row of rows) this.#write(columns.map(({ key }) => csvCell(valueAt(row, key))).join(","))
        return
      case "id":
        for (const row of rows) this.#write(idOf(row))
        return
      case "table":
        if (rows.length === 0) this.note(empty)
        else this.#write(tableOf(rows, columns))
    }
  }

  /** One row of a list without an end. */
  row(row: unknown, columns: ReadonlyArray<Column>): void {
    if (this.format === "json") return this.#write(JSON.stringify(row))
    if (this.format === "csv" && !this.#isFirst) {
      return this.#write(columns.map(({ key }) => csvCell(valueAt(row, key))).join(","))
    }
    this.#isFirst = false
    if (this.format === "table") return this.#write(columns.map((each) => cellOf(row, each)).join("  ").trimEnd())
    this.rows([row], columns, "")
  }

  /** One object: its fields as lines, or as data. */
  one(value: unknown, columns?: ReadonlyArray<Column>): void {
    if (this.format === "table") {
      const shown = columns ??
        Object.keys(value as Row).map((key): Column => ({
          key,
          title: key,
          ...key.endsWith("_cents") ? { kind: "money" } : {}
        }))
      const lines = shown.map((each) => [each.title, cellOf(value, each)] as const).filter(([, text]) => text !== "")
      const width = Math.max(...lines.map(([title]) => title.length))
      for (const [title, text] of lines) this.#write(`${title.padEnd(width)}  ${text}`)
    } else if (this.format === "json") this.#write(JSON.stringify(value, undefined, 2))
    else if (this.format === "csv") {
      const keys = (columns ?? Object.keys(value as Row).map((key) => ({ key }))).map(({ key }) => key)
      this.#write(keys.join(","))
      this.#write(keys.map((key) => csvCell(valueAt(value, key))).join(","))
    } else if (this.format === "id") this.#write(idOf(value))
    else this.#write(JSON.stringify(value))
  }

  /** Text as it is, such as an export. */
  text(text: string): void {
    process.stdout.write(text.endsWith("\n") || text === "" ? text : `${text}\n`)
  }
}
