/** Parses and cuts one document, in the process of `parser.ts`. */
import { chunksOf } from "./chunking.ts"
import { contentTypeOf, type TypedSource } from "./content-type.ts"
import { charsetOf, decodeText } from "./decode.ts"
import type { ParsedDocument } from "./document.ts"
import { parseDocx } from "./docx.ts"
import { damagedDetail, type ParseFailureReason } from "./failure.ts"
import { parseHtml } from "./html.ts"
import { parseMarkdown } from "./markdown.ts"
import { parsePdf } from "./pdf.ts"
import { parsePlainText } from "./plain-text.ts"
import { ParseRefusal } from "./refusal.ts"

export type ParseOutcome =
  | {
    readonly kind: "parsed"
    readonly document: Omit<ParsedDocument, "blocks">
    readonly chunks: ReturnType<typeof chunksOf>
  }
  | { readonly kind: "refused"; readonly reason: ParseFailureReason; readonly detail: string }

/** @throws ParseRefusal, and whatever a library throws for a damaged document */
export const parseDocument = async (source: TypedSource): Promise<ParsedDocument> => {
  const { bytes } = source
  switch (contentTypeOf(source)) {
    case "text/plain":
      return parsePlainText(decodeText(bytes, charsetOf(source.contentType)))
    case "text/markdown":
      return parseMarkdown(decodeText(bytes, charsetOf(source.contentType)))
    case "text/html":
      return parseHtml(decodeText(bytes, charsetOf(source.contentType) ?? metaCharset(bytes)))
    case "application/pdf":
      return parsePdf(bytes)
    case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
      return parseDocx(bytes)
  }
}

/** The charset of a `meta` element near the start of an HTML document. */
const metaCharset = (bytes: Uint8Array): string | undefined => {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1_024)).toString("latin1")
  const [, charset] = /<meta[^>]{1,200}charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(start) ?? []
  // A mark or NUL bytes decide for UTF-16, which this could not be read as.
  return charset === undefined || /^utf-?16/i.test(charset) ? undefined : charsetOf(`;charset=${charset}`)
}

export const parseAndCut = async (source: TypedSource): Promise<ParseOutcome> => {
  try {
    const { blocks, ...document } = await parseDocument(source)
    const chunks = chunksOf({ ...document, blocks })
    if (chunks.length > 0) return { kind: "parsed", document, chunks }
    const detail = document.pages === undefined
      ? "The document contains no text."
      : "The document contains no text. Scanned pages must be recognized (OCR) first."
    return { kind: "refused", reason: "empty", detail }
  } catch (error) {
    return error instanceof ParseRefusal
      ? { kind: "refused", reason: error.reason, detail: error.message }
      : { kind: "refused", reason: "unreadable", detail: damagedDetail }
  }
}
