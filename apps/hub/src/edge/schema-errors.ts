/**
 * What a schema refuses of a request: 400 with every place; of a path, 404, save where the path names what is made. An answer of
 * ours that does not fit its schema stays a defect.
 */
import { SchemaErrors } from "@countersign/domain/api"
import { invalidRequest, notFound, noWorkspace } from "@countersign/domain/errors"
import { problemsOf, problemsSentence, queryProblemsOf } from "@countersign/domain/schema-problems"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { bodyOf } from "./request-body.ts"

/** Places told at most. */
const detailsMax = 100

const subjects: Readonly<Record<string, string>> = { Query: "The query", Params: "The address", Headers: "A header" }

/** What the first id of a path is of, in the words of the handlers: `/policies/:id` is of a policy. */
const nounOf = (path: string): string =>
  (/([a-z-]+)\/:/.exec(path)?.[1] ?? "resource").replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", " ")

export const schemaErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error, { endpoint }) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.fail(error)
  if (error.kind === "Params" && endpoint.method !== "PUT") {
    const noun = nounOf(endpoint.path)
    return Effect.fail(noun === "workspace" ? noWorkspace() : notFound(noun))
  }
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const subject = subjects[error.kind]
    const { issue } = error.cause
    const problems = subject === undefined ? problemsOf(issue, bodyOf(request)?.value) : queryProblemsOf(issue)
    return Effect.fail(invalidRequest(problemsSentence(subject ?? "The body", problems), problems.slice(0, detailsMax)))
  })
})
