/**
 * Standing approvals: created with an approval that says `remember`, listed, revoked, and previewed on past requests.
 * Spec: reference/approvals.md "Standing approvals".
 */
import {
  type ApproveInput,
  type StandingApproval,
  standingLifeSecondsMax,
  standingMax,
  type StandingPreview,
  type StandingPreviewInput
} from "@countersign/domain/approvals"
import type { Mode, UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  type BadRequest,
  conflict,
  invalidField,
  type NotFound,
  notFound
} from "@countersign/domain/errors"
import { problemText } from "@countersign/domain/expression-problem"
import { type AgentId, idPattern, newId, type OrgId } from "@countersign/domain/ids"
import { maskedValue } from "@countersign/domain/mask"
import { mask } from "@countersign/domain/masking"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type { ServiceRequest } from "@countersign/domain/service-requests"
import { standingConditionProblem } from "@countersign/domain/standing-conditions"
import { isDay, momentMillis, timeExample } from "@countersign/domain/time"
import { Context, Effect, Layer, Option, Result } from "effect"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { payloadSchemaOf } from "../dispatch/decision/decision.ts"
import { needsStepUp } from "../edge/step-up.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { BacklogRepository } from "./backlog-repository.ts"
import { type Judged, judgePast, judgePending, judgingMillisMax } from "./evaluation.ts"
import { StandingApprovalsRepository, type StandingInput, toStanding } from "./repository.ts"
import { withinBounds, withinStanding } from "./rules.ts"

/** Past requests that a preview reads. */
const previewRequests = 100

export interface NewStanding extends StandingInput {
  readonly id: string
  readonly applyToPending: boolean
}

/** The facts of an approval that a standing approval takes over. */
export interface Remembered {
  readonly org_id: OrgId
  readonly required_approvals: number
  readonly agent: { readonly id: AgentId }
  readonly service: string
  readonly operation: string
  readonly mode: Mode
}

const sum = (cents: Iterable<number>): number => [...cents].reduce((total, one) => total + one, 0)

export class StandingApprovals extends Context.Service<StandingApprovals, {
  readonly list: (
    user: UserPrincipal,
    query: PageQuery & { readonly agent_id?: AgentId | undefined }
  ) => Effect.Effect<PageOf<StandingApproval>, BadRequest>
  /** None when it is revoked or does not exist. */
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<StandingApproval>>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<StandingApproval, NotFound>
  readonly withdraw: (user: UserPrincipal, id: string) => Effect.Effect<void, NotFound>
  /** Evaluates it on the last requests and on pending approvals; changes nothing. */
  readonly preview: (
    user: UserPrincipal,
    input: typeof StandingPreviewInput.Type
  ) => Effect.Effect<typeof StandingPreview.Type, ApiError>
  /** 400 or 409 when `remember` is not allowed on this approval. */
  readonly prepare: (
    approval: Remembered,
    remember: NonNullable<ApproveInput["remember"]>
  ) => Effect.Effect<NewStanding, ApiError>
  /** Refuses an amount above the step-up limit, and one too many. Call it under the workspace's lock. */
  readonly mayCreate: (
    user: UserPrincipal,
    stepUpCents: number | null,
    standing: NewStanding
  ) => Effect.Effect<void, ApiError>
  /**
   * The pending approvals that it covers. Call it before the transaction that grants the approval: a condition may take
   * a second on all of them.
   */
  readonly judge: (org: OrgId, standing: NewStanding, approval: string) => Effect.Effect<Judged>
  /**
   * Call it in the transaction that grants the approval. It adds to the backlog the pending approvals that the
   * condition covered before and that are still pending under the lock.
   */
  readonly create: (
    user: UserPrincipal,
    approval: string,
    standing: NewStanding,
    judged: Judged
  ) => Effect.Effect<void>
}>()("@countersign/hub/standing-approvals/StandingApprovals") {
  static readonly layer = Layer.effect(
    StandingApprovals,
    Effect.gen(function*() {
      const repository = yield* StandingApprovalsRepository
      const backlog = yield* BacklogRepository
      const audit = yield* AuditLog
      const db = yield* Db
      const signals = yield* Signals
      const configuration = yield* Configuration

      const list: StandingApprovals["Service"]["list"] = Effect.fnUntraced(function*(user, query) {
        const [after] = (yield* decodeCursor(query.cursor, [idPattern("sta")])) ?? []
        const as_of = yield* audit.asOf(user.org_id)
        const limit = query.limit ?? pageLimitDefault
        const rows = yield* repository.list(user.org_id, { agent_id: query.agent_id, after, limit })
        const page = toPage(rows, limit, ({ id }) => [id])
        return { ...page, data: page.data.map(toStanding), as_of }
      })

      const find = (org: OrgId, id: string) => Effect.map(repository.find(org, id), Option.map(toStanding))

      const withdraw: StandingApprovals["Service"]["withdraw"] = Effect.fnUntraced(function*(user, id) {
        const agent = yield* db.transaction(Effect.gen(function*() {
          const agent = yield* repository.withdraw(user.org_id, id)
          if (Option.isNone(agent)) return agent
          yield* audit.record(user.org_id, actorOf(user), {
            action: "standing_approval.withdrawn",
            subject: { type: "standing_approval", id },
            agent_id: agent.value
          })
          yield* db.afterCommit(Effect.sync(() => signals.config(user.org_id)))
          return agent
        }))
        if (Option.isNone(agent)) return yield* Effect.fail(notFound("standing approval"))
      })

      const preview: StandingApprovals["Service"]["preview"] = Effect.fnUntraced(function*(user, input) {
        const { when } = input
        const found = yield* Effect.promise(() => configuration.load(user.org_id, input.agent_id))
        if (found === undefined) return yield* Effect.fail(notFound("agent"))
        const service = found.org.services.get(input.service)
        if (service === undefined) return yield* Effect.fail(notFound("service"))
        if (!service.operations.has(input.operation)) return yield* Effect.fail(notFound("operation"))
        const schema = payloadSchemaOf(found.org, input)
        const problem = when === undefined ? undefined : standingConditionProblem(when, schema)
        if (when !== undefined && problem !== undefined) {
          return yield* Effect.fail(invalidField("when", problemText(when, problem)))
        }
        // A condition must not reveal hidden values to a person.
        const payloadOf = (text: string): unknown => schema === undefined ? maskedValue : mask(schema, JSON.parse(text))
        const mode = input.mode ?? "live"
        const past = yield* repository.past(user.org_id, { ...input, mode }, previewRequests)
        const matched = yield* judgePast(past, when, payloadOf)
        const fits = withinBounds(input)
        const judged = past.filter(({ id }) => matched.has(id))
        // Oldest first: the order in which they would have used it up.
        const covered = new Map(
          judged.toReversed()
            .filter(({ ceiling_cents, id }) => Result.getOrElse(matched.get(id)!, () => false) && fits(ceiling_cents))
            .map(({ ceiling_cents, id }) => [id, ceiling_cents])
        )
        const standing = { ...input, mode, max_total_cents: input.max_total_cents, max_uses: input.max_uses, when }
        const checked = yield* judgePending(
          repository,
          user.org_id,
          standing,
          input.approval_id,
          performance.now() + judgingMillisMax,
          payloadOf
        )
        const pending = withinStanding(standing, checked.matching)
        return {
          checked: judged.length,
          covered: covered.size,
          covered_cents: sum(covered.values()),
          errors: [...matched.values()].filter(Result.isFailure).length,
          pending: { count: pending.length, cost_cents: sum(pending.map(({ cost_cents }) => cost_cents)) },
          partial: judged.length < past.length || checked.partial,
          requests: judged.map((request) => ({
            id: request.id as ServiceRequest["id"],
            ceiling_cents: request.ceiling_cents,
            status: request.status,
            created_at: request.created_at.toISOString(),
            covered: covered.has(request.id)
          }))
        }
      })

      const prepare: StandingApprovals["Service"]["prepare"] = Effect.fnUntraced(function*(approval, remember) {
        if (approval.required_approvals > 1) {
          return yield* Effect.fail(
            conflict("standing_not_allowed", "A request that needs several approvals cannot have a standing approval.")
          )
        }
        const org = yield* Effect.promise(() => configuration.org(approval.org_id))
        const problem = remember.when === undefined
          ? undefined
          : standingConditionProblem(remember.when, payloadSchemaOf(org, approval))
        if (remember.when !== undefined && problem !== undefined) {
          return yield* Effect.fail(invalidField("remember.when", problemText(remember.when, problem)))
        }
        if (remember.max_total_cents !== undefined && remember.max_total_cents < remember.max_cost_cents) {
          return yield* Effect.fail(invalidField(
            "remember.max_total_cents",
            `a total below max_cost_cents (${remember.max_cost_cents}) does not cover one such request; raise it, or lower max_cost_cents`
          ))
        }
        const expires = new Date(momentMillis(remember.expires_at))
        const life = expires.getTime() - Date.now()
        if (isDay(remember.expires_at) || !(life > 0) || life > standingLifeSecondsMax * 1000) {
          return yield* Effect.fail(
            invalidField("remember.expires_at", `expected ${timeExample}, in the next 12 months`)
          )
        }
        return {
          id: newId("sta"),
          applyToPending: remember.apply_to_pending === true,
          agent_id: approval.agent.id,
          service: approval.service,
          operation: approval.operation,
          mode: approval.mode,
          max_cost_cents: remember.max_cost_cents,
          max_total_cents: remember.max_total_cents,
          max_uses: remember.max_uses,
          when: remember.when,
          expires_at: expires
        }
      })

      const mayCreate: StandingApprovals["Service"]["mayCreate"] = Effect.fnUntraced(
        function*(user, stepUpCents, { agent_id, max_cost_cents }) {
          if (stepUpCents !== null && max_cost_cents > stepUpCents) {
            yield* needsStepUp(user, "A standing approval of this amount")
          }
          if ((yield* repository.countOf(user.org_id, agent_id)) >= standingMax) {
            return yield* Effect.fail(
              conflict("limit_reached", `An agent can have ${standingMax} standing approvals; revoke one first.`, {
                max: standingMax
              })
            )
          }
        }
      )

      const judge: StandingApprovals["Service"]["judge"] = (org, standing, approval) =>
        standing.applyToPending
          ? Effect.suspend(() =>
            judgePending(repository, org, standing, approval, performance.now() + judgingMillisMax)
          )
          : Effect.succeed({ matching: [], partial: false })

      const create: StandingApprovals["Service"]["create"] = Effect.fnUntraced(
        function*(user, approval, standing, judged) {
          yield* repository.add(user.org_id, standing.id, standing, user.user_id)
          yield* audit.record(user.org_id, actorOf(user), {
            action: "standing_approval.created",
            subject: { type: "standing_approval", id: standing.id },
            agent_id: standing.agent_id,
            data: {
              approval_id: approval,
              service: standing.service,
              operation: standing.operation,
              max_cost_cents: standing.max_cost_cents,
              ...(standing.when === undefined ? {} : { when: standing.when })
            }
          })
          if (judged.matching.length > 0) {
            const still = yield* repository.stillPending(user.org_id, standing, judged.matching.map(({ id }) => id))
            yield* backlog.add(user.org_id, standing.id, withinStanding(standing, still).map(({ id }) => id), user)
          }
          yield* db.afterCommit(Effect.sync(() => signals.config(user.org_id)))
        }
      )

      return StandingApprovals.of({
        list,
        find,
        get: (user, id) =>
          Effect.flatMap(
            find(user.org_id, id),
            Option.match({ onNone: () => Effect.fail(notFound("standing approval")), onSome: Effect.succeed })
          ),
        withdraw,
        preview,
        prepare,
        mayCreate,
        judge,
        create
      })
    })
  )
}
