/** Keeps the search index of requests up to date, beside the tick. Several hubs share the work: each takes workspaces that no other has. */
import { Context, Effect, Layer } from "effect"
import { Db } from "../platform/db.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { SearchRepository } from "./repository.ts"

const roundMillis = 1_000
const workspacesMax = 100
const entriesMax = 1_000
/** Steps of one workspace in one round, so that a long log does not hold up the others. */
const stepsMax = 20

export class SearchIndex extends Context.Service<SearchIndex, {
  /** One round over the workspaces that are behind; answers how many entries of their logs were read. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/search/SearchIndex") {
  static readonly layer = Layer.effect(
    SearchIndex,
    Effect.gen(function*() {
      const repository = yield* SearchRepository
      const readiness = yield* Readiness
      const db = yield* Db

      const catchUp = Effect.fnUntraced(function*(org: string) {
        let read = 0
        for (let step = 0; step < stepsMax; step++) {
          const { entries, more } = yield* db.transaction(repository.advance(org, entriesMax))
          read += entries
          if (!more) break
        }
        return read
      })

      const round = Effect.gen(function*() {
        let read = 0
        for (const org of yield* repository.behind(workspacesMax)) {
          // One that breaks must not keep a round from the others.
          read += yield* Effect.catchCause(catchUp(org), (cause) =>
            Effect.as(
              Effect.logWarning(`requests of ${org} could not be indexed for search; it will be tried again`, cause),
              0
            ))
        }
        return read
      })

      yield* repeatRounds(readiness, "search index", roundMillis, round)
      return SearchIndex.of({ round })
    })
  )
}
