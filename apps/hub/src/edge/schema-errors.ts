/**
 * What a schema refuses of a request: 400 with every place; of a path, 404, save where the path names what is made. An answer of
 * ours that does not fit its schema stays a defect.
 */
import { invalidRequest, noWorkspace, notFound } from "@countersign/domain/errors"
import { SchemaErrors } from "@countersign/domain/api"
import { Effect, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

/** Places told at most. */
const detailsMax = 100
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The library's words for what callers do most often. */
const plainer: Readonly<Record<string, string>> = { "Missing key": "required", "Expected no excess property": "unknown" }

const messages = { Query: "A query parameter is not acceptable.", Params: "The address is not acceptable." } as Readonly<
  Record<string, string>
>

/** What the first id of a path is of, in the words of the handlers: `/policies/:id` is of a policy. */
const nounOf = (path: string): string =>
  (/([a-z-]+)\/:/.exec(path)?.[1] ?? "resource").replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", " ")

export const schemaErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error, { endpoint }) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.fail(error)
  if (error.kind === "Params" && endpoint.method !== "PUT") {
    const noun = nounOf(endpoint.path)
    return Effect.fail(noun === "workspace" ? noWorkspace() : notFound(noun))
  }
  const details = format(error.cause.issue).issues.slice(0, detailsMax).map((issue) => ({
    path: (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join("."),
    message: plainer[issue.message] ?? issue.message
  }))
  return Effect.fail(invalidRequest(messages[error.kind] ?? "The body does not fit what this endpoint takes.", details))
})
