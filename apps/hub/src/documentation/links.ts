/** Addresses of the links, images, and endpoints that a page names. */
import { HubApi } from "@countersign/domain/api"
import { endpointsOf } from "@countersign/domain/openapi"
import { existsSync } from "node:fs"
import { join, posix } from "node:path"
import type { Contents } from "./contents.ts"
import type { LinkResolver } from "./markdown.ts"

/** Folders beside `resources/docs` whose files the hub serves as text below `/docs/files`. */
export const sharedFolders = ["deploy", "device", "examples"] as const

const methods = /^(?<method>GET|POST|PUT|PATCH|DELETE) (?<path>\/[^\s?…{]*)(?:\?\S*)?(?: \{.*\})?$/u

/** `/api/v1/agents/:id` and `/agents/agt_…` alike: parameters match any segment. */
const shapeOf = (path: string): string => path.replace(/:[A-Za-z]\w*/gu, ":").replace(/^\/api\/v1/u, "")

export const endpointAddress = (id: string): string => {
  const [group = "", name = ""] = id.split(".")
  return `/docs/api/${group}#${name}`
}

let endpoints: ReadonlyMap<string, string> | undefined

const addressOfEndpoint = (code: string): string | undefined => {
  const { method, path } = methods.exec(code)?.groups ?? {}
  if (method === undefined || path === undefined) return undefined
  endpoints ??= new Map(endpointsOf(HubApi).map(({ id, method, path }) => [`${method} ${shapeOf(path)}`, id]))
  const id = endpoints.get(`${method} ${shapeOf(path)}`)
  return id === undefined ? undefined : endpointAddress(id)
}

/** `resources` is the folder that contains `docs`. */
export const makeResolver = (contents: Contents, resources: string, file: string): LinkResolver => {
  const fromResources = (target: string) => posix.normalize(posix.join("docs", posix.dirname(file), target))
  return {
    link: (target) => {
      if (/^(?:https?|mailto):/u.test(target)) return target
      if (target.startsWith("#")) return target
      if (target.includes(":")) return undefined
      const [path = "", anchor] = target.split("#", 2)
      const found = fromResources(path)
      const page = found.startsWith("docs/") ? contents.byFile.get(found.slice("docs/".length)) : undefined
      if (page !== undefined) {
        return `/docs${page.name === "" ? "" : `/${page.name}`}${anchor === undefined ? "" : `#${anchor}`}`
      }
      const isShared = sharedFolders.some((folder) => found === folder || found.startsWith(`${folder}/`))
      return isShared && existsSync(join(resources, found)) ? `/docs/files/${found.replace(/\/$/u, "")}` : undefined
    },
    image: (target) => {
      const found = fromResources(target)
      if (!found.startsWith("screenshots/") || !existsSync(join(resources, found))) return undefined
      const dark = found.replace("-light-", "-dark-").replace(/-light\./u, "-dark.")
      return {
        light: `/docs/files/${found}`,
        ...dark !== found && existsSync(join(resources, dark)) ? { dark: `/docs/files/${dark}` } : {}
      }
    },
    endpoint: addressOfEndpoint
  }
}
