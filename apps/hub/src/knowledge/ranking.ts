/**
 * The order of the candidates of a query. `hybrid` joins two lists by reciprocal ranks: the candidates by similarity,
 * and those that have enough of the query's words. Spec: reference/knowledge.md "Query".
 */

export interface Candidate<Id> {
  readonly id: Id
  /** The cosine of the query's vector and the chunk's. */
  readonly similarity: number
  /** From full-text search; absent for a chunk that has no word of the query. */
  readonly keywords?: {
    /** The part of the query's words that the chunk has, from 0 to 1. */
    readonly cover: number
    readonly rank: number
  }
}

export interface Ranked<Id> {
  readonly id: Id
  readonly score: number
}

/** The part of the query's words that a chunk must have to be in the second list. Without it, common words win. */
export const coverMin = 0.65
const rankOffset = 60

const descending = (left: number, right: number): number => right - left

/** The score is the similarity. */
export const bySimilarity = <Id>(candidates: ReadonlyArray<Candidate<Id>>, count: number): ReadonlyArray<Ranked<Id>> =>
  candidates.toSorted((left, right) => descending(left.similarity, right.similarity))
    .slice(0, count)
    .map(({ id, similarity }) => ({ id, score: similarity }))

/** The score is the sum of 1 / (60 + position) over the two lists. */
export const hybrid = <Id>(candidates: ReadonlyArray<Candidate<Id>>, count: number): ReadonlyArray<Ranked<Id>> => {
  const scores = new Map<Candidate<Id>, number>()
  const add = (list: ReadonlyArray<Candidate<Id>>): void => {
    for (const [index, candidate] of list.entries()) {
      scores.set(candidate, (scores.get(candidate) ?? 0) + 1 / (rankOffset + index + 1))
    }
  }
  add(candidates.toSorted((left, right) => descending(left.similarity, right.similarity)))
  add(
    candidates.filter(({ keywords }) => keywords !== undefined && keywords.cover >= coverMin)
      .toSorted((left, right) =>
        descending(left.keywords!.cover, right.keywords!.cover) || descending(left.keywords!.rank, right.keywords!.rank)
      )
  )
  return [...scores]
    .toSorted(([left, leftScore], [right, rightScore]) =>
      descending(leftScore, rightScore) || descending(left.similarity, right.similarity)
    )
    .slice(0, count)
    .map(([{ id }, score]) => ({ id, score }))
}
