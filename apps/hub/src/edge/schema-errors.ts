/**
 * Errors of request schemas: 400 with every place; for a path, 404, except where the path names the object to create. A
 * response of ours that does not fit its schema stays a defect.
 */
import { SchemaErrors } from "@countersign/domain/api"
import { invalidRequest, notFound, noWorkspace } from "@countersign/domain/errors"
import { problemsOf, problemsSentence, queryProblemsOf } from "@countersign/domain/schema-problems"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { bodyOf } from "./request-body.ts"

const subjects: Readonly<Record<string, string>> = { Query: "The query", Params: "The address", Headers: "A header" }

/** The kind of object that a path's first id names, in the handlers' words: `/policies/:id` names a policy. */
const nounOf = (path: string): string =>
  (/([a-z-]+)\/:/.exec(path)?.[1] ?? "resource").replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", " ")

/** Query parameters that an address contains more than once. */
const repeatedIn = (url: string): ReadonlySet<string> => {
  const seen = new Set<string>()
  const names = [...new URLSearchParams(url.split("?")[1] ?? "").keys()]
  return new Set(names.filter((name) => seen.size === seen.add(name).size))
}

export const schemaErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error, { endpoint }) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.fail(error)
  if (error.kind === "Params" && endpoint.method !== "PUT") {
    const noun = nounOf(endpoint.path)
    return Effect.fail(noun === "workspace" || noun === "org" ? noWorkspace() : notFound(noun))
  }
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const subject = subjects[error.kind]
    const { issue } = error.cause
    const problems = subject === undefined
      ? problemsOf(issue, bodyOf(request)?.value)
      : queryProblemsOf(issue, repeatedIn(request.url))
    return Effect.fail(invalidRequest(problemsSentence(subject ?? "The body", problems), problems))
  })
})
