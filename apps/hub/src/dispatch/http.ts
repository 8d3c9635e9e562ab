/** Service requests over HTTP. One function writes their JSON, so every endpoint returns the same bytes. */
import { HubApi } from "@countersign/domain/api"
import {
  type AgentPrincipal,
  CurrentAgent,
  CurrentPrincipal,
  CurrentUser,
  type Principal
} from "@countersign/domain/auth"
import { type Answer, answered, type RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, conflict, invalidField, notFound } from "@countersign/domain/errors"
import { idPattern } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type { RequestQuery } from "@countersign/domain/service-requests"
import { momentMillis } from "@countersign/domain/time"
import { Effect, Option, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Approvals } from "../approvals/service.ts"
import { Liveness } from "../auth/liveness.ts"
import { maySeeOwned, ownerFilter, teamsToSee } from "../auth/own.ts"
import { needs } from "../edge/access.ts"
import type { PlainAnswer } from "../edge/answers.ts"
import { bodyOf } from "../edge/request-body.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, encodeCursor } from "../platform/cursor.ts"
import { csvFile, jsonLinesFile } from "../platform/download.ts"
import { idempotencyKeyOf, type SentHeaders, sentHeaders } from "../platform/idempotency-key.ts"
import { decodePlace } from "../platform/keyset.ts"
import { Configuration } from "./decision/configuration.ts"
import { shownWhole } from "./decision/decision.ts"
import { Estimates } from "./pipeline/estimates.ts"
import { Interventions } from "./pipeline/interventions.ts"
import { Dispatch } from "./pipeline/service.ts"
import { readScript, readTask, type Submission, submissionOf, testSubmissionOf } from "./pipeline/submission.ts"
import { readInput } from "./request-input.ts"
import { csvColumns, csvRow, exported, rowSummary } from "./requests/export.ts"
import { RequestsRepository, type StoredRequest } from "./requests/repository.ts"
import { renderRequest } from "./requests/view.ts"

const requestId = idPattern("req")

const show = (facts: RequestFacts) =>
  HttpServerResponse.text(renderRequest(facts), { contentType: "application/json; charset=utf-8" })

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

export const ServiceRequestsHttp = HttpApiBuilder.group(
  HubApi,
  "service_requests",
  Effect.fn(function*(handlers) {
    const dispatch = yield* Dispatch
    const repository = yield* RequestsRepository
    const estimates = yield* Estimates
    const interventions = yield* Interventions
    const approvals = yield* Approvals
    const audit = yield* AuditLog
    const liveness = yield* Liveness
    const configuration = yield* Configuration

    /** An agent sees its own requests, a member those of the agents that they own, everyone else the workspace's. */
    const visible = (
      principal: Principal,
      found: Option.Option<StoredRequest>
    ): Effect.Effect<StoredRequest, ApiError> =>
      Effect.gen(function*() {
        if (Option.isNone(found)) return yield* Effect.fail(notFound("service request"))
        const isVisible = principal.kind === "agent"
          ? found.value.agent_id === principal.agent_id && found.value.mode === principal.mode
          : yield* maySeeOwned(principal, repository.agentOf(principal.org_id, found.value.agent_id), "service_request")
        return isVisible ? found.value : yield* Effect.fail(notFound("service request"))
      })

    /** The filters of the list and its export, narrowed to the requests that the caller may read. */
    const filterOf = Effect.fnUntraced(function*(principal: Principal, query: RequestQuery) {
      const bound = (text: string | undefined) => text === undefined ? undefined : momentMillis(text)
      if (principal.kind === "agent" && query.agent_id !== undefined && query.agent_id !== principal.agent_id) {
        return yield* Effect.fail(invalidField("agent_id", "an agent sees its own requests only"))
      }
      return {
        status: query.status === undefined
          ? undefined
          : typeof query.status === "string"
          ? [query.status]
          : query.status,
        agent_id: principal.kind === "agent" ? principal.agent_id : query.agent_id,
        owner_user_id: ownerFilter(principal),
        teams: teamsToSee(principal, "service_request"),
        service: query.service,
        operation: query.operation,
        standing_approval_id: query.standing_approval_id,
        mode: principal.kind === "agent" ? principal.mode : query.mode,
        reason_code: query.reason_code,
        min_cents: query.min_cents,
        max_cents: query.max_cents,
        from: bound(query.from),
        to: bound(query.to),
        q: query.q,
        // People must not find masked values by searching; an agent wrote its payloads itself.
        searched: query.q === undefined || principal.kind === "agent"
          ? undefined
          : shownWhole(yield* Effect.promise(() => configuration.org(principal.org_id)))
      }
    })

    return handlers
      .handleRaw(
        "dispatch",
        Effect.fnUntraced(function*({ request }) {
          const sent = sentHeaders(request)
          const submission = yield* submissionIn(yield* CurrentAgent, sent, bodyOf(request)?.value)
          const { text, ...options } = dispatchAnswer(yield* answered(dispatch.submit(submission)))
          return HttpServerResponse.text(text, options)
        })
      )
      .handle(
        "test",
        Effect.fnUntraced(function*({ params, payload }) {
          const user = yield* CurrentUser
          const key = yield* idempotencyKeyOf(
            sentHeaders(yield* HttpServerRequest.HttpServerRequest)
          )
          if (!(yield* maySeeOwned(user, repository.agentOf(user.org_id, params.id)))) {
            return yield* Effect.fail(notFound("agent"))
          }
          const { text, ...options } = dispatchAnswer(
            yield* answered(dispatch.submit(testSubmissionOf(user, params.id, payload, key)))
          )
          return HttpServerResponse.text(text, options)
        })
      )
      .handle(
        "get",
        Effect.fnUntraced(function*({ params, query }) {
          const principal = yield* CurrentPrincipal
          const first = yield* Effect.flatMap(
            dispatch.find(principal.org_id, params.id),
            (found) => visible(principal, found)
          )
          if (
            query.wait === undefined || query.wait === 0 ||
            (first.status !== "running" && first.status !== "approval_required")
          ) {
            return show(first)
          }
          const later = yield* liveness.whileAllowed(
            principal,
            dispatch.await(principal.org_id, params.id, query.wait * 1000)
          )
          return show(Option.getOrElse(later, () => first))
        })
      )
      .handle(
        "export",
        Effect.fnUntraced(function*({ query: { format, workspace: _, ...query } }) {
          const user = yield* CurrentUser
          const filter = yield* filterOf(user, query)
          const requests = exported(
            user.org_id,
            filter,
            repository,
            yield* Effect.promise(() => configuration.org(user.org_id))
          )
          return format === "jsonl"
            ? jsonLinesFile(
              `requests-${user.org_id}`,
              Stream.map(requests, ({ facts, summary }) => renderRequest(facts, summary))
            )
            : csvFile(`requests-${user.org_id}`, csvColumns, Stream.map(requests, csvRow))
        })
      )
      .handle(
        "list",
        Effect.fnUntraced(function*({ query }) {
          const principal = yield* CurrentPrincipal
          const sort = query.sort ?? "-created_at"
          const isByCost = sort.endsWith("cost_cents")
          const after = isByCost
            ? yield* decodePlace(query.cursor, sort, "integer", requestId)
            : Option.getOrUndefined(
              Option.map(
                Option.fromNullishOr(yield* decodeCursor(query.cursor, [requestId])),
                ([id]) => ({ key: "0", id: id! })
              )
            )
          const as_of = yield* audit.asOf(principal.org_id)
          const limit = query.limit ?? pageLimitDefault
          const { next: place, rows } = yield* repository.list(principal.org_id, {
            ...yield* filterOf(principal, query),
            sort,
            limit,
            after
          })
          const org = principal.kind === "user"
            ? yield* Effect.promise(() => configuration.org(principal.org_id))
            : undefined
          const next = place === undefined ? null : encodeCursor(isByCost ? [sort, place.key, place.id] : [place.id])
          return HttpServerResponse.text(
            `{"data":[${
              rows.map((facts) => renderRequest(facts, org && rowSummary(org, facts))).join(",")
            }],"next_cursor":${JSON.stringify(next)},"as_of":${JSON.stringify(as_of)}}`,
            { contentType: "application/json; charset=utf-8" }
          )
        })
      )
      .handle(
        "estimate",
        Effect.fnUntraced(function*({ payload }) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const principal = yield* CurrentPrincipal
          if (principal.kind === "agent" && payload.agent_id !== undefined && payload.agent_id !== principal.agent_id) {
            return yield* Effect.fail(invalidField("agent_id", "an agent estimates for itself only"))
          }
          const agent = principal.kind === "agent" ? principal.agent_id : payload.agent_id
          if (agent === undefined) {
            return yield* Effect.fail(invalidField("agent_id", "name the agent whose request is estimated"))
          }
          const mode = principal.kind === "agent" ? principal.mode : "live"
          const script = yield* readScript(request.headers["x-test-outcome"], mode)
          const task = yield* readTask(request.headers["x-delegated-task"])
          return yield* estimates.estimate(principal, agent, mode, payload, script, task)
        })
      )
      .handle(
        "settle",
        Effect.fnUntraced(function*({ params, payload }) {
          const user = yield* CurrentUser
          yield* Effect.flatMap(dispatch.find(user.org_id, params.id), (found) => visible(user, found))
          return show(yield* interventions.settle(user, params.id, payload))
        })
      )
      .handle(
        "cancel",
        Effect.fnUntraced(function*({ params }) {
          const principal = yield* CurrentPrincipal
          const request = yield* Effect.flatMap(
            dispatch.find(principal.org_id, params.id),
            (found) => visible(principal, found)
          )
          if (principal.kind === "user") yield* needs(principal, "requests:write")
          if (
            request.status === "approval_required" && request.approval_id !== null &&
            (yield* approvals.cancel(principal.org_id, request.approval_id, actorOf(principal)))
          ) {
            return show(
              yield* Effect.flatMap(dispatch.find(principal.org_id, params.id), (found) => visible(principal, found))
            )
          }
          const stopped = request.status === "running" ? yield* interventions.cancel(principal, request) : undefined
          if (stopped !== undefined) return show(stopped)
          const now = yield* Effect.flatMap(
            dispatch.find(principal.org_id, params.id),
            (found) => visible(principal, found)
          )
          return yield* Effect.fail(
            conflict("not_cancellable", `This request is ${now.status} and cannot be canceled.`, {
              status: now.status
            })
          )
        })
      )
  })
)
