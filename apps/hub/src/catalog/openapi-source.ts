/** The location of the document of an import: in the request, or at an address that the hub fetches. */
import type { ImportServiceInput, PreviewImportInput } from "@countersign/domain/catalog"
import { type ApiError, invalidField, invalidRequest, upstreamError, upstreamTimeout } from "@countersign/domain/errors"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { Effect } from "effect"
import type { Egress } from "../providers/egress.ts"
import { openApiBytesMax } from "./openapi-document.ts"
import { type OpenApiJob, sourceProblems } from "./openapi-job.ts"

/** For the whole fetch: a slow server is cut off. */
const fetchMillisMax = 60_000

/** A request body that is too large to be read in this thread. */
export interface LargeBody {
  readonly body: Uint8Array
}

const fetched = Effect.fnUntraced(function*(egress: Egress["Service"], url: string) {
  const answer = yield* egress.request({
    url,
    method: "GET",
    headers: { accept: "application/json, application/yaml, text/yaml, */*;q=0.5" },
    timeoutMs: fetchMillisMax,
    maxBytes: openApiBytesMax,
    overflow: "fail"
  }).pipe(Effect.catchTags({
    EgressRefused: (error) => Effect.fail(invalidField("url", error.message)),
    ResponseTooLarge: (error) => Effect.fail(invalidField("url", error.message)),
    UpstreamTimeout: (error) =>
      Effect.fail(
        upstreamTimeout(`The document could not be fetched: ${error.message}. Try again, or send it as openapi.`)
      ),
    UpstreamUnreachable: (error) => Effect.fail(upstreamError(`The document could not be fetched: ${error.message}.`))
  }))
  return answer.status === 200
    ? answer.body
    : yield* Effect.fail(upstreamError(`The document could not be fetched: its server answered ${answer.status}.`))
})

/** The job of an import or a preview, with its document fetched. */
export const openApiJob = (
  egress: Egress["Service"],
  kind: OpenApiJob["kind"],
  input: LargeBody | ImportServiceInput | PreviewImportInput
): Effect.Effect<OpenApiJob, ApiError> => {
  if ("body" in input) return Effect.succeed({ kind, body: input.body })
  const problems = sourceProblems(input)
  if (problems.length > 0) return Effect.fail(invalidRequest(problemsSentence("The body", problems), problems))
  const { url } = input
  return url === undefined
    ? Effect.succeed({ kind, input } as OpenApiJob)
    : Effect.map(fetched(egress, url), (bytes) => ({ kind, input, bytes }) as OpenApiJob)
}
