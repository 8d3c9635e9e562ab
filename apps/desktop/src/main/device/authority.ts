/**
 * A hub's authority that a person imported anew for its profile is the device's, too: else the console connects and the device stays
 * offline. Only what changed in a profile counts; one that is added for another hub at the same address changes nothing. Spec: E13.
 */
import { type Identity, openStateFolder, readIdentity, writeIdentity } from "../../device/state.ts"
import type { Profile, ProfileId } from "../profiles/profile.ts"

export interface FollowOptions {
  /** Of the agent's state folder. */
  readonly folder: string
  /** It is written down: an agent that runs is to read it. */
  readonly onChanged: (identity: Identity) => void
  readonly onFailed: (error: unknown) => void
}

/** To be told of all profiles, now and after each change. */
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
