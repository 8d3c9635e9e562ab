/**
 * Profiles: addresses and workspaces in `config.json`, credentials in `credentials.json` (mode 0600). Spec:
 * reference/command-line.md "Profiles".
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { CommandError, usageError } from "./exit.ts"

export interface Profile {
  readonly url?: string
  readonly workspace?: string
}

export interface Credentials {
  /** A personal access token. */
  readonly token?: string
  /** An agent's key, for `dispatch`, `estimate`, and `mcp install`. */
  readonly api_key?: string
}

interface Config {
  readonly current?: string
  readonly profiles?: Readonly<Record<string, Profile>>
}

export const folder = (): string => {
  const given = process.env["XDG_CONFIG_HOME"]
  return join(given !== undefined && given.startsWith("/") ? given : join(homedir(), ".config"), "countersign")
}

const read = <A extends object>(name: string): A => {
  const file = join(folder(), name)
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {} as A
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    return JSON.parse(text) as A
  } catch {
    throw new CommandError(`${file} is not JSON. Correct or remove it.`)
  }
}

/** Replaces the file at once, so that an interruption leaves the old or the new one. */
export const replaceFile = (file: string, text: string, mode: number): void => {
  const other = `${file}.${process.pid}`
  writeFileSync(other, text, { mode })
  renameSync(other, file)
}

const write = (name: string, value: object, mode: number): void => {
  mkdirSync(folder(), { recursive: true, mode: 0o700 })
  replaceFile(join(folder(), name), `${JSON.stringify(value, undefined, 2)}\n`, mode)
}

export const readConfig = (): Config => read<Config>("config.json")

/** The profile of the flag, of the environment, or the current one. */
export const profileName = (flag: string | undefined): string => {
  const name = flag ?? (process.env["COUNTERSIGN_PROFILE"] || (readConfig().current ?? "default"))
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/u.test(name)) throw usageError(`"${name}" is no name of a profile.`)
  return name
}

export const readProfile = (name: string): Profile => readConfig().profiles?.[name] ?? {}

export const writeProfile = (name: string, change: Profile): void => {
  const config = readConfig()
  const profiles = { ...config.profiles, [name]: { ...config.profiles?.[name], ...change } }
  write("config.json", { current: config.current ?? name, ...config, profiles }, 0o644)
}

export const useProfile = (name: string): void => {
  const config = readConfig()
  if (config.profiles?.[name] === undefined) throw usageError(`There is no profile "${name}". Create it by signing in.`)
  write("config.json", { ...config, current: name }, 0o644)
}

export const readCredentials = (name: string): Credentials =>
  read<Readonly<Record<string, Credentials>>>("credentials.json")[name] ?? {}

export const writeCredentials = (name: string, change: Credentials): void => {
  const all = read<Readonly<Record<string, Credentials>>>("credentials.json")
  write("credentials.json", { ...all, [name]: { ...all[name], ...change } }, 0o600)
}

export const removeCredentials = (name: string): void => {
  const { [name]: _, ...rest } = read<Readonly<Record<string, Credentials>>>("credentials.json")
  write("credentials.json", rest, 0o600)
}
