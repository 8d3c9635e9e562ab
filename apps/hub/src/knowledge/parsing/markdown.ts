/**
 * Markdown by lines: headings, fenced code, list items, paragraphs. Links and images become their text; other markup
 * stays, because readers of a chunk know it.
 */
import { DocumentBuilder, normalized } from "./document-builder.ts"
import type { ParsedDocument } from "./document.ts"

const fencePattern = /^ {0,3}(`{3,}|~{3,})/
const headingPattern = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const underlinePattern = /^ {0,3}(=+|-{2,})[ \t]*$/
const itemPattern = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/
/** Bounded, so that no text takes long. */
const linkPattern = /!?\[([^[\]\n]{0,1000})\]\([^()\s]{0,2000}(?:[ \t]+"[^"\n]{0,500}")?\)/g

const withoutLinks = (text: string): string => text.replace(linkPattern, "$1")

/** A heading without closing `#`, links, and emphasis. */
const headingText = (text: string): string =>
  withoutLinks(text.trim().replace(/(?:^|[ \t])#+$/, "")).replace(/[*_`]/g, (mark) => mark === "_" ? mark : "")

const isTitle = /^title:[ \t]*(.+)$/

export const parseMarkdown = (source: string): ParsedDocument => {
  const builder = new DocumentBuilder()
  const lines = withoutComments(normalized(source)).split("\n")
  let paragraph: Array<string> = []
  let isItem = false
  const flush = (): void => {
    builder.block(withoutLinks(paragraph.join("\n")), { separator: isItem ? "\n" : "\n\n" })
    paragraph = []
    isItem = false
  }
  let fence = ""
  for (let index = frontMatterEnd(lines, builder); index < lines.length; index++) {
    const line = lines[index]!
    const mark = fencePattern.exec(line)?.[1] ?? ""
    if (fence !== "") {
      const isClosing = mark.startsWith(fence) && line.trim() === mark
      if (isClosing) {
        builder.block(paragraph.join("\n"), { kind: "code" })
        paragraph = []
        fence = ""
      } else paragraph.push(line)
      continue
    }
    if (mark !== "") {
      flush()
      fence = mark
      continue
    }
    const [, marks, text = ""] = headingPattern.exec(line) ?? []
    if (marks !== undefined) {
      flush()
      addHeading(builder, marks.length, text)
      continue
    }
    const underline = underlinePattern.exec(line)?.[1]
    if (underline !== undefined && paragraph.length === 1 && !isItem) {
      const [text = ""] = paragraph
      paragraph = []
      addHeading(builder, underline.startsWith("=") ? 1 : 2, text)
      continue
    }
    if (line.trim() === "") {
      flush()
      continue
    }
    if (itemPattern.test(line)) {
      const follows = isItem
      flush()
      isItem = follows
      paragraph.push(line)
      isItem = true
      continue
    }
    paragraph.push(line)
  }
  if (fence === "") flush()
  else builder.block(paragraph.join("\n"), { kind: "code" })
  return builder.done()
}

const addHeading = (builder: DocumentBuilder, level: number, text: string): void => {
  const heading = headingText(text)
  if (level === 1) builder.title(heading)
  builder.heading(level, heading)
}

/** The index of the first line after the YAML between two lines of `---`, whose `title` is kept. */
const frontMatterEnd = (lines: ReadonlyArray<string>, builder: DocumentBuilder): number => {
  if (lines[0]?.trimEnd() !== "---") return 0
  const end = lines.slice(1, 200).findIndex((line) => /^(?:---|\.\.\.)[ \t]*$/.test(line))
  if (end < 0) return 0
  for (const line of lines.slice(1, end + 1)) {
    const title = isTitle.exec(line)?.[1]
    if (title !== undefined) builder.title(title.replace(/^(["'])(.*)\1$/, "$2"))
  }
  return end + 2
}

/** Without HTML comments; an open one stays. */
const withoutComments = (text: string): string => {
  let result = ""
  let from = 0
  for (;;) {
    const start = text.indexOf("<!--", from)
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4)
    if (end < 0) return result + text.slice(from)
    result += text.slice(from, start)
    from = end + 3
  }
}
