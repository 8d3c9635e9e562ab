/**
 * Keeps the search index of requests up to date, outside the tick. Several hubs share the work: each takes workspaces
 * that no other hub is indexing.
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { Db } from "../platform/db.ts"
import { Readiness } from "../platform/readiness.ts"
import { isOfLogs, makeWakeUps, repeatRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { SearchRepository } from "./repository.ts"

const roundMillis = 1_000
/** How often the log is read without a signal. */
const pollMillis = 5_000
const workspacesMax = 100
const entriesMax = 1_000
/** Maximum number of steps of one workspace in one round, so that a long log does not delay the others. */
const stepsMax = 20

export class SearchIndex extends Context.Service<SearchIndex, {
  /** One round over the workspaces that are behind; returns the number of log entries read. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/search/SearchIndex") {
  static readonly layer = Layer.effect(
    SearchIndex,
    Effect.gen(function*() {
      const repository = yield* SearchRepository
      const readiness = yield* Readiness
      const signals = yield* Signals
      const db = yield* Db

      const catchUp = Effect.fnUntraced(function*(org: OrgId) {
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
          // The failure of one workspace must not stop the round for the others.
          read += yield* Effect.catchCause(catchUp(org), (cause) =>
            Effect.as(
              Effect.logWarning(`requests of ${org} could not be indexed for search; it will be tried again`, cause),
              0
            ))
        }
        return read
      })

      const wakeUps = yield* makeWakeUps(signals, isOfLogs)
      yield* repeatRounds(
        readiness,
        "search index",
        roundMillis,
        // A round may leave entries to the next one.
        Effect.tap(round, (read) => read > 0 ? Effect.sync(wakeUps.wake) : Effect.void),
        Effect.timeoutOption(wakeUps.wait, pollMillis)
      )
      return SearchIndex.of({ round })
    })
  )
}
