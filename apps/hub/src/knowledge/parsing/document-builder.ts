/** Collects the normalized text of a document with the positions of its blocks. */
import { type Block, type ParsedDocument } from "./document.ts"
import { ParseRefusal } from "./refusal.ts"

/** In UTF-16 units. */
export const textLengthMax = 20_000_000
export const titleLengthMax = 200
/** Of a heading in a path; the text of the heading itself is whole. */
const headingLengthMax = 200

// oxlint-disable-next-line no-control-regex -- these are removed
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff\ufffe\uffff]/g

/** Form NFC, line feeds, well-formed, no control characters. */
export const normalized = (text: string): string =>
  text.replace(/\r\n?|\u2028|\u2029|\f|\v/g, "\n").toWellFormed().replace(controls, "").normalize("NFC")

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** At most this many UTF-16 units, never half of a pair. */
const shortened = (text: string, lengthMax: number): string =>
  text.length <= lengthMax ? text : text.slice(0, lengthMax).toWellFormed().replace(/\ufffd$/, "")

export class DocumentBuilder {
  #parts: Array<string> = []
  #length = 0
  #title: string | undefined
  readonly #blocks: Array<Block> = []
  /** The open headings, and the level of each. */
  #path: ReadonlyArray<string> = []
  #levels: ReadonlyArray<number> = []

  /** Keeps the first title. */
  title(text: string): void {
    const title = shortened(oneLine(normalized(text)), titleLengthMax)
    if (title !== "") this.#title ??= title
  }

  heading(level: number, text: string, page?: number): void {
    const line = oneLine(normalized(text))
    if (line === "") return
    const depth = this.#levels.findIndex((open) => open >= level)
    const kept = depth < 0 ? this.#levels.length : depth
    this.#levels = [...this.#levels.slice(0, kept), level]
    this.#path = [...this.#path.slice(0, kept), shortened(line, headingLengthMax)]
    this.#add("heading", line, "\n\n", page)
  }

  /** `separator`: between this block and the one before it. */
  block(text: string, { kind = "text", page, separator = "\n\n" }: {
    readonly kind?: "text" | "code"
    readonly page?: number | undefined
    readonly separator?: "\n" | "\n\n"
  } = {}): void {
    const clean = normalized(text).trimEnd().replace(/^\s*\n/, "")
    if (clean.trim() !== "") this.#add(kind, clean, separator, page)
  }

  #add(kind: Block["kind"], text: string, separator: string, page: number | undefined): void {
    if (this.#length > 0) this.#push(separator)
    const start = this.#length
    this.#push(text)
    if (this.#length > textLengthMax) {
      throw new ParseRefusal(
        "too_large",
        `The document has more than ${textLengthMax.toLocaleString("en")} characters.`
      )
    }
    const place = page === undefined ? {} : { page }
    this.#blocks.push({ kind, headings: this.#path, start, end: this.#length, ...place })
  }

  #push(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
  }

  done(pages?: number): ParsedDocument {
    return {
      ...this.#title === undefined ? {} : { title: this.#title },
      ...pages === undefined ? {} : { pages },
      text: this.#parts.join(""),
      blocks: this.#blocks
    }
  }
}
