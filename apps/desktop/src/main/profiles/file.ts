/** The file of profiles: readable by its owner alone, written whole or not at all. One that cannot be read is set aside, never lost. */
import { Result, Schema } from "effect"
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { writePrivate } from "../../device/state.ts"
import { Profile, ProfileId, profilesMax } from "./profile.ts"

export const ProfilesFile = Schema.Struct({
  version: Schema.Literal(1),
  /** The one that the window shows. */
  current: Schema.NullOr(ProfileId),
  profiles: Schema.Array(Profile).check(Schema.isMaxLength(profilesMax))
}).check(Schema.makeFilter(({ current, profiles }) => {
  const ids = new Set(profiles.map(({ id }) => id))
  if (ids.size < profiles.length) return "two profiles have one id"
  return current === null || ids.has(current) ? undefined : "the current profile is not there"
}))
export type ProfilesFile = typeof ProfilesFile.Type

const nothing: ProfilesFile = { version: 1, current: null, profiles: [] }
export const profilesFileName = "profiles.json"

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(ProfilesFile))

export interface FileRead {
  readonly file: ProfilesFile
  /** For a person: where the file went that could not be read. */
  readonly problem?: string
}

const aside = (path: string): string => {
  for (let at = 1;; at++) {
    const free = `${path}.broken-${at}`
    if (!existsSync(free)) return free
  }
}

/** Throws when the folder itself cannot be used, or a broken file cannot be moved: it would be overwritten. */
export const readProfiles = (folder: string): FileRead => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, profilesFileName)
  if (!existsSync(path)) return { file: nothing }
  const decoded = decode(readFileSync(path, "utf8"))
  if (Result.isSuccess(decoded)) return { file: decoded.success }
  const kept = aside(path)
  renameSync(path, kept)
  return { file: nothing, problem: `The hub profiles could not be read and were set aside in ${kept}. Add your hubs again; nothing on them is lost.` }
}

export const writeProfiles = (folder: string, file: ProfilesFile): void =>
  writePrivate(join(folder, profilesFileName), `${JSON.stringify(Schema.encodeSync(ProfilesFile)(file), null, 2)}\n`)
