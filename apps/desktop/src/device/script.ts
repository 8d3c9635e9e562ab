/**
 * The one file that a program reads as its code: a script that is started by its name, or the first file that an interpreter is given.
 * What a person said yes to are its bytes; they run from a copy that nobody else can change. Spec: D9.
 */
import { isUnbound } from "@countersign/domain/device-rules"
import { createHash } from "node:crypto"
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, readSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { denied } from "./refusal.ts"
import type { Program } from "./programs.ts"

const scriptBytesMax = 64 * 1024 * 1024

export interface Script {
  /** Of its word in `argv`; 0: it is the program itself. */
  readonly at: number
  /** Where it really is. */
  readonly path: string
  readonly sha256: string
  readonly bytes: Buffer
}

const readScript = (at: number, asked: string, anyKind: boolean): Script | undefined => {
  let descriptor: number
  try {
    descriptor = openSync(realpathSync(asked), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch {
    return undefined
  }
  try {
    const facts = fstatSync(descriptor)
    if (!facts.isFile()) return undefined
    if (!anyKind && !beginsScript(descriptor)) return undefined
    if (facts.size > scriptBytesMax) throw denied("script_too_large", `${asked} has more than ${scriptBytesMax} bytes: nobody can be asked about it`)
    const bytes = readFileSync(descriptor)
    return { at, path: realpathSync(asked), sha256: createHash("sha256").update(bytes).digest("hex"), bytes }
  } finally {
    closeSync(descriptor)
  }
}

const beginsScript = (descriptor: number): boolean => {
  const start = Buffer.alloc(2)
  return readSync(descriptor, start, 0, 2, 0) === 2 && start.toString("latin1") === "#!"
}

/**
 * Of a program in a root, or one that a rule pins (`isWatched`, of its real path), the program itself, script or not. None: it runs no file
 * that can be told from its arguments. Denied `script_too_large`.
 */
export const scriptOf = (program: Program, argv: ReadonlyArray<string>, directory: string, isWatched: (path: string) => boolean): Script | undefined => {
  const own = readScript(0, program.path, false)
  if (own !== undefined) return own
  for (const [at, word] of isUnbound(program.path) || isUnbound(program.realPath) ? argv.entries() : []) {
    if (at === 0 || word.startsWith("-")) continue
    const found = readScript(at, resolve(directory, word), true)
    if (found !== undefined) return found
  }
  return isWatched(program.realPath) ? readScript(0, program.path, true) : undefined
}

/** Its bytes in a file of the agent's own; `remove` when it has ended. */
export const copyOf = (script: Script, folder: string, command: string): { readonly path: string; readonly remove: () => void } => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${command}-${script.sha256.slice(0, 16)}`)
  rmSync(path, { force: true })
  writeFileSync(path, script.bytes, { mode: 0o500, flag: "wx" })
  return { path, remove: () => rmSync(path, { force: true }) }
}
