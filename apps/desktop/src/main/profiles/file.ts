/** The profiles file. */
import { Schema } from "effect"
import { join } from "node:path"
import { LimitCents, ProfileId } from "../../bridge/profile-schemas.ts"
import { type Aside, keptFile } from "../platform/kept-file.ts"
import { Profile, profilesMax } from "./profile.ts"

export const ProfilesFile = Schema.Struct({
  version: Schema.Literal(1),
  /** The profile that the window shows. */
  current: Schema.NullOr(ProfileId),
  profiles: Schema.Array(Profile).check(Schema.isMaxLength(profilesMax)),
  /** Confirmation limits of removed hubs, by `hub_id`: they apply again when the hub is added again. */
  removed_limits: Schema.optionalKey(Schema.Record(Schema.String, LimitCents))
}).check(Schema.makeFilter(({ current, profiles }) => {
  const ids = new Set(profiles.map(({ id }) => id))
  if (ids.size < profiles.length) return "two profiles have one id"
  return current === null || ids.has(current) ? undefined : "the current profile is not there"
}))
export type ProfilesFile = typeof ProfilesFile.Type

const nothing: ProfilesFile = { version: 1, current: null, profiles: [] }
export const profilesFileName = "profiles.json"

export interface OpenProfiles {
  readonly first: ProfilesFile
  /** A message for a person about a file that could not be read. */
  readonly problem: string | undefined
  /** Throws when the file could not be written. */
  readonly write: (file: ProfilesFile) => void
}

const problemOf = ({ path, problem, stays }: Aside): string =>
  stays
    ? `The hub profiles cannot be read, and ${path} stays as it is (${problem}). No hub can be added until it is mended.`
    : `The hub profiles could not be read and were set aside in ${path}. Add your hubs again; nothing on them is lost.`

export const openProfiles = (folder: string): OpenProfiles => {
  const { read, write } = keptFile(join(folder, profilesFileName), ProfilesFile)
  const { aside, value = nothing } = read()
  return { first: value, problem: aside === undefined ? undefined : problemOf(aside), write }
}
