/** The services that every workspace has: `resources/catalog/*.json`, which tests check as declared services are. */
import { checkService, ServiceDefinition } from "@countersign/domain/services"
import { Schema } from "effect"
import { resolve } from "node:path"
import { noProblem, readShippedByName } from "../platform/shipped-files.ts"

export const catalogDir = resolve(import.meta.dirname, "../../../../resources/catalog")

const kind = "service"
const decode = Schema.decodeUnknownSync(ServiceDefinition, { errors: "all", onExcessProperty: "error" })

/**
 * The services of a folder, with every check.
 * @throws Error with the file's name if a file is not a valid service or a name occurs twice
 */
export const readShippedServices = (dir: string = catalogDir): ReadonlyMap<string, ServiceDefinition> =>
  readShippedByName(dir, kind, (document) => {
    const service = decode(document)
    noProblem(checkService(service))
    return service
  })

let shipped: ReadonlyMap<string, ServiceDefinition> | undefined
/**
 * The services that every workspace has, read once in a process. Their prices and patterns are compiled by a test
 * instead of here: that takes a twentieth of a start.
 */
export const shippedServices = () => shipped ??= readShippedByName(catalogDir, kind, decode)
