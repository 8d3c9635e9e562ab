/** DOCX by mammoth, over an archive with nothing but the XML parts, which were inflated within limits before. */
import mammoth from "mammoth"
import type { ParsedDocument } from "./document.ts"
import { parseHtml } from "./html.ts"
import { ParseRefusal } from "./refusal.ts"
import { zipContent, zipEntries, zipOf } from "./zip.ts"

/** Of all XML parts together. A person's longest documents have a tenth of it. */
const xmlBytesMax = 48 * 1024 * 1024

const isXml = (name: string): boolean => /\.(?:xml|rels)$/i.test(name)

export const parseDocx = async (bytes: Uint8Array): Promise<ParsedDocument> => {
  const entries = zipEntries(bytes).filter(({ name }) => isXml(name))
  if (entries.some(({ isEncrypted }) => isEncrypted)) {
    throw new ParseRefusal("encrypted", "The document is encrypted. Remove its password and add it again.")
  }
  let left = xmlBytesMax
  const parts = entries.map((entry) => {
    const content = zipContent(bytes, entry, left)
    left -= content.length
    return { name: entry.name, content }
  })
  const { value } = await mammoth.convertToHtml({ buffer: zipOf(parts) }, {
    // The archive has no images.
    convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
    externalFileAccess: false
  })
  return parseHtml(value)
}
