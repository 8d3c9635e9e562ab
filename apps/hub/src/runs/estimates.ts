/** What a run would cost, each step executed once, without any effect. Spec: reference/workflows.md "Estimate". */
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import type { Json } from "@countersign/domain/json"
import { newRunState } from "@countersign/domain/run-state"
import type { RunEstimate } from "@countersign/domain/workflow-runs"
import { isStatic } from "@countersign/domain/workflow-template"
import { Context, Effect, Layer, Result } from "effect"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { Estimates } from "../dispatch/pipeline/estimates.ts"
import { type CompiledVersion, environmentOf } from "./environment.ts"
import { agentPrincipalOf } from "./principal.ts"

type StepEstimate = RunEstimate["steps"][number]

export interface EstimatedRun {
  readonly org: OrgId
  readonly agent: { readonly id: AgentId; readonly name: string }
  readonly mode: Mode
  readonly version: CompiledVersion
  readonly input: Json
}

export class RunEstimates extends Context.Service<RunEstimates, {
  readonly estimate: (run: EstimatedRun) => Effect.Effect<RunEstimate>
}>()("@countersign/hub/runs/RunEstimates") {
  static readonly layer = Layer.effect(
    RunEstimates,
    Effect.gen(function*() {
      const estimates = yield* Estimates
      const configuration = yield* Configuration
      return RunEstimates.of({
        estimate: Effect.fn("RunEstimates.estimate")(function*({ agent, input, mode, org, version }) {
          const principal = agentPrincipalOf({ org, agent: agent.id, agentName: agent.name, mode })
          const state = newRunState(input, 0)
          const environment = environmentOf({ id: "run_00000000000000000000000000", createdAt: 0 }, version, {
            now: 0,
            callbackUrlOf: () => "https://hub"
          })
          const { services } = yield* Effect.promise(() => configuration.org(org))

          const ofRequest = Effect.fnUntraced(
            function*(label: string, service: string, operation: string, payload: Json) {
              return yield* estimates.estimate(principal, {
                org,
                agent: agent.id,
                mode,
                service,
                operation,
                payload: payload as Readonly<Record<string, unknown>>,
                script: undefined,
                task: undefined
              }).pipe(
                Effect.map((estimate): StepEstimate => ({
                  label: label as StepEstimate["label"],
                  status: estimate.status,
                  cost_cents: estimate.cost_cents,
                  ...(estimate.reason_code === undefined ? {} : { reason_code: estimate.reason_code }),
                  ...(estimate.block === undefined ? {} : { block: estimate.block })
                })),
                Effect.catch(({ error }) =>
                  Effect.succeed<StepEstimate>({ label, status: "failed", cost_cents: 0, reason_code: error.code })
                )
              )
            }
          )

          const steps = yield* Effect.forEach(version.definition.steps, (step) => {
            const { label } = step
            if (step.type !== "service_call") {
              return Effect.succeed<StepEstimate>({
                label,
                status: step.type === "run_workflow" ? "unknown" : "executed",
                cost_cents: 0
              })
            }
            const { operation, service } = step.config
            const rendered = environment.render(step, state)
            const price = services.get(service)?.operations.get(operation)?.definition.price
            if (Result.isSuccess(rendered)) return ofRequest(label, service, operation, rendered.success)
            return Effect.succeed<StepEstimate>(
              price?.type === "fixed" && !isStatic(step.config.payload ?? {})
                ? { label, status: "executed", cost_cents: mode === "test" ? 0 : price.cents }
                : { label, status: "unknown", cost_cents: 0 }
            )
          }, { concurrency: 4 })
          return {
            cost_cents: steps.reduce((sum, { cost_cents }) => sum + cost_cents, 0),
            unknown: steps.filter(({ status }) => status === "unknown").map(({ label }) => label),
            steps
          }
        })
      })
    })
  )
}
