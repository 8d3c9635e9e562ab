/**
 * What a definition names in its workspace: services, operations, secrets, agents, workflows, and people. A version may
 * name what does not exist yet, so a missing one is a warning, and so is a fixed payload that does not fit its operation. Spec: reference/workflows.md "Checks".
 */
import type { Detail } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { similarNames } from "@countersign/domain/similar-names"
import type { WorkflowDefinition } from "@countersign/domain/workflow-definition"
import { isStatic, renderTemplate } from "@countersign/domain/workflow-template"
import { Context, Effect, Layer, Result } from "effect"
import type { CatalogOperation } from "../catalog/compiled.ts"
import { Catalog } from "../catalog/service.ts"
import { PoliciesRepository } from "../policies/repository.ts"
import { SecretsRepository } from "../secrets/repository.ts"
import { WorkflowsRepository } from "./repository.ts"

interface Named {
  readonly path: string
  readonly name: string
}

/** Of a payload without references: no run would change it. */
const payloadProblems = (operation: CatalogOperation, payload: unknown, config: string): ReadonlyArray<Detail> => {
  if (payload !== undefined && !isStatic(payload)) return []
  const rendered = renderTemplate(payload ?? {}, {})
  return Result.isSuccess(rendered) ? operation.validator.validate(rendered.success.value, `${config}.payload`) : []
}

export class WorkflowReferences extends Context.Service<WorkflowReferences, {
  /** Paths begin with `at`. */
  readonly warnings: (org: OrgId, definition: WorkflowDefinition, at?: string) => Effect.Effect<ReadonlyArray<Detail>>
}>()("@countersign/hub/workflows/WorkflowReferences") {
  static readonly layer = Layer.effect(
    WorkflowReferences,
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const secrets = yield* SecretsRepository
      const workflows = yield* WorkflowsRepository
      const policies = yield* PoliciesRepository

      const warnings = Effect.fn("WorkflowReferences.warnings")(
        function*(org: OrgId, definition: WorkflowDefinition, at = "") {
          const services = yield* catalog.snapshot(org)
          const found: Array<Detail> = []
          const ofSecrets: Array<Named> = []
          const ofAgents: Array<Named> = []
          const ofWorkflows: Array<Named> = []
          const ofPeople: Array<Named> = []
          const serviceProblem = (name: string): string | undefined => {
            const service = services.get(name)
            if (service === undefined) {
              const [near] = similarNames(name, [...services.keys()])
              return `This workspace has no service ${name}.${near === undefined ? "" : ` Did you mean ${near}?`}`
            }
            return service.enabled ? undefined : `The service ${name} is off in this workspace.`
          }
          definition.steps.forEach((step, index) => {
            const config = `${at}steps.${index}.config`
            switch (step.type) {
              case "service_call": {
                const { operation, service } = step.config
                const problem = serviceProblem(service)
                if (problem !== undefined) return void found.push({ path: `${config}.service`, message: problem })
                const operations = services.get(service)?.operations
                const called = operations?.get(operation)
                if (called !== undefined) {
                  return void found.push(...payloadProblems(called, step.config.payload, config))
                }
                const [near] = similarNames(operation, [...operations?.keys() ?? []])
                const meant = near === undefined ? "" : ` Did you mean ${near}?`
                return void found.push({
                  path: `${config}.operation`,
                  message: `The service ${service} has no operation ${operation}.${meant}`
                })
              }
              case "delegation":
                step.config.services.forEach((service, at) => {
                  const message = serviceProblem(service)
                  if (message !== undefined) found.push({ path: `${config}.services.${at}`, message })
                })
                return void ofAgents.push({ path: `${config}.to_agent_id`, name: step.config.to_agent_id })
              case "run_workflow":
                return void ofWorkflows.push({ path: `${config}.workflow_id`, name: step.config.workflow_id })
              case "webhook":
                if (step.config.secret !== undefined) {
                  ofSecrets.push({ path: `${config}.secret`, name: step.config.secret })
                }
                return
              case "approval":
                step.config.deciders?.user_ids?.forEach((name, at) =>
                  ofPeople.push({ path: `${config}.deciders.user_ids.${at}`, name })
                )
            }
          })
          const missing = (
            named: ReadonlyArray<Named>,
            existing: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>,
            message: (name: string) => string
          ) => {
            const fixed = named.filter(({ name }) => isStatic(name))
            if (fixed.length === 0) return Effect.void
            return Effect.map(existing([...new Set(fixed.map(({ name }) => name))]), (known) => {
              for (const { name, path } of fixed) if (!known.has(name)) found.push({ path, message: message(name) })
            })
          }
          yield* missing(
            ofSecrets,
            (names) => secrets.existing(org, names),
            (name) => `This workspace has no secret ${name}.`
          )
          yield* missing(
            ofAgents,
            (ids) => workflows.existingAgents(org, ids),
            () => "This workspace has no such agent."
          )
          yield* missing(
            ofWorkflows,
            (ids) => workflows.existing(org, ids),
            () => "This workspace has no such workflow."
          )
          yield* missing(
            ofPeople,
            (ids) => policies.members(org, ids),
            () => "There is no such person in this workspace."
          )
          return found
        }
      )

      return WorkflowReferences.of({ warnings })
    })
  )
}
