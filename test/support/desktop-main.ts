/** Main's services without Electron, over a given folder and keychain. */
import type { HubState } from "@countersign/desktop/bridge/hub-state"
import { ConnectionDesk, connectionsLayer } from "@countersign/desktop/main/hub/connections"
import { Connections } from "@countersign/desktop/main/hub/port"
import type { Profile } from "@countersign/desktop/main/profiles/profile"
import { Profiles } from "@countersign/desktop/main/profiles/profiles"
import { type Keychain, SecretStore } from "@countersign/desktop/main/secrets/secret-store"
import { Effect, Layer, Stream } from "effect"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "desktop-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export interface KeychainInTest extends Keychain {
  /** Maps `account` to its secret. */
  readonly items: Map<string, string>
  /** Accounts whose items the keychain has and does not return. */
  readonly locked: Set<string>
}

export const keychainInTest = (): KeychainInTest => {
  const items = new Map<string, string>()
  const locked = new Set<string>()
  return {
    items,
    locked,
    getPassword: async (_, account) => {
      if (locked.has(account)) throw new Error("the ring is locked")
      return items.get(account) ?? null
    },
    setPassword: async (_, account, secret) => void items.set(account, secret),
    deletePassword: async (_, account) => items.delete(account)
  }
}

/** The services over a folder and a keychain; a second call with the same simulates the next start of the app. */
export const mainServices = (folder: string, keychain: Keychain | (() => Promise<Keychain>)) =>
  connectionsLayer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Profiles.layer(folder),
        SecretStore.layerOf(typeof keychain === "function" ? keychain : () => Promise.resolve(keychain))
      )
    )
  )

/** The first current or later state of a profile that fits; `gone` if the profile was removed. */
export const reaches = (profile: string, fits: (state: HubState) => boolean) =>
  Effect.flatMap(
    Connections,
    ({ changes }) =>
      Stream.filter(changes, (change) => change.profile === profile && change.state !== undefined && fits(change.state))
        .pipe(
          Stream.runHead,
          Effect.flatMap(Effect.fromOption),
          Effect.map(({ state }) => state as HubState),
          Effect.orDie
        )
  )

export const phase = (wanted: HubState["phase"]) => (state: HubState): boolean => state.phase === wanted

export const addProfile = Effect.fnUntraced(
  function*(
    hub: { readonly url: string },
    more: { readonly hub_id?: string; readonly ca?: NonNullable<Profile["ca"]> } = {}
  ) {
    const { add } = yield* Profiles
    const hub_id = more.hub_id ??
      (yield* Effect.promise(async () =>
        ((await (await fetch(`${hub.url}/api/v1/health`)).json()) as { hub_id: string }).hub_id
      ))
    return yield* Effect.orDie(add({ name: "Hub", url: hub.url, hub_id, ca: more.ca }))
  }
)

export const signInTo = Effect.fnUntraced(
  function*(profile: string, { email, password }: { readonly email: string; readonly password: string }) {
    const { call } = yield* Connections
    return yield* call(profile, "auth.login", { payload: { email, password } })
  }
)

/** Adds a signed-in profile of this hub. */
export const addSignedIn = Effect.fnUntraced(function*(
  hub: { readonly url: string },
  owner: { readonly email: string; readonly password: string },
  more: Parameters<typeof addProfile>[1] = {}
) {
  const profile = yield* addProfile(hub, more)
  yield* reaches(profile.id, phase("signed_out"))
  yield* signInTo(profile.id, owner)
  return profile
})

/** The connection of a profile that was just added. */
export const connectionOf = Effect.fnUntraced(function*(profile: string) {
  const { find } = yield* ConnectionDesk
  yield* reaches(profile, () => true)
  const connection = find(profile)
  return connection ?? (yield* Effect.die(new Error("there is no connection")))
})
