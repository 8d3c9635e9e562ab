/** Updates as a service: the feed from the settings, idleness from the device, and the updater from Electron. */
import { Context, Effect, Layer } from "effect"
import { ConnectionLog } from "../connection-log/service.ts"
import { Device } from "../device/service.ts"
import { after } from "../platform/timers.ts"
import { AppSettingsFile } from "../settings/service.ts"
import { makeUpdates, type Updates as UpdatesShape, type UpdatesOptions } from "./updates.ts"

/** Supplied by the composition: `updaterParts` of `electron/updater.ts`. */
export class UpdaterParts
  extends Context.Service<UpdaterParts, Pick<UpdatesOptions, "load" | "obstacle" | "packagedFeed" | "version">>()(
    "@countersign/desktop/UpdaterParts"
  )
{}

export class Updates extends Context.Service<Updates, UpdatesShape>()("@countersign/desktop/Updates") {}

/** Follows the setting `update_feed` as long as its scope is open. */
export const updatesLayer = Layer.effect(
  Updates,
  Effect.gen(function*() {
    const parts = yield* UpdaterParts
    const settings = yield* AppSettingsFile
    const { host } = yield* Device
    const log = yield* ConnectionLog
    const updates = makeUpdates({
      ...parts,
      after,
      random: Math.random,
      now: Date.now,
      device: { isIdle: () => host.view().running.length === 0, subscribe: (listener) => host.subscribe(listener) },
      log: (event, detail) => log.write(event, detail === undefined ? {} : { detail })
    })
    updates.setFeed(settings.current().update_feed)
    const end = settings.subscribe((now, before) => {
      if (now.update_feed !== before.update_feed) updates.setFeed(now.update_feed)
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        end()
        updates.close()
      })
    )
    return updates
  })
)
