/** The providers that every workspace has: `resources/apps/*.json`, with the same checks as a workspace's own. */
import { ShippedApp } from "@countersign/domain/apps"
import { Schema } from "effect"
import { resolve } from "node:path"
import { noProblem, readShippedByName } from "../platform/shipped-files.ts"
import { definitionProblems } from "./rules.ts"

export const appsDir = resolve(import.meta.dirname, "../../../../resources/apps")

const decode = Schema.decodeUnknownSync(ShippedApp, { errors: "all", onExcessProperty: "error" })

/**
 * By name, in order of name.
 * @throws Error with the file's name if a file is not a valid definition or a name occurs twice
 */
export const readShippedApps = (dir: string = appsDir): ReadonlyMap<string, ShippedApp> =>
  readShippedByName(dir, "provider", (document) => {
    const app = decode(document)
    noProblem(definitionProblems(app, { allow: [] }))
    return app
  })

let shipped: ReadonlyMap<string, ShippedApp> | undefined
/** What `readShippedApps` returns, read at the first use and once in a process. */
export const shippedApps = () => shipped ??= readShippedApps()
