/** Lists as files: CSV and JSON Lines, streamed as the reader takes them, whatever their length. */
import { Stream } from "effect"
import { Csv } from "effect/encoding"
import { HttpServerResponse } from "effect/http"

/** What a spreadsheet takes for a formula begins with one of these (OWASP, "CSV Injection"). */
const formulaStart = /^[=+\-@\t\r]/

const encoder = new TextEncoder()

type CsvRows<Columns extends ReadonlyArray<string>> = Stream.Stream<
  Readonly<Partial<Record<Columns[number], string | number | undefined>>>
>

/** A cell that would be read as a formula begins with an apostrophe; a column that is absent is an empty cell. */
export const csvLines = <const Columns extends ReadonlyArray<string>>(
  columns: Columns,
  rows: CsvRows<Columns>
): Stream.Stream<Uint8Array> =>
  rows.pipe(
    Stream.map((row) =>
      Object.fromEntries(columns.map((column) => {
        const value = row[column as Columns[number]]
        return [
          column,
          typeof value === "string" && formulaStart.test(value)
            ? `'${value}`
            : value === undefined
            ? undefined
            : String(value)
        ]
      }))
    ),
    Stream.pipeThroughChannel(Csv.encode({ columns, headers: true }))
  )

/** `name` is ours: letters, digits, `_`, `-` and `.` only. */
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

/** `texts` are JSON without a line break, one per line. */
export const jsonLinesFile = (name: string, texts: Stream.Stream<string>) =>
  file(
    Stream.mapArray(texts, (batch) => [encoder.encode(batch.map((text) => `${text}\n`).join(""))]),
    `${name}.jsonl`,
    "application/x-ndjson"
  )
