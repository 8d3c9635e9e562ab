/** A person's verdict on what waits: exactly one decides, and an approval serves once. Spec: contract 2 "Approval outcome", 3. */
import {
  type Approval,
  type ApprovalStatus,
  type ApproveInput,
  approveWaitMillisMax,
  standingLifeSecondsMax,
  type StandingApproval
} from "@countersign/domain/approvals"
import type { Command } from "@countersign/domain/devices"
import type { Mode, Principal, UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, forbidden, invalidField, notFound } from "@countersign/domain/errors"
import { newId } from "@countersign/domain/ids"
import { unmask } from "@countersign/domain/masking"
import { isDay, momentMillis } from "@countersign/domain/time"
import { Context, Effect, Layer, Option, Result } from "effect"
import { type Actor, actorOf, AuditLog } from "../audit/service.ts"
import { DeviceCommandsRepository } from "../devices/commands-repository.ts"
import { DeviceConsents } from "../devices/consents.ts"
import { toCommand } from "../devices/rows.ts"
import { awaitSignal } from "../devices/waiting.ts"
import { Configuration } from "../dispatch/configuration.ts"
import { payloadSchemaOf } from "../dispatch/decision.ts"
import { type Answer, Dispatch } from "../dispatch/service.ts"
import type { RequestFacts } from "../dispatch/view.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import {
  ApprovalsRepository, type Closing, type CommandApproval, type RequestApproval, type StoredApproval, type Voice
} from "./repository.ts"
import { denialOf, type OrgRules } from "./rules.ts"
import { StandingRepository, toStanding } from "./standing-repository.ts"
import { ApprovalViews } from "./views.ts"

/** How long approving waits for the device to take up the yes. */
const takeUpMillis = 10_000

export interface Approved {
  readonly approval: Approval
  readonly service_request?: RequestFacts
  readonly device_command?: Command
  readonly standing_approval?: StandingApproval
}

export class Approvals extends Context.Service<Approvals, {
  readonly get: (principal: Principal, id: string) => Effect.Effect<Approval, ApiError>
  readonly statusOf: (principal: Principal, id: string) => Effect.Effect<ApprovalStatus, ApiError>
  /** Of several racing decisions one stands; the others hear 409 `approval_not_pending` with it. */
  readonly approve: (user: UserPrincipal, id: string, input: ApproveInput) => Effect.Effect<Approved, ApiError>
  readonly reject: (
    user: UserPrincipal,
    id: string,
    input: { readonly comment?: string; readonly payload_digest?: string }
  ) => Effect.Effect<Approval, ApiError>
  /** Rejects the old and files the new in one transaction; it never approves. */
  readonly edit: (
    user: UserPrincipal,
    id: string,
    input: { readonly payload: Readonly<Record<string, unknown>>; readonly payload_digest: string; readonly comment?: string }
  ) => Effect.Effect<{ readonly approval: Approval; readonly answer: Answer }, ApiError>
  /** An agent, or a person, takes back what waits. False when it waits no more. */
  readonly cancel: (org: string, id: string, actor: Actor) => Effect.Effect<boolean>
}>()("@countersign/hub/approvals/Approvals") {
  static readonly layer = Layer.effect(Approvals, Effect.gen(function*() {
    const repository = yield* ApprovalsRepository
    const dispatch = yield* Dispatch
    const standings = yield* StandingRepository
    const consents = yield* DeviceConsents
    const commands = yield* DeviceCommandsRepository
    const configuration = yield* Configuration
    const { one: view } = yield* ApprovalViews
    const audit = yield* AuditLog
    const db = yield* Db
    const signals = yield* Signals

    const mine = (principal: Principal, approval: StoredApproval) =>
      principal.kind === "agent"
        ? approval.agent?.id === principal.agent_id
        : principal.role !== "member" || approval.owner === principal.user_id

    const load = Effect.fnUntraced(function*(principal: Principal, id: string) {
      const found = yield* repository.find(principal.org_id, id)
      return Option.isSome(found) && mine(principal, found.value) ? found.value : yield* Effect.fail(notFound("approval"))
    })

    const statusNow = (approval: StoredApproval): ApprovalStatus => approval.overdue ? "expired" : approval.status

    const notPending = (approval: StoredApproval) =>
      conflict("approval_not_pending", `This approval is ${statusNow(approval)} already.`, {
        status: statusNow(approval),
        decided_by: approval.decided_by ?? null,
        decided_at: approval.decided_at?.toISOString() ?? null
      })

    /** As it is now, after whatever was done. */
    const viewNow = (user: UserPrincipal, id: string) => Effect.flatMap(load(user, id), (now) => view(now, user))
    /** Somebody or something was quicker. */
    const failNow = (user: UserPrincipal, id: string) => Effect.flatMap(load(user, id), (now) => Effect.fail(notPending(now)))

    /** Checks that hold for every decision; answers the approval as it stood then. */
    const open = Effect.fnUntraced(function*(
      user: UserPrincipal,
      id: string,
      decision: "approve" | "reject",
      digest: string | undefined
    ) {
      const approval = yield* load(user, id)
      const org: OrgRules = yield* repository.orgSettings(user.org_id)
      const voices: ReadonlyArray<Voice> = (yield* repository.voices(user.org_id, [id])).get(id) ?? []
      const denial = denialOf(approval, user, org, decision, voices)
      if (denial?.code === "approval_not_pending") return yield* Effect.fail(notPending(approval))
      if (denial?.code === "already_approved") return yield* Effect.fail(conflict(denial.code, denial.message))
      if (denial !== undefined) {
        return yield* Effect.fail(forbidden(denial.message, { permission: "approvals:decide" }, denial.code))
      }
      if (digest !== undefined && digest !== approval.payload_digest) {
        return yield* Effect.fail(
          conflict("digest_mismatch", "This is not the action you looked at. Read the approval again.", {
            payload_digest: approval.payload_digest
          })
        )
      }
      return { approval, org }
    })

    const standingInput = Effect.fnUntraced(function*(
      user: UserPrincipal,
      approval: RequestApproval,
      org: OrgRules,
      remember: NonNullable<ApproveInput["remember"]>
    ) {
      if (approval.required_approvals > 1) {
        return yield* Effect.fail(
          conflict("standing_not_allowed", "An approval that needs several people cannot be remembered.")
        )
      }
      const expires = new Date(momentMillis(remember.expires_at))
      const life = expires.getTime() - Date.now()
      if (isDay(remember.expires_at) || !(life > 0) || life > standingLifeSecondsMax * 1000) {
        return yield* Effect.fail(invalidField("remember.expires_at", "it must be an RFC 3339 time in the next year"))
      }
      if (
        org.step_up_cents !== null && remember.max_cost_cents > org.step_up_cents &&
        !(user.via.kind === "session" && user.via.stepped_up)
      ) {
        return yield* Effect.fail(
          forbidden(
            "Remembering this amount needs your password again: POST /api/v1/auth/step-up in a signed-in session.",
            undefined,
            "step_up_required"
          )
        )
      }
      return {
        agent_id: approval.agent.id,
        service: approval.service,
        operation: approval.operation,
        mode: approval.mode,
        max_cost_cents: remember.max_cost_cents,
        max_total_cents: remember.max_total_cents,
        max_uses: remember.max_uses,
        expires_at: expires
      }
    })

    const verdictOf = (user: UserPrincipal, status: "approved" | "rejected", comment: string | undefined) => ({
      status, by: user.user_id, ...(comment === undefined ? {} : { comment })
    })

    /** The device hears of it within a second, and says what it does then. */
    const approveCommand = Effect.fnUntraced(function*(user: UserPrincipal, asked: CommandApproval, { comment, remember }: ApproveInput) {
      if (remember !== undefined) {
        return yield* Effect.fail(conflict("standing_not_allowed", "A device's command is approved once; its own rules say what needs no asking."))
      }
      const done = yield* consents.decide(user.org_id, asked.command_id, verdictOf(user, "approved", comment), actorOf(user))
      if (!done) return yield* failNow(user, asked.id)
      const row = yield* awaitSignal(
        signals,
        asked.command_id,
        takeUpMillis,
        commands.find(user.org_id, asked.command_id),
        (now) => now?.status !== "awaiting_consent"
      )
      return {
        approval: yield* viewNow(user, asked.id),
        ...(row === undefined ? {} : { device_command: toCommand(row) })
      }
    })

    const approve = Effect.fnUntraced(function*(
      user: UserPrincipal,
      id: string,
      input: ApproveInput
    ): Effect.fn.Return<Approved, ApiError> {
      const { approval, org } = yield* open(user, id, "approve", input.payload_digest)
      if (approval.kind === "device_command") return yield* approveCommand(user, approval, input)
      const standing = input.remember === undefined ? undefined : yield* standingInput(user, approval, org, input.remember)
      const voice = yield* repository.addVoice(user.org_id, id, user.user_id, input.comment)
      if (voice === "not_pending") return yield* failNow(user, id)
      if (voice === "repeated") {
        return yield* Effect.fail(conflict("already_approved", "You have approved this already; another person is needed."))
      }
      if (voice === "added") {
        yield* audit.record(user.org_id, actorOf(user), {
          action: "approval.voice_added",
          subject: { type: "approval", id },
          agent_id: approval.agent.id,
          data: { service_request_id: approval.request_id }
        })
        return { approval: yield* viewNow(user, id) }
      }
      const granted = yield* dispatch.grant(user.org_id, {
        approvalId: id,
        requestId: approval.request_id,
        approvedCeilingCents: approval.cost_cents,
        by: user.user_id,
        ...(input.comment === undefined ? {} : { comment: input.comment }),
        actor: actorOf(user)
      }, approveWaitMillisMax)
      if (granted.kind === "not_pending") return yield* failNow(user, id)
      const made = standing === undefined ? undefined : yield* db.transaction(Effect.gen(function*() {
        const standingId = yield* standings.add(user.org_id, standing, user.user_id)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "standing_approval.created",
          subject: { type: "standing_approval", id: standingId },
          agent_id: approval.agent.id,
          data: {
            approval_id: id,
            service: standing.service,
            operation: standing.operation,
            max_cost_cents: standing.max_cost_cents
          }
        })
        yield* db.afterCommit(Effect.sync(() => signals.config(user.org_id)))
        return standingId
      }))
      const row = made === undefined ? Option.none() : yield* standings.find(user.org_id, made)
      return {
        approval: yield* viewNow(user, id),
        service_request: granted.facts,
        ...(Option.isNone(row) ? {} : { standing_approval: toStanding(row.value) })
      }
    })

    const close = Effect.fnUntraced(function*(
      org: string,
      approval: { readonly id: string; readonly request_id: string },
      closing: Closing,
      actor: Actor
    ) {
      const done = yield* repository.close(org, approval.id, closing, actor)
      if (done) {
        dispatch.moved(approval.request_id)
        signals.log(org)
      }
      return done
    })

    const reject: Approvals["Service"]["reject"] = Effect.fnUntraced(function*(user, id, input) {
      const { approval } = yield* open(user, id, "reject", input.payload_digest)
      const verdict = verdictOf(user, "rejected", input.comment)
      const done = approval.kind === "device_command"
        ? yield* consents.decide(user.org_id, approval.command_id, verdict, actorOf(user))
        : yield* close(user.org_id, approval, { ...verdict, status: "rejected", reason: "approval_rejected" }, actorOf(user))
      return yield* done ? viewNow(user, id) : failNow(user, id)
    })

    const edit: Approvals["Service"]["edit"] = Effect.fnUntraced(function*(user, id, input) {
      const { approval } = yield* open(user, id, "reject", input.payload_digest)
      if (approval.kind === "device_command") {
        return yield* Effect.fail(conflict("not_editable", "A device's command is asked for anew, or not; it cannot be edited."))
      }
      const org = yield* Effect.promise(() => configuration.org(approval.org_id))
      const schema = payloadSchemaOf(org, approval)
      const restored = schema === undefined
        ? Result.succeed(input.payload)
        : unmask(schema, input.payload, JSON.parse(approval.payload), "payload")
      if (Result.isFailure(restored)) {
        return yield* Effect.fail(
          invalidField(restored.failure[0]?.path ?? "payload", restored.failure[0]?.message ?? "the masked value has no original")
        )
      }
      const requestId = newId("req")
      const actor = actorOf(user)
      const answer = yield* dispatch.replace(
        {
          mode: approval.mode as Mode,
          org: user.org_id,
          agent: approval.agent.id,
          actor,
          service: approval.service,
          operation: approval.operation,
          payload: restored.success as Readonly<Record<string, unknown>>,
          origin: { user_id: user.user_id, replaces: approval.request_id }
        },
        requestId,
        repository.close(user.org_id, id, {
          ...verdictOf(user, "rejected", input.comment), status: "rejected", reason: "approval_rejected", replacedBy: requestId
        }, actor)
      )
      if (answer === undefined) return yield* failNow(user, id)
      dispatch.moved(approval.request_id)
      signals.log(user.org_id)
      return { approval: yield* viewNow(user, id), answer }
    })

    return Approvals.of({
      approve,
      reject,
      edit,
      get: (principal, id) => Effect.flatMap(load(principal, id), (approval) => view(approval, principal)),
      statusOf: (principal, id) => Effect.map(load(principal, id), statusNow),
      cancel: Effect.fnUntraced(function*(org, id, actor) {
        const found = yield* repository.find(org, id)
        return Option.isSome(found) && found.value.kind === "service_request" &&
          (yield* close(org, found.value, { status: "cancelled", reason: "approval_cancelled" }, actor))
      })
    })
  }))
}
