/** The database for a command: beside a running hub, or without one. Commands start no worker of a hub. */
import { Effect, Layer, Option } from "effect"
import { readdirSync } from "node:fs"
import { ClockRepository } from "../clock/repository.ts"
import { ClockWatch } from "../clock/watch.ts"
import { configEffect, Settings } from "../config.ts"
import { CommandFailure } from "../failure.ts"
import { hubCommand } from "../invocation.ts"
import { AuditLog } from "../platform/audit-log.ts"
import { commandDatabaseLayer } from "../platform/database.ts"
import { Db } from "../platform/db.ts"
import { newestMigration, refuseNewerDatabase, standingMigration } from "../platform/migrations.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { DatabasePatience, patienceDefault } from "../platform/patience.ts"
import { poolLayer, statementMillisMax } from "../platform/pool.ts"
import { Signals } from "../platform/signals.ts"

export const settingsLayer = Layer.effect(Settings, configEffect)

const isEmpty = (directory: string): boolean => {
  try {
    return readdirSync(directory).length === 0
  } catch {
    return true
  }
}

/** Fails if a command would create a new, empty hub by mistake. */
export const existingData = Effect.flatMap(
  Settings,
  ({ databaseUrl, dataDir }) =>
    Option.isNone(databaseUrl) && isEmpty(dataDir)
      ? Effect.fail(
        new CommandFailure({
          message: `${dataDir} contains no data of a hub. Set HUB_DATA_DIR to its directory, or start a hub first.`
        })
      )
      : Effect.void
)

/** A command reads whole tables: its statements may take as long as the server allows. */
const patience = Layer.succeed(DatabasePatience, { ...patienceDefault, statementMillis: statementMillisMax })

/** The database at any version. */
export const databaseLayer = Db.layer.pipe(
  Layer.provideMerge(poolLayer),
  Layer.provide(patience),
  Layer.provideMerge(commandDatabaseLayer)
)

const migrated = Effect.gen(function*() {
  yield* refuseNewerDatabase()
  const newest = newestMigration()
  const at = yield* standingMigration
  if (at >= newest) return
  const problem = `The database is at migration ${at}, but this program needs ${newest}`
  return yield* new CommandFailure({ message: `${problem}: run "${hubCommand("migrate")}", or start the hub.` })
})

/** The database of a hub of this version. */
export const hubDatabaseLayer = Layer.effectDiscard(migrated).pipe(
  Layer.provideMerge(databaseLayer),
  Layer.provideMerge(Layer.effectDiscard(existingData)),
  Layer.provideMerge(settingsLayer)
)

/** The services that record changes: the audit log, and the signal to running hubs. */
export const changesLayer = Layer.mergeAll(AuditLog.layer, OrgHeads.layer).pipe(
  Layer.provideMerge(Signals.layer),
  // Beside a hub that was stopped for a while, no hub has confirmed the database's clock recently.
  Layer.provideMerge(ClockWatch.layer.pipe(Layer.provide(ClockRepository.layer))),
  Layer.provideMerge(hubDatabaseLayer)
)
