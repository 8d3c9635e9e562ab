/**
 * Leaves endpoints that the console never names out of its table of addresses, which every page loads. A test of the
 * desktop app compares the names in the sources with those that the app allows.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Plugin } from "vite"

const table = "/hub-client/src/endpoints.ts"
const folders = ["src", "../hub-client/src"].map((folder) => join(import.meta.dirname, folder))
const line = /^ {2}"([a-z_]+\.\w+)": .*\n/gmu

const sources = (): string =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/u.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.endsWith(table))
      .map((path) => readFileSync(path, "utf8"))
  ).join("\n")

export const calledEndpoints = (): Plugin => ({
  name: "called-endpoints",
  apply: "build",
  enforce: "pre",
  transform: (code, id) => {
    if (!id.split("?", 1)[0]!.endsWith(table)) return undefined
    const text = sources()
    return { code: code.replaceAll(line, (whole, name: string) => text.includes(`"${name}"`) ? whole : ""), map: null }
  }
})
