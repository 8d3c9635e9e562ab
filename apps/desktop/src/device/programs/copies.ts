/** Copies of command files in the agent's folder, where no sandboxed command can change them. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bytesOf } from "../files/plain-files.ts"
import type { CommandFile } from "./command-files.ts"

export interface Copied extends CommandFile {
  readonly copy: string
}

/** `changed`: the first file whose copy differs from its plan; call `remove` when the command has ended. */
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
