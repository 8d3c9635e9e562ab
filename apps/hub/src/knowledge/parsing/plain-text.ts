/** Plain text: paragraphs are separated by empty lines. */
import { DocumentBuilder, normalized } from "./document-builder.ts"
import type { ParsedDocument } from "./document.ts"

export const parsePlainText = (text: string): ParsedDocument => {
  const builder = new DocumentBuilder()
  for (const paragraph of normalized(text).split(/\n(?:[^\S\n]*\n)+/)) builder.block(paragraph)
  return builder.done()
}
