/** Cuts a passage into parts, which are embedded beside the whole. Spec: reference/knowledge.md "Embedding". */

const sentences = new Intl.Segmenter("en", { granularity: "sentence" })

export const wordCount = (text: string): number => text.match(/\S+/g)?.length ?? 0

/** Sentences, and rows of tables without the rows that only separate. */
const unitsOf = (text: string): ReadonlyArray<string> =>
  text.split("\n")
    .flatMap((line) =>
      line.startsWith("|")
        ? [line.replace(/^\||\|$/g, "")]
        : Array.from(sentences.segment(line), ({ segment }) => segment)
    )
    .map((unit) => unit.trim())
    .filter((unit) => /[^\s|:-]/.test(unit))

/** Parts of whole sentences and rows, of at most so many words; a single longer sentence is a part. */
export const partsOf = (text: string, words: number): ReadonlyArray<string> => {
  const parts: Array<Array<string>> = []
  let room = 0
  for (const unit of unitsOf(text)) {
    const count = wordCount(unit)
    if (count > room || parts.length === 0) {
      parts.push([])
      room = words
    }
    parts.at(-1)!.push(unit)
    room -= count
  }
  return parts.map((units) => units.join("\n"))
}
