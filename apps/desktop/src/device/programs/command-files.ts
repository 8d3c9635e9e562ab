/**
 * The files that a command line executes: the program if commands can change it, interpreters of its first line, and
 * arguments that name files in roots. The plan and the owner's pins contain their digests, and the command runs copies
 * of them. Spec: reference/devices.md "D9: plan binding".
 */
import { filesMax } from "@countersign/domain/device-plan"
import { isUnbound, plainPrograms, readsScript } from "@countersign/domain/device-rules"
import { createHash } from "node:crypto"
import { realpathSync, statSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { isWithin, pathsIn } from "../files/paths.ts"
import { beginsScript, bytesOf, startOf } from "../files/plain-files.ts"
import { searchPath } from "./environment.ts"
import type { Program } from "./programs.ts"

/** Total of all files of a command. */
const bytesMax = 64 * 1024 * 1024
/** Path lookups per command. */
const lookupsMax = 2_000
const firstLineMax = 512
/** Besides programs that only read and print: these take file names and start no program. */
const fileManagers: ReadonlySet<string> = new Set([
  "bzip2",
  "chgrp",
  "chmod",
  "chown",
  "cp",
  "dd",
  "diff",
  "gunzip",
  "gzip",
  "ln",
  "mkdir",
  "mv",
  "rm",
  "rmdir",
  "shred",
  "tee",
  "touch",
  "truncate",
  "unlink",
  "xz"
])
const startsNone = (name: string): boolean => plainPrograms.has(name) || fileManagers.has(name)
/** Their code is an argument; files are data unless an option names a code file. */
const filters = /^(?:[gmn]?awk|sed|sqlite3|psql)$/u
const codeOption = /^-(?:[A-Za-z]*f|-?(?:exec|file|include|init|load))/u

export interface CommandFile {
  /** The real path. */
  readonly path: string
  readonly sha256: string
  readonly bytes: Buffer
  readonly inRoot: boolean
  /** An argument names it; the program itself is no argument. */
  readonly isArgument: boolean
  /** Indexes in `argv` to replace with the path of the copy where the copy cannot be mounted over the file. */
  readonly words: ReadonlyArray<number>
}

export interface CommandFiles {
  readonly files: ReadonlyArray<CommandFile>
  /** Number of unbound files: too many, too large, closed to commands, or outside the roots behind a link in one. */
  readonly omitted: number
  /** A first line names a file in a root, which no pin binds. */
  readonly isInterpretedInRoot: boolean
}

export interface CommandLine {
  readonly program: Program
  readonly argv: ReadonlyArray<string>
  readonly directory: string
  readonly roots: ReadonlyArray<string>
  /** `path`: a real path in a root. */
  readonly isClosed: (path: string) => boolean
  /** A rule pins it, so it is bound outside of the roots, too. */
  readonly isPinned: (path: string) => boolean
}

interface Found {
  readonly path: string
  readonly isExecutable: boolean
  readonly inRoot: boolean
  /** The file or a link to it is in a root. */
  readonly isBelow: boolean
}

interface Named extends Found {
  readonly at: number
  /** The word consists of the path only. */
  readonly isWhole: boolean
}

/** Whether files named by arguments may be code although they are not executable. */
const readsCode = (program: Program, argv: ReadonlyArray<string>, named: ReadonlyArray<Named>): boolean => {
  const [, ...words] = argv
  if (words.some((word) => pathsIn(word).some(isUnbound)) || named.some(({ path }) => isUnbound(path))) return true
  if (!isUnbound(program.path) && !isUnbound(program.realPath)) return false
  return !filters.test(basename(program.path)) || words.some((word) => codeOption.test(word))
}

/** The argument that a shell or interpreter reads as its script: the first file after it. */
const scriptWords = (
  program: Program,
  argv: ReadonlyArray<string>,
  named: ReadonlyArray<Named>
): ReadonlySet<number> => {
  const scripts = new Set<number>()
  let expected = readsScript(program.realPath)
  for (const [at, word] of argv.entries()) {
    if (expected && named.some((each) => each.at === at)) {
      scripts.add(at)
      expected = false
    }
    expected ||= readsScript(word)
  }
  return scripts
}

/** Resolves and reads files within the limits of one command. */
const makeBinding = ({ directory, isClosed, roots }: CommandLine) => {
  const isInRoot = (path: string): boolean => roots.some((root) => isWithin(root, path))
  const files = new Map<string, CommandFile>()
  const followed = new Set<string>()
  let [omitted, budget, lookups] = [0, bytesMax, 0]
  let isInterpretedInRoot = false

  const find = (asked: string): Found | undefined => {
    if (lookups++ === lookupsMax) omitted++
    if (lookups > lookupsMax) return undefined
    try {
      const path = realpathSync(asked)
      const facts = statSync(path)
      const inRoot = isInRoot(path)
      return facts.isFile()
        ? { path, isExecutable: (facts.mode & 0o111) !== 0, inRoot, isBelow: inRoot || isInRoot(asked) }
        : undefined
    } catch {
      return undefined
    }
  }

  const bind = (path: string, about: Pick<CommandFile, "inRoot" | "isArgument" | "words">): void => {
    const known = files.get(path)
    const bytes = known?.bytes ?? (files.size < filesMax ? bytesOf(path, budget) : undefined)
    if (known !== undefined) files.set(path, { ...known, words: [...known.words, ...about.words] })
    else if (bytes === undefined) omitted++
    else {
      budget -= bytes.length
      files.set(path, { path, sha256: createHash("sha256").update(bytes).digest("hex"), bytes, ...about })
      followFirstLine(bytes)
    }
  }

  /** A link that leads out of the roots can be changed, and its target may be hidden from commands. */
  const bindBelow = ({ inRoot, path }: Found, about: Pick<CommandFile, "isArgument" | "words">): void => {
    if (inRoot && !isClosed(path)) bind(path, { inRoot, ...about })
    else omitted++
  }

  /** Binds files in roots; follows scripts elsewhere. */
  const follow = (word: string): void => {
    const isBare = !/[\\/]/u.test(word)
    if (!isBare && isInRoot(resolve(directory, word))) isInterpretedInRoot = true
    for (
      const asked of isBare
        ? [directory, ...searchPath].map((folder) => join(folder, word))
        : [resolve(directory, word)]
    ) {
      const found = find(asked)
      if (found?.isBelow === true) isInterpretedInRoot = true
      if (found?.inRoot === true) bindBelow(found, { isArgument: false, words: [] })
      else if (found !== undefined && !followed.has(found.path)) {
        followed.add(found.path)
        followFirstLine(startOf(found.path, firstLineMax))
      }
    }
  }
  const followFirstLine = (bytes: Buffer): void => {
    if (!beginsScript(bytes)) return
    const [line = ""] = bytes.toString("utf8", 2, firstLineMax).split("\n")
    for (const word of pathsIn(line.trim())) follow(word)
  }

  return {
    bind,
    bindBelow,
    find,
    isInRoot,
    bound: (): CommandFiles => ({ files: [...files.values()], omitted, isInterpretedInRoot })
  }
}

export const commandFiles = (line: CommandLine): CommandFiles => {
  const { argv, directory, isPinned, program } = line
  const { bind, bindBelow, bound, find, isInRoot } = makeBinding(line)
  const inRoot = isInRoot(program.path) || isInRoot(program.realPath)
  if (inRoot || isPinned(program.realPath) || beginsScript(startOf(program.realPath, 2))) {
    bind(program.realPath, { inRoot, isArgument: false, words: [] })
  }
  // In a root, any file can carry that program's name.
  if (!inRoot && startsNone(basename(program.path))) return bound()

  const named: ReadonlyArray<Named> = [...argv.entries()].slice(1).flatMap(([at, word]) =>
    pathsIn(word).flatMap((path) => {
      const found = find(resolve(directory, path))
      return found?.isBelow === true ? [{ ...found, at, isWhole: path === word }] : []
    })
  )
  const isCode = readsCode(program, argv, named)
  const scripts = scriptWords(program, argv, named)
  for (const each of named) {
    const isProgram = each.isExecutable || beginsScript(startOf(each.path, 2))
    if (isCode || isProgram) {
      bindBelow(each, { isArgument: true, words: each.isWhole && (isProgram || scripts.has(each.at)) ? [each.at] : [] })
    }
  }
  return bound()
}
