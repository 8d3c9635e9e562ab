/**
 * Where a reader of `/events` stands, opaque on the wire: of each workspace it follows the last `seq` it has seen whole, and, as
 * eighths on top of it, how many events of the entry after that.
 */
export type Positions = ReadonlyMap<string, number>

/** More than the events that one entry tells. */
export const positionParts = 8

export const encodePositions = (positions: Positions): string =>
  Buffer.from(JSON.stringify([...positions])).toString("base64url")

/** `undefined` when it is not one of ours. */
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
