/** The words of a query as a condition that PostgreSQL's text search answers from its index. */
import { coverMin } from "./ranking.ts"

/** Passages with enough of so many words are those that the query quotes, which their vectors find too. */
const searchedWordsMax = 24

const quoted = (lexeme: string): string => `'${lexeme.replace(/[\\']/g, "$&$&")}'`

const anyOf = (lexemes: ReadonlyArray<string>): string => `(${lexemes.map(quoted).join(" | ")})`

/**
 * A passage with enough of the words has at least two of any few of them, and the longest are the rarest. Two rather than
 * one: a single word of a query may be in a third of the passages. Not more than two: the index compares each passage
 * with a condition whose length grows fast.
 */
const twoOfFew = (lexemes: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (lexemes.length === 0 || lexemes.length > searchedWordsMax) return []
  const enough = Math.ceil(lexemes.length * coverMin - 1e-6)
  if (enough === 1) return [anyOf(lexemes)]
  const few = lexemes.slice(0, lexemes.length - enough + 2)
  return few.slice(0, -1).map((lexeme, index) => `(${quoted(lexeme)} & ${anyOf(few.slice(index + 1))})`)
}

/**
 * A `tsquery` that every passage with enough of the words matches, in whichever dictionary it is; undefined without a word.
 * The longest words come first.
 */
export const someOf = (...dictionaries: ReadonlyArray<ReadonlyArray<string>>): string | undefined => {
  const conditions = [...new Set(dictionaries.flatMap(twoOfFew))]
  return conditions.length === 0 ? undefined : conditions.join(" | ")
}
