/** Copies of files in the agent's own folder, which no command can change in the sandbox. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CommandFile } from "./command-files.ts"
import { bytesOf } from "./plain-files.ts"

export interface Copied extends CommandFile {
  readonly copy: string
}

/** `changed`: a file whose copy is not what it was; `remove` them when the command has ended. */
export const copiesOf = (files: ReadonlyArray<CommandFile>, folder: string, command: string) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const copies = files.map((file): Copied => {
    const copy = join(folder, `${command}-${file.sha256.slice(0, 16)}`)
    rmSync(copy, { force: true })
    writeFileSync(copy, file.bytes, { mode: 0o500, flag: "wx" })
    return { ...file, copy }
  })
  return {
    copies,
    changed: () => copies.find(({ bytes, copy }) => bytesOf(copy, bytes.length)?.equals(bytes) !== true),
    remove: () => {
      for (const { copy } of copies) rmSync(copy, { force: true })
    }
  }
}
