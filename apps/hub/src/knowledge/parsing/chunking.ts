/**
 * Cuts a document into chunks by its structure: a chunk has text of one section and one page, whole paragraphs where
 * they fit, whole sentences otherwise. Spec: reference/knowledge.md "Chunks".
 */
import type { Block, ParsedDocument } from "./document.ts"

/** The built-in engine reads 256 tokens, about 180 words of English. */
export const wordsMax = 180
/** Sentences up to this many words are repeated at the start of the next chunk of the same section. */
export const overlapWordsMax = 30
/** A shorter chunk is not cut at a paragraph's end, but after the last sentence that fits. */
const wordsBeforeCut = wordsMax / 2

export interface Chunk {
  /** From 0, in the order of the document. */
  readonly chunk: number
  /** UTF-16 positions in the document's text. */
  readonly start: number
  readonly end: number
  readonly page?: number
  readonly headings: ReadonlyArray<string>
  /** `document.text.slice(start, end)`. */
  readonly text: string
  /** The dictionary of full-text search: `english` stems words, `simple` does not. */
  readonly language: "english" | "simple"
}

/** What is embedded, and indexed for full-text search: the title and the headings give a chunk its topic. */
export const searchText = (title: string, { headings, text }: Pick<Chunk, "headings" | "text">): string =>
  [
    [...title === headings[0] ? [] : [title], ...headings].filter((part) => part !== "").join(" > "),
    text
  ].filter((part) => part !== "").join("\n")

/**
 * A word, or a part of one: models split long words, and scripts without spaces have a token for almost each
 * character.
 */
const unspaced = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`).join("")
const wordPattern = new RegExp(`[${unspaced}]|[^\\s${unspaced}]{1,16}`, "gu")

/** A sentence, or a part of a very long one. */
interface Unit {
  readonly start: number
  readonly end: number
  readonly words: number
  /** The position of its block: another value begins a paragraph. */
  readonly paragraph: number
}

/** Made at its first use: it reads the rules of the language, a hundredth of a start. */
let segmenter: Intl.Segmenter | undefined
const segmentsOf = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" })).segment(text)

/** Longer text is segmented in parts. */
const segmentedMax = 10_000

/** A line break before a lower-case letter is a wrapped line, not the end of a sentence. */
function* sentencesOf(text: string): Generator<{ readonly index: number; readonly segment: string }> {
  for (let from = 0; from < text.length;) {
    const space = text.length - from <= segmentedMax ? -1 : text.lastIndexOf(" ", from + segmentedMax)
    const isInside = text.codePointAt(from + segmentedMax - 1)! > 0xffff
    const to = space > from ? space : from + segmentedMax + (isInside ? 1 : 0)
    const part = text.slice(from, to)
    for (const { index, segment } of segmentsOf(part.replace(/\n(?=\p{Ll})/gu, " "))) {
      yield { index: from + index, segment: part.slice(index, index + segment.length) }
    }
    from = to
  }
}

/** The ends of the words of a text, relative to it. */
const wordEnds = (text: string): ReadonlyArray<number> =>
  Array.from(text.matchAll(wordPattern), (match) => match.index + match[0].length)

function* unitsOf(text: string, block: Block): Generator<Unit> {
  for (const { index, segment } of sentencesOf(text.slice(block.start, block.end))) {
    const start = block.start + index + (segment.length - segment.trimStart().length)
    const sentence = segment.trim()
    const ends = wordEnds(sentence)
    let from = 0
    for (let word = 0; word < ends.length; word += wordsMax) {
      const last = Math.min(word + wordsMax, ends.length)
      const to = last === ends.length ? sentence.length : ends[last - 1]!
      const skipped = sentence.slice(from, to).search(/\S/)
      yield { start: start + from + skipped, end: start + to, words: last - word, paragraph: block.start }
      from = to
    }
  }
}

/** Consecutive blocks with the same headings and page. */
const sectionsOf = ({ blocks }: ParsedDocument): ReadonlyArray<ReadonlyArray<Block>> => {
  const sections: Array<Array<Block>> = []
  for (const [index, block] of blocks.entries()) {
    if (block.kind === "heading" && hasContent(block, blocks[index + 1])) continue
    const section = sections.at(-1)
    const last = section?.at(-1)
    const isSame = last !== undefined && last.page === block.page && last.kind !== "heading" &&
      block.kind !== "heading" && isPath(last.headings, block.headings)
    if (isSame) section!.push(block)
    else sections.push([block])
  }
  return sections
}

const isPath = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  left === right || left.length === right.length && left.every((heading, index) => heading === right[index])

/** Whether the next block carries the heading in its own path. */
const hasContent = (heading: Block, next: Block | undefined): boolean =>
  next !== undefined && next.headings.length >= heading.headings.length &&
  (next.kind !== "heading" || next.headings.length > heading.headings.length) &&
  heading.headings.every((part, index) => part === next.headings[index])

/** Where the next chunk begins: at a sentence that the previous chunk has too, if it is short enough. */
const overlapStart = (units: ReadonlyArray<Unit>, first: number, next: number): number => {
  let start = next
  let words = 0
  while (start - 1 > first && words + units[start - 1]!.words <= overlapWordsMax) words += units[--start]!.words
  return start
}

/** Ranges of units, from the first to before the last. */
function* cut(units: ReadonlyArray<Unit>): Generator<readonly [number, number]> {
  let first = 0
  while (first < units.length) {
    let [next, words, paragraphEnd] = [first, 0, first]
    while (next < units.length && words + units[next]!.words <= wordsMax) {
      if (units[next]!.paragraph !== units[next - 1]?.paragraph && words >= wordsBeforeCut) paragraphEnd = next
      words += units[next++]!.words
    }
    if (next === units.length) return yield [first, next]
    const isParagraphEnd = units[next]!.paragraph !== units[next - 1]!.paragraph
    const end = isParagraphEnd || paragraphEnd === first ? next : paragraphEnd
    yield [first, end]
    const start = overlapStart(units, first, end)
    // The overlap must leave room for the unit after it.
    const overlap = units.slice(start, end).reduce((sum, unit) => sum + unit.words, 0)
    first = overlap + units[end]!.words > wordsMax ? end : start
  }
}

/** In the order of the document; none if it has no words. Every word of a block is in at least one chunk. */
export const chunksOf = (document: ParsedDocument): ReadonlyArray<Chunk> => {
  const { text } = document
  const documentLanguage = languageOf(text)
  const chunks: Array<Chunk> = []
  for (const section of sectionsOf(document)) {
    const units = section.flatMap((block) => [...unitsOf(text, block)])
    for (const [first, next] of cut(units)) {
      const { start } = units[first]!
      const { end } = units[next - 1]!
      const body = text.slice(start, end)
      const { headings, page } = section[0]!
      chunks.push({
        chunk: chunks.length,
        start,
        end,
        ...page === undefined ? {} : { page },
        headings: section[0]!.kind === "heading" ? headings.slice(0, -1) : headings,
        text: body,
        language: body.length < guessedLengthMin ? documentLanguage : languageOf(body)
      })
    }
  }
  return chunks
}

/** Shorter text has too few words to tell. */
const guessedLengthMin = 120
/** The part of a document that is enough to tell. */
const guessedLengthMax = 20_000
const englishPartMin = 0.12
const englishWords = new Set([
  ..."a an and are as at be been by can do for from has have he if in into is it its may more must no not of on".split(
    " "
  ),
  ..."one only or our so such than that the their them then there they this to up was we were what when which".split(
    " "
  ),
  ..."who will with would you your".split(" ")
])

/** Whether the words that English sentences need make up a part of the text. */
export const languageOf = (text: string): "english" | "simple" => {
  const words = text.slice(0, guessedLengthMax).toLowerCase().match(/\p{L}+/gu) ?? []
  const english = words.filter((word) => englishWords.has(word)).length
  return words.length > 0 && english / words.length >= englishPartMin ? "english" : "simple"
}
