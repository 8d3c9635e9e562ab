/**
 * The order of the candidates of a query: by similarity, or by similarity and the query's words together. Spec:
 * reference/knowledge.md "Query".
 */

export interface Candidate<Id> {
  readonly id: Id
  /** The cosine of the query's vector and the chunk's. */
  readonly similarity: number
  /** The part of the query's words that the chunk has, from 0 to 1. */
  readonly cover: number
}

export interface Ranked<Id> {
  readonly id: Id
  readonly score: number
}

/** The part of the query's words that makes a chunk a candidate, whatever its similarity. */
export const coverMin = 0.65

/** What all of the words count beside a similarity of 1. Measured from 0.2 to 0.3 by `npm run bench -- knowledge-quality`. */
const coverWeight = 0.25

/** So many first results are of different sections. */
const sectionsFirst = 3

const best = <Id>(
  candidates: ReadonlyArray<Candidate<Id>>,
  count: number,
  scoreOf: (candidate: Candidate<Id>) => number
): ReadonlyArray<Ranked<Id>> =>
  candidates
    .map((candidate) => ({ candidate, score: scoreOf(candidate) }))
    .toSorted((left, right) => right.score - left.score || right.candidate.similarity - left.candidate.similarity)
    .slice(0, count)
    .map(({ candidate, score }) => ({ id: candidate.id, score }))

/** The score is the similarity. */
export const bySimilarity = <Id>(candidates: ReadonlyArray<Candidate<Id>>, count: number): ReadonlyArray<Ranked<Id>> =>
  best(candidates, count, ({ similarity }) => similarity)

/** The score is the weighted mean of the similarity and the part of the words, at most 1. */
export const hybrid = <Id>(candidates: ReadonlyArray<Candidate<Id>>, count: number): ReadonlyArray<Ranked<Id>> =>
  best(candidates, count, ({ cover, similarity }) => (similarity + coverWeight * cover) / (1 + coverWeight))

/**
 * Moves a second chunk of a section behind the first results if other sections can take its place, because readers look at
 * few results. Its score is at most that of the result before it. A chunk without a section counts as one.
 */
export const sectionsInTurn = <A extends { readonly score: number }>(
  ranked: ReadonlyArray<A>,
  sectionOf: (result: A) => string | undefined
): ReadonlyArray<A> => {
  const seen = new Set<string>()
  const [first, rest]: [Array<A>, Array<A>] = [[], []]
  for (const result of ranked) {
    const section = sectionOf(result)
    const isNew = section === undefined || !seen.has(section)
    if (section !== undefined) seen.add(section)
    if (isNew && first.length < sectionsFirst) first.push(result)
    else rest.push(result)
  }
  const lowest = Math.min(...first.map(({ score }) => score))
  return [...first, ...rest.map((result) => ({ ...result, score: Math.min(result.score, lowest) }))]
}
