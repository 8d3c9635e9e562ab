/**
 * The position of a reader of `/events`, opaque on the wire: for each followed workspace the last `seq` that it has
 * seen completely, plus, in eighths, the number of events of the next entry that it has seen.
 */
export type Positions = ReadonlyMap<string, number>

/** More than the number of events of one entry. */
export const positionParts = 8

export const encodePositions = (positions: Positions): string =>
  Buffer.from(JSON.stringify([...positions])).toString("base64url")

/** `undefined` when the hub did not make the cursor. */
export const decodePositions = (cursor: string): Positions | undefined => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"))
    if (!Array.isArray(parts)) return undefined
    const positions = new Map<string, number>()
    for (const part of parts as ReadonlyArray<unknown>) {
      if (
        !Array.isArray(part) || typeof part[0] !== "string" || typeof part[1] !== "number" ||
        !Number.isSafeInteger(part[1] * positionParts)
      ) {
        return undefined
      }
      positions.set(part[0], part[1])
    }
    return positions
  } catch {
    return undefined
  }
}
