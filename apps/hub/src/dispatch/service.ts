/**
 * Service requests for their readers, and for the people who settle or cancel them. Spec: reference/requests.md
 * "Reading requests", "Settlement", "Cancellation".
 */
import type { Principal, UserPrincipal } from "@countersign/domain/auth"
import { type Answer, answered } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, conflict, invalidField, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type {
  Estimate,
  EstimateInput,
  RequestQuery,
  RequestSort,
  TestRequestInput
} from "@countersign/domain/service-requests"
import type { SummaryField } from "@countersign/domain/summary"
import { momentMillis } from "@countersign/domain/time"
import { Context, Effect, Layer, Option, type Stream } from "effect"
import { Approvals } from "../approvals/service.ts"
import { Liveness } from "../auth/liveness.ts"
import { maySeeOwned, ownerFilter, teamsToSee } from "../auth/own.ts"
import { needs } from "../edge/access.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, encodeCursor, type PageOf, type PageQuery } from "../platform/cursor.ts"
import { decodePlace } from "../platform/keyset.ts"
import { Configuration } from "./decision/configuration.ts"
import { shownWhole } from "./decision/decision.ts"
import { Estimates } from "./pipeline/estimates.ts"
import { Interventions, type SettleInput } from "./pipeline/interventions.ts"
import { Dispatch } from "./pipeline/service.ts"
import { readScript, readTask, testSubmissionOf } from "./pipeline/submission.ts"
import { exported, type ExportedRequest, rowSummary } from "./requests/export.ts"
import { RequestsRepository, type StoredRequest } from "./requests/repository.ts"

const requestId = idPattern("req")

/** A request in a list. Only people get a summary. */
export interface ListedRequest {
  readonly facts: StoredRequest
  readonly summary: ReadonlyArray<SummaryField> | undefined
}

export class ServiceRequests extends Context.Service<ServiceRequests, {
  /** Waits up to `waitMillis` for the end of a request that runs or is pending. 404 when the caller may not see it. */
  readonly get: (
    principal: Principal,
    id: ServiceRequestId,
    waitMillis: number
  ) => Effect.Effect<StoredRequest, ApiError>
  readonly list: (
    principal: Principal,
    query: PageQuery & RequestQuery & { readonly sort?: RequestSort }
  ) => Effect.Effect<PageOf<ListedRequest>, ApiError>
  /** Newest first. */
  readonly export: (
    user: UserPrincipal,
    query: RequestQuery
  ) => Effect.Effect<Stream.Stream<ExportedRequest>, ApiError>
  /** Sends a request in test mode as an agent. `key`: its idempotency key. */
  readonly test: (
    user: UserPrincipal,
    agent: AgentId,
    input: TestRequestInput,
    key: string | undefined
  ) => Effect.Effect<Answer, ApiError>
  readonly estimate: (
    principal: Principal,
    input: typeof EstimateInput.Type,
    headers: Readonly<Record<string, string | undefined>>
  ) => Effect.Effect<Estimate, ApiError>
  readonly settle: (
    user: UserPrincipal,
    id: ServiceRequestId,
    input: SettleInput
  ) => Effect.Effect<StoredRequest, ApiError>
  /** 409 `not_cancellable` when it is not pending or running, or its provider cannot stop it. */
  readonly cancel: (principal: Principal, id: ServiceRequestId) => Effect.Effect<StoredRequest, ApiError>
}>()("@countersign/hub/dispatch/ServiceRequests") {
  static readonly layer = Layer.effect(
    ServiceRequests,
    Effect.gen(function*() {
      const dispatch = yield* Dispatch
      const repository = yield* RequestsRepository
      const estimates = yield* Estimates
      const interventions = yield* Interventions
      const approvals = yield* Approvals
      const audit = yield* AuditLog
      const liveness = yield* Liveness
      const configuration = yield* Configuration
      const configurationOf = (org: OrgId) => Effect.promise(() => configuration.org(org))

      /** An agent sees its own requests, a member those of the agents that they own, everyone else the workspace's. */
      const visible = Effect.fnUntraced(function*(principal: Principal, found: Option.Option<StoredRequest>) {
        if (Option.isNone(found)) return yield* Effect.fail(notFound("service request"))
        const request = found.value
        const isVisible = principal.kind === "agent"
          ? request.agent_id === principal.agent_id && request.mode === principal.mode
          : yield* maySeeOwned(principal, repository.agentOf(principal.org_id, request.agent_id), "service_request")
        return isVisible ? request : yield* Effect.fail(notFound("service request"))
      })
      const find = (principal: Principal, id: ServiceRequestId) =>
        Effect.flatMap(dispatch.find(principal.org_id, id), (found) => visible(principal, found))

      /** The filters of the list and its export, narrowed to the requests that the caller may read. */
      const filterOf = Effect.fnUntraced(function*(principal: Principal, query: RequestQuery) {
        const bound = (text: string | undefined) => text === undefined ? undefined : momentMillis(text)
        if (principal.kind === "agent" && query.agent_id !== undefined && query.agent_id !== principal.agent_id) {
          return yield* Effect.fail(invalidField("agent_id", "an agent sees its own requests only"))
        }
        return {
          status: typeof query.status === "string" ? [query.status] : query.status,
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
            : shownWhole(yield* configurationOf(principal.org_id))
        }
      })

      const placeOf = (cursor: string | undefined, sort: RequestSort, isByCost: boolean) =>
        isByCost
          ? decodePlace(cursor, sort, "integer", requestId)
          : Effect.map(
            decodeCursor(cursor, [requestId]),
            (parts) => parts === undefined ? undefined : { key: "0", id: parts[0]! }
          )

      return ServiceRequests.of({
        get: Effect.fn("ServiceRequests.get")(function*(principal, id, waitMillis) {
          const first = yield* find(principal, id)
          if (waitMillis === 0 || (first.status !== "running" && first.status !== "approval_required")) return first
          const later = yield* liveness.whileAllowed(principal, dispatch.await(principal.org_id, id, waitMillis))
          return Option.getOrElse(later, () => first)
        }),
        list: Effect.fn("ServiceRequests.list")(
          function*(principal, { cursor, limit = pageLimitDefault, sort = "-created_at", ...query }) {
            const isByCost = sort.endsWith("cost_cents")
            const after = yield* placeOf(cursor, sort, isByCost)
            const as_of = yield* audit.asOf(principal.org_id)
            const filter = yield* filterOf(principal, query)
            const { next, rows } = yield* repository.list(principal.org_id, { ...filter, sort, limit, after })
            const org = principal.kind === "user" ? yield* configurationOf(principal.org_id) : undefined
            return {
              data: rows.map((facts) => ({ facts, summary: org && rowSummary(org, facts) })),
              next_cursor: next === undefined ? null : encodeCursor(isByCost ? [sort, next.key, next.id] : [next.id]),
              as_of
            }
          }
        ),
        export: Effect.fn("ServiceRequests.export")(function*(user, query) {
          const filter = yield* filterOf(user, query)
          return exported(user.org_id, filter, repository, yield* configurationOf(user.org_id))
        }),
        test: Effect.fn("ServiceRequests.test")(function*(user, agent, input, key) {
          if (!(yield* maySeeOwned(user, repository.agentOf(user.org_id, agent)))) {
            return yield* Effect.fail(notFound("agent"))
          }
          return yield* answered(dispatch.submit(testSubmissionOf(user, agent, input, key)))
        }),
        estimate: Effect.fn("ServiceRequests.estimate")(function*(principal, input, headers) {
          if (principal.kind === "agent" && input.agent_id !== undefined && input.agent_id !== principal.agent_id) {
            return yield* Effect.fail(invalidField("agent_id", "an agent estimates for itself only"))
          }
          const agent = principal.kind === "agent" ? principal.agent_id : input.agent_id
          if (agent === undefined) {
            return yield* Effect.fail(invalidField("agent_id", "name the agent whose request is estimated"))
          }
          const mode = principal.kind === "agent" ? principal.mode : "live"
          const script = yield* readScript(headers["x-test-outcome"], mode)
          const task = yield* readTask(headers["x-delegated-task"])
          const { operation, payload, service } = input
          return yield* estimates.estimate(principal, {
            org: principal.org_id,
            agent,
            mode,
            service,
            operation,
            payload,
            script,
            task
          })
        }),
        settle: Effect.fn("ServiceRequests.settle")(function*(user, id, input) {
          yield* find(user, id)
          return yield* interventions.settle(user, id, input)
        }),
        cancel: Effect.fn("ServiceRequests.cancel")(function*(principal, id) {
          const request = yield* find(principal, id)
          if (principal.kind === "user") yield* needs(principal, "requests:write")
          if (
            request.status === "approval_required" && request.approval_id !== null &&
            (yield* approvals.cancel(principal.org_id, request.approval_id, actorOf(principal)))
          ) return yield* find(principal, id)
          const stopped = request.status === "running" ? yield* interventions.cancel(principal, request) : undefined
          if (stopped !== undefined) return stopped
          const { status } = yield* find(principal, id)
          return yield* Effect.fail(
            conflict("not_cancellable", `This request is ${status} and cannot be canceled.`, { status })
          )
        })
      })
    })
  )
}
