/** Builds the icon files of Windows and macOS from PNGs, so that packaging needs no other program for them. */

/** @typedef {ReadonlyArray<{ readonly side: number, readonly png: Buffer }>} Pictures */

/** Windows: a directory entry of 16 bytes for each picture, then the pictures. A side of 256 is written as 0. */
export const ico = (/** @type {Pictures} */ pictures) => {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let offset = head.length
  for (const [at, { png, side }] of pictures.entries()) {
    const entry = 6 + 16 * at
    head.writeUInt8(side % 256, entry)
    head.writeUInt8(side % 256, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(png.length, entry + 8)
    head.writeUInt32LE(offset, entry + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...pictures.map(({ png }) => png)])
}

/** macOS: the type code of each side. @type {Readonly<Record<number, string>>} */
const icnsTypes = { 32: "ic11", 256: "ic08", 512: "ic09" }

export const icns = (/** @type {Pictures} */ pictures) => {
  const chunk = (/** @type {string} */ type, /** @type {Buffer} */ data) => {
    const head = Buffer.alloc(8)
    head.write(type, "latin1")
    head.writeUInt32BE(8 + data.length, 4)
    return Buffer.concat([head, data])
  }
  return chunk("icns", Buffer.concat(pictures.map(({ png, side }) => chunk(icnsTypes[side] ?? "", png))))
}
