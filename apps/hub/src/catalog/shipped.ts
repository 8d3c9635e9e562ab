/** The services that every workspace has: `resources/catalog/*.json`, which tests check as declared services are. */
import { checkService, ServiceDefinition } from "@countersign/domain/services"
import { Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

export const catalogDir = resolve(import.meta.dirname, "../../../../resources/catalog")

const decode = Schema.decodeUnknownSync(ServiceDefinition, { errors: "all", onExcessProperty: "error" })

/** By name, in order of name. */
const readServices = (
  dir: string,
  read: (text: string) => ServiceDefinition
): ReadonlyMap<string, ServiceDefinition> => {
  const services = new Map<string, ServiceDefinition>()
  for (const file of readdirSync(dir).filter((name) => name.endsWith(".json")).sort()) {
    const path = join(dir, file)
    const definition = named(path, () => read(readFileSync(path, "utf8")))
    if (services.has(definition.name)) throw new Error(`${file}: there are two services named "${definition.name}"`)
    services.set(definition.name, definition)
  }
  return services
}

const named = <A>(path: string, read: () => A): A => {
  try {
    return read()
  } catch (cause) {
    throw new Error(`${path} is not a valid service: ${cause instanceof Error ? cause.message : "unknown"}`, { cause })
  }
}

const parse = (text: string): ServiceDefinition => decode(JSON.parse(text))

const checked = (text: string): ServiceDefinition => {
  const definition = parse(text)
  const [first] = checkService(definition)
  if (first !== undefined) throw new Error(`${first.path}: ${first.message}`)
  return definition
}

/**
 * The services of a folder, with every check.
 * @throws Error with the file's name if a file is not a valid service or a name occurs twice
 */
export const readShippedServices = (dir: string = catalogDir): ReadonlyMap<string, ServiceDefinition> =>
  readServices(dir, checked)

let shipped: ReadonlyMap<string, ServiceDefinition> | undefined
/**
 * The services that every workspace has, read once in a process. Their prices and patterns are compiled by a test
 * instead of here: that takes a twentieth of a start.
 */
export const shippedServices = () => shipped ??= readServices(catalogDir, parse)
