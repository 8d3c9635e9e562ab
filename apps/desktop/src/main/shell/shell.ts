/**
 * The console window's methods of main beside the hub: hubs, this computer as a device, the connection log, and
 * settings.
 */
import { Context, Effect, Layer } from "effect"
import { pushes } from "../../bridge/channels.ts"
import type { ComputerTopic } from "../../bridge/this-computer.ts"
import { ConnectionLog } from "../connection-log/service.ts"
import { Device } from "../device/service.ts"
import { AttentionPorts } from "../notices/attention.ts"
import { AppSettingsFile } from "../settings/service.ts"
import { Updates } from "../updates/service.ts"
import { Windows } from "../windows/windows.ts"
import { deviceMethods } from "./device.ts"
import { hubMethods } from "./hubs.ts"
import { localToolMethods } from "./local-tools.ts"
import { logMethods } from "./log.ts"
import type { ShellMethods } from "./methods.ts"
import { settingsMethods } from "./settings.ts"

export class Shell extends Context.Service<Shell, { readonly methods: ShellMethods }>()("@countersign/desktop/Shell") {
  static readonly layer = Layer.effect(Shell, Effect.suspend(() => make))
}

/** Notifies the console's windows of changes; they then read the topic again. */
const pushChanges = Effect.gen(function*() {
  const { sendConsole } = yield* Windows
  const { consent, host, pairing, panic } = yield* Device
  const settings = yield* AppSettingsFile
  const log = yield* ConnectionLog
  const updates = yield* Updates
  const { screen } = yield* AttentionPorts
  const push = (topic: ComputerTopic) => () => sendConsole(pushes.computer, topic)
  const ends = [
    host.subscribe(push("device")),
    pairing.subscribe(push("device")),
    panic.subscribe(push("device")),
    consent.subscribe(push("device")),
    settings.subscribe(push("settings")),
    settings.subscribe(push("device")),
    log.subscribe(push("log")),
    updates.subscribe(push("settings")),
    screen.subscribe(push("settings"))
  ]
  yield* Effect.addFinalizer(() => Effect.sync(() => ends.forEach((end) => end())))
})

const make = Effect.gen(function*() {
  yield* pushChanges
  return Shell.of({
    methods: {
      ...yield* hubMethods,
      ...yield* deviceMethods,
      ...yield* logMethods,
      ...yield* settingsMethods,
      ...yield* localToolMethods
    }
  })
})
