/** PDF by pages. Lines are joined to paragraphs by the distance between them. */
import { getDocumentProxy } from "unpdf"
import { DocumentBuilder } from "./document-builder.ts"
import type { ParsedDocument } from "./document.ts"
import { ParseRefusal } from "./refusal.ts"

export const pagesMax = 2_000
/** A greater distance between two lines, in heights of a line, begins a paragraph. */
const paragraphDistance = 1.7

/** Of a table of contents. */
const leaderDots = /(?:[ ]?\.){5,}[ ]?/g

interface Item {
  readonly str: string
  readonly hasEOL: boolean
  readonly height: number
  /** The last two numbers are the position. */
  readonly transform: ReadonlyArray<number>
}

interface Line {
  readonly text: string
  readonly y: number
  readonly height: number
}

export const parsePdf = async (bytes: Uint8Array): Promise<ParsedDocument> => {
  const pdf = await opened(bytes)
  if (pdf.numPages > pagesMax) {
    throw new ParseRefusal(
      "too_many_pages",
      `The document has ${pdf.numPages.toLocaleString("en")} pages; the maximum is ${pagesMax.toLocaleString("en")}.`
    )
  }
  const builder = new DocumentBuilder()
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }))
  const title: unknown = "Title" in info ? info.Title : undefined
  if (typeof title === "string") builder.title(title)
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    for (const paragraph of paragraphsOf(linesOf(items.filter((item) => "str" in item)))) {
      builder.block(paragraph, { page: number })
    }
    page.cleanup()
  }
  return builder.done(pdf.numPages)
}

const opened = async (bytes: Uint8Array) => {
  try {
    return await getDocumentProxy(bytes, { verbosity: 0, disableFontFace: true })
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") {
      throw new ParseRefusal("encrypted", "The document is encrypted. Remove its password and add it again.")
    }
    throw error
  }
}

const linesOf = (items: ReadonlyArray<Item>): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let text = ""
  let height = 0
  let y = 0
  for (const item of items) {
    if (text === "") y = item.transform[5] ?? 0
    text += item.str
    height = Math.max(height, item.height)
    if (!item.hasEOL) continue
    lines.push({ text, y, height })
    text = ""
    height = 0
  }
  if (text !== "") lines.push({ text, y, height })
  return lines
}

const paragraphsOf = (lines: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const paragraphs: Array<string> = []
  let text = ""
  let previous: Line | undefined
  for (const line of lines) {
    const isEmpty = line.text.trim() === ""
    const isFar = previous !== undefined && previous.height > 0 &&
      Math.abs(previous.y - line.y) > paragraphDistance * Math.max(previous.height, line.height)
    if (isEmpty || isFar) {
      paragraphs.push(text)
      text = ""
    }
    if (isEmpty) continue
    text = joined(text, line.text.trim())
    previous = line
  }
  return [...paragraphs, text].map((paragraph) => paragraph.replace(leaderDots, " … "))
}

/** A word that was divided at the end of a line is whole again. */
const joined = (text: string, line: string): string =>
  /\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line) ? text.slice(0, -1) + line : text === "" ? line : `${text} ${line}`
