/**
 * The hub's own checks of a service draft: the contract's schema, then expressions, templates, pointers, and
 * consistency. Loaded with the editor, since the rules are larger than any screen.
 */
import type { Detail } from "@countersign/domain/errors"
import { problemsOf } from "@countersign/domain/schema-problems"
import { serviceWarnings } from "@countersign/domain/service-warnings"
import { checkService, type HttpOperation, HttpService } from "@countersign/domain/services"
import { Result, Schema } from "effect"

const decode = Schema.decodeUnknownResult(HttpService, { errors: "all", onExcessProperty: "error" })

type Json = Readonly<Record<string, unknown>>
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Replaces missing members so that the others can be checked. */
const operationStub: Json = {
  name: "stub",
  method: "POST",
  path: "/",
  payload_schema: {},
  price: { type: "fixed", cents: 0 }
}
const serviceStub: Json = { name: "stub", kind: "http", base_url: "https://stub.example", operations: [operationStub] }

/** Removes members with a wrong shape and stubs required ones. */
const withStubs = (value: Json, stub: Json, wrong: ReadonlySet<string>): Json => ({
  ...Object.fromEntries(Object.entries(value).filter(([name]) => !wrong.has(name))),
  ...Object.fromEntries(Object.entries(stub).filter(([name]) => wrong.has(name) || !Object.hasOwn(value, name)))
})

const checkWhole = (value: unknown): ReadonlyArray<Detail> => {
  const decoded = decode(value)
  return Result.isSuccess(decoded) ? checkService(decoded.success) : []
}

/** Checks beyond the shape for all members with a valid shape: a missing price must not hide an invalid path. */
const checkValidMembers = (value: Json, shape: ReadonlyArray<Detail>): ReadonlyArray<Detail> => {
  const wrongAt = (prefix: string) =>
    new Set(
      shape.flatMap(({ path }) => (path.startsWith(prefix) ? [path.slice(prefix.length).split(".")[0] ?? ""] : []))
    )
  const operations = Array.isArray(value["operations"]) ? (value["operations"] as ReadonlyArray<unknown>) : []
  const around = {
    ...withStubs(value, serviceStub, new Set([...wrongAt(""), "operations"])),
    operations: [operationStub]
  }
  return [
    ...checkWhole(around).filter(({ path }) => !path.startsWith("operations")),
    ...operations.flatMap((operation, at) => {
      if (!isJson(operation)) return []
      const here = withStubs(operation, operationStub, wrongAt(`operations.${at}.`))
      return checkWhole({ ...serviceStub, operations: [here] })
        .filter(({ path }) => path.startsWith("operations.0."))
        .map(({ message, path }) => ({ message, path: `operations.${at}.${path.slice("operations.0.".length)}` }))
    })
  ]
}

export const checkDefinition = (value: unknown): ReadonlyArray<Detail> => {
  const decoded = decode(value)
  if (Result.isSuccess(decoded)) return checkService(decoded.success)
  const shape = problemsOf(decoded.failure.issue, value)
  return isJson(value) ? [...shape, ...checkValidMembers(value, shape)] : shape
}

/** The hub's warnings on imported operations: an import sets no rule for an unknown outcome. */
export const importedWarnings = (
  operations: ReadonlyArray<{
    readonly operation: Pick<HttpOperation, "name" | "method" | "path">
    readonly price: HttpOperation["price"]
  }>
): ReadonlyArray<Detail> =>
  serviceWarnings(
    operations.map(({ operation: { method, name, path }, price }) => ({
      name,
      method,
      path,
      price,
      payload_schema: {}
    }))
  )
