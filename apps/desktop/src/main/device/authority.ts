/**
 * Copies an authority that a person newly imported for a hub's profile to the device; otherwise the console would
 * connect and the device would stay offline. Only a changed profile counts; adding a profile for another hub at the
 * same address changes nothing. Spec: reference/desktop.md "E13: certificates and identity".
 */
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import { type Identity, openStateFolder, readIdentity, writeIdentity } from "../../device/state.ts"
import type { Profile } from "../profiles/profile.ts"

export interface FollowOptions {
  /** The agent's state folder. */
  readonly folder: string
  /** Called after the identity is stored; a running agent must read it again. */
  readonly onChanged: (identity: Identity) => void
  readonly onFailed: (error: unknown) => void
}

/** Call the result with all profiles, now and after each change. */
export const followAuthority = ({ folder, onChanged, onFailed }: FollowOptions) => {
  let before: ReadonlyMap<ProfileId, Profile> = new Map()
  return (profiles: ReadonlyArray<Profile>): void => {
    const imported = profiles.filter(({ ca, id }) => {
      const known = before.get(id)
      return ca !== undefined && known !== undefined && known.ca?.pem !== ca.pem
    })
    before = new Map(profiles.map((profile) => [profile.id, profile]))
    if (imported.length === 0) return
    try {
      const state = openStateFolder(folder)
      const identity = readIdentity(state)
      const ca = imported.find(({ url }) => url === identity?.hub)?.ca?.pem
      if (identity === undefined || ca === undefined || ca === identity.ca) return
      const next = { ...identity, ca }
      writeIdentity(state, next)
      onChanged(next)
    } catch (error) {
      onFailed(error)
    }
  }
}
