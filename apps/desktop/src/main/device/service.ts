/**
 * This computer as a device: combines the agent's host, the consent of the person at this computer, and the panic stop.
 */
import { Context, Effect, Layer, Option, Stream } from "effect"
import { join } from "node:path"
import { readKeyPair } from "../../device/key-pair.ts"
import { type Identity, openStateFolder, readIdentity } from "../../device/state.ts"
import { unpair } from "../../device/status.ts"
import { ConnectionLog } from "../connection-log/service.ts"
import { wordsOf } from "../platform/error-words.ts"
import { after, every } from "../platform/timers.ts"
import { Profiles } from "../profiles/profiles.ts"
import { deviceKeyAccount, SecretStore } from "../secrets/secret-store.ts"
import { AppSettingsFile } from "../settings/service.ts"
import { followAuthority } from "./authority.ts"
import { makeConsent } from "./consent.ts"
import { type AgentListener, type AgentProcess, type DeviceHost, makeDeviceHost } from "./host.ts"
import { guardConsent, type GuardedConsent, type LockCheck } from "./lock-guard.ts"
import { type DevicePairing, makeDevicePairing } from "./pairing.ts"
import { makePanic, type Panic } from "./panic.ts"

/** Creates an agent process: Electron's utility process. */
export class AgentFork extends Context.Service<AgentFork, (listener: AgentListener) => AgentProcess>()(
  "@countersign/desktop/device/AgentFork"
) {}

/** Whether the screen is locked now. */
export class ScreenLock
  extends Context.Service<ScreenLock, () => Promise<LockCheck>>()("@countersign/desktop/device/ScreenLock")
{}

/** This computer's identity on a hub. */
export interface Paired extends Identity {
  /** Fingerprint of the device's key; undefined when it was paired without a key. */
  readonly fingerprint: string | undefined
}

export interface DeviceShape {
  readonly host: DeviceHost
  readonly pairing: DevicePairing
  /** Undefined when it is not paired. Throws when its files are damaged or accessible to others. */
  readonly paired: () => Paired | undefined
  /** Stops the agent and deletes its keys here; an operator revokes the device on the hub. */
  readonly unpair: () => Promise<void>
  readonly consent: GuardedConsent
  readonly panic: Panic
  /** The agent's state folder with rules, roots, and the agent's log. */
  readonly folder: string
}

const textOf = (facts: Readonly<Record<string, unknown>>): string =>
  Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`).join(" ")

export class Device extends Context.Service<Device, DeviceShape>()("@countersign/desktop/device/Device") {
  /** Does not start the agent; an earlier panic stop applies from here on. The agent stops with the scope. */
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
        /** One keychain item per pairing. */
        const account = (): string | undefined => {
          const identity = readIdentity(openStateFolder(home))
          return identity === undefined ? undefined : deviceKeyAccount(identity.device_id)
        }
        const forget = async () => {
          const item = account()
          if (item !== undefined) await run(secrets.remove(item))
        }
        const check = yield* ScreenLock
        const consent = yield* Effect.acquireRelease(
          Effect.sync(() =>
            guardConsent({ consent: makeConsent({ now: () => performance.now(), after, log }), check, every })
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
        // The only place where the setting starts and stops the agent.
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
          keep: ({ device, key }) => run(secrets.write(deviceKeyAccount(device), key)),
          forget: (device) => run(secrets.remove(deviceKeyAccount(device))),
          onPaired: () => {
            try {
              // Turning the setting on starts the agent.
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
            // Waits for the stop that the setting began.
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
