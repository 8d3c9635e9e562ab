/** The type of a document: its bytes must agree with the declared type. Spec: reference/knowledge.md "Documents". */
import { charsetOf, isUtf16 } from "./decode.ts"
import { type ParsedType, parsedTypes } from "./document.ts"
import { ParseRefusal } from "./refusal.ts"
import { zipEntries } from "./zip.ts"

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

const aliases: Readonly<Record<string, ParsedType>> = {
  "text/x-markdown": "text/markdown",
  "application/xhtml+xml": "text/html"
}

const byExtension: Readonly<Record<string, ParsedType>> = {
  txt: "text/plain",
  text: "text/plain",
  md: "text/markdown",
  markdown: "text/markdown",
  htm: "text/html",
  html: "text/html",
  xhtml: "text/html",
  pdf: "application/pdf",
  docx: docxType
}

const names: Readonly<Record<ParsedType, string>> = {
  "text/plain": "text",
  "text/markdown": "Markdown",
  "text/html": "HTML",
  "application/pdf": "a PDF",
  [docxType]: "a DOCX document"
}

const unsupported = (detail: string): ParseRefusal => new ParseRefusal("unsupported_type", detail)

/** The type that the bytes have: one of the binary ones, or text of any kind. */
type Kind = "application/pdf" | typeof docxType | "text"

const oleSignature = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
const begins = (bytes: Uint8Array, signature: ReadonlyArray<number>): boolean =>
  signature.every((byte, index) => bytes[index] === byte)
const ascii = (text: string): ReadonlyArray<number> => [...text].map((character) => character.charCodeAt(0))

/** Readers accept a PDF whose header follows other bytes. */
const pdfHeaderWithin = 1_024
/** The part of the bytes that is enough to tell text from other data. */
const lookedAt = 8_192
const controlsPartMax = 0.1

const kindOf = (bytes: Uint8Array, charset: string | undefined): Kind => {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, lookedAt))
  const header = head.subarray(0, pdfHeaderWithin).indexOf("%PDF-")
  if (header === 0 || header > 0 && !isText(head.subarray(0, header))) return "application/pdf"
  if (begins(bytes, ascii("PK\u0003\u0004"))) {
    if (zipEntries(bytes).some(({ name }) => name === "word/document.xml")) return docxType
    throw unsupported(
      "The document is a ZIP archive or another Office format. Supported: text, Markdown, HTML, PDF, and DOCX."
    )
  }
  if (begins(bytes, oleSignature)) {
    if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("EncryptedPackage", 0, "utf16le")) {
      throw new ParseRefusal("encrypted", "The document is encrypted. Remove its password and add it again.")
    }
    throw unsupported("The document is in an old Office format. Save it as DOCX or PDF.")
  }
  if (charset?.startsWith("utf-16") !== true && !isText(head)) {
    throw unsupported("The document is not text. Supported: text, Markdown, HTML, PDF, and DOCX.")
  }
  return "text"
}

const isText = (head: Uint8Array): boolean => {
  if (begins(head, [0xff, 0xfe]) || begins(head, [0xfe, 0xff]) || isUtf16(head)) return true
  let controls = 0
  for (const byte of head) if (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1b) controls++
  return controls <= head.length * controlsPartMax
}

const textTypeOf = (bytes: Uint8Array): ParsedType => {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, lookedAt)).toString("latin1")
  return /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html[\s>])/i.test(start) ? "text/html" : "text/plain"
}

export interface TypedSource {
  readonly bytes: Uint8Array
  readonly contentType?: string
  readonly fileName?: string
}

/** @throws ParseRefusal with `unsupported_type`, `encrypted`, or the refusal of an archive */
export const contentTypeOf = ({ bytes, contentType, fileName }: TypedSource): ParsedType => {
  const media = contentType?.split(";")[0]?.trim().toLowerCase() ?? ""
  const isDeclared = media !== "" && media !== "application/octet-stream"
  const extension = /\.([a-z]{1,8})$/i.exec(fileName ?? "")?.[1]?.toLowerCase() ?? ""
  const declared = isDeclared
    ? aliases[media] ?? parsedTypes.find((type) => type === media)
    : Object.hasOwn(byExtension, extension)
    ? byExtension[extension]
    : undefined
  if (isDeclared && declared === undefined) {
    throw unsupported(
      `Documents of type ${media.slice(0, 100)} are not supported. Supported: text, Markdown, HTML, PDF, and DOCX.`
    )
  }
  const kind = kindOf(bytes, charsetOf(contentType))
  if (declared === undefined) return kind === "text" ? textTypeOf(bytes) : kind
  const isMatch = kind === "text" ? declared.startsWith("text/") : declared === kind
  if (!isMatch) {
    const found = kind === "text" ? "text" : names[kind]
    throw unsupported(`The document is declared as ${names[declared]}, but it is ${found}.`)
  }
  return declared
}
