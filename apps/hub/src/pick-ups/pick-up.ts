/** The pick-up of a call that is not looked for yet: the database does it with the begin of its request. */
import { randomBytes } from "node:crypto"

export interface PickUp {
  /** What the identical call is recognized by. */
  readonly hash: Uint8Array
  /** The idempotency key: a new one, or that of an answer which was left for this call, once it is taken. */
  key: string
  isTaken: boolean
  /** Resolves once it is taken: only then the key is stored, and can be left for the identical call. */
  readonly taken: PromiseWithResolvers<void>
}

/** 24 random bytes: no caller can use the key before the hub does. */
export const newPickUpKey = (): string => `pick-up ${randomBytes(24).toString("base64url")}`

export const newPickUp = (hash: Uint8Array): PickUp => ({
  hash,
  key: newPickUpKey(),
  isTaken: false,
  taken: Promise.withResolvers()
})

export const markTaken = (pickUp: PickUp, key: string): void => {
  pickUp.key = key
  pickUp.isTaken = true
  pickUp.taken.resolve()
}

/** The call of `take_pickup` by itself. It is not flushed: the request that is begun next is, and everything before it with it. */
export const takeStatement = `with unflushed as materialized (select set_config('synchronous_commit', 'off', true))
  select take_pickup($1, $2, $3, $4, $5, $6) as key from unflushed`
