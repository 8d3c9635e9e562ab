/**
 * The hub's own checks of a service, run here while it is written: the schema of the contract, then expressions, templates, pointers and
 * what belongs together. Loaded when an editor is opened, since the rules are larger than any screen.
 */
import { HttpService, checkService } from "@countersign/domain/services"
import { Result, Schema, SchemaIssue } from "effect"
import type { Detail } from "../hub/error.ts"

const decode = Schema.decodeUnknownResult(HttpService, { errors: "all", onExcessProperty: "error" })
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The library's words for what happens most often. */
const plainer: Readonly<Record<string, string>> = { "Missing key": "required", "Expected no excess property": "unknown" }

export const checkDefinition = (value: unknown): ReadonlyArray<Detail> => {
  const decoded = decode(value)
  if (Result.isSuccess(decoded)) return checkService(decoded.success)
  return format(decoded.failure.issue).issues.map((issue) => ({
    path: (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join("."),
    message: plainer[issue.message] ?? issue.message
  }))
}
