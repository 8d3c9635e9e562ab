/**
 * What the owner lends of this computer, on the disk: the rules of the agent's folder and the roots of its pairing. The hub reaches
 * neither. Every write is whole or not at all, and none goes over what was not seen. Spec: D5, D11.
 */
import { detailsOf } from "@countersign/domain/client-errors"
import { DeviceRules, noRules, parseRules } from "@countersign/domain/device-rules"
import { Result, Schema } from "effect"
import { createHash } from "node:crypto"
import { existsSync, realpathSync, statSync } from "node:fs"
import type { OwnerRoot, OwnerRules } from "../../bridge/owner.ts"
import { Exit } from "../../device/exits.ts"
import { pinRules } from "../../device/pin-rules.ts"
import {
  files,
  type Identity,
  openStateFolder,
  readIdentity,
  readPrivate,
  writeIdentity,
  writePrivate
} from "../../device/state.ts"
import { refusal } from "../answers.ts"
import { wordsOf } from "../error-words.ts"

/** More are no help to anyone who reads the list. */
export const rootsMax = 64

export interface Lent {
  readonly identity: Identity | undefined
  /** The folder, or the pairing in it, cannot be used. */
  readonly problem: string | undefined
  readonly roots: ReadonlyArray<OwnerRoot>
  readonly rules: OwnerRules
}

/** What a running agent read at its start, and must be told by a new one. */
export interface Written {
  readonly needsRestart: boolean
}

export interface Lending {
  /** As it is now. */
  readonly read: () => Lent
  /** Throws a `HubError` in words for a person when they are refused; then nothing was written. */
  readonly saveRules: (text: string, seen: string | null) => Written
  /** Throws when there is no pairing to open folders for. */
  readonly mayAddRoot: () => void
  /** `path`: as the system's dialog gave it. Answers the real path that was opened. */
  readonly addRoot: (path: string) => string
  readonly removeRoot: (path: string) => void
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")
const pretty = (rules: DeviceRules): string => `${JSON.stringify(rules, null, 2)}\n`

const decode = Schema.decodeUnknownResult(DeviceRules, { onExcessProperty: "error", errors: "all" })

/** Each place where they do not fit; of what is no JSON the one where it ends to be. */
const problemsOf = (text: string): ReadonlyArray<{ readonly path: string; readonly message: string }> => {
  try {
    return Result.match(decode(JSON.parse(text)), { onSuccess: () => [], onFailure: detailsOf })
  } catch (error) {
    return [{ path: "", message: wordsOf(error).replace(/\s+/gu, " ") }]
  }
}

const isThere = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

export const makeLending = (folder: string): Lending => {
  const rulesText = (): string | undefined => readPrivate(openStateFolder(folder).file(files.rules))

  const readRules = (): OwnerRules => {
    let text: string | undefined
    try {
      text = rulesText()
    } catch (error) {
      return { kind: "problem", problem: wordsOf(error), text: null, digest: null }
    }
    if (text === undefined) return { kind: "rules", rules: noRules, text: pretty(noRules), digest: null }
    const digest = digestOf(text)
    const parsed = parseRules(text)
    return "problem" in parsed
      ? { kind: "problem", problem: parsed.problem, text, digest }
      : { kind: "rules", rules: parsed.rules, text, digest }
  }

  /** The pairing, to be changed now. */
  const paired = (): Identity => {
    let identity: Identity | undefined
    try {
      identity = readIdentity(openStateFolder(folder))
    } catch (error) {
      throw refusal("unreadable", wordsOf(error))
    }
    if (identity === undefined) {
      throw refusal("not_paired", "This computer is lent to no hub: it has no folders to open.")
    }
    return identity
  }

  /** A rule that is new here allows the program that is there now. One that was there before keeps its pin, or has none. */
  const pinned = (given: string, rules: DeviceRules, before: OwnerRules): string => {
    const known = new Set(before.kind === "rules" ? before.rules.rules.map((rule) => JSON.stringify(rule)) : [])
    const roots = readIdentity(openStateFolder(folder))?.roots ?? []
    const after = pinRules(rules, roots, (rule) => rule.pins === undefined && !known.has(JSON.stringify(rule)))
    const changed = after.rules.some((rule, at) => rule !== rules.rules[at])
    return changed ? pretty(after) : given.endsWith("\n") ? given : `${given}\n`
  }

  const write = (act: () => void): void => {
    try {
      act()
    } catch (error) {
      if (error instanceof Exit) throw refusal("unreadable", error.message)
      throw refusal("not_written", `Nothing was changed, as it could not be written: ${wordsOf(error)}`)
    }
  }

  return {
    read: () => {
      const rules = readRules()
      try {
        const identity = readIdentity(openStateFolder(folder))
        return {
          identity,
          problem: undefined,
          rules,
          roots: (identity?.roots ?? []).map((path) => ({ path, there: isThere(path) }))
        }
      } catch (error) {
        return { identity: undefined, problem: wordsOf(error), rules, roots: [] }
      }
    },

    saveRules: (given, seen) => {
      const parsed = parseRules(given)
      if ("problem" in parsed) {
        throw refusal("rules_refused", `These rules were not saved: ${parsed.problem}`, problemsOf(given))
      }
      const before = readRules()
      if (before.digest !== seen) {
        throw refusal(
          "changed_meanwhile",
          "The rules' file was changed elsewhere since it was shown. Nothing was saved: look at it again."
        )
      }
      if (before.kind === "problem" && before.text === null) throw refusal("unreadable", before.problem)
      write(() => {
        const path = openStateFolder(folder).file(files.rules)
        // A link stays one: what it points to is changed.
        writePrivate(existsSync(path) ? realpathSync(path) : path, pinned(given, parsed.rules, before))
      })
      // Read once by the agent, at its start: what commands see of the environment, and how long they may run.
      const startOnly = ({ environment, timeout_seconds_max }: DeviceRules) =>
        JSON.stringify([environment ?? [], timeout_seconds_max ?? null])
      return { needsRestart: before.kind === "problem" || startOnly(before.rules) !== startOnly(parsed.rules) }
    },

    mayAddRoot: () => void paired(),

    addRoot: (given) => {
      const identity = paired()
      let path: string
      try {
        path = realpathSync(given)
      } catch (error) {
        throw refusal("not_there", `${given} cannot be opened: ${wordsOf(error)}`)
      }
      if (!isThere(path)) throw refusal("no_directory", `${path} is no folder.`)
      if (identity.roots.includes(path)) throw refusal("open_already", `${path} is open to commands already.`)
      if (identity.roots.length >= rootsMax) throw refusal("too_many", `${rootsMax} folders are open. Close one first.`)
      write(() => writeIdentity(openStateFolder(folder), { ...identity, roots: [...identity.roots, path] }))
      return path
    },

    removeRoot: (path) => {
      const identity = paired()
      if (!identity.roots.includes(path)) throw refusal("not_open", `${path} is not open to commands.`)
      write(() =>
        writeIdentity(openStateFolder(folder), { ...identity, roots: identity.roots.filter((root) => root !== path) })
      )
    }
  }
}
