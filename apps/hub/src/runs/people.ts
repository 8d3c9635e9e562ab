/** Steps that people answer: `approval` and `agent_request`. */
import { type AgentRequest, CreateAgentRequestInput } from "@countersign/domain/agent-requests"
import type { Deciders } from "@countersign/domain/policies"
import { Context, Effect, Layer, Option } from "effect"
import { AgentRequestsRepository } from "../agent-requests/repository.ts"
import { AgentRequests } from "../agent-requests/service.ts"
import { StepApprovals } from "../approvals/steps.ts"
import { hubActor } from "../platform/audit-log.ts"
import {
  type EffectOf,
  type EffectReport,
  ended,
  failed,
  membersOf,
  nothingLeft,
  opened,
  type StepEffect,
  succeeded,
  textOf
} from "./effects.ts"
import { Fence } from "./fence.ts"
import { decodeConfig } from "./input.ts"
import { agentPrincipalOf } from "./principal.ts"

/** How long people have for an approval, unless the step says otherwise. */
const approvalSecondsDefault = 86_400

export class RunPeople extends Context.Service<RunPeople, {
  readonly approval: StepEffect<"approval">
  readonly agentRequest: StepEffect<"agent_request">
}>()("@countersign/hub/runs/RunPeople") {
  static readonly layer = Layer.effect(
    RunPeople,
    Effect.gen(function*() {
      const approvals = yield* StepApprovals
      const requests = yield* AgentRequests
      const requestRows = yield* AgentRequestsRepository
      const fence = yield* Fence

      const approvalReport = Effect.fnUntraced(
        function*({ ref, run }: EffectOf): Effect.fn.Return<EffectReport | undefined> {
          const found = yield* approvals.find(run.org, ref)
          if (Option.isNone(found)) return undefined
          const { comment, decided_by, dueAt, status } = found.value
          const given = { ...(comment === null ? {} : { comment }), ...(decided_by === null ? {} : { decided_by }) }
          switch (status) {
            case "pending":
              return { kind: "opened", dueAt }
            case "approved":
              return succeeded({ status, ...given })
            case "rejected":
              return failed(
                "approval_rejected",
                comment === null ? "The approval was rejected." : `The approval was rejected: ${comment}`
              )
            case "expired":
              return failed("approval_expired", "Nobody decided the approval in time.")
            case "cancelled":
              return failed("approval_cancelled", "The approval was canceled.")
          }
        }
      )

      const open = (report: EffectReport | undefined) => report?.kind === "opened" ? undefined : report

      const approval: StepEffect<"approval"> = {
        start: Effect.fnUntraced(function*(call) {
          const known = yield* approvalReport(call)
          if (known !== undefined) return known
          const { input, ref, run, step, stepId } = call
          const { body, title } = membersOf(input)
          const { deciders, expires_in_seconds, required_approvals } = step.config
          const seconds = expires_in_seconds ?? approvalSecondsDefault
          yield* fence(call, (at) =>
            approvals.open({
              id: ref,
              org: run.org,
              agent: run.agent,
              mode: run.mode,
              run: run.id,
              step: stepId,
              plan: {
                workflow_id: run.workflow,
                version_id: run.version,
                run_id: run.id,
                label: step.label,
                title: textOf(title) ?? "",
                ...(body === undefined ? {} : { body: textOf(body) ?? "" })
              },
              budget: run.maxCostCents === null ? undefined : run.limits[0],
              required: required_approvals ?? 1,
              deciders: deciders as Deciders | undefined,
              lifeSeconds: seconds,
              at
            }, { type: "agent", id: run.agent, name: run.agentName }))
          return (yield* approvalReport(call)) ?? opened
        }),
        stop: Effect.fnUntraced(function*(call) {
          const { ref, run } = call
          const isClosed = yield* approvals.close(run.org, ref, hubActor, call.state.stopping === "timeout")
          const report = open(yield* approvalReport(call))
          return report === undefined || (isClosed && call.state.stopping === "end") ? nothingLeft : report
        }),
        look: (call) => Effect.map(approvalReport(call), open)
      }

      const requestReport = Effect.fnUntraced(
        function*({ ref, run }: EffectOf): Effect.fn.Return<EffectReport | undefined> {
          const found = yield* requestRows.find(run.org, ref)
          if (Option.isNone(found)) return undefined
          const { answer, answered_by, comment, status } = found.value
          switch (status) {
            case "open":
              return opened
            case "answered":
              return succeeded({
                status,
                answer,
                ...(comment === null ? {} : { comment }),
                ...(answered_by === null ? {} : { answered_by: { id: answered_by.id, name: answered_by.name } })
              })
            case "dismissed":
              return failed("agent_request_dismissed", comment ?? "The request was dismissed.")
            case "expired":
              return failed("agent_request_expired", "Nobody answered the request in time.")
          }
        }
      )

      const agentRequest: StepEffect<"agent_request"> = {
        start: Effect.fnUntraced(function*(call) {
          const known = yield* requestReport(call)
          if (known !== undefined) return known
          const { input, ref, run } = call
          const { body, expires_in_seconds: seconds, kind, options, title } = membersOf(input)
          const config = decodeConfig(CreateAgentRequestInput, {
            kind,
            title: textOf(title),
            ...(body === undefined ? {} : { body: textOf(body) }),
            ...(options === undefined ? {} : { options }),
            ...(typeof seconds === "number"
              ? { expires_at: new Date(Date.now() + seconds * 1_000).toISOString() }
              : {})
          })
          if (config.kind === "invalid") return ended(config.outcome)
          return yield* fence(
            call,
            () => requests.create(agentPrincipalOf(run), config.value, ref as AgentRequest["id"])
          ).pipe(
            Effect.as(opened),
            Effect.catch(({ error }) => Effect.succeed(failed(error.code, error.message)))
          )
        }),
        stop: Effect.fnUntraced(function*(call) {
          if (yield* requests.withdraw(call.run.org, call.ref)) return nothingLeft
          return open(yield* requestReport(call)) ?? nothingLeft
        }),
        look: (call) => Effect.map(requestReport(call), open)
      }

      return RunPeople.of({ approval, agentRequest })
    })
  )
}
