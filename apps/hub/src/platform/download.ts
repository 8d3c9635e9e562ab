/** Lists as files: CSV and JSON Lines, streamed as the client reads them, whatever their length. */
import { Stream } from "effect"
import { Csv } from "effect/encoding"
import { HttpServerResponse } from "effect/http"

/** Spreadsheets read a cell that begins with one of these as a formula (OWASP, "CSV Injection"). */
const formulaStart = /^[=+\-@\t\r]/
/** Control characters other than tab and line breaks, which end a cell in some readers, and marks of text direction. */
const unreadable = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Puts an apostrophe before a cell that would be read as a formula; replaces unreadable characters with U+FFFD. */
const cellOf = (value: string | number | undefined): string | undefined => {
  if (typeof value !== "string") return value === undefined ? undefined : String(value)
  const text = value.replaceAll(unreadable, "\ufffd")
  return formulaStart.test(text) ? `'${text}` : text
}

const encoder = new TextEncoder()

type CsvRows<Columns extends ReadonlyArray<string>> = Stream.Stream<
  Readonly<Partial<Record<Columns[number], string | number | undefined>>>
>

/** Cells as `cellOf` writes them; an absent column is an empty cell. */
export const csvLines = <const Columns extends ReadonlyArray<string>>(
  columns: Columns,
  rows: CsvRows<Columns>
): Stream.Stream<Uint8Array> =>
  rows.pipe(
    Stream.map((row) => Object.fromEntries(columns.map((column) => [column, cellOf(row[column as Columns[number]])]))),
    Stream.pipeThroughChannel(Csv.encode({ columns, headers: true }))
  )

/** `name` comes from the hub: only letters, digits, `_`, `-`, and `.`. */
const file = (body: Stream.Stream<Uint8Array>, name: string, contentType: string) =>
  HttpServerResponse.stream(body, {
    contentType,
    headers: { "content-disposition": `attachment; filename="${name}"`, "cache-control": "no-store" }
  })

export const csvFile = <const Columns extends ReadonlyArray<string>>(
  name: string,
  columns: Columns,
  rows: CsvRows<Columns>
) => file(csvLines(columns, rows), `${name}.csv`, "text/csv; charset=utf-8")

/** `texts` are JSON texts without a line break, one per line. */
export const jsonLinesFile = (name: string, texts: Stream.Stream<string>) =>
  file(
    Stream.mapArray(texts, (batch) => [encoder.encode(batch.map((text) => `${text}\n`).join(""))]),
    `${name}.jsonl`,
    "application/x-ndjson"
  )
