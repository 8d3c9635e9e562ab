/** The database, migrated, and the services that every feature shares. */
import { Effect, Layer } from "effect"
import { AuditLog } from "./audit-log.ts"
import { ConfirmedVersions } from "./confirmed-versions.ts"
import { contractsLayer } from "./contract-migrations.ts"
import { Db } from "./db.ts"
import { diskWatchLayer } from "./disk-watch.ts"
import { DueWork } from "./due-work.ts"
import { Idempotency } from "./idempotency.ts"
import { MasterKey } from "./master-key.ts"
import { migrationsLayer } from "./migrations.ts"
import { OrgHeads } from "./org-heads.ts"
import { Partitions } from "./partitions.ts"
import { poolLayer } from "./pool.ts"
import { ProviderEvents } from "./provider-events.ts"
import { Readiness } from "./readiness.ts"
import { Signals } from "./signals.ts"
import { WarmConnections } from "./warm-connections.ts"

/** Every signal is a use of the hub. */
const usesLayer = Layer.effectDiscard(Effect.gen(function*() {
  const readiness = yield* Readiness
  const signals = yield* Signals
  const unsubscribe = signals.subscribe(readiness.used)
  yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
}))

/** Needs Database and Settings. */
export const database = Layer.mergeAll(Db.layer, WarmConnections.layer, diskWatchLayer).pipe(
  Layer.provideMerge(migrationsLayer),
  Layer.provideMerge(poolLayer),
  Layer.provideMerge(Readiness.layer)
)

export const services = Layer.mergeAll(
  AuditLog.layer,
  ConfirmedVersions.layer,
  Idempotency.layer,
  MasterKey.layer,
  contractsLayer,
  DueWork.layer,
  OrgHeads.layer,
  Partitions.layer,
  ProviderEvents.layer
).pipe(Layer.provideMerge(usesLayer.pipe(Layer.provideMerge(Signals.layer))))
