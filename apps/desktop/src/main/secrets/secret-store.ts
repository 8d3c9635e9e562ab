/**
 * Secrets of this computer's owner, in the keychain of the operating system. Without a keychain they live as long as the app does, and
 * that is said; nothing is ever written in clear. Spec: desktop E11.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { wordsOf } from "../error-words.ts"

/** There is an item, and the keychain cannot give it: another password, another user, a damaged ring. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", { account: Schema.String, reason: Schema.String }) {
  override get message() {
    return `The keychain holds "${this.account}" but does not give it: ${this.reason}`
  }
}

export type SecretPlace =
  | { readonly kind: "keychain" }
  /** `notice` is for a person. */
  | { readonly kind: "memory"; readonly notice: string }

export interface SecretStoreShape {
  readonly read: (account: string) => Effect.Effect<Option.Option<string>, SecretUnreadable>
  /** What the keychain does not take is held in memory. */
  readonly write: (account: string, secret: string) => Effect.Effect<void>
  readonly remove: (account: string) => Effect.Effect<void>
  /** Where secrets are kept now. Asks the keychain when nobody has yet. */
  readonly place: Effect.Effect<SecretPlace>
}

/** What of keytar is used. */
export interface Keychain {
  readonly getPassword: (service: string, account: string) => Promise<string | null>
  readonly setPassword: (service: string, account: string, password: string) => Promise<void>
  readonly deletePassword: (service: string, account: string) => Promise<boolean>
}

export const keychainService = "Countersign"
/** An account that is never there: reading it tells whether a keychain answers. */
const probe = "probe"
/** A keychain that asks its owner for a password waits for them; one that is stuck is none. */
const answerMillisMax = 60_000

export const sessionAccount = (profile: string): string => `session:${profile}`
export const deviceKeyAccount = (profile: string): string => `device-key:${profile}`

export class SecretStore extends Context.Service<SecretStore, SecretStoreShape>()("@countersign/desktop/secrets/SecretStore") {
  /** `load` is called at the first need, once. */
  static readonly layerOf = (load: () => Promise<Keychain>) => Layer.effect(SecretStore, Effect.sync(() => make(load)))
  /** The native part is loaded at the first need: where it cannot be, the app starts all the same. */
  static readonly layer = SecretStore.layerOf(async () => (await import("keytar")).default)
}

const make = (load: () => Promise<Keychain>): SecretStoreShape => {
  const memory = new Map<string, string>()
  let place: SecretPlace = { kind: "keychain" }

  const without = (reason: string): SecretPlace => ({
    kind: "memory",
    notice: `No keychain answers on this computer (${reason}). You stay signed in until the app is closed; nothing is written to the disk.`
  })
  const within = <A>(work: Promise<A>): Promise<A> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("it does not answer")), answerMillisMax)
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })

  let opened: Promise<Keychain | undefined> | undefined
  const open = (): Promise<Keychain | undefined> =>
    opened ??= (async () => {
      try {
        const keychain = await load()
        await within(keychain.getPassword(keychainService, probe))
        return keychain
      } catch (error) {
        place = without(wordsOf(error))
        return undefined
      }
    })()

  return {
    place: Effect.promise(async () => {
      await open()
      return place
    }),
    read: (account) =>
      Effect.gen(function*() {
        const held = memory.get(account)
        if (held !== undefined) return Option.some(held)
        const keychain = yield* Effect.promise(open)
        if (keychain === undefined) return Option.none()
        return yield* Effect.tryPromise({
          try: async () => Option.fromNullishOr(await within(keychain.getPassword(keychainService, account))),
          catch: (error) => new SecretUnreadable({ account, reason: wordsOf(error) })
        })
      }),
    write: (account, secret) =>
      Effect.promise(async () => {
        const keychain = await open()
        try {
          if (keychain === undefined) throw new Error("no keychain")
          await within(keychain.setPassword(keychainService, account, secret))
          memory.delete(account)
        } catch (error) {
          memory.set(account, secret)
          if (keychain !== undefined) place = without(wordsOf(error))
        }
      }),
    remove: (account) =>
      Effect.promise(async () => {
        memory.delete(account)
        const keychain = await open()
        await within(keychain?.deletePassword(keychainService, account) ?? Promise.resolve(false)).catch(() => false)
      })
  }
}
