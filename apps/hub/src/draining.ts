/**
 * The first step of a stop: the hub accepts no new work, and ends long polls and streams at once instead of holding
 * them until the listener closes.
 */
import { Effect } from "effect"
import { Events } from "./audit/events.ts"
import { DeviceSockets } from "./devices/sockets.ts"
import { Database } from "./platform/db.ts"
import { Readiness } from "./platform/readiness.ts"
import { Signals } from "./platform/signals.ts"

export const beginDraining = Effect.gen(function*() {
  const database = yield* Database
  const readiness = yield* Readiness
  const events = yield* Events
  const sockets = yield* DeviceSockets
  const signals = yield* Signals
  readiness.drain()
  yield* database.announceDraining
  yield* events.endAll
  yield* sockets.endAll
  signals.stop()
})
