/** What the console's window may ask of main beside its hub: hubs, this computer as a device, the connection log, settings. */
import { Context, Effect, Layer } from "effect"
import { pushes } from "../bridge/channels.ts"
import type { ComputerTopic } from "../bridge/this-computer.ts"
import { AttentionPorts } from "./attention.ts"
import { ConnectionLog } from "./connection-log/service.ts"
import { Device } from "./device/service.ts"
import { AppSettingsFile } from "./settings-service.ts"
import { deviceMethods } from "./shell/device.ts"
import { hubMethods } from "./shell/hubs.ts"
import { logMethods } from "./shell/log.ts"
import type { ShellMethods } from "./shell/methods.ts"
import { settingsMethods } from "./shell/settings.ts"
import { Updates } from "./updates-service.ts"
import { Windows } from "./windows.ts"

export class Shell extends Context.Service<Shell, { readonly methods: ShellMethods }>()("@countersign/desktop/Shell") {
  static readonly layer = Layer.effect(Shell, Effect.suspend(() => make))
}

/** Windows ask again for what has changed. */
const tellOfChanges = Effect.gen(function*() {
  const { sendConsole } = yield* Windows
  const { consent, host, pairing, panic } = yield* Device
  const settings = yield* AppSettingsFile
  const log = yield* ConnectionLog
  const updates = yield* Updates
  const { screen } = yield* AttentionPorts
  const told = (topic: ComputerTopic) => () => sendConsole(pushes.computer, topic)
  const ends = [
    host.subscribe(told("device")),
    pairing.subscribe(told("device")),
    panic.subscribe(told("device")),
    consent.subscribe(told("device")),
    settings.subscribe(told("settings")),
    settings.subscribe(told("device")),
    log.subscribe(told("log")),
    updates.subscribe(told("settings")),
    screen.subscribe(told("settings"))
  ]
  yield* Effect.addFinalizer(() => Effect.sync(() => ends.forEach((end) => end())))
})

const make = Effect.gen(function*() {
  yield* tellOfChanges
  return Shell.of({
    methods: { ...yield* hubMethods, ...yield* deviceMethods, ...yield* logMethods, ...yield* settingsMethods }
  })
})
