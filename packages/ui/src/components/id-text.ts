/** Shortens ids in the middle: people compare the ends. */

/**
 * The first `head` and last `tail` characters with an ellipsis between; the whole text if that would not be shorter.
 */
export const middleTruncated = (text: string, head: number, tail: number): string => {
  const characters = [...text]
  return characters.length <= head + tail + 1
    ? text
    : `${characters.slice(0, head).join("")}…${tail === 0 ? "" : characters.slice(-tail).join("")}`
}
