/**
 * The app outside its windows: tray, shortcuts, autostart, sleep, and lock, on Electron's parts. Begun when the app is
 * ready; `end` releases all of it.
 */
import { Context, Effect, Layer } from "effect"
import type { Menu } from "electron"
import type { AppSettings } from "../../bridge/settings-schemas.ts"
import type { AutostartState, ShortcutState } from "../../bridge/this-computer.ts"
import type { ConnectionLog as Log } from "../connection-log/log.ts"
import { ConnectionLog } from "../connection-log/service.ts"
import { Device, type DeviceShape } from "../device/service.ts"
import { Connections, type ConnectionsShape } from "../hub/port.ts"
import { endingTray } from "../lifecycle/ending.ts"
import { Attention, type AttentionShape } from "../notices/attention.ts"
import { wordsOf } from "../platform/error-words.ts"
import { SecretStore, type SecretStoreShape } from "../secrets/secret-store.ts"
import { AppSettingsFile } from "../settings/service.ts"
import type { Settings } from "../settings/settings.ts"
import { withUpdate } from "../updates/row.ts"
import { Updates } from "../updates/service.ts"
import type { Updates as UpdatesShape } from "../updates/updates.ts"
import type { TrayAct, TrayModel } from "../waiting/tray.ts"
import { type PowerParts, watchPower } from "./power.ts"
import { makeShortcuts, type ShortcutParts } from "./shortcuts.ts"
import { drawsTrays, makeTray, type TrayParts } from "./tray.ts"

/** Electron's parts. */
export interface PresenceParts<Menu> {
  readonly tray: TrayParts<Menu>
  readonly shortcuts: ShortcutParts
  readonly power: PowerParts
  /** `app.setLoginItemSettings`; on Linux, which has none, a file in `autostart`. */
  readonly setAutostart: (on: boolean, hidden: boolean) => void
  /** The system's present state. */
  readonly hasAutostart: (hidden: boolean) => boolean
}

export interface PresenceServices {
  readonly attention: AttentionShape
  readonly device: DeviceShape
  readonly settings: Settings
  readonly log: Log
  readonly connections: Pick<ConnectionsShape, "wake">
  readonly updates: Pick<UpdatesShape, "install" | "state" | "subscribe">
  readonly secrets: Pick<SecretStoreShape, "retry">
}

export interface PresenceShape {
  /** Without a tray, closing the last window ends the app, and the app never starts hidden. */
  readonly hasTray: boolean
  readonly shortcuts: () => { readonly open: ShortcutState; readonly panic: ShortcutState }
  readonly autostart: () => AutostartState
  /** The system ends the session: pending writes go to the disk, and running commands finish as far as time permits. */
  readonly sessionEnds: () => void
  /**
   * The app ends after this number of commands has finished, and the tray shows only this. `hurry`: a person chose not
   * to wait.
   */
  readonly ending: (running: number, hurry: () => void) => void
  readonly end: () => void
}

export const beginPresence = <Menu>(
  parts: PresenceParts<Menu>,
  { attention, connections, device, log, secrets, settings, updates }: PresenceServices
): PresenceShape => {
  const write = (event: string, detail?: string): void => log.write(event, detail === undefined ? {} : { detail })
  let hurry: (() => void) | undefined
  const act = (act: TrayAct): void => {
    if (hurry !== undefined) return act.kind === "quit" ? hurry() : undefined
    if (act.kind === "install_update") return void updates.install()
    attention.act(act)
  }
  const model = (): TrayModel => withUpdate(attention.tray(), updates.state())
  const tray = makeTray(parts.tray, model(), act, write)
  const draw = (): void => {
    if (hurry === undefined) tray?.show(model())
  }
  const wake = (why: "slept" | "unlocked" | "network"): void => {
    Effect.runFork(connections.wake)
    device.consent.expireDue()
    device.host.wake()
    if (why !== "network") Effect.runFork(secrets.retry)
  }
  const shortcuts = makeShortcuts(parts.shortcuts, {
    open: () => attention.act({ kind: "open" }),
    panic: () => void device.panic.stop("shortcut")
  })
  let states = shortcuts.set(settings.current())
  let autostartProblem: string | undefined
  const setAutostart = ({ autostart, start_hidden }: AppSettings): void => {
    try {
      parts.setAutostart(autostart, start_hidden)
      autostartProblem = undefined
    } catch (error) {
      autostartProblem = wordsOf(error)
      write("autostart_failed", autostartProblem)
    }
  }
  const autostart = (): AutostartState => {
    const { autostart, start_hidden } = settings.current()
    if (autostartProblem !== undefined) return { kind: "failed", problem: autostartProblem }
    return { kind: !autostart ? "off" : parts.hasAutostart(start_hidden) ? "works" : "gone" }
  }
  const ends = [
    attention.subscribe(draw),
    updates.subscribe(draw),
    settings.subscribe((now, before) => {
      if (now.shortcut !== before.shortcut || now.panic_shortcut !== before.panic_shortcut) states = shortcuts.set(now)
      if (now.autostart !== before.autostart || now.start_hidden !== before.start_hidden) setAutostart(now)
    }),
    watchPower(parts.power, {
      wake,
      locked: device.consent.setLocked,
      suspended: device.consent.suspended,
      ending: log.flush,
      log: write
    })
  ]
  // The app's path may have changed: an update of an AppImage may change its name. An entry that a person removed is
  // not restored.
  if (autostart().kind === "works") setAutostart(settings.current())
  if (settings.current().device) void device.host.start()
  return {
    hasTray: tray !== undefined && drawsTrays(parts.shortcuts),
    shortcuts: () => states,
    autostart,
    sessionEnds: () => {
      write("shutdown")
      log.flush()
      void device.host.stop()
    },
    ending: (running, act) => {
      hurry = act
      tray?.show(endingTray(attention.tray(), running))
    },
    end: () => {
      ends.forEach((end) => end())
      shortcuts.close()
      tray?.close()
    }
  }
}

/** Supplied by the composition. */
export class PresencePorts
  extends Context.Service<PresencePorts, PresenceParts<Menu>>()("@countersign/desktop/electron/PresencePorts")
{}

export class Presence extends Context.Service<Presence, PresenceShape>()("@countersign/desktop/electron/Presence") {
  static readonly layer = Layer.effect(
    Presence,
    Effect.gen(function*() {
      const services = {
        attention: yield* Attention,
        device: yield* Device,
        settings: yield* AppSettingsFile,
        log: yield* ConnectionLog,
        connections: yield* Connections,
        updates: yield* Updates,
        secrets: yield* SecretStore
      }
      const parts = yield* PresencePorts
      return yield* Effect.acquireRelease(
        Effect.sync(() => beginPresence(parts, services)),
        ({ end }) => Effect.sync(end)
      )
    })
  )
}
