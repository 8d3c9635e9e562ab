/**
 * The governed service `workflow` as dispatch uses it: a request becomes a run with the same UUID, and the end of the run
 * becomes its outcome. Spec: reference/workflows.md "The service workflow".
 */
import type { AgentId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import type { Json } from "@countersign/domain/json"
import { isRunEnded, type RunError } from "@countersign/domain/workflow-runs"
import { Context, Effect, Layer, Option } from "effect"
import { filingOf } from "../platform/filing.ts"
import {
  type Adapter,
  type AdapterOutcome,
  type AsyncOutcome,
  type CancelOutcome,
  detailText,
  failed
} from "../providers/adapter.ts"
import { runFlags, type RunRow, toRecord } from "./records.ts"
import { RunsRepository } from "./repository.ts"
import { RunStarting } from "./starting.ts"
import { RunnableWorkflows } from "./workflows-repository.ts"

interface Payload {
  readonly workflow_id: string
  readonly input?: Json
  readonly max_cost_cents?: number
  readonly depth?: number
}

const outcomeOf = (row: RunRow): AsyncOutcome => {
  if (!isRunEnded(row.status)) return { kind: "running" }
  if (row.status === "succeeded") {
    return {
      kind: "executed",
      result: {
        run_id: row.id,
        status: row.status,
        output: row.output === null ? null : JSON.parse(row.output) as Json
      }
    }
  }
  const error = row.error === null ? undefined : JSON.parse(row.error) as RunError
  return {
    kind: "failed",
    code: "run_failed",
    detail: detailText(
      error === undefined
        ? `The run ${row.id} was ${row.status}.`
        : `The run ${row.id} ${row.status}: ${error.code}: ${error.message}`
    )
  }
}

export class RunWork extends Context.Service<RunWork, {
  readonly adapter: Adapter
  readonly outcome: (org: OrgId, run: string) => Effect.Effect<AsyncOutcome>
}>()("@countersign/hub/runs/RunWork") {
  static readonly layer = Layer.effect(
    RunWork,
    Effect.gen(function*() {
      const repository = yield* RunsRepository
      const workflows = yield* RunnableWorkflows
      const starting = yield* RunStarting

      const start = Effect.fnUntraced(function*(
        org: OrgId,
        request: ServiceRequestId,
        agent: { readonly id: AgentId; readonly name: string },
        payload: Payload
      ) {
        const filed = yield* workflows.request(org, request)
        const workflow = yield* workflows.find(org, payload.workflow_id)
        if (Option.isNone(filed) || Option.isNone(workflow)) {
          return failed("There is no such workflow in this workspace.")
        }
        const { live_version_id: version } = workflow.value
        if (version === null) return failed("The workflow has no live version. A reviewer must approve one.")
        if (!workflow.value.granted.some(({ id }) => id === agent.id)) {
          return failed("The workflow is not granted to this agent.")
        }
        const { run_id } = filingOf(filed.value.origin).origin ?? {}
        const parent = run_id === undefined ? Option.none() : yield* repository.find(org, run_id)
        const id = `run${request.slice(3)}`
        yield* starting.start({
          org,
          id,
          workflow: workflow.value,
          version,
          agent,
          mode: filed.value.mode,
          input: payload.input ?? {},
          actor: { type: "agent", id: agent.id, name: agent.name },
          maxCostCents: payload.max_cost_cents,
          parent: Option.isNone(parent) ? undefined : toRecord(parent.value),
          depth: payload.depth ?? 0,
          request
        })
        return { kind: "running" as const, ref: id }
      })

      const outcome = (org: OrgId, run: string) =>
        Effect.map(
          repository.find(org, run),
          Option.match({
            onNone: (): AsyncOutcome => ({ kind: "failed", code: "run_failed", detail: "The run no longer exists." }),
            onSome: outcomeOf
          })
        )

      return RunWork.of({
        outcome,
        adapter: {
          execute: (_definition, { agent, orgId, payload, requestId }) =>
            start(orgId, requestId, agent, payload as Payload).pipe(
              Effect.catch(({ error: { code, message } }): Effect.Effect<AdapterOutcome> => {
                const detail = detailText(message)
                return Effect.succeed(
                  code === "workflow_cycle" || code === "run_depth_exceeded" || code === "invalid_request"
                    ? { kind: "failed", detail, code }
                    : { kind: "failed", detail }
                )
              })
            ),
          poll: (_definition, ref, { orgId }) => outcome(orgId, ref),
          cancel: Effect.fnUntraced(function*(_definition, ref, { orgId }) {
            const found = yield* repository.find(orgId, ref)
            if (Option.isNone(found) || isRunEnded(found.value.status)) return "too_late" satisfies CancelOutcome
            yield* repository.flag(orgId, ref, runFlags.cancel)
            return "asked" satisfies CancelOutcome
          })
        }
      })
    })
  )
}
