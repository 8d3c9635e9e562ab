/**
 * Methods of the screen "This device": the state of this computer as a device, and how to pause, stop, and unpair it.
 */
import { settledRules } from "@countersign/domain/device-rule-defaults"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { hostname } from "node:os"
import type { DeviceInShell } from "../../bridge/this-computer.ts"
import { readRules } from "../../device/rules-file.ts"
import { files, openStateFolder, type StateFolder } from "../../device/state.ts"
import { logTail } from "../device/log-tail.ts"
import { Device, type DeviceShape } from "../device/service.ts"
import { refusal, stalePage } from "../platform/answers.ts"
import { wordsOf } from "../platform/error-words.ts"
import { Profiles } from "../profiles/profiles.ts"
import { AppSettingsFile } from "../settings/service.ts"
import { Windows } from "../windows/windows.ts"
import type { ShellMethods } from "./methods.ts"

const rulesIn = (state: StateFolder): DeviceInShell["rules"] => {
  const read = readRules(state)
  return "problem" in read ? read : { count: read.rules.rules.length, ...settledRules(read.rules) }
}

const facts = ({ folder, paired }: DeviceShape): Pick<DeviceInShell, "paired" | "problem" | "rules"> => {
  try {
    const identity = paired()
    const state = openStateFolder(folder)
    if (identity === undefined) {
      return { paired: null, problem: null, rules: existsSync(state.file(files.rules)) ? rulesIn(state) : null }
    }
    const { device_id, fingerprint = null, hub, name, paired_at, roots } = identity
    return { paired: { device_id, name, hub, roots, paired_at, fingerprint }, problem: null, rules: rulesIn(state) }
  } catch (error) {
    return { paired: null, problem: wordsOf(error), rules: null }
  }
}

export const deviceMethods = Effect.gen(function*() {
  const device = yield* Device
  const { consent, host, pairing, panic } = device
  const profiles = yield* Profiles
  const settings = yield* AppSettingsFile
  const windows = yield* Windows

  const inShell = (): DeviceInShell => {
    const asked = consent.current()
    return {
      view: host.view(),
      panic: panic.state(),
      pairing: pairing.view(),
      ...facts(device),
      lines: logTail(device.folder),
      questions: asked === undefined ? 0 : asked.behind + 1,
      with_app: settings.current().device,
      host_name: hostname()
    }
  }
  return {
    device: async () => inShell(),
    setDevice: async ({ on }) => {
      settings.change({ device: on })
      return null
    },
    pauseDevice: async ({ minutes }) => {
      host.pause(minutes === null ? undefined : Date.now() + minutes * 60_000)
      return null
    },
    resumeDevice: async () => {
      await host.start()
      return null
    },
    bringBackDevice: async () => {
      await host.start({ takeOver: true })
      return null
    },
    pairDevice: async ({ name }, window) => {
      const current = await Effect.runPromise(profiles.current)
      if (current !== windows.profileOf(window)) throw stalePage()
      const all = await Effect.runPromise(profiles.all)
      const profile = all.find(({ id }) => id === current)
      if (profile === undefined) throw refusal("no_hub", "No hub is selected.")
      try {
        pairing.begin({ hub: profile.url, name, ...profile.ca === undefined ? {} : { ca: profile.ca.pem } })
      } catch (error) {
        throw refusal("refused", wordsOf(error))
      }
      return null
    },
    cancelPairing: async () => {
      pairing.cancel()
      return null
    },
    unpairDevice: async () => {
      try {
        await device.unpair()
      } catch (error) {
        throw refusal("refused", wordsOf(error))
      }
      return null
    },
    panic: async () => {
      await panic.stop("console")
      return null
    },
    showOwner: async () => {
      await Effect.runPromise(windows.showOwner())
      return null
    }
  } satisfies Partial<ShellMethods>
})
