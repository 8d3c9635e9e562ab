/** Finds the program of a command: a bare name in the agent's PATH only, a path from the working directory. */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { isAbsolute, join, resolve } from "node:path"
import { failed } from "../results/refusal.ts"
import { searchPath } from "./environment.ts"

export interface Program {
  readonly path: string
  readonly realPath: string
  readonly bare: boolean
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Failed `not_found` when there is none. */
export const findProgram = (asked: string, directory: string): Program => {
  const bare = !isAbsolute(asked) && !/[\\/]/.test(asked)
  const endings = process.platform === "win32" ? ["", ".exe"] : [""]
  const candidates = bare
    ? searchPath.flatMap((folder) => endings.map((ending) => join(folder, asked + ending)))
    : [resolve(directory, asked)]
  const path = asked === "" ? undefined : candidates.find(isProgram)
  if (path === undefined) {
    throw failed("not_found", `${asked === "" ? "The empty name" : asked} is no program on this device`)
  }
  return { path, realPath: realpathSync(path), bare }
}
