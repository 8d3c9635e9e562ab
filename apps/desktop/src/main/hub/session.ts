/**
 * The session of one profile: in memory for calls, in the keychain over restarts, bound to the address and the hub that
 * issued it.
 */
import { Effect, Option, Result, Schema } from "effect"
import type { SignedOutCause } from "../../bridge/hub-state.ts"
import type { Profile } from "../profiles/profile.ts"
import { type SecretStoreShape, sessionAccount } from "../secrets/secret-store.ts"
import { isSessionValue } from "./transport.ts"

const Item = Schema.Struct({
  version: Schema.Literal(1),
  url: Schema.String,
  hub_id: Schema.String,
  value: Schema.String
})
const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Item))

export interface Session {
  readonly value: () => string | undefined
  /** Reads the keychain. Returns why there is no session, or undefined when there is one. */
  readonly load: () => Promise<SignedOutCause | undefined>
  readonly set: (value: string | undefined) => void
  /** Resolves when the keychain has stored the last value. */
  readonly settled: () => Promise<void>
}

export const makeSession = ({ hub_id, id, url }: Profile, secrets: SecretStoreShape): Session => {
  let current: string | undefined
  let wasSet = false
  let written: Promise<unknown> = Promise.resolve()
  const account = sessionAccount(id)
  return {
    value: () => current,
    load: async () => {
      const read = await Effect.runPromise(Effect.result(secrets.read(account)))
      // A person signed in while the keychain was read.
      if (wasSet) return current === undefined ? "nobody" : undefined
      if (Result.isFailure(read)) return "unreadable"
      if (Option.isNone(read.success)) return "nobody"
      const item = decode(read.success.value)
      if (Result.isFailure(item) || !isSessionValue(item.success.value)) return "unreadable"
      // The session belongs to another address or hub and is not sent to this one.
      if (item.success.url !== url || item.success.hub_id !== hub_id) return "nobody"
      current = item.success.value
      return undefined
    },
    set: (value) => {
      if (value === current && wasSet) return
      current = value
      wasSet = true
      const write = value === undefined
        ? secrets.remove(account)
        : secrets.write(account, JSON.stringify({ version: 1, url, hub_id, value }))
      // Started at once, so that the keychain receives the values in order.
      written = Promise.all([written, Effect.runPromise(write)])
    },
    settled: async () => void await written
  }
}
