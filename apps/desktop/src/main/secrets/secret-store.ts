/**
 * The owner's secrets in the operating system's keychain. While the keychain does not answer, secrets are kept in
 * memory until the app ends, with a notice; nothing is written unencrypted. A keychain that answers later, as after a
 * login, receives the secrets from memory. Spec: reference/desktop.md "E11: keychain".
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { join } from "node:path"
import { wordsOf } from "../platform/error-words.ts"
import { keptFile } from "../platform/kept-file.ts"
import { type After, after } from "../platform/timers.ts"

/** The keychain's content is unknown: it does not answer or cannot be read. */
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
  /** A secret that the keychain does not accept stays in memory until it does. */
  readonly write: (account: string, secret: string) => Effect.Effect<void>
  /** A failed deletion is repeated when the keychain answers, possibly in a later run of the app. */
  readonly remove: (account: string) => Effect.Effect<void>
  /** Where secrets are kept now. Queries the keychain if it was not queried yet. */
  readonly place: Effect.Effect<SecretPlace>
  /** The keychain may be readable now: the computer woke up, or its screen was unlocked. */
  readonly retry: Effect.Effect<void>
  /**
   * True: the keychain answers again, or after a `retry`, so that failed reads can be repeated. False: it stopped
   * answering, and secrets are kept in memory.
   */
  readonly subscribe: (listener: (answers: boolean) => void) => () => void
}

/** The parts of keytar that are used. */
export interface Keychain {
  readonly getPassword: (service: string, account: string) => Promise<string | null>
  readonly setPassword: (service: string, account: string, password: string) => Promise<void>
  readonly deletePassword: (service: string, account: string) => Promise<boolean>
}

export const keychainService = "Countersign"
/** An account that never exists: reading it shows whether a keychain answers, and prompts for no password. */
const probe = "probe"
/** Long enough for the owner to enter a password; afterwards the keychain counts as unavailable until it answers. */
const answerMillisMax = 60_000
/** Pause before the first retry after a failure; it doubles with each further failure. */
export const retryMillis = 5_000
const retryMillisMax = 60_000

const leftoversFileName = "keychain-left.json"

export const sessionAccount = (profile: string): string => `session:${profile}`
export const deviceKeyAccount = (device: string): string => `device-key:${device}`

export interface SecretStoreOptions {
  /** Called at the first use, and again after a failure. */
  readonly load: () => Promise<Keychain>
  /**
   * A file with the names of items that must still be deleted. Without it they are kept in memory until the app ends.
   */
  readonly leftovers?: string
  readonly after?: After
  /** Monotonic clock in milliseconds. */
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
  /** The native module is loaded at the first use, so that the app starts even if loading fails. */
  static readonly layer = (folder: string) =>
    SecretStore.layerOf(async () => (await import("keytar")).default, { leftovers: join(folder, leftoversFileName) })
}

const within = <A>(work: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it does not answer")), answerMillisMax)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })

const Leftovers = Schema.Struct({ version: Schema.Literal(1), accounts: Schema.Array(Schema.String) })

/** Names of items that were removed here while the keychain still has them. */
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
        // The names are then kept in memory until the app ends.
      }
    }
  }
}

const make = ({ after: later = after, leftovers: path, load, now = () => performance.now() }: SecretStoreOptions) => {
  const leftovers = leftoversIn(path)
  /** Secrets that the keychain has not stored yet; null: an item that it has not deleted yet. */
  const held = new Map<string, string | null>(leftovers.first.map((account) => [account, null]))
  const listeners = new Set<(answers: boolean) => void>()
  let keychain: Keychain | undefined
  let problem: string | undefined
  /** The work in progress. No other is started beside it, since a blocked call occupies a thread. */
  let working: Promise<void> | undefined
  let answered: Promise<void> = Promise.resolve()
  let failures = 0
  let failedAt = -Infinity
  let cancel = (): void => {}

  const removed = (): ReadonlyArray<string> =>
    [...held].flatMap(([account, secret]) => secret === null ? [account] : [])

  const notify = (answers: boolean): void => listeners.forEach((listener) => listener(answers))

  const failed = (error: unknown): void => {
    leftovers.keep(removed())
    const before = problem
    problem = wordsOf(error)
    failedAt = now()
    cancel()
    cancel = later(Math.min(retryMillisMax, retryMillis * 2 ** Math.min(failures++, 10)), begin)
    if (before === undefined) notify(false)
  }

  const opened = async (): Promise<Keychain> => {
    const loaded = await load()
    await loaded.getPassword(keychainService, probe)
    return loaded
  }

  /** Opens the keychain and writes the entries of `held` one after the other until none is left. */
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
    if (before !== undefined) notify(true)
  }

  const begin = (): void => {
    if (working !== undefined) return
    working = work().catch(failed).finally(() => {
      working = undefined
    })
    answered = within(working).catch(failed)
  }

  /** Resolves when the keychain has answered or counts as unavailable. */
  const ask = (): Promise<void> => {
    if (problem === undefined || now() - failedAt >= retryMillis) begin()
    return answered
  }

  const change = (account: string, secret: string | null): Effect.Effect<void> =>
    Effect.promise(async () => {
      held.set(account, secret)
      leftovers.keep(removed())
      await ask()
      // The work in progress may have finished without this entry.
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
      // If the keychain answers again only now, `work` has already notified the listeners.
      if (before === undefined && problem === undefined) notify(true)
    }),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
  return { store, close: () => cancel() }
}
