/** The connection log as a service; it records every change of every hub connection. */
import { Context, Effect, Layer, Stream } from "effect"
import { join } from "node:path"
import { Connections } from "../hub/port.ts"
import { after } from "../platform/timers.ts"
import { causeOf, type ConnectionLog as Log, openConnectionLog } from "./log.ts"

export const logFileName = "connections.json"

export class ConnectionLog extends Context.Service<ConnectionLog, Log>()("@countersign/desktop/ConnectionLog") {
  /** Pending entries are written when the app ends. */
  static readonly layer = (folder: string) =>
    Layer.effect(
      ConnectionLog,
      Effect.acquireRelease(
        Effect.sync(() => {
          const log = openConnectionLog({ path: join(folder, logFileName), now: Date.now, after })
          log.write("app_started")
          return log
        }),
        (log) =>
          Effect.sync(() => {
            log.write("app_ended")
            log.flush()
          })
      )
    )

  /** Records each connection's changes with their causes. */
  static readonly ofConnections = Layer.effectDiscard(Effect.gen(function*() {
    const log = yield* ConnectionLog
    const { changes } = yield* Connections
    yield* changes.pipe(
      Stream.runForEach(({ profile, state }) =>
        Effect.sync(() => {
          const detail = state === undefined ? undefined : causeOf(state)
          log.write(state === undefined ? "removed" : state.phase, {
            about: profile,
            ...(detail === undefined ? {} : { detail })
          })
        })
      ),
      Effect.forkScoped
    )
  }))
}
