/** Plain text: paragraphs are separated by empty lines. */
import { DocumentBuilder, normalized } from "./document-builder.ts"
import type { ParsedDocument } from "./document.ts"

/** The text between blank lines, in linear time for any number of lines. */
function* paragraphsOf(text: string): Generator<string> {
  let start = 0
  for (let at = 0; at < text.length;) {
    const feed = text.indexOf("\n", at)
    const end = feed < 0 ? text.length : feed
    if (text.slice(at, end).trim() === "") {
      if (start < at) yield text.slice(start, at)
      start = end + 1
    }
    at = end + 1
  }
  if (start < text.length) yield text.slice(start)
}

export const parsePlainText = (text: string): ParsedDocument => {
  const builder = new DocumentBuilder()
  for (const paragraph of paragraphsOf(normalized(text))) builder.block(paragraph)
  return builder.done()
}
