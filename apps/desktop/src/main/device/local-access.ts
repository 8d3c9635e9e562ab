/**
 * The owner's settings for commands on this computer, on the disk: the rules in the agent's folder and the roots of its
 * pairing. The hub cannot reach them. Every write is atomic, and none overwrites an unseen change. Spec:
 * reference/devices.md "D5: local rules", "D11: the owner's window".
 */
import { detailsOf } from "@countersign/domain/client-errors"
import { DeviceRules, noRules, parseRules } from "@countersign/domain/device-rules"
import { Result, Schema } from "effect"
import { createHash } from "node:crypto"
import { existsSync, realpathSync, statSync } from "node:fs"
import type { OwnerRoot, OwnerRules } from "../../bridge/owner.ts"
import { Exit } from "../../device/exits.ts"
import { pinRules } from "../../device/programs/pin-rules.ts"
import {
  files,
  type Identity,
  openStateFolder,
  readIdentity,
  readPrivate,
  writeIdentity,
  writePrivate
} from "../../device/state.ts"
import { refusal } from "../platform/answers.ts"
import { wordsOf } from "../platform/error-words.ts"

/** A longer list would be hard to review. */
export const rootsMax = 64

export interface LocalAccessState {
  readonly identity: Identity | undefined
  /** Why the folder or the pairing in it cannot be used. */
  readonly problem: string | undefined
  readonly roots: ReadonlyArray<OwnerRoot>
  readonly rules: OwnerRules
}

/** Whether a running agent read the changed part at its start and must be restarted. */
export interface Written {
  readonly needsRestart: boolean
}

export interface LocalAccess {
  /** The current state of the files. */
  readonly read: () => LocalAccessState
  /** Throws a `HubError` with a message for a person when the rules are refused; then nothing was written. */
  readonly saveRules: (text: string, seen: string | null) => Written
  /** Throws without a pairing. */
  readonly mayAddRoot: () => void
  /** `path`: from the system's dialog. Returns the real path that was opened. */
  readonly addRoot: (path: string) => string
  readonly removeRoot: (path: string) => void
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")
const pretty = (rules: DeviceRules): string => `${JSON.stringify(rules, null, 2)}\n`

const decode = Schema.decodeUnknownResult(DeviceRules, { onExcessProperty: "error", errors: "all" })

/** Each invalid place; for text that is not JSON, the position of the syntax error. */
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

export const makeLocalAccess = (folder: string): LocalAccess => {
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

  /** The pairing, read again for a change. */
  const paired = (): Identity => {
    let identity: Identity | undefined
    try {
      identity = readIdentity(openStateFolder(folder))
    } catch (error) {
      throw refusal("unreadable", wordsOf(error))
    }
    if (identity === undefined) {
      throw refusal("not_paired", "This computer is not connected to a hub, so no folders can be opened.")
    }
    return identity
  }

  /** A new rule is pinned to the program that exists now. An existing rule keeps its pin or stays without one. */
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
      throw refusal("not_written", `Nothing was changed, because the file could not be written: ${wordsOf(error)}`)
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
          "The rules file has changed since it was shown. Nothing was saved: reload the rules."
        )
      }
      if (before.kind === "problem" && before.text === null) throw refusal("unreadable", before.problem)
      write(() => {
        const path = openStateFolder(folder).file(files.rules)
        // A link is kept; its target is written.
        writePrivate(existsSync(path) ? realpathSync(path) : path, pinned(given, parsed.rules, before))
      })
      // The agent reads these only at its start: the environment of commands and their time limit.
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
      if (!isThere(path)) throw refusal("no_directory", `${path} is not a folder.`)
      if (identity.roots.includes(path)) throw refusal("open_already", `${path} is already open to commands.`)
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
