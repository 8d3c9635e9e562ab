/** How a person runs the hub's commands: by npm in a clone, by the program `countersign` of the npm package. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"

/** npm never puts a lock file of this name into a package. */
export const isPackage: boolean = !existsSync(resolve(import.meta.dirname, "../../../package-lock.json"))

export const startCommand: string = isPackage ? "countersign start" : "npm start"

export const hubCommand = (command: string): string =>
  isPackage ? `countersign hub ${command}` : `npm run hub -- ${command}`
