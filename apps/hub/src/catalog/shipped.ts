/** The services that every workspace has: `resources/catalog/*.json`, with the same checks as declared services. */
import { checkService, ServiceDefinition } from "@countersign/domain/services"
import { Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

export const catalogDir = resolve(import.meta.dirname, "../../../../resources/catalog")

const decode = Schema.decodeUnknownSync(ServiceDefinition, { errors: "all", onExcessProperty: "error" })

/**
 * By name, in order of name.
 * @throws Error with the file's name if a file is not a valid service or a name occurs twice
 */
export const readShippedServices = (dir: string = catalogDir): ReadonlyMap<string, ServiceDefinition> => {
  const services = new Map<string, ServiceDefinition>()
  for (const file of readdirSync(dir).filter((name) => name.endsWith(".json")).sort()) {
    const definition = readService(join(dir, file))
    if (services.has(definition.name)) throw new Error(`${file}: there are two services named "${definition.name}"`)
    services.set(definition.name, definition)
  }
  return services
}

let shipped: ReturnType<typeof readShippedServices> | undefined
/** What `readShippedServices` returns, read and checked once in a process. */
export const shippedServices = () => shipped ??= readShippedServices()

const readService = (path: string): ServiceDefinition => {
  try {
    const definition = decode(JSON.parse(readFileSync(path, "utf8")))
    const [first] = checkService(definition)
    if (first === undefined) return definition
    throw new Error(`${first.path}: ${first.message}`)
  } catch (cause) {
    throw new Error(`${path} is not a valid service: ${cause instanceof Error ? cause.message : "unknown"}`, { cause })
  }
}
