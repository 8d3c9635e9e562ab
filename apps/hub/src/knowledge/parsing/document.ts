/** A parsed document: one normalized text, and the blocks of its structure. */

/** A heading, or a paragraph, list item, table row or code block below it. */
export interface Block {
  readonly kind: "heading" | "text" | "code"
  /** The headings above it, the outermost first; a heading's own text is the last. */
  readonly headings: ReadonlyArray<string>
  /** Of a document with pages, from 1. */
  readonly page?: number
  /** UTF-16 positions in the document's text, as `String.slice` takes them. */
  readonly start: number
  readonly end: number
}

export interface ParsedDocument {
  /** The document's own title, if it has one; at most 200 characters. */
  readonly title?: string
  /** Well-formed, in normalization form C, lines end with `\n`, without control characters except `\n` and `\t`. */
  readonly text: string
  /** In order, without overlaps. */
  readonly blocks: ReadonlyArray<Block>
  /** The number of pages, of a document with pages. */
  readonly pages?: number
}

/** The content types that are parsed; `text/x-markdown` counts as `text/markdown`. */
export const parsedTypes = [
  "text/plain",
  "text/markdown",
  "text/html",
  "application/pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
] as const
export type ParsedType = typeof parsedTypes[number]
