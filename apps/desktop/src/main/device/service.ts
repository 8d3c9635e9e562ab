/** This computer as a device: the agent's host, the consent of whoever sits here, and the panic stop, put together. */
import { Context, Effect, Layer, Option, Stream } from "effect"
import { join } from "node:path"
import { readKeyPair } from "../../device/key-pair.ts"
import { type Identity, openStateFolder, readIdentity } from "../../device/state.ts"
import { unpair } from "../../device/status.ts"
import { ConnectionLog } from "../connection-log/service.ts"
import { wordsOf } from "../error-words.ts"
import { makePanic, type Panic } from "../panic.ts"
import { Profiles } from "../profiles/profiles.ts"
import { deviceKeyAccount, SecretStore } from "../secrets/secret-store.ts"
import { AppSettingsFile } from "../settings-service.ts"
import { after, every } from "../timers.ts"
import { followAuthority } from "./authority.ts"
import { makeConsent } from "./consent.ts"
import { type AgentListener, type AgentProcess, type DeviceHost, makeDeviceHost } from "./host.ts"
import { guardConsent, type GuardedConsent, type LockLook } from "./lock-guard.ts"
import { type DevicePairing, makeDevicePairing } from "./pairing.ts"

/** How a process of the agent is made: Electron's utility process. */
export class AgentFork extends Context.Service<AgentFork, (listener: AgentListener) => AgentProcess>()(
  "@countersign/desktop/device/AgentFork"
) {}

/** Whether the screen is locked now. */
export class ScreenLock
  extends Context.Service<ScreenLock, () => Promise<LockLook>>()("@countersign/desktop/device/ScreenLock")
{}

/** Who this computer is to a hub. */
export interface Paired extends Identity {
  /** Of its own key; none: it was paired without one. */
  readonly fingerprint: string | undefined
}

export interface DeviceShape {
  readonly host: DeviceHost
  readonly pairing: DevicePairing
  /** None: it is not paired. Throws when its files are damaged or open to others. */
  readonly paired: () => Paired | undefined
  /** Stops it and deletes its keys here; an operator revokes it on the hub. */
  readonly unpair: () => Promise<void>
  readonly consent: GuardedConsent
  readonly panic: Panic
  /** The agent's state folder: rules, roots and its own log are there. */
  readonly folder: string
}

const textOf = (facts: Readonly<Record<string, unknown>>): string =>
  Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`).join(" ")

export class Device extends Context.Service<Device, DeviceShape>()("@countersign/desktop/device/Device") {
  /** Nothing is started by it; a panic stop of before holds from here on. Stopped with its scope. */
  static readonly layer = (folder: string) =>
    Layer.effect(
      Device,
      Effect.gen(function*() {
        const fork = yield* AgentFork
        const secrets = yield* SecretStore
        const connectionLog = yield* ConnectionLog
        const settings = yield* AppSettingsFile
        const run = Effect.runPromiseWith(yield* Effect.context<never>())
        const home = join(folder, "device")
        const log = (event: string, facts: Readonly<Record<string, unknown>> = {}): void =>
          connectionLog.write(`device_${event}`, Object.keys(facts).length === 0 ? {} : { detail: textOf(facts) })
        /** An item for each pairing. */
        const account = (): string | undefined => {
          const identity = readIdentity(openStateFolder(home))
          return identity === undefined ? undefined : deviceKeyAccount(identity.device_id)
        }
        const forget = async () => {
          const item = account()
          if (item !== undefined) await run(secrets.remove(item))
        }
        const look = yield* ScreenLock
        const consent = yield* Effect.acquireRelease(
          Effect.sync(() =>
            guardConsent({ consent: makeConsent({ now: () => performance.now(), after, log }), look, every })
          ),
          ({ close }) => Effect.sync(close)
        )
        const host = makeDeviceHost({
          fork,
          folder: home,
          consent,
          after,
          random: Math.random,
          log,
          keys: {
            read: async () => {
              const item = account()
              return item === undefined ? undefined : Option.getOrUndefined(await run(secrets.read(item)))
            },
            forget
          }
        })
        // The one place where the switch starts and stops it.
        yield* Effect.acquireRelease(
          Effect.sync(() =>
            settings.subscribe((now, before) => {
              if (now.device !== before.device) void (now.device ? host.start() : host.stop())
            })
          ),
          (end) => Effect.sync(end)
        )
        const { changes } = yield* Profiles
        const follow = followAuthority({
          folder: home,
          onChanged: () => {
            log("authority_changed")
            void host.reload()
          },
          onFailed: (error) => log("authority_not_written", { problem: wordsOf(error) })
        })
        yield* Effect.forkScoped(Stream.runForEach(changes, ({ profiles }) => Effect.sync(() => follow(profiles))))
        const pairing = makeDevicePairing({
          fork,
          folder: home,
          log,
          keep: (device, key) => run(secrets.write(deviceKeyAccount(device), key)),
          forget: (device) => run(secrets.remove(deviceKeyAccount(device))),
          onPaired: () => {
            try {
              // The switch starts it, where it was off.
              if (!settings.current().device) return void settings.change({ device: true })
            } catch (error) {
              log("setting_not_written", { problem: wordsOf(error) })
            }
            void host.start()
          }
        })
        const keychain = secrets.subscribe((answers) => {
          if (answers && host.view().failure === "keychain") host.wake()
        })
        const panic = makePanic({ path: join(folder, "panic.json"), host, consent, log })
        yield* Effect.addFinalizer(() => {
          keychain()
          pairing.cancel()
          return Effect.promise(() => host.stop())
        })
        return {
          host,
          consent,
          panic,
          pairing,
          folder: home,
          paired: () => {
            const state = openStateFolder(home)
            const identity = readIdentity(state)
            return identity === undefined ? undefined : { ...identity, fingerprint: readKeyPair(state)?.fingerprint }
          },
          unpair: async () => {
            settings.change({ device: false })
            // The end that the switch began.
            await host.stop()
            await forget()
            unpair(openStateFolder(home))
            log("unpaired")
            host.unpaired()
          }
        }
      })
    )
}
