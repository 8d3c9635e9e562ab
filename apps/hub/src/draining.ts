/** The beginning of a stop: nothing new is taken, and whoever waits or follows is told at once rather than held until the door closes. */
import { Effect } from "effect"
import { DeviceSockets } from "./devices/sockets.ts"
import { Events } from "./events/service.ts"
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
