/**
 * The body of `POST /service-requests`, read by hand because this is the busiest endpoint; all of its rules are here.
 * Pure.
 */
import { type ApiError, type Detail, invalidRequest } from "@countersign/domain/errors"
import { isJsonObject } from "@countersign/domain/json"
import { similarNames } from "@countersign/domain/similar-names"
import { Effect } from "effect"
import type { Submission } from "./pipeline/submission.ts"

type Input = Pick<Submission, "service" | "operation" | "payload">

const nameMax = 64
const names = ["service", "operation", "payload"]

/** Other APIs' names for the payload. */
const payloadNames = new Set(["args", "arguments", "body", "data", "input", "inputs", "parameters", "params"])

const hintOf = (name: string): string => {
  if (/^idempotency[-_]?key$/iu.test(name)) return "unknown field; send it as the header idempotency-key"
  const near = payloadNames.has(name.toLowerCase()) ? "payload" : similarNames(name, names)[0]
  return near === undefined
    ? "unknown field; put the operation's fields into payload"
    : `unknown field; did you mean ${near}?`
}

const nameProblem = (name: string, value: unknown): ReadonlyArray<Detail> => {
  if (value === undefined) return [{ path: name, message: "required" }]
  if (typeof value !== "string" || value === "" || value.length > nameMax) {
    return [{ path: name, message: `expected a name of 1 to ${nameMax} characters` }]
  }
  return []
}

const problems = (value: Readonly<Record<string, unknown>>): ReadonlyArray<Detail> => {
  const { operation, payload, service } = value
  const [first = "", ...rest] = typeof service === "string" ? service.split(".") : []
  const joined = operation === undefined && rest.length > 0
    ? [{
      path: "operation",
      message: `required; if you mean ${service as string}, the service is ${first} and the operation ${rest.join(".")}`
    }]
    : nameProblem("operation", operation)
  return [
    ...nameProblem("service", service),
    ...joined,
    ...payload === undefined ? [{ path: "payload", message: "required; send {} if the operation has no fields" }] : [],
    ...payload !== undefined && !isJsonObject(payload)
      ? [{
        path: "payload",
        message: `expected an object${
          typeof payload === "string" ? ", not a string: send the JSON itself, not its text" : ""
        }`
      }]
      : [],
    ...Object.keys(value).filter((name) => !names.includes(name)).map((name) => ({ path: name, message: hintOf(name) }))
  ]
}

const fits = (value: unknown): value is Input => {
  if (!isJsonObject(value)) return false
  const { operation, payload, service } = value
  return typeof service === "string" && service !== "" && service.length <= nameMax &&
    typeof operation === "string" && operation !== "" && operation.length <= nameMax &&
    isJsonObject(payload) && Object.keys(value).length === names.length
}

export const readInput = (value: unknown): Effect.Effect<Input, ApiError> => {
  if (fits(value)) return Effect.succeed(value)
  if (value === undefined) {
    return Effect.fail(
      invalidRequest("Send a JSON body with service, operation, and payload.", [{ path: "", message: "required" }])
    )
  }
  if (!isJsonObject(value)) {
    return Effect.fail(invalidRequest("The body must be a JSON object with service, operation, and payload.", [
      { path: "", message: "expected an object" }
    ]))
  }
  const details = problems(value)
  const [{ message, path } = { path: "", message: "" }] = details
  return Effect.fail(
    invalidRequest(
      `The body must be { service, operation, payload }. ${path}: ${message}${message.endsWith("?") ? "" : "."}`,
      details
    )
  )
}
