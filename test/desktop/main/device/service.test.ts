/** This computer as a device, with a keychain that becomes available late. */
import { openStateFolder, writeIdentity } from "@countersign/desktop/device/state"
import { ConnectionLog } from "@countersign/desktop/main/connection-log/service"
import { AgentFork, Device, ScreenLock } from "@countersign/desktop/main/device/service"
import { deviceKeyAccount, SecretStore } from "@countersign/desktop/main/secrets/secret-store"
import { AppSettingsFile } from "@countersign/desktop/main/settings/service"
import { DeviceId } from "@countersign/domain/ids"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { keychainInTest, mainServices, temporaryFolder } from "../../../support/desktop-main.ts"
import { until } from "../../../support/device-agent.ts"

const device = "dev_01m7zt4m4hehqtty0f0b3hkexr"

it.live("starts a device when the keychain supplies its key late, and does not report it as unpaired before", () =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* temporaryFolder
    writeIdentity(openStateFolder(join(folder, "device")), {
      hub: "http://127.0.0.1:1",
      device_id: DeviceId.make(device),
      name: "desk-1",
      instance_id: "one",
      roots: [],
      paired_at: "2026-11-21T00:00:00Z"
    })
    const keychain = keychainInTest()
    keychain.items.set(deviceKeyAccount(device), "svc_device_key")
    let isThere = false
    const sent: Array<unknown> = []
    const services = Device.layer(folder).pipe(
      Layer.provideMerge(Layer.mergeAll(
        ConnectionLog.layer(folder),
        AppSettingsFile.layer(folder),
        Layer.succeed(ScreenLock, async () => ({ locked: false, reported: true })),
        Layer.succeed(AgentFork, ({ exit }) => ({
          send: (message) => {
            sent.push(message)
            if (message.type === "stop") exit(0)
          },
          kill: () => exit(null)
        }))
      )),
      Layer.provideMerge(mainServices(folder, async () => {
        if (!isThere) throw new Error("no bus")
        return keychain
      }))
    )
    yield* Effect.gen(function*() {
      const { host } = yield* Device
      const settings = yield* AppSettingsFile
      settings.change({ device: true })
      yield* Effect.promise(() => host.start())
      expect(host.view()).toMatchObject({
        phase: "failed",
        failure: "keychain",
        reason: "The keychain does not give the device's key: no bus"
      })
      isThere = true
      yield* (yield* SecretStore).retry
      yield* until(Effect.sync(() => sent), (all) => all.length > 0)
      expect(sent).toEqual([{
        type: "start",
        folder: join(folder, "device"),
        key: "svc_device_key",
        paused: false,
        take_over: false
      }])
    }).pipe(Effect.provide(services, { local: true }))
  })))
