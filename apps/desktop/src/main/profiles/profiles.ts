/** The hub profiles on this computer. Every change is written to the disk before it is published. */
import { hubAddress } from "@countersign/hub-client/hub-address"
import { Context, Effect, Layer, Option, Schema, Semaphore, Stream, SubscriptionRef } from "effect"
import { randomBytes } from "node:crypto"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import { wordsOf } from "../platform/error-words.ts"
import { openProfiles, type ProfilesFile } from "./file.ts"
import { notificationDefaults, Profile, profilesMax } from "./profile.ts"

/** `reason` is shown to a person unchanged. */
export class ProfileRefused extends Schema.TaggedError<ProfileRefused>()("ProfileRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

export interface NewProfile {
  readonly name: string
  readonly url: string
  readonly hub_id: string
  readonly ca?: Profile["ca"] | undefined
}

/**
 * Excludes address and `hub_id`: another hub requires another profile. `limit_cents` null removes the limit. A limit
 * belongs to the hub: it changes for all profiles with the same `hub_id`.
 */
export interface ProfileChanges {
  readonly name?: string
  readonly ca?: NonNullable<Profile["ca"]>
  readonly limit_cents?: number | null
  readonly notifications?: Profile["notifications"]
}

export interface ProfilesShape {
  readonly all: Effect.Effect<ReadonlyArray<Profile>>
  readonly current: Effect.Effect<ProfileId | null>
  /** First the current file, then each change. */
  readonly changes: Stream.Stream<ProfilesFile>
  readonly find: (id: string) => Effect.Effect<Option.Option<Profile>>
  /**
   * Refuses a hub that already has a profile with this address. The first profile becomes the current one. The hub's
   * limit applies to the new profile too, even if all its profiles were removed before.
   */
  readonly add: (profile: NewProfile) => Effect.Effect<Profile, ProfileRefused>
  readonly update: (id: ProfileId, changes: ProfileChanges) => Effect.Effect<Profile, ProfileRefused>
  readonly remove: (id: ProfileId) => Effect.Effect<void, ProfileRefused>
  readonly choose: (id: ProfileId) => Effect.Effect<void, ProfileRefused>
  /** Problem with the file at the app's start. */
  readonly problem: string | undefined
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const newId = (): ProfileId => `prf_${Array.from(randomBytes(16), (byte) => alphabet[byte & 31]).join("")}`

/** The lowest limit that this hub has, or had when it was removed. */
const limitOf = ({ profiles, removed_limits }: ProfilesFile, hub: string): number | undefined => {
  const limits = [
    removed_limits?.[hub],
    ...profiles.filter(({ hub_id }) => hub_id === hub).map(({ limit_cents }) => limit_cents)
  ]
    .filter((limit) => limit !== undefined)
  return limits.length === 0 ? undefined : Math.min(...limits)
}

const decode = Schema.decodeUnknownEffect(Profile)
const refuse = (reason: string) => new ProfileRefused({ reason })

export class Profiles extends Context.Service<Profiles, ProfilesShape>()("@countersign/desktop/profiles/Profiles") {
  static readonly layer = (folder: string) => Layer.effect(Profiles, make(folder))
}

const make = Effect.fnUntraced(function*(folder: string) {
  const { first, problem, write } = yield* Effect.sync(() => openProfiles(folder))
  const state = yield* SubscriptionRef.make(first)
  const writing = yield* Semaphore.make(1)

  /** Runs changes one after the other; a change that could not be written has no effect. */
  const change = <A>(by: (file: ProfilesFile) => Effect.Effect<readonly [A, ProfilesFile], ProfileRefused>) =>
    writing.withPermits(1)(Effect.gen(function*() {
      const [answer, next] = yield* by(yield* SubscriptionRef.get(state))
      yield* Effect.try({
        try: () => write(next),
        catch: (error) => refuse(`The profiles could not be written: ${wordsOf(error)}`)
      })
      yield* SubscriptionRef.set(state, next)
      return answer
    }))
  const checked = (profile: unknown) =>
    Effect.mapError(
      decode(profile, { onExcessProperty: "error" }),
      (error) => refuse(`The profile is not acceptable: ${error.message}`)
    )
  const found = (file: ProfilesFile, id: string) => {
    const profile = file.profiles.find((each) => each.id === id)
    return profile === undefined ? Effect.fail(refuse("This profile does not exist.")) : Effect.succeed(profile)
  }

  return Profiles.of({
    problem,
    all: Effect.map(SubscriptionRef.get(state), ({ profiles }) => profiles),
    current: Effect.map(SubscriptionRef.get(state), ({ current }) => current),
    changes: SubscriptionRef.changes(state),
    find: (id) =>
      Effect.map(
        SubscriptionRef.get(state),
        ({ profiles }) => Option.fromNullishOr(profiles.find((each) => each.id === id))
      ),
    add: ({ ca, hub_id, name, url }) =>
      change((file) =>
        Effect.gen(function*() {
          const address = hubAddress(url)
          if (typeof address !== "string") return yield* refuse(address.reason)
          if (file.profiles.length >= profilesMax) {
            return yield* refuse(`There are already ${profilesMax} profiles; remove one first.`)
          }
          if (file.profiles.some((each) => each.url === address && each.hub_id === hub_id)) {
            return yield* refuse("This hub is already in the list.")
          }
          const limit = limitOf(file, hub_id)
          const profile = yield* checked({
            id: newId(),
            name: name.trim() || new URL(address).host,
            url: address,
            hub_id,
            notifications: notificationDefaults,
            ...ca === undefined ? {} : { ca },
            ...limit === undefined ? {} : { limit_cents: limit }
          })
          return [profile, {
            ...file,
            current: file.current ?? profile.id,
            profiles: [...file.profiles, profile]
          }] as const
        })
      ),
    update: (id, { limit_cents, ...changes }) =>
      change((file) =>
        Effect.gen(function*() {
          const { limit_cents: before, ...rest } = yield* found(file, id)
          const limit = limit_cents === undefined ? before : limit_cents ?? undefined
          const profile = yield* checked({ ...rest, ...changes, ...limit === undefined ? {} : { limit_cents: limit } })
          const ofHub = ({ limit_cents: own, ...each }: Profile): Profile =>
            each.hub_id !== profile.hub_id || limit_cents === undefined
              ? own === undefined ? each : { ...each, limit_cents: own }
              : limit === undefined
              ? each
              : { ...each, limit_cents: limit }
          const profiles = file.profiles.map((each) => each.id === id ? profile : ofHub(each))
          const { [profile.hub_id]: _, ...removed_limits } = file.removed_limits ?? {}
          return [profile, { ...file, profiles, ...limit_cents === undefined ? {} : { removed_limits } }] as const
        })
      ),
    remove: (id) =>
      change((file) =>
        Effect.map(found(file, id), ({ hub_id }) => {
          const limit = limitOf(file, hub_id)
          const removed_limits = limit === undefined
            ? file.removed_limits ?? {}
            : { ...file.removed_limits, [hub_id]: limit }
          const profiles = file.profiles.filter((each) => each.id !== id)
          return [undefined, {
            ...file,
            profiles,
            removed_limits,
            current: file.current === id ? profiles[0]?.id ?? null : file.current
          }] as const
        })
      ),
    choose: (id) => change((file) => Effect.map(found(file, id), () => [undefined, { ...file, current: id }] as const))
  })
})
