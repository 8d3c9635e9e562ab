/**
 * Decisions on approvals: exactly one counts, and an approval can be used once. Every decision reads the decider's
 * rights, and all other facts it depends on, again in the transaction that records it. Spec: reference/approvals.md
 * "Outcome of an approval".
 */
import {
  type AppliedApproval,
  type Approval,
  type ApprovalStatus,
  type ApproveInput,
  approveWaitMillisMax,
  type StandingApproval
} from "@countersign/domain/approvals"
import type { Mode, Principal, UserPrincipal } from "@countersign/domain/auth"
import type { Command } from "@countersign/domain/devices"
import type { Answer, RequestFacts } from "@countersign/domain/dispatch-outcomes"
import {
  alreadyDecided,
  type ApiError,
  conflict,
  forbidden,
  invalidField,
  notFound,
  type Unavailable,
  unavailable
} from "@countersign/domain/errors"
import { newId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import { unmask } from "@countersign/domain/masking"
import { Context, Effect, Layer, Option, Result } from "effect"
import { maySeeOfAgent } from "../auth/own.ts"
import { Rights } from "../auth/rights.ts"
import { DeviceCommandsRepository } from "../devices/commands-repository.ts"
import { DeviceConsents } from "../devices/consents.ts"
import { toCommand } from "../devices/rows.ts"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { payloadSchemaOf } from "../dispatch/decision/decision.ts"
import { LimitsRepository } from "../dispatch/decision/limits-repository.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { type Actor, actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { filingOf } from "../platform/filing.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { awaitSignal } from "../platform/waiting.ts"
import { BacklogRepository } from "../standing-approvals/backlog-repository.ts"
import { StandingApprovals } from "../standing-approvals/service.ts"
import { type Applying, makeApplying } from "./applying.ts"
import type { CommandApproval, StepApproval, StoredApproval } from "./approval-rows.ts"
import { ApprovalsRepository, type Closing } from "./repository.ts"
import { denialOf, isLastVote, type OrgRules } from "./rules.ts"
import { StepApprovals } from "./steps.ts"
import { ApprovalViews } from "./views.ts"

/** A decision is answered within this time, also while the database is unreachable. */
export const decideMillisMax = 29_000

/** Answers 503 after `millis`; the decision continues in the background. */
export const inTime = <A, E, R>(
  decision: Effect.Effect<A, E, R>,
  millis = decideMillisMax
): Effect.Effect<A, E | Unavailable, R> =>
  Effect.flatMap(
    Effect.timeoutOption(decision, Math.max(0, millis)),
    Option.match({
      onNone: () =>
        Effect.fail(unavailable("The decision took too long. It may have been recorded: read the approval again.")),
      onSome: Effect.succeed
    })
  )

/** The part of that time reserved for reading the answer. */
const answerMillis = 2_000
/** How often a hub looks for pending approvals that another hub left to a standing approval, and how many it takes. */
const backlogPauseMillis = 5_000
const backlogBatch = 100

/** How long approving waits for the device to act on the approval. */
const takeUpMillis = 10_000

export interface Approved {
  readonly approval: Approval
  readonly service_request?: RequestFacts
  readonly device_command?: Command
  readonly standing_approval?: StandingApproval
  readonly applied?: ReadonlyArray<AppliedApproval>
}

/**
 * A place in a batch: its votes are recorded one after the other, in the order of the batch, while their requests
 * execute concurrently.
 */
export interface Turn {
  /** Resolves once every vote before this one is recorded or refused. */
  readonly before: Effect.Effect<void>
  /** Releases the next vote. */
  readonly recorded: Effect.Effect<void>
}

const noTurn: Turn = { before: Effect.void, recorded: Effect.void }

export class Approvals extends Context.Service<Approvals, {
  readonly get: (principal: Principal, id: string) => Effect.Effect<Approval, ApiError>
  readonly statusOf: (principal: Principal, id: string) => Effect.Effect<ApprovalStatus, ApiError>
  /** Of several concurrent decisions one succeeds; the others fail with 409 `approval_not_pending`, which names it. */
  readonly approve: (
    user: UserPrincipal,
    id: string,
    input: ApproveInput,
    turn?: Turn
  ) => Effect.Effect<Approved, ApiError>
  readonly reject: (
    user: UserPrincipal,
    id: string,
    input: { readonly comment?: string; readonly payload_digest?: string }
  ) => Effect.Effect<Approval, ApiError>
  /** Rejects the old request and files the new one in one transaction; it never approves. */
  readonly edit: (
    user: UserPrincipal,
    id: string,
    input: {
      readonly payload: Readonly<Record<string, unknown>>
      readonly payload_digest: string
      readonly comment?: string
    }
  ) => Effect.Effect<{ readonly approval: Approval; readonly answer: Answer }, ApiError>
  /** Cancels a pending approval. False when it is no longer pending. */
  readonly cancel: (org: OrgId, id: string, actor: Actor) => Effect.Effect<boolean>
}>()("@countersign/hub/approvals/Approvals") {
  static readonly layer = Layer.effect(
    Approvals,
    Effect.gen(function*() {
      const repository = yield* ApprovalsRepository
      const dispatch = yield* Dispatch
      const standings = yield* StandingApprovals
      const consents = yield* DeviceConsents
      const steps = yield* StepApprovals
      const commands = yield* DeviceCommandsRepository
      const configuration = yield* Configuration
      const { one: view } = yield* ApprovalViews
      const audit = yield* AuditLog
      const db = yield* Db
      const heads = yield* OrgHeads
      const rights = yield* Rights
      const signals = yield* Signals
      const backlog = yield* BacklogRepository
      const limits = yield* LimitsRepository
      const readiness = yield* Readiness
      const scope = yield* Effect.scope

      const mine = (principal: Principal, approval: StoredApproval) =>
        principal.kind === "agent"
          ? approval.agent?.id === principal.agent_id && approval.mode === principal.mode
          : maySeeOfAgent(principal, "approval", { owner_user_id: approval.owner, team_id: approval.agent_team })

      const load = Effect.fnUntraced(function*(principal: Principal, id: string) {
        const found = yield* repository.find(principal.org_id, id)
        return Option.isSome(found) && mine(principal, found.value)
          ? found.value
          : yield* Effect.fail(notFound("approval"))
      })

      const statusNow = (approval: StoredApproval): ApprovalStatus => approval.overdue ? "expired" : approval.status

      const notPending = (approval: StoredApproval) =>
        alreadyDecided("approval", {
          status: statusNow(approval),
          decided_by: approval.decided_by ?? null,
          decided_at: approval.decided_at?.toISOString() ?? null
        }, "approval_not_pending")

      const viewNow = (user: UserPrincipal, id: string) => Effect.flatMap(load(user, id), (now) => view(now, user))
      /** Fails with the decision that was recorded. */
      const failNow = (user: UserPrincipal, id: string) =>
        Effect.flatMap(load(user, id), (now) => Effect.fail(notPending(now)))

      /** The checks of every decision, and the values they read. */
      const checked = Effect.fnUntraced(function*(
        user: UserPrincipal,
        id: string,
        decision: "approve" | "reject",
        digest: string | undefined
      ) {
        const approval = yield* load(user, id)
        const org: OrgRules = yield* repository.orgSettings(user.org_id)
        const votes = (yield* repository.votes(user.org_id, [id])).get(id) ?? []
        const denial = denialOf(approval, user, org, decision, votes)
        if (denial?.code === "approval_not_pending") return yield* Effect.fail(notPending(approval))
        if (denial?.code === "already_approved") return yield* Effect.fail(conflict(denial.code, denial.message))
        if (denial !== undefined) {
          return yield* Effect.fail(forbidden(denial.message, { permission: "approvals:decide" }, denial.code))
        }
        if (digest !== undefined && digest !== approval.payload_digest) {
          return yield* Effect.fail(
            conflict("digest_mismatch", "The action differs from the one that was shown. Read the approval again.", {
              payload_digest: approval.payload_digest
            })
          )
        }
        return { approval, org, votes }
      })

      /** Repeats the checks on the person's current rights, which cannot change until the transaction ends. */
      const heldRights = Effect.fnUntraced(function*(
        user: UserPrincipal,
        id: string,
        decision: "approve" | "reject",
        digest: string | undefined
      ) {
        const now = yield* rights.hold(user)
        const at = yield* heads.lock(user.org_id)
        return { ...(yield* checked(now, id, decision, digest)), at, now }
      })

      const applying = makeApplying({
        audit,
        backlog,
        db,
        dispatch,
        limits,
        scope,
        signals,
        heldRights: (user, id) => heldRights(user, id, "approve", undefined)
      })
      yield* repeatRounds(readiness, "standing approvals", backlogPauseMillis, applying.round(backlogBatch))

      const verdictOf = (user: UserPrincipal, status: "approved" | "rejected", comment: string | undefined) => ({
        status,
        by: user.user_id,
        ...(comment === undefined ? {} : { comment })
      })

      /** False when it is no longer pending. A vote that is not the last one leaves it pending. */
      const decideStep = (
        user: UserPrincipal,
        { agent, id, run_id }: StepApproval,
        decision: "approve" | "reject",
        input: { readonly comment?: string; readonly payload_digest?: string }
      ) =>
        db.transaction(Effect.gen(function*() {
          const { approval, at, org, votes } = yield* heldRights(user, id, decision, input.payload_digest)
          if (decision === "approve" && !isLastVote(approval, user.user_id, org, votes)) {
            yield* repository.addVote(user.org_id, id, user.user_id, input.comment, at)
            yield* audit.record(user.org_id, actorOf(user), {
              action: "approval.voice_added",
              subject: { type: "approval", id },
              agent_id: agent.id,
              data: { run_id }
            })
            return true
          }
          const verdict = verdictOf(user, decision === "approve" ? "approved" : "rejected", input.comment)
          return yield* steps.decide(user.org_id, id, verdict, actorOf(user))
        }))

      const approveStep = Effect.fnUntraced(
        function*(user: UserPrincipal, approval: StepApproval, input: ApproveInput) {
          if (input.remember !== undefined) {
            return yield* Effect.fail(
              conflict("standing_not_allowed", "The approval of a workflow's step cannot become a standing approval.")
            )
          }
          if (!(yield* decideStep(user, approval, "approve", input))) return yield* failNow(user, approval.id)
          return { approval: yield* viewNow(user, approval.id) }
        }
      )

      /** A device's lock is taken before the workspace's: this holds only the person's rights. */
      const decideCommand = (
        user: UserPrincipal,
        approval: CommandApproval,
        decision: "approve" | "reject",
        input: { readonly comment?: string; readonly payload_digest?: string }
      ) =>
        db.transaction(Effect.gen(function*() {
          const now = yield* rights.hold(user)
          yield* checked(now, approval.id, decision, input.payload_digest)
          const verdict = verdictOf(user, decision === "approve" ? "approved" : "rejected", input.comment)
          return yield* consents.decide(user.org_id, approval.command_id, verdict, actorOf(user))
        }))

      /** The device receives it within a second, and its answer reports the result. */
      const approveCommand = Effect.fnUntraced(
        function*(user: UserPrincipal, approval: CommandApproval, input: ApproveInput) {
          if (input.remember !== undefined) {
            return yield* Effect.fail(
              conflict(
                "standing_not_allowed",
                "A device command cannot have a standing approval. Allow it in the device's own rules instead."
              )
            )
          }
          if (!(yield* decideCommand(user, approval, "approve", input))) return yield* failNow(user, approval.id)
          const row = yield* awaitSignal(
            signals,
            approval.command_id,
            takeUpMillis,
            commands.find(user.org_id, approval.command_id),
            (now) => now?.status !== "awaiting_consent"
          )
          return {
            approval: yield* viewNow(user, approval.id),
            ...(row === undefined ? {} : { device_command: toCommand(row) })
          }
        }
      )

      const approve = Effect.fnUntraced(function*(
        user: UserPrincipal,
        id: string,
        input: ApproveInput,
        turn: Turn
      ): Effect.fn.Return<Approved, ApiError> {
        const until = performance.now() + decideMillisMax - answerMillis
        let applied: Applying | undefined
        // Immediate refusals need no lock; all checks run again under the lock.
        const { approval } = yield* checked(user, id, "approve", input.payload_digest)
        if (approval.kind === "device_command") return yield* approveCommand(user, approval, input)
        if (approval.kind === "workflow_step") return yield* approveStep(user, approval, input)
        const standing = input.remember === undefined ? undefined : yield* standings.prepare(approval, input.remember)
        const pending = standing === undefined ? undefined : yield* standings.judge(user.org_id, standing, id)
        const { agent, cost_cents, request_id } = approval
        const entry = newId("aud")
        yield* turn.before
        const answer = yield* dispatch.grant(user.org_id, {
          approvalId: approval.id,
          requestId: request_id,
          entry,
          approvedCeilingCents: cost_cents,
          by: user.user_id,
          ...(input.comment === undefined ? {} : { comment: input.comment }),
          actor: actorOf(user)
        }, {
          cast: Effect.gen(function*() {
            const { approval, at, now, org, votes } = yield* heldRights(user, id, "approve", input.payload_digest)
            if (standing !== undefined) yield* standings.mayCreate(now, org.step_up_cents, standing)
            if (isLastVote(approval, user.user_id, org, votes)) return "last" as const
            yield* repository.addVote(user.org_id, id, user.user_id, input.comment, at)
            yield* audit.record(user.org_id, actorOf(user), {
              id: entry,
              action: "approval.voice_added",
              subject: { type: "approval", id },
              agent_id: agent.id,
              data: { service_request_id: request_id }
            })
            return "added" as const
          }),
          granted: Effect.gen(function*() {
            if (standing !== undefined && pending !== undefined) yield* standings.create(user, id, standing, pending)
            if (standing?.applyToPending === true) {
              // If it fails to start here, the answer starts it, or another round does.
              yield* db.afterCommit(
                applying.ofStanding(user.org_id, standing.id).pipe(
                  Effect.map((begun) => void (applied = begun)),
                  Effect.catchCause((cause) =>
                    Effect.logWarning(`standing approval ${standing.id} could not be applied yet`, cause)
                  )
                )
              )
            }
            yield* db.afterCommit(Effect.andThen(Effect.sync(() => signals.log(user.org_id)), turn.recorded))
          })
        }, approveWaitMillisMax)
        if (answer.kind === "not_pending") return yield* failNow(user, id)
        if (standing?.applyToPending === true) applied ??= yield* applying.ofStanding(user.org_id, standing.id)
        const outcomes = applied === undefined
          ? undefined
          : yield* applying.outcomesOf(applied, until - performance.now())
        const created = standing === undefined ? Option.none() : yield* standings.find(user.org_id, standing.id)
        return {
          approval: yield* viewNow(user, id),
          ...(answer.kind === "begun" ? { service_request: answer.facts } : {}),
          ...(Option.isNone(created) ? {} : { standing_approval: created.value }),
          ...(outcomes === undefined ? {} : { applied: outcomes })
        }
      })

      const close = Effect.fnUntraced(function*(
        org: OrgId,
        approval: { readonly id: string; readonly request_id: ServiceRequestId },
        closing: Closing,
        actor: Actor
      ) {
        const done = yield* repository.close(org, approval.id, closing, actor)
        if (done) {
          yield* db.afterCommit(Effect.sync(() => {
            dispatch.moved(approval.request_id)
            signals.log(org)
          }))
        }
        return done
      })

      const reject: Approvals["Service"]["reject"] = Effect.fnUntraced(function*(user, id, input) {
        const { approval } = yield* checked(user, id, "reject", input.payload_digest)
        const done = approval.kind === "device_command"
          ? yield* decideCommand(user, approval, "reject", input)
          : approval.kind === "workflow_step"
          ? yield* decideStep(user, approval, "reject", input)
          : yield* db.transaction(Effect.gen(function*() {
            yield* heldRights(user, id, "reject", input.payload_digest)
            const closing = {
              ...verdictOf(user, "rejected", input.comment),
              status: "rejected",
              reason: "approval_rejected"
            } as const
            return yield* close(user.org_id, approval, closing, actorOf(user))
          }))
        return yield* done ? viewNow(user, id) : failNow(user, id)
      })

      const edit: Approvals["Service"]["edit"] = Effect.fnUntraced(function*(user, id, input) {
        const { approval } = yield* checked(user, id, "reject", input.payload_digest)
        if (approval.kind === "device_command") {
          return yield* Effect.fail(
            conflict("not_editable", "A device command cannot be edited. Reject it, and queue another command.")
          )
        }
        if (approval.kind === "workflow_step") {
          return yield* Effect.fail(
            conflict(
              "not_editable",
              "The approval of a workflow's step cannot be edited. Reject it, and start another run."
            )
          )
        }
        const org = yield* Effect.promise(() => configuration.org(approval.org_id))
        const schema = payloadSchemaOf(org, approval)
        const restored = schema === undefined
          ? Result.succeed(input.payload)
          : unmask(schema, input.payload, JSON.parse(approval.payload), "payload")
        if (Result.isFailure(restored)) {
          return yield* Effect.fail(
            invalidField(
              restored.failure[0]?.path ?? "payload",
              restored.failure[0]?.message ?? "the masked value has no original"
            )
          )
        }
        const requestId = newId("req")
        const actor = actorOf(user)
        const replaced = yield* dispatch.find(user.org_id, approval.request_id)
        const filing = Option.isNone(replaced) ? {} : filingOf(replaced.value.origin)
        const answer = yield* dispatch.replace(
          {
            mode: approval.mode as Mode,
            org: user.org_id,
            agent: approval.agent.id,
            actor,
            service: approval.service,
            operation: approval.operation,
            payload: restored.success as Readonly<Record<string, unknown>>,
            ...filing,
            origin: { ...filing.origin, user_id: user.user_id, replaces: approval.request_id }
          },
          requestId,
          Effect.andThen(
            heldRights(user, id, "reject", input.payload_digest),
            repository.close(user.org_id, id, {
              ...verdictOf(user, "rejected", input.comment),
              status: "rejected",
              reason: "approval_rejected",
              replacedBy: requestId
            }, actor)
          )
        )
        if (answer === undefined) return yield* failNow(user, id)
        dispatch.moved(approval.request_id)
        signals.log(user.org_id)
        return { approval: yield* viewNow(user, id), answer }
      })

      return Approvals.of({
        approve: (user, id, input, turn = noTurn) =>
          inTime(Effect.ensuring(approve(user, id, input, turn), turn.recorded)),
        reject: (user, id, input) => inTime(reject(user, id, input)),
        edit: (user, id, input) => inTime(edit(user, id, input)),
        get: (principal, id) => Effect.flatMap(load(principal, id), (approval) => view(approval, principal)),
        statusOf: (principal, id) => Effect.map(load(principal, id), statusNow),
        cancel: Effect.fnUntraced(function*(org, id, actor) {
          const found = yield* repository.find(org, id)
          return Option.isSome(found) && found.value.kind === "service_request" &&
            (yield* db.transaction(
              close(org, found.value, { status: "cancelled", reason: "approval_cancelled" }, actor)
            ))
        })
      })
    })
  )
}
