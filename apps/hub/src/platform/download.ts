/** Lists as files: CSV and JSON Lines, streamed as the reader takes them, whatever their length. */
import { Stream } from "effect"
import { Csv } from "effect/encoding"
import { HttpServerResponse } from "effect/http"

/** What a spreadsheet takes for a formula begins with one of these (OWASP, "CSV Injection"). */
const formulaStart = /^[=+\-@\t\r]/

const encoder = new TextEncoder()

/** A cell that would be read as a formula begins with an apostrophe; a column that is absent is an empty cell. */
export const csvLines = <const Columns extends ReadonlyArray<string>>(
  columns: Columns,
  rows: Stream.Stream<Readonly<Partial<Record<Columns[number], string | number | undefined>>>>
): Stream.Stream<Uint8Array> =>
  rows.pipe(
    Stream.map((row) =>
      Object.fromEntries(columns.map((column) => {
        const value = row[column as Columns[number]]
        return [
          column,
          typeof value === "string" && formulaStart.test(value) ? `'${value}` : value === undefined ? undefined : String(value)
        ]
      }))
    ),
    Stream.pipeThroughChannel(Csv.encode({ columns, headers: true }))
  )

/** Texts that hold no line break, one per line. */
export const textLines = (texts: Stream.Stream<string>): Stream.Stream<Uint8Array> =>
  Stream.mapArray(texts, (batch) => [encoder.encode(batch.map((text) => `${text}\n`).join(""))])

export const jsonLines = (rows: Stream.Stream<unknown>): Stream.Stream<Uint8Array> =>
  textLines(Stream.map(rows, (row) => JSON.stringify(row)))

/** `fileName` is ours: letters, digits, `_`, `-` and `.` only. */
export const download = (body: Stream.Stream<Uint8Array>, file: { readonly name: string; readonly contentType: string }) =>
  HttpServerResponse.stream(body, {
    contentType: file.contentType,
    headers: { "content-disposition": `attachment; filename="${file.name}"`, "cache-control": "no-store" }
  })
