/** Service requests over HTTP. One function writes their JSON, so every endpoint returns the same bytes. */
import { HubApi } from "@countersign/domain/api"
import { type AgentPrincipal, CurrentAgent, CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { type Answer, answered, type RequestFacts } from "@countersign/domain/dispatch-outcomes"
import type { ApiError } from "@countersign/domain/errors"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { PlainAnswer } from "../edge/answers.ts"
import { bodyOf } from "../edge/request-body.ts"
import { note } from "../edge/request-log.ts"
import type { PageOf } from "../platform/cursor.ts"
import { csvFile, jsonLinesFile } from "../platform/download.ts"
import { idempotencyKeyOf, type SentHeaders, sentHeaders } from "../platform/idempotency-key.ts"
import { Dispatch } from "./pipeline/service.ts"
import { readScript, readTask, type Submission, submissionOf } from "./pipeline/submission.ts"
import { readInput } from "./request-input.ts"
import { csvColumns, csvRow } from "./requests/export.ts"
import { renderRequest } from "./requests/view.ts"
import { type ListedRequest, ServiceRequests } from "./service.ts"

const jsonText = (text: string) => HttpServerResponse.text(text, { contentType: "application/json; charset=utf-8" })

/** Names the service request in the log line of the call. */
const noted = ({ id, status }: RequestFacts) => ({ serviceRequestId: id, outcome: status })

const show = (facts: RequestFacts) => Effect.as(note(noted(facts)), jsonText(renderRequest(facts)))

const showPage = ({ as_of, data, next_cursor }: PageOf<ListedRequest>) =>
  jsonText(
    `{"data":[${data.map(({ facts, summary }) => renderRequest(facts, summary)).join(",")}],"next_cursor":${
      JSON.stringify(next_cursor)
    },"as_of":${JSON.stringify(as_of)}}`
  )

/** The submission in an agent's `POST /service-requests`, from its headers and the value of its body. */
export const submissionIn = (
  agent: AgentPrincipal,
  sent: SentHeaders,
  value: unknown
): Effect.Effect<Submission, ApiError> =>
  Effect.flatMap(
    idempotencyKeyOf(sent),
    (key) =>
      Effect.flatMap(readScript(sent.headers["x-test-outcome"] as string | undefined, agent.mode), (script) =>
        Effect.flatMap(readTask(sent.headers["x-delegated-task"] as string | undefined), (task) =>
          Effect.map(readInput(value), (input) =>
            submissionOf(agent, input, key, script, task))))
  )

/** The response to a submission: text, status, and headers. */
export const dispatchAnswer = ({ facts, replayed }: Answer): PlainAnswer => ({
  text: renderRequest(facts),
  status: facts.status === "running" ? 202 : 200,
  contentType: "application/json; charset=utf-8",
  headers: replayed ? { "idempotent-replayed": "true" } : {}
})

/** The part of the log line that names the service request. */
export const notesOf = ({ facts }: Answer) => noted(facts)

const showAnswer = (answer: Answer) => {
  const { text, ...options } = dispatchAnswer(answer)
  return Effect.as(note(notesOf(answer)), HttpServerResponse.text(text, options))
}

export const ServiceRequestsHttp = HttpApiBuilder.group(
  HubApi,
  "service_requests",
  Effect.fn(function*(handlers) {
    const dispatch = yield* Dispatch
    const requests = yield* ServiceRequests
    return handlers
      .handleRaw(
        "dispatch",
        Effect.fnUntraced(function*({ request }) {
          const submission = yield* submissionIn(yield* CurrentAgent, sentHeaders(request), bodyOf(request)?.value)
          return yield* showAnswer(yield* answered(dispatch.submit(submission)))
        })
      )
      .handle(
        "test",
        Effect.fnUntraced(function*({ params, payload }) {
          const key = yield* idempotencyKeyOf(sentHeaders(yield* HttpServerRequest.HttpServerRequest))
          return yield* showAnswer(yield* requests.test(yield* CurrentUser, params.id, payload, key))
        })
      )
      .handle(
        "get",
        Effect.fnUntraced(function*({ params, query }) {
          return yield* show(yield* requests.get(yield* CurrentPrincipal, params.id, (query.wait ?? 0) * 1_000))
        })
      )
      .handle(
        "export",
        Effect.fnUntraced(function*({ query: { format, workspace: _, ...query } }) {
          const user = yield* CurrentUser
          const found = yield* requests.export(user, query)
          const name = `requests-${user.org_id}`
          return format === "jsonl"
            ? jsonLinesFile(name, Stream.map(found, ({ facts, summary }) => renderRequest(facts, summary)))
            : csvFile(name, csvColumns, Stream.map(found, csvRow))
        })
      )
      .handle(
        "list",
        ({ query }) => CurrentPrincipal.use((principal) => Effect.map(requests.list(principal, query), showPage))
      )
      .handle(
        "estimate",
        Effect.fnUntraced(function*({ payload }) {
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          return yield* requests.estimate(yield* CurrentPrincipal, payload, headers)
        })
      )
      .handle(
        "settle",
        ({ params, payload }) =>
          CurrentUser.use((user) => Effect.flatMap(requests.settle(user, params.id, payload), show))
      )
      .handle(
        "cancel",
        ({ params }) => CurrentPrincipal.use((principal) => Effect.flatMap(requests.cancel(principal, params.id), show))
      )
  })
)
