/** Documents for tests: PDF and DOCX, made without libraries. */
import { zipOf } from "@countersign/hub/knowledge/parsing/zip"
import { deflateRawSync } from "node:zlib"

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, "latin1"))

/** A PDF with one line for each line of a page's text. `encrypted`: with an unknown password. */
export const pdfOf = (
  pages: ReadonlyArray<string>,
  { encrypted = false, title }: { readonly encrypted?: boolean; readonly title?: string } = {}
): Uint8Array<ArrayBuffer> => {
  const objects: Array<string> = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${5 + index * 2} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< ${title === undefined ? "" : `/Title (${title})`} >>`
  ]
  for (const [index, page] of pages.entries()) {
    const lines = page.split("\n").map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`).join("\n")
    const content = `BT /F1 12 Tf 14 TL 72 720 Td\n${lines}\nET`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${
        6 + index * 2
      } 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`
    )
  }
  const secret = "ab".repeat(32)
  if (encrypted) objects.push(`<< /Filter /Standard /V 1 /R 2 /P -4 /O <${secret}> /U <${secret}> >>`)
  let text = "%PDF-1.4\n"
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const encryption = encrypted ? `/Encrypt ${objects.length} 0 R /ID [<${"00".repeat(16)}> <${"00".repeat(16)}>]` : ""
  return bytesOf(
    `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n` +
      `<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R ${encryption} >>\nstartxref\n${text.length}\n%%EOF\n`
  )
}

const openXml = "http://schemas.openxmlformats.org"
const mainType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
const contentTypes = `<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="${openXml}/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml" ContentType="${mainType}"/>
</Types>`
const relationships = `<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="${openXml}/package/2006/relationships">
<Relationship Id="r1" Target="word/document.xml" Type="${openXml}/officeDocument/2006/relationships/officeDocument"/>
</Relationships>`

/** A DOCX whose body is the given XML. */
export const docxOf = (body: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(zipOf([
    { name: "[Content_Types].xml", content: Buffer.from(contentTypes) },
    { name: "_rels/.rels", content: Buffer.from(relationships) },
    {
      name: "word/document.xml",
      content: Buffer.from(
        `<w:document xmlns:w="${openXml}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`
      )
    }
  ]))

/** A paragraph; with a level, a heading. */
export const wordParagraph = (text: string, level?: number): string =>
  `<w:p>${
    level === undefined ? "" : `<w:pPr><w:pStyle w:val="Heading${level}"/></w:pPr>`
  }<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

/**
 * A DOCX with one deflated part of the given size. `declared`: the size that its directory claims, if it lies.
 */
export const zipBomb = (bytes: number, declared = bytes): Uint8Array<ArrayBuffer> => {
  const packed = deflateRawSync(Buffer.alloc(bytes, 0x20))
  const archive = zipOf([{ name: "word/document.xml", content: packed }])
  const entry = archive.indexOf(Buffer.from("PK\u0001\u0002", "latin1"))
  // The method and the size before compression, in both headers.
  archive.writeUInt16LE(8, 8)
  archive.writeUInt32LE(declared, 22)
  archive.writeUInt16LE(8, entry + 10)
  archive.writeUInt32LE(declared, entry + 24)
  return Uint8Array.from(archive)
}
