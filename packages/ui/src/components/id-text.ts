/** Ids are told by their ends: what stands between is the part nobody reads. */

/** The first `head` and last `tail` characters with an ellipsis between; whole if that would be no shorter. */
export const middleTruncated = (text: string, head: number, tail: number): string => {
  const characters = [...text]
  return characters.length <= head + tail + 1
    ? text
    : `${characters.slice(0, head).join("")}…${tail === 0 ? "" : characters.slice(-tail).join("")}`
}
