/**
 * Secrets of this computer's owner, in the keychain of the operating system. While it does not answer they live as long as the app does, and
 * that is said; nothing is ever written in clear. A keychain that comes later, as after a login it may, is given what was kept meanwhile.
 * Spec: desktop E11.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { join } from "node:path"
import { wordsOf } from "../error-words.ts"
import { keptFile } from "../kept-file.ts"
import { type After, after } from "../timers.ts"

/** It is not known what the keychain holds: it does not answer, or does not give what it has. */
export class SecretUnreadable
  extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", { account: Schema.String, reason: Schema.String })
{
  override get message() {
    return this.reason
  }
}

export type SecretPlace =
  | { readonly kind: "keychain" }
  /** `notice` is for a person. */
  | { readonly kind: "memory"; readonly notice: string }

export interface SecretStoreShape {
  readonly read: (account: string) => Effect.Effect<Option.Option<string>, SecretUnreadable>
  /** What the keychain does not take is held in memory until it does. */
  readonly write: (account: string, secret: string) => Effect.Effect<void>
  /** What it does not delete now it deletes when it answers, be it in a later run of the app. */
  readonly remove: (account: string) => Effect.Effect<void>
  /** Where secrets are kept now. Asks the keychain when nobody has yet. */
  readonly place: Effect.Effect<SecretPlace>
  /** The keychain may give now what it did not: the computer woke up, its screen was unlocked. */
  readonly retry: Effect.Effect<void>
  /** It answers after it did not, or after a `retry`: what could not be read may be now. Or it does not any more, and secrets are held in memory. */
  readonly subscribe: (listener: (answers: boolean) => void) => () => void
}

/** What of keytar is used. */
export interface Keychain {
  readonly getPassword: (service: string, account: string) => Promise<string | null>
  readonly setPassword: (service: string, account: string, password: string) => Promise<void>
  readonly deletePassword: (service: string, account: string) => Promise<boolean>
}

export const keychainService = "Countersign"
/** An account that is never there: reading it tells whether a keychain answers, and asks nobody for a password. */
const probe = "probe"
/** A keychain that asks its owner for a password waits for them; one that is stuck is none until it answers after all. */
const answerMillisMax = 60_000
/** One that failed is not asked again sooner, then ever more seldom. */
export const retryMillis = 5_000
const retryMillisMax = 60_000

const leftoversFileName = "keychain-left.json"

export const sessionAccount = (profile: string): string => `session:${profile}`
export const deviceKeyAccount = (device: string): string => `device-key:${device}`

export interface SecretStoreOptions {
  /** Called at the first need, and again after it failed. */
  readonly load: () => Promise<Keychain>
  /** A file with the names of what is still to be deleted. Without one they are known until the app ends. */
  readonly leftovers?: string
  readonly after?: After
  /** Milliseconds of a clock that only runs forward. */
  readonly now?: () => number
}

export class SecretStore
  extends Context.Service<SecretStore, SecretStoreShape>()("@countersign/desktop/secrets/SecretStore")
{
  static readonly layerOf = (load: SecretStoreOptions["load"], options: Omit<SecretStoreOptions, "load"> = {}) =>
    Layer.effect(
      SecretStore,
      Effect.map(
        Effect.acquireRelease(Effect.sync(() => make({ load, ...options })), ({ close }) => Effect.sync(close)),
        ({ store }) => store
      )
    )
  /** The native part is loaded at the first need: where it cannot be, the app starts all the same. */
  static readonly layer = (folder: string) =>
    SecretStore.layerOf(async () => (await import("keytar")).default, { leftovers: join(folder, leftoversFileName) })
}

const within = <A>(work: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it does not answer")), answerMillisMax)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })

const Leftovers = Schema.Struct({ version: Schema.Literal(1), accounts: Schema.Array(Schema.String) })

/** Names of items that somebody removed and the keychain still has. */
const leftoversIn = (path: string | undefined) => {
  const file = path === undefined ? undefined : keptFile(path, Leftovers)
  let kept = file?.read().value?.accounts ?? []
  return {
    first: kept,
    keep: (accounts: ReadonlyArray<string>): void => {
      if (accounts.join() === kept.join()) return
      kept = accounts
      try {
        file?.write({ version: 1, accounts })
      } catch {
        // Then they are known until the app ends.
      }
    }
  }
}

const make = ({ after: later = after, leftovers: path, load, now = () => performance.now() }: SecretStoreOptions) => {
  const leftovers = leftoversIn(path)
  /** What the keychain has not taken yet; null: what it has not deleted. */
  const held = new Map<string, string | null>(leftovers.first.map((account) => [account, null]))
  const listeners = new Set<(answers: boolean) => void>()
  let keychain: Keychain | undefined
  let problem: string | undefined
  /** Of the work that is under way. No other is begun beside it: one that is stuck holds a thread. */
  let working: Promise<void> | undefined
  let answered: Promise<void> = Promise.resolve()
  let failures = 0
  let failedAt = -Infinity
  let cancel = (): void => {}

  const removed = (): ReadonlyArray<string> =>
    [...held].flatMap(([account, secret]) => secret === null ? [account] : [])

  const tell = (answers: boolean): void => listeners.forEach((listener) => listener(answers))

  const failed = (error: unknown): void => {
    leftovers.keep(removed())
    const before = problem
    problem = wordsOf(error)
    failedAt = now()
    cancel()
    cancel = later(Math.min(retryMillisMax, retryMillis * 2 ** Math.min(failures++, 10)), begin)
    if (before === undefined) tell(false)
  }

  const opened = async (): Promise<Keychain> => {
    const loaded = await load()
    await loaded.getPassword(keychainService, probe)
    return loaded
  }

  /** Opens it, and hands over what is held, one after the other, until there is nothing. */
  const work = async (): Promise<void> => {
    const found = keychain ??= await opened()
    for (let next = held.entries().next(); next.done !== true; next = held.entries().next()) {
      const [account, secret] = next.value
      await (secret === null
        ? found.deletePassword(keychainService, account)
        : found.setPassword(keychainService, account, secret))
      if (held.get(account) === secret) held.delete(account)
    }
    leftovers.keep(removed())
    cancel()
    failures = 0
    const before = problem
    problem = undefined
    if (before !== undefined) tell(true)
  }

  const begin = (): void => {
    if (working !== undefined) return
    working = work().catch(failed).finally(() => {
      working = undefined
    })
    answered = within(working).catch(failed)
  }

  /** Resolves when it has answered, or is known not to. */
  const ask = (): Promise<void> => {
    if (problem === undefined || now() - failedAt >= retryMillis) begin()
    return answered
  }

  const change = (account: string, secret: string | null): Effect.Effect<void> =>
    Effect.promise(async () => {
      held.set(account, secret)
      leftovers.keep(removed())
      await ask()
      // The work that was under way may have been over with what there was.
      if (problem === undefined && held.has(account)) await ask()
    })

  const store: SecretStoreShape = {
    place: Effect.sync(() => {
      if (keychain === undefined) void ask()
      return problem === undefined ? { kind: "keychain" } : {
        kind: "memory",
        notice: [
          `No keychain answers on this computer (${problem}). You stay signed in until the app is closed; nothing is written to the disk.`,
          ...removed().length === 0
            ? []
            : [
              `What you removed is still in the keychain (${removed().length}); it is deleted when the keychain answers.`
            ]
        ].join(" ")
      }
    }),
    read: (account) =>
      Effect.tryPromise({
        try: async () => {
          if (keychain === undefined && !held.has(account)) await ask()
          const own = held.get(account)
          if (own !== undefined) return Option.fromNullishOr(own)
          if (keychain === undefined) throw new Error(problem)
          return Option.fromNullishOr(await within(keychain.getPassword(keychainService, account)))
        },
        catch: (error) => new SecretUnreadable({ account, reason: wordsOf(error) })
      }),
    write: change,
    remove: (account) => change(account, null),
    retry: Effect.promise(async () => {
      const before = problem
      failedAt = -Infinity
      await ask()
      // One that answers only now has told so itself.
      if (before === undefined && problem === undefined) tell(true)
    }),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
  return { store, close: () => cancel() }
}
