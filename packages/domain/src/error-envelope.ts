/**
 * Reads the error envelope of an answer without a schema, for clients of a browser's first load. A member of another
 * type counts as absent, so that a proxy's page and a newer hub's error are read by the same rule. Spec:
 * reference/conventions.md "Errors".
 */
import type { Detail, ErrorBody } from "./errors.ts"

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined => typeof value === "string" && value !== "" ? value : undefined
const isDetail = (value: unknown): value is Detail =>
  isObject(value) && typeof value["path"] === "string" && typeof value["message"] === "string"

/** `body`: the parsed body of an answer that is not 2xx. Every member is absent if it has no envelope. */
export const readErrorEnvelope = (body: unknown): Partial<ErrorBody> => {
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : {}
  const code = textOf(error["code"])
  const message = textOf(error["message"])
  const request_id = textOf(error["request_id"])
  const { data, details } = error
  return {
    ...code === undefined ? {} : { code },
    ...message === undefined ? {} : { message },
    ...request_id === undefined ? {} : { request_id },
    ...Array.isArray(details) ? { details: details.filter(isDetail) } : {},
    ...isObject(data) ? { data } : {}
  }
}
