/**
 * Pairs this computer with a hub: an agent process requests the pairing and shows a code, an operator confirms it in
 * the console, and the key is stored in the keychain before the device counts as paired. One pairing at a time.
 */
import { Result, Schema } from "effect"
import type { PairingView } from "../../bridge/this-computer.ts"
import { FromAgent } from "../../device/app-port.ts"
import { openStateFolder, readIdentity } from "../../device/state.ts"
import { wordsOf } from "../platform/error-words.ts"
import type { AgentListener, AgentProcess } from "./host.ts"

export interface PairingTarget {
  /** As in the profile. */
  readonly hub: string
  readonly ca?: string
  readonly name: string
}

export interface DevicePairing {
  readonly view: () => PairingView
  readonly subscribe: (listener: (view: PairingView) => void) => () => void
  /** Throws when a pairing is in progress or this computer is already paired. */
  readonly begin: (target: PairingTarget) => void
  readonly cancel: () => void
}

export interface PairingOptions {
  readonly fork: (listener: AgentListener) => AgentProcess
  /** The agent's state folder. */
  readonly folder: string
  readonly keep: (pairing: { readonly device: string; readonly key: string }) => Promise<void>
  /** Removes the key of a pairing that failed. */
  readonly forget: (device: string) => Promise<void>
  readonly onPaired: () => void
  readonly log: (event: string, facts?: Readonly<Record<string, unknown>>) => void
}

interface Asking {
  process: AgentProcess | undefined
  reason: string | undefined
  /** The hub's device, after an operator confirmed. */
  device: string | undefined
  keeping: Promise<void>
}

const decode = Schema.decodeUnknownResult(FromAgent)

export const makeDevicePairing = ({ folder, forget, fork, keep, log, onPaired }: PairingOptions): DevicePairing => {
  let view: PairingView = { kind: "none" }
  let asking: Asking | undefined
  const listeners = new Set<(view: PairingView) => void>()
  const show = (next: PairingView): void => {
    view = next
    for (const listener of listeners) listener(view)
  }

  /** The hub has a device for which no key is stored. */
  const left = ({ keeping, reason = "It was cancelled" }: Asking, device: string): void => {
    show({ kind: "failed", reason: `${reason}. An operator has already approved it: revoke ${device} on the hub` })
    keeping.then(() => forget(device)).catch((error: unknown) => log("key_not_forgotten", { problem: wordsOf(error) }))
  }

  const begin = ({ ca, hub, name }: PairingTarget): void => {
    if (asking !== undefined) throw new RangeError("This computer is already being paired")
    const before = readIdentity(openStateFolder(folder))
    if (before !== undefined) throw new RangeError(`This computer is paired with ${before.hub} as ${before.name}`)
    const mine: Asking = { process: undefined, reason: undefined, device: undefined, keeping: Promise.resolve() }
    const onMessage = (data: unknown): void => {
      const decoded = decode(data)
      if (Result.isFailure(decoded) || asking !== mine) return
      const message = decoded.success
      if (message.type === "pairing") {
        const { type: _, ...pairing } = message
        show({ kind: "waiting", ...pairing })
      } else if (message.type === "paired") {
        mine.device = message.device_id
        mine.keeping = keep({ device: message.device_id, key: message.key }).then(
          () => mine.process?.send({ type: "kept" }),
          (error: unknown) => {
            mine.reason = `The keychain does not take the key: ${wordsOf(error)}`
            mine.process?.kill()
          }
        )
      } else if (message.type === "ended" && message.reason !== undefined) mine.reason = message.reason
    }
    const exited = (code: number | null): void => {
      if (asking !== mine) return
      asking = undefined
      const isPaired = code === 0 && readIdentity(openStateFolder(folder)) !== undefined
      log(isPaired ? "paired" : "not_paired", mine.reason === undefined ? {} : { reason: mine.reason })
      if (!isPaired && mine.device !== undefined) return left(mine, mine.device)
      show(
        code === 0
          ? { kind: "none" }
          : { kind: "failed", reason: mine.reason ?? "The pairing ended without a word; try again" }
      )
      if (isPaired) onPaired()
    }
    asking = mine
    try {
      mine.process = fork({ message: onMessage, exit: exited })
    } catch (error) {
      asking = undefined
      const reason = wordsOf(error)
      log("not_paired", { reason })
      return show({ kind: "failed", reason })
    }
    show({ kind: "asking" })
    mine.process.send({ type: "pair", folder, hub, name, ...(ca === undefined ? {} : { ca }) })
  }

  return {
    view: () => view,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    begin,
    cancel: () => {
      if (asking === undefined) return show({ kind: "none" })
      asking.process?.send({ type: "stop" })
    }
  }
}
