/** All connections: each is opened and closed with its profile. `port.ts` is the interface for the rest of main. */
import { HubEvent } from "@countersign/domain/events"
import type { CallOptions } from "@countersign/hub-client/client"
import { HubError, isHubError } from "@countersign/hub-client/error"
import { Context, Effect, Layer, PubSub, Queue, Result, Schema, Stream } from "effect"
import type { HubState } from "../../bridge/hub-state.ts"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import { wordsOf } from "../platform/error-words.ts"
import type { ProfilesFile } from "../profiles/file.ts"
import type { Profile } from "../profiles/profile.ts"
import { Profiles } from "../profiles/profiles.ts"
import { SecretStore, sessionAccount } from "../secrets/secret-store.ts"
import { type Connection, makeConnection, type StreamUpdate } from "./connection.ts"
import { Connections, type ConnectionsShape, type HubNews, type HubStateChange, newsHeldMax } from "./port.ts"
import { SystemProxy } from "./system-proxy.ts"

/** For the bridge, which serves one profile to one window. */
export interface ConnectionDeskShape {
  /**
   * Signals of a profile's stream, across replacements of its connection; starts with `open` when the stream is open.
   */
  readonly listen: (profile: string, listener: (update: StreamUpdate) => void) => () => void
  readonly find: (profile: string) => Connection | undefined
}
export class ConnectionDesk
  extends Context.Service<ConnectionDesk, ConnectionDeskShape>()("@countersign/desktop/hub/ConnectionDesk")
{}

/** Limits how long a keychain without an answer delays the app's end. */
const endMillisMax = 3_000
/** Event ids that are kept to detect duplicates. */
const knownMax = 4_096
const decodeEvent = Schema.decodeUnknownResult(Schema.fromJsonString(HubEvent))

/** Ignores events of unknown types, which come from a newer hub. */
export const newsReader = (): (update: StreamUpdate) => HubNews | undefined => {
  const known = new Set<string>()
  return (update) => {
    if (update.kind === "open") return { kind: "open" }
    if (update.kind !== "message") return undefined
    if (update.message.event === "reset") return { kind: "reset" }
    const event = decodeEvent(update.message.data)
    if (Result.isFailure(event) || known.has(event.success.id)) return undefined
    if (known.size >= knownMax) known.delete(known.values().next().value ?? "")
    known.add(event.success.id)
    return { kind: "event", event: event.success }
  }
}

const asHubError = (error: unknown): HubError =>
  isHubError(error) ? error : new HubError({ status: 0, code: "network_error", message: wordsOf(error) })

const make = Effect.gen(function*() {
  const profiles = yield* Profiles
  const secrets = yield* SecretStore
  const proxy = yield* SystemProxy
  const open = new Map<ProfileId, { readonly profile: Profile; readonly connection: Connection }>()
  /** Listeners for a profile's connection, across its replacements. */
  const listeners = new Map<ProfileId, Set<(update: StreamUpdate) => void>>()
  const changed = yield* PubSub.unbounded<HubStateChange>()
  const publish = (change: HubStateChange) => void PubSub.publishUnsafe(changed, change)

  const begin = (profile: Profile) => {
    const connection = makeConnection({
      profile,
      secrets,
      proxy,
      onState: (state) => publish({ profile: profile.id, state })
    })
    open.set(profile.id, { profile, connection })
    publish({ profile: profile.id, state: connection.state() })
    connection.listen((update) => {
      for (const listener of listeners.get(profile.id) ?? []) listener(update)
    })
    connection.start()
  }
  /** Slow network and keychain work: it delays no other hub, and the app's end only up to the limit. */
  const leaving = new Set<Promise<unknown>>()
  const inBackground = (work: Promise<unknown>) => {
    const mine = work.catch(() => {}).finally(() => leaving.delete(mine))
    leaving.add(mine)
  }
  const take = ({ profiles }: ProfilesFile) =>
    Effect.sync(() => {
      const wanted = new Map(profiles.map((profile) => [profile.id, profile]))
      for (const [id, { connection, profile }] of open) {
        const now = wanted.get(id)
        if (now !== undefined && now.ca?.sha256 === profile.ca?.sha256) continue
        open.delete(id)
        inBackground(connection.end())
        if (now !== undefined) continue
        inBackground(Effect.runPromise(secrets.remove(sessionAccount(id))))
        publish({ profile: id, state: undefined })
      }
      for (const [id, profile] of wanted) if (!open.has(id)) begin(profile)
    })

  yield* Effect.forkScoped(Stream.runForEach(profiles.changes, take))
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      secrets.subscribe((answers) => {
        if (answers) { for (const { connection } of open.values()) connection.keychainAnswers() }
      })
    ),
    (end) => Effect.sync(end)
  )
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => {
      for (const { connection } of open.values()) inBackground(connection.end())
      return Promise.race([Promise.all(leaving), new Promise((resolve) => setTimeout(resolve, endMillisMax).unref())])
    })
  )

  const listen = (profile: ProfileId, listener: (update: StreamUpdate) => void): () => void => {
    const all = listeners.get(profile) ?? new Set()
    listeners.set(profile, all)
    all.add(listener)
    if (open.get(profile)?.connection.state().phase === "connected") listener({ kind: "open" })
    return () => void all.delete(listener)
  }

  const states = (): ReadonlyMap<ProfileId, HubState> =>
    new Map([...open].map(([id, { connection }]) => [id, connection.state()]))

  const connections: ConnectionsShape = {
    states: Effect.sync(states),
    changes: Stream.unwrap(Effect.gen(function*() {
      // Subscribes before reading the states: a change in between is reported twice, never lost.
      const subscription = yield* PubSub.subscribe(changed)
      const now = [...states()].map(([profile, state]): HubStateChange => ({ profile, state }))
      return Stream.concat(Stream.fromIterable(now), Stream.fromSubscription(subscription))
    })),
    call: (profile, endpoint, input, options: Omit<CallOptions, "signal"> = {}) =>
      Effect.tryPromise({
        try: (signal) => {
          const found = open.get(profile)?.connection
          if (found === undefined) {
            throw new HubError({ status: 0, code: "stopped", message: "There is no such hub profile." })
          }
          return found.call(endpoint, input, { ...options, signal })
        },
        catch: asHubError
      }),
    events: (profile) =>
      Stream.callback<HubNews>((queue) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const read = newsReader()
            return listen(profile, (update) => {
              const news = read(update)
              if (news === undefined) return
              if (Queue.sizeUnsafe(queue) < newsHeldMax) return void Queue.offerUnsafe(queue, news)
              Effect.runSync(Queue.clear(queue))
              Queue.offerUnsafe(queue, { kind: "reset" })
            })
          }),
          (off) => Effect.sync(off)
        ), { bufferSize: newsHeldMax + 1 }),
    aheadMillis: (profile) => open.get(profile)?.connection.aheadMillis() ?? 0,
    retryNow: (profile) =>
      Effect.sync(() => {
        for (const [id, { connection }] of open) if (profile === undefined || profile === id) connection.retryNow()
      }),
    wake: Effect.sync(() => {
      for (const { connection } of open.values()) connection.wake()
    })
  }
  const desk: ConnectionDeskShape = { listen, find: (profile) => open.get(profile)?.connection }
  return Context.make(Connections, connections).pipe(Context.add(ConnectionDesk, desk))
})

export const connectionsLayer = Layer.effectContext(make)
