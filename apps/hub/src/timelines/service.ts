/** One request with all its records. */
import type { UserPrincipal } from "@countersign/domain/auth"
import { capsOf } from "@countersign/domain/bindings"
import { type ApiError, notFound } from "@countersign/domain/errors"
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { maskedValue } from "@countersign/domain/mask"
import { mask } from "@countersign/domain/masking"
import { isRemoved } from "@countersign/domain/retention"
import type { ServiceRequest } from "@countersign/domain/service-requests"
import type { RequestTimeline } from "@countersign/domain/timelines"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { Approvals } from "../approvals/service.ts"
import { AuditTrail } from "../audit/trail.ts"
import { maySeeOwned } from "../auth/own.ts"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { payloadSchemaOf } from "../dispatch/decision/decision.ts"
import { LimitsRepository } from "../dispatch/decision/limits-repository.ts"
import { RequestsRepository, type StoredRequest } from "../dispatch/requests/repository.ts"
import { renderRequest } from "../dispatch/requests/view.ts"
import { Ledger } from "../ledger/service.ts"
import { TimelinesRepository } from "./repository.ts"
import { stepsOf } from "./rules.ts"

/** Maximum number of log entries in a trace, of the request and of its approval. */
const entriesMax = 50

export class Timelines extends Context.Service<Timelines, {
  /** 404 when it does not exist, or the person may not see it. */
  readonly get: (user: UserPrincipal, id: ServiceRequestId) => Effect.Effect<RequestTimeline, ApiError>
}>()("@countersign/hub/timelines/Timelines") {
  static readonly layer = Layer.effect(
    Timelines,
    Effect.gen(function*() {
      const requests = yield* RequestsRepository
      const repository = yield* TimelinesRepository
      const approvals = yield* Approvals
      const configuration = yield* Configuration
      const limits = yield* LimitsRepository
      const ledger = yield* Ledger
      const trail = yield* AuditTrail

      const load = Effect.fnUntraced(function*(user: UserPrincipal, id: ServiceRequestId) {
        const found = yield* requests.find(user.org_id, id)
        if (Option.isNone(found)) return yield* Effect.fail(notFound("service request"))
        const isVisible = yield* maySeeOwned(
          user,
          requests.agentOf(user.org_id, found.value.agent_id),
          "service_request"
        )
        return isVisible ? found.value : yield* Effect.fail(notFound("service request"))
      })

      /** The current rules of its operation. */
      const rulesOf = Effect.fnUntraced(function*(org: OrgId, request: StoredRequest) {
        const workspace = yield* Effect.promise(() => configuration.org(org))
        const agent = (yield* Effect.promise(() => configuration.load(org, request.agent_id)))?.agent
        const binding = agent?.bindings.get(request.service)
        const caps = binding === undefined ? {} : capsOf(binding, request.operation)
        return {
          caps,
          threshold: caps.approval_threshold_cents ?? agent?.approvalThresholdCents ?? workspace.approvalThresholdCents,
          schema: payloadSchemaOf(workspace, request)
        }
      })

      const entriesOf = Effect.fnUntraced(function*(org: OrgId, subjects: ReadonlyArray<string>) {
        const about = (subject_id: string) =>
          Stream.runCollect(Stream.take(trail.entries(org, { subject_id }), entriesMax))
        const found = yield* Effect.forEach(subjects, about, { concurrency: 2 })
        return found.flat().sort((one, two) => one.seq - two.seq)
      })

      const get = Effect.fn("Timelines.get")(function*(user: UserPrincipal, id: ServiceRequestId) {
        const org = user.org_id
        const request = yield* load(user, id)
        const { caps, schema, threshold } = yield* rulesOf(org, request)
        const approval = request.approval_id === null || !user.permissions.has("approvals:read")
          ? undefined
          : Option.getOrUndefined(yield* Effect.option(approvals.get(user, request.approval_id)))
        const standing = user.permissions.has("approvals:read")
          ? Option.getOrUndefined(yield* repository.standingOf(org, request))
          : undefined
        const payload: unknown = JSON.parse(request.payload)
        const response = JSON.parse(renderRequest(request)) as ServiceRequest
        const failure = request.status === "failed"
          ? (response.result as { readonly code?: string } | undefined)?.code
          : undefined
        const { completed_at, created_at, reason_code, status } = request
        const decided = approval?.decided_at === undefined ? undefined : Date.parse(approval.decided_at)
        const steps = stepsOf(
          {
            status,
            reason_code,
            failure,
            created_at,
            completed_at,
            blockedByRule: response.block?.policy_id !== undefined,
            blockedByProvider: response.block?.limit === "provider"
          },
          request.approval_id === null ? undefined : { approved: approval?.status === "approved", decided_at: decided }
        )
        const debited = request.cost_cents > 0 && user.permissions.has("usage:read") ? completed_at : null
        const subjects = [request.id, ...request.approval_id === null ? [] : [request.approval_id]]
        return {
          request: response,
          agent: { id: request.agent_id, name: yield* repository.agentName(org, request.agent_id) },
          // Without the schema of a deleted operation, no field is known to be public.
          payload: isRemoved(payload) ? payload : schema === undefined ? maskedValue : mask(schema, payload),
          steps: steps.map(({ at, ...taken }) =>
            at === undefined ? taken : { ...taken, at: new Date(at).toISOString() }
          ),
          ...approval === undefined ? {} : { approval },
          ...standing === undefined ? {} : {
            standing_approval: {
              id: standing.id as NonNullable<RequestTimeline["standing_approval"]>["id"],
              created_by: { id: standing.by_id, name: standing.by_name, email: standing.by_email },
              ended: standing.ended
            }
          },
          limits: (yield* limits.figures({ ...request, org, agent: request.agent_id, mode: response.mode }, caps))
            .limits,
          threshold_cents: threshold as RequestTimeline["threshold_cents"],
          postings: debited === null ? [] : yield* ledger.postingsOf(org, request.id, debited),
          entries: user.permissions.has("audit:read") ? yield* entriesOf(org, subjects) : []
        } satisfies RequestTimeline
      })

      return Timelines.of({ get })
    })
  )
}
