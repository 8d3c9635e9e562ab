/** The providers that every workspace has: `resources/apps/*.json`, with the same checks as a workspace's own. */
import { ShippedApp } from "@countersign/domain/apps"
import { Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { definitionProblems } from "./rules.ts"

export const appsDir = resolve(import.meta.dirname, "../../../../resources/apps")

const decode = Schema.decodeUnknownSync(ShippedApp, { errors: "all", onExcessProperty: "error" })

/**
 * By name, in order of name.
 * @throws Error with the file's name if a file is not a valid definition or a name occurs twice
 */
export const readShippedApps = (dir: string = appsDir): ReadonlyMap<string, ShippedApp> => {
  const apps = new Map<string, ShippedApp>()
  for (const file of readdirSync(dir).filter((name) => name.endsWith(".json")).sort()) {
    const app = readApp(join(dir, file))
    if (apps.has(app.name)) throw new Error(`${file}: there are two providers named "${app.name}"`)
    apps.set(app.name, app)
  }
  return apps
}

let shipped: ReturnType<typeof readShippedApps> | undefined
/** What `readShippedApps` returns, read at the first use and once in a process. */
export const shippedApps = () => shipped ??= readShippedApps()

const readApp = (path: string): ShippedApp => {
  try {
    const app = decode(JSON.parse(readFileSync(path, "utf8")))
    const [first] = definitionProblems(app, { allow: [] })
    if (first === undefined) return app
    throw new Error(`${first.path}: ${first.message}`)
  } catch (cause) {
    throw new Error(`${path} is not a valid provider: ${cause instanceof Error ? cause.message : "unknown"}`, { cause })
  }
}
