/** How a search compares texts: the text of a request, the words of a query, the score of a match. */

/** The searchable part of a payload's JSON, in characters. */
export const searchedCharacters = 16_384
/** Maximum number of words of a query; the rest is ignored. */
const wordsMax = 8

/**
 * Removes case, accents, and control characters, and writes every other character beyond ASCII as `u` and its code
 * point in hex. Texts in ASCII have the same trigrams in every locale of the database.
 */
export const foldText = (text: string): string => {
  const plain = text.normalize("NFKD").replace(/[\u0300-\u036f]/gu, "").normalize("NFKC")
  return plain.toUpperCase().toLowerCase().replace(/[^\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    // The small sigma has a second form at the end of a word.
    return code <= 0x20 || code === 0x7f ? " " : `u${(code === 0x3c2 ? 0x3c3 : code).toString(16)}`
  })
}

export interface SearchWord {
  /** As typed. */
  readonly raw: string
  readonly folded: string
}

/** The distinct words of a query. */
export const searchWords = (q: string): ReadonlyArray<SearchWord> => {
  const words = new Map(q.trim().split(/\s+/u).map((raw) => [foldText(raw), raw]))
  return [...words].flatMap(([folded, raw]) => folded === "" ? [] : [{ raw, folded }]).slice(0, wordsMax)
}

/** The folded words of a query. */
export const queryWords = (q: string): ReadonlyArray<string> => searchWords(q).map(({ folded }) => folded)

/** Whether an index of trigrams narrows the search for a folded text. */
export const isIndexable = (folded: string): boolean => /[a-z0-9]{3}/u.test(folded)

/** Of a JSON string without its quotes; its last escape may be cut off. */
const unescaped = (body: string): string => {
  try {
    return String(JSON.parse(`"${body}"`))
  } catch {
    return body.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/u, "")
  }
}

/** The strings and numbers in a JSON text without the names of its fields. The text may be cut off anywhere. */
export const jsonValues = (json: string): string => {
  const token = /"((?:[^"\\]|\\.)*)("\s*:|"|\\?$)|-?\d[\d.eE+-]*/gu
  const values: Array<string> = []
  for (const [whole, body, end] of json.matchAll(token)) {
    if (body === undefined) values.push(whole)
    else if (end?.endsWith(":") !== true) values.push(unescaped(body))
  }
  return values.join(" ")
}

/** The folded search text of a request. */
export const requestText = (
  { id, operation, payload, service }: {
    readonly id: string
    readonly service: string
    readonly operation: string
    /** JSON, which may be cut off. */
    readonly payload: string
  }
): string => foldText(`${id} ${service}.${operation} ${jsonValues(payload.slice(0, searchedCharacters))}`)

export const hasWords = (folded: string, words: ReadonlyArray<string>): boolean =>
  words.every((word) => folded.includes(word))

/** From 0.5 to 0.95 for a name that has every word, counted with `more`; undefined without a match. */
export const nameScore = (words: ReadonlyArray<string>, name: string, more = ""): number | undefined => {
  const folded = foldText(name)
  const phrase = words.join(" ")
  if (folded === phrase) return 0.95
  if (folded.startsWith(phrase)) return 0.9
  if (words.every((word) => ` ${folded}`.includes(` ${word}`))) return 0.8
  if (hasWords(folded, words)) return 0.7
  return hasWords(`${folded} ${foldText(more)}`, words) ? 0.5 : undefined
}

/** A prefix of a digest, as the console shows it. */
export const sealOf = (q: string): string | undefined => /^[0-9a-f]{6,64}$/u.exec(q.trim().toLowerCase())?.[0]
