/** A person's verdict on what waits: exactly one decides, and an approval serves once. Spec: contract 2 "Approval outcome", 3. */
import { type Approval, type ApproveInput, approveWaitMillisMax, standingLifeSecondsMax, type StandingApproval } from "@countersign/domain/approvals"
import type { Mode, Principal, UserPrincipal } from "@countersign/domain/auth"
import { capsOf } from "@countersign/domain/bindings"
import { type ApiError, conflict, forbidden, invalidField, notFound } from "@countersign/domain/errors"
import { newId } from "@countersign/domain/ids"
import { mask, maskedValue, unmask } from "@countersign/domain/masking"
import { Context, Effect, Layer, Option, Result } from "effect"
import { type Actor, actorOf, AuditLog } from "../audit/service.ts"
import { Configuration } from "../dispatch/configuration.ts"
import { LimitsRepository } from "../dispatch/limits-repository.ts"
import { type Answer, Dispatch } from "../dispatch/service.ts"
import type { RequestFacts } from "../dispatch/view.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { ApprovalsRepository, type Closing, type Member, type StandingRow, type StoredApproval, type Voice } from "./repository.ts"
import { denialOf, mayApprove, type OrgRules } from "./rules.ts"

/** Approvals of a list that are looked up at a time. */
const viewConcurrency = 8

export interface Approved {
  readonly approval: Approval
  readonly service_request?: RequestFacts
  readonly standing_approval?: StandingApproval
}

export const toStanding = (row: StandingRow): StandingApproval => ({
  id: row.id as StandingApproval["id"], agent_id: row.agent_id as StandingApproval["agent_id"], service: row.service, operation: row.operation, mode: row.mode, max_cost_cents: row.max_cost_cents,
  ...(row.max_total_cents === null ? {} : { max_total_cents: row.max_total_cents }), ...(row.max_uses === null ? {} : { max_uses: row.max_uses }),
  used_cents: row.used_cents, uses: row.uses, created_by: { id: row.by_id, name: row.by_name, email: row.by_email }, created_at: row.created_at.toISOString(),
  ...(row.last_used_at === null ? {} : { last_used_at: row.last_used_at.toISOString() }), expires_at: row.expires_at.toISOString()
})

export class Approvals extends Context.Service<Approvals, {
  /** As they are seen by whoever reads, who may be another in each workspace. */
  readonly views: (approvals: ReadonlyArray<StoredApproval>, readerIn: (org: string) => Principal) => Effect.Effect<ReadonlyArray<Approval>>
  readonly get: (principal: Principal, id: string) => Effect.Effect<Approval, ApiError>
  /** Of several racing decisions one stands; the others hear 409 `approval_not_pending` with it. */
  readonly approve: (user: UserPrincipal, id: string, input: ApproveInput) => Effect.Effect<Approved, ApiError>
  readonly reject: (user: UserPrincipal, id: string, input: { readonly comment?: string; readonly payload_digest?: string }) => Effect.Effect<Approval, ApiError>
  /** Rejects the old and files the new in one transaction; it never approves. */
  readonly edit: (user: UserPrincipal, id: string, input: { readonly payload: Readonly<Record<string, unknown>>; readonly payload_digest: string; readonly comment?: string }) => Effect.Effect<{ readonly approval: Approval; readonly answer: Answer }, ApiError>
  /** An agent, or a person, takes back what waits. False when it waits no more. */
  readonly cancel: (org: string, id: string, actor: Actor) => Effect.Effect<boolean>
}>()("@countersign/hub/approvals/Approvals") {
  static readonly layer = Layer.effect(Approvals, Effect.gen(function*() {
    const repository = yield* ApprovalsRepository
    const dispatch = yield* Dispatch
    const configuration = yield* Configuration
    const limits = yield* LimitsRepository
    const audit = yield* AuditLog
    const db = yield* Db
    const signals = yield* Signals

    const schemaOf = (approval: { readonly org_id: string; readonly service: string; readonly operation: string }) =>
      Effect.map(Effect.promise(() => configuration.org(approval.org_id)), (org) => org.services.get(approval.service)?.operations.get(approval.operation)?.definition.payload_schema)

    /** Of an operation that is gone nobody knows any more what was secret: all of it is hidden. */
    const shown = (schema: Parameters<typeof mask>[0] | undefined, payload: string): unknown => schema === undefined ? maskedValue : mask(schema, JSON.parse(payload))

    const figures = (approval: StoredApproval) =>
      Effect.flatMap(Effect.promise(() => configuration.load(approval.org_id, approval.agent_id)), (found) => {
        const binding = found?.agent.bindings.get(approval.service)
        const caps = binding === undefined ? {} : capsOf(binding, approval.operation)
        return limits.figures(approval.org_id, approval.agent_id, approval.mode, approval.service, approval.operation, caps)
      })

    const peopleOf = (org: string) => Effect.all({ members: repository.members(org), rules: repository.orgSettings(org) }, { concurrency: 2 })

    const views = Effect.fnUntraced(function*(approvals: ReadonlyArray<StoredApproval>, readerIn: (org: string) => Principal) {
      const ids = Map.groupBy(approvals, ({ org_id }) => org_id)
      const people = new Map(yield* Effect.forEach(ids, ([org, of]) =>
        Effect.map(Effect.all([peopleOf(org), repository.voices(org, of.map(({ id }) => id))]), ([known, voices]) => [org, { ...known, voices }] as const), { concurrency: 4 }))
      return yield* Effect.forEach(approvals, (approval) => viewAs(approval, readerIn(approval.org_id), people.get(approval.org_id)!), { concurrency: viewConcurrency })
    })

    const view = (approval: StoredApproval, reader: Principal) => Effect.map(views([approval], () => reader), ([told]) => told!)

    const viewAs = Effect.fnUntraced(function*(approval: StoredApproval, reader: Principal, known: {
      readonly members: ReadonlyArray<Member>; readonly rules: OrgRules; readonly voices: ReadonlyMap<string, ReadonlyArray<Voice>>
    }) {
      const { members, rules: org } = known
      const voices = known.voices.get(approval.id) ?? []
      const [schema, { limits, remaining }, previous, recent, last] = yield* Effect.all([
        schemaOf(approval), figures(approval), repository.previous(approval), repository.recent(approval), repository.lastDecisions(approval)
      ], { concurrency: "unbounded" })
      const allowed = (decision: "approve" | "reject") => {
        const denial = reader.kind === "agent" ? { code: "forbidden", message: "An agent decides nothing." } as const : denialOf(approval, reader, org, decision, voices)
        return denial === undefined ? { decision, allowed: true } : { decision, allowed: false, denied_because: denial.code }
      }
      return {
        id: approval.id, status: approval.overdue ? "expired" : approval.status, kind: approval.kind, subject: { type: "service_request", id: approval.request_id },
        agent: { id: approval.agent_id, name: approval.agent_name }, service: approval.service, operation: approval.operation, payload: shown(schema, approval.payload),
        cost_cents: approval.cost_cents, threshold_cents: approval.threshold_cents, remaining, limits, reason: approval.reason, ...(approval.policy_id === null ? {} : { policy_id: approval.policy_id }),
        requested_at: approval.requested_at.toISOString(), expires_at: approval.expires_at.toISOString(), payload_digest: approval.payload_digest,
        allowed_decisions: [allowed("approve"), allowed("reject")],
        deciders: members.filter((member) => approval.status !== "pending" || mayApprove(approval, member, { ...org, separation_of_duties: false }))
          .map((member) => ({ user: { id: member.id, name: member.name, email: member.email }, can: mayApprove(approval, member, org) })),
        ...(Option.isNone(previous) ? {} : { previous: { approval_id: previous.value.approval_id, payload: shown(schema, previous.value.payload), decided_at: previous.value.decided_at.toISOString() } }),
        recent: {
          ...recent,
          decisions: last.map((past) => ({
            approval_id: past.id as Approval["id"], decision: past.status, cost_cents: past.cost_cents, same_action: past.same_action, decided_at: past.decided_at.toISOString(),
            ...(past.by_id === null ? {} : { decided_by: { id: past.by_id, name: past.by_name ?? "", email: past.by_email ?? "" } })
          }))
        },
        ...(approval.decided_at === null ? {} : { decided_at: approval.decided_at.toISOString() }), ...(approval.decided_by === undefined ? {} : { decided_by: approval.decided_by }),
        ...(approval.comment === null ? {} : { comment: approval.comment }), required_approvals: approval.required_approvals,
        decisions: voices.map((voice) => ({ user: voice.user, decision: voice.decision, ...(voice.comment === null ? {} : { comment: voice.comment }), at: voice.at.toISOString() })),
        mode: approval.mode, org_id: approval.org_id, service_request_id: approval.request_id as NonNullable<Approval["service_request_id"]>, ...(approval.replaced_by === null ? {} : { replaced_by: approval.replaced_by })
      } as Approval
    })

    const mine = (principal: Principal, approval: StoredApproval) =>
      principal.kind === "agent" ? approval.agent_id === principal.agent_id : principal.role !== "member" || approval.agent_owner === principal.user_id

    const load = Effect.fnUntraced(function*(principal: Principal, id: string) {
      const found = yield* repository.find(principal.org_id, id)
      return Option.isSome(found) && mine(principal, found.value) ? found.value : yield* Effect.fail(notFound("approval"))
    })

    const notPending = (approval: StoredApproval) =>
      conflict("approval_not_pending", `This approval is ${approval.overdue ? "expired" : approval.status} already.`, {
        status: approval.overdue ? "expired" : approval.status, decided_by: approval.decided_by ?? null, decided_at: approval.decided_at?.toISOString() ?? null
      })

    /** Checks that hold for every decision; answers the approval as it stood then. */
    const open = Effect.fnUntraced(function*(user: UserPrincipal, id: string, decision: "approve" | "reject", digest: string | undefined) {
      const approval = yield* load(user, id)
      const org: OrgRules = yield* repository.orgSettings(user.org_id)
      const voices: ReadonlyArray<Voice> = (yield* repository.voices(user.org_id, [id])).get(id) ?? []
      const denial = denialOf(approval, user, org, decision, voices)
      if (denial?.code === "approval_not_pending") return yield* Effect.fail(notPending(approval))
      if (denial?.code === "already_approved") return yield* Effect.fail(conflict(denial.code, denial.message))
      if (denial !== undefined) return yield* Effect.fail(forbidden(denial.message, { permission: "approvals:decide" }, denial.code))
      if (digest !== undefined && digest !== approval.payload_digest) {
        return yield* Effect.fail(conflict("digest_mismatch", "This is not the action you looked at. Read the approval again.", { payload_digest: approval.payload_digest }))
      }
      return { approval, org }
    })

    const standingInput = Effect.fnUntraced(function*(user: UserPrincipal, approval: StoredApproval, org: OrgRules, remember: NonNullable<ApproveInput["remember"]>) {
      if (approval.required_approvals > 1) return yield* Effect.fail(conflict("standing_not_allowed", "An approval that needs several people cannot be remembered."))
      const expires = new Date(remember.expires_at)
      const life = expires.getTime() - Date.now()
      if (!/^\d{4}-\d{2}-\d{2}T/.test(remember.expires_at) || !(life > 0) || life > standingLifeSecondsMax * 1000) {
        return yield* Effect.fail(invalidField("remember.expires_at", "it must be an RFC 3339 time in the next year"))
      }
      if (org.step_up_cents !== null && remember.max_cost_cents > org.step_up_cents && !(user.via.kind === "session" && user.via.stepped_up)) {
        return yield* Effect.fail(forbidden("Remembering this amount needs your password again: POST /api/v1/auth/step-up in a signed-in session.", undefined, "step_up_required"))
      }
      return {
        agent_id: approval.agent_id, service: approval.service, operation: approval.operation, mode: approval.mode, max_cost_cents: remember.max_cost_cents,
        max_total_cents: remember.max_total_cents, max_uses: remember.max_uses, expires_at: expires
      }
    })

    const approve = Effect.fnUntraced(function*(user: UserPrincipal, id: string, input: ApproveInput) {
      const { approval, org } = yield* open(user, id, "approve", input.payload_digest)
      const standing = input.remember === undefined ? undefined : yield* standingInput(user, approval, org, input.remember)
      const again = Effect.flatMap(load(user, id), (now) => Effect.fail(notPending(now)))
      const voice = yield* repository.addVoice(user.org_id, id, user.user_id, input.comment)
      if (voice === "not_pending") return yield* again
      if (voice === "repeated") return yield* Effect.fail(conflict("already_approved", "You have approved this already; another person is needed."))
      if (voice === "added") {
        yield* audit.record(user.org_id, actorOf(user), { action: "approval.voice_added", subject: { type: "approval", id }, agent_id: approval.agent_id, data: { service_request_id: approval.request_id } })
        return { approval: yield* Effect.flatMap(load(user, id), (now) => view(now, user)) }
      }
      const granted = yield* dispatch.grant(user.org_id, {
        approvalId: id, requestId: approval.request_id, approvedCeilingCents: approval.cost_cents, by: user.user_id, ...(input.comment === undefined ? {} : { comment: input.comment }), actor: actorOf(user)
      }, approveWaitMillisMax)
      if (granted.kind === "not_pending") return yield* again
      const made = standing === undefined ? undefined : yield* db.transaction(Effect.gen(function*() {
        const standingId = yield* repository.addStanding(user.org_id, standing, user.user_id)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "standing_approval.created", subject: { type: "standing_approval", id: standingId }, agent_id: approval.agent_id,
          data: { approval_id: id, service: standing.service, operation: standing.operation, max_cost_cents: standing.max_cost_cents }
        })
        yield* db.afterCommit(Effect.sync(() => signals.config(user.org_id)))
        return standingId
      }))
      const row = made === undefined ? Option.none() : yield* repository.findStanding(user.org_id, made)
      return {
        approval: yield* Effect.flatMap(load(user, id), (now) => view(now, user)), service_request: granted.facts,
        ...(Option.isNone(row) ? {} : { standing_approval: toStanding(row.value) })
      }
    })

    const close = Effect.fnUntraced(function*(org: string, approval: { readonly id: string; readonly request_id: string }, closing: Closing, actor: Actor) {
      const done = yield* repository.close(org, approval.id, closing, actor)
      if (done) {
        dispatch.moved(approval.request_id)
        signals.log(org)
      }
      return done
    })

    const reject: Approvals["Service"]["reject"] = Effect.fnUntraced(function*(user, id, input) {
      const { approval } = yield* open(user, id, "reject", input.payload_digest)
      const done = yield* close(user.org_id, approval, { status: "rejected", reason: "approval_rejected", by: user.user_id, ...(input.comment === undefined ? {} : { comment: input.comment }) }, actorOf(user))
      const now = yield* load(user, id)
      return done ? yield* view(now, user) : yield* Effect.fail(notPending(now))
    })

    const edit: Approvals["Service"]["edit"] = Effect.fnUntraced(function*(user, id, input) {
      const { approval } = yield* open(user, id, "reject", input.payload_digest)
      const schema = yield* schemaOf(approval)
      const restored = schema === undefined ? Result.succeed(input.payload) : unmask(schema, input.payload, JSON.parse(approval.payload), "payload")
      if (Result.isFailure(restored)) return yield* Effect.fail(invalidField(restored.failure[0]?.path ?? "payload", restored.failure[0]?.message ?? "the masked value has no original"))
      const requestId = newId("req")
      const actor = actorOf(user)
      const answer = yield* dispatch.replace({
        mode: approval.mode as Mode, org: user.org_id, agent: approval.agent_id, actor, service: approval.service, operation: approval.operation,
        payload: restored.success as Readonly<Record<string, unknown>>, origin: { user_id: user.user_id, replaces: approval.request_id }
      }, requestId, repository.close(user.org_id, id, {
        status: "rejected", reason: "approval_rejected", by: user.user_id, replacedBy: requestId, ...(input.comment === undefined ? {} : { comment: input.comment })
      }, actor))
      if (answer === undefined) return yield* Effect.flatMap(load(user, id), (now) => Effect.fail(notPending(now)))
      dispatch.moved(approval.request_id)
      signals.log(user.org_id)
      return { approval: yield* Effect.flatMap(load(user, id), (now) => view(now, user)), answer }
    })

    return Approvals.of({
      views, approve, reject, edit,
      get: (principal, id) => Effect.flatMap(load(principal, id), (approval) => view(approval, principal)),
      cancel: Effect.fnUntraced(function*(org, id, actor) {
        const found = yield* repository.find(org, id)
        return Option.isSome(found) && (yield* close(org, found.value, { status: "cancelled", reason: "approval_cancelled" }, actor))
      })
    })
  }))
}
