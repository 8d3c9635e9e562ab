/** Where a reader of `/events` stands: the last `seq` it has seen of each workspace it follows, opaque on the wire. */
export type Positions = ReadonlyMap<string, number>

export const encodePositions = (positions: Positions): string => Buffer.from(JSON.stringify([...positions])).toString("base64url")

/** `undefined` when it is not one of ours. */
export const decodePositions = (cursor: string): Positions | undefined => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"))
    if (!Array.isArray(parts)) return undefined
    const positions = new Map<string, number>()
    for (const part of parts as ReadonlyArray<unknown>) {
      if (!Array.isArray(part) || typeof part[0] !== "string" || !Number.isSafeInteger(part[1])) return undefined
      positions.set(part[0], part[1] as number)
    }
    return positions
  } catch {
    return undefined
  }
}
