/** Addresses of calls: parameters in the path, the rest in the query. */
import type { AnyInput } from "./contract.ts"

const segment = (params: AnyInput["params"], name: string): string => {
  const value = params?.[name]
  if (typeof value !== "string" || value === "" || value === "." || value === "..") {
    throw new TypeError(`The parameter ${name} is missing.`)
  }
  return encodeURIComponent(value)
}

const queryText = (query: AnyInput["query"]): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    // An empty filter is omitted.
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") search.append(name, String(each))
    }
  }
  const text = search.toString()
  return text === "" ? "" : `?${text}`
}

/** `path` has `:id` for parameters. */
export const addressOf = (path: string, { params, query }: AnyInput): string =>
  path.replace(/:([A-Za-z]\w*)/gu, (_, name: string) => segment(params, name)) + queryText(query)
