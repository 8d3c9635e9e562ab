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

/**
 * What all of the words count beside a similarity of 1. From 0.2 to 0.4 the right section is among the first three
 * results for 80 % of the questions of `npm run bench -- knowledge-quality`, for 75 % without words, and for 69 % when
 * positions in two lists are added instead.
 */
const coverWeight = 0.3

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
