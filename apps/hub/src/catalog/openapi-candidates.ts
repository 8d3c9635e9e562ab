/** The operations of a document, before they are converted. */
import type { HttpOperation } from "@countersign/domain/services"
import { resolveLocal } from "./openapi-document.ts"
import type { Candidate } from "./openapi-operation.ts"
import { array, isObject, type JsonObject, textOf } from "./openapi-values.ts"

const methods = ["get", "head", "post", "put", "patch", "delete"] as const
const otherMethods = ["options", "trace", "query"] as const

const pathItems = (document: JsonObject): ReadonlyArray<readonly [route: string, item: JsonObject]> =>
  Object.entries(isObject(document["paths"]) ? document["paths"] : {}).flatMap(([route, given]) => {
    const item = isObject(given) && typeof given["$ref"] === "string" ? resolveLocal(document, given["$ref"]) : given
    return isObject(item) ? [[route, item] as const] : []
  })

const idOf = (operation: JsonObject, method: string, route: string): string => {
  const id = operation["operationId"]
  return typeof id === "string" && id !== "" ? id : `${method}${route}`
}

/** Operations with methods that services do not support. */
export const unsupportedOf = (
  document: JsonObject
): ReadonlyArray<{ readonly operation: string; readonly reason: string }> =>
  pathItems(document).flatMap(([route, item]) =>
    otherMethods.flatMap((method) => {
      const operation = item[method]
      return isObject(operation)
        ? [{ operation: idOf(operation, method, route), reason: `its method ${method.toUpperCase()} is not sent` }]
        : []
    })
  )

export const operationsOf = (document: JsonObject): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  for (const [route, item] of pathItems(document)) {
    for (const method of methods) {
      const operation = item[method]
      if (!isObject(operation)) continue
      found.push({
        id: idOf(operation, method, route),
        method: method.toUpperCase() as HttpOperation["method"],
        route,
        path: `openapi.paths.${route}.${method}`,
        tags: array(operation["tags"]).filter((tag) => typeof tag === "string"),
        operation,
        parameters: [...array(item["parameters"]), ...array(operation["parameters"])],
        hasOwnServers: array(item["servers"]).length > 0 || array(operation["servers"]).length > 0
      })
    }
  }
  return found
}

/** `listPets` → `list_pets`, `get/pets/{id}` → `get_pets_id`; a number makes it unique. */
export const uniqueName = ({ id }: Candidate, taken: ReadonlySet<string>): string => {
  const words = id.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_").replace(/^[_-]+|[_-]+$/g, "")
  const base = (/^[a-z]/.test(words) ? words : `op_${words}`).slice(0, 64)
  let name = base
  for (let number = 2; taken.has(name); number++) name = `${base.slice(0, 60)}_${number}`
  return name
}

export const serverOf = (document: JsonObject): string | undefined => {
  const server = array(document["servers"])[0]
  if (!isObject(server) || typeof server["url"] !== "string") return undefined
  const variables = isObject(server["variables"]) ? server["variables"] : {}
  const url = server["url"].replace(/\{([^}]*)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    return isObject(variable) && typeof variable["default"] === "string" ? variable["default"] : whole
  })
  return /^https?:\/\//i.test(url) && !url.includes("{") ? url.replace(/[?#].*$/, "").replace(/\/+$/, "") : undefined
}

/** Title and description of the service. */
export const describedBy = (document: JsonObject) => {
  const info = isObject(document["info"]) ? document["info"] : {}
  return {
    ...textOf(info["title"], 200, (title) => ({ title })),
    ...textOf(info["description"], 10_000, (description) => ({ description }))
  }
}
