/** What a schema refuses of a request: 400 with every place; of a path, 404. An answer of ours that does not fit its schema stays a defect. */
import { invalidRequest, notFound } from "@countersign/domain/errors"
import { SchemaErrors } from "@countersign/domain/api"
import { Effect, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

/** Places told at most. */
const detailsMax = 100
const format = SchemaIssue.makeFormatterStandardSchemaV1()

export const schemaErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.fail(error)
  if (error.kind === "Params") return Effect.fail(notFound())
  const details = format(error.cause.issue).issues.slice(0, detailsMax).map((issue) => ({
    path: (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join("."),
    message: issue.message
  }))
  return Effect.fail(invalidRequest(error.kind === "Query" ? "A query parameter is not acceptable." : "The body does not fit what this endpoint takes.", details))
})
