/**
 * The agent and the action of a schedule or a trigger, as a person may set them. Spec: reference/schedules.md "Scheduled
 * task".
 */
import type { Permission, UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, invalidRequest, notFound } from "@countersign/domain/errors"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import type { FiringAction } from "@countersign/domain/scheduled-tasks"
import { meantName } from "@countersign/domain/similar-names"
import { Context, Effect, Layer, Option } from "effect"
import { AgentsRepository } from "../agents/repository.ts"
import { maySeeAgent, needsOnAgent } from "../auth/own.ts"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { RunnableWorkflows } from "../runs/workflows-repository.ts"
import { payloadOf, payloadPath } from "./action.ts"

export class FiringAgents extends Context.Service<FiringAgents, {
  /** 404 unless the person sees the agent, 403 unless they may change it. */
  readonly check: (user: UserPrincipal, agent: AgentId, permission: Permission) => Effect.Effect<void, ApiError>
  /**
   * 400 with each path: the operation must exist, and the payload must fit its schema unless it comes from a template.
   * 404 for a workflow that does not exist.
   */
  readonly checkAction: (org: OrgId, action: FiringAction, hasTemplate: boolean) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/firings/FiringAgents") {
  static readonly layer = Layer.effect(
    FiringAgents,
    Effect.gen(function*() {
      const agents = yield* AgentsRepository
      const workflows = yield* RunnableWorkflows
      const configuration = yield* Configuration
      return FiringAgents.of({
        check: Effect.fnUntraced(function*(user, agent, permission) {
          const row = Option.filter(yield* agents.find(user.org_id, agent), (found) => maySeeAgent(user, found))
          if (Option.isNone(row)) return yield* Effect.fail(notFound("agent"))
          yield* needsOnAgent(user, permission, row.value)
        }),
        checkAction: Effect.fnUntraced(function*(org, action, hasTemplate) {
          if (action.type === "workflow") {
            const workflow = yield* workflows.find(org, action.workflow_id)
            return yield* Option.isNone(workflow) ? Effect.fail(notFound("workflow")) : Effect.void
          }
          const { services } = yield* Effect.promise(() => configuration.org(org))
          const service = services.get(action.service)
          const operation = service?.operations.get(action.operation)
          if (operation === undefined) {
            const names = service === undefined ? [...services.keys()] : [...service.operations.keys()]
            const meant = meantName(service === undefined ? action.service : action.operation, names)
            return yield* Effect.fail(invalidRequest(`There is no operation ${action.service}.${action.operation}.`, [{
              path: service === undefined ? "action.service" : "action.operation",
              message: `No service of this workspace has it.${meant === undefined ? "" : ` Did you mean ${meant}?`}`
            }]))
          }
          const problems = hasTemplate ? [] : operation.validator.validate(payloadOf(action), payloadPath(action))
          if (problems.length === 0) return
          return yield* Effect.fail(
            invalidRequest(`The payload does not fit ${action.service}.${action.operation}.`, problems)
          )
        })
      })
    })
  )
}
