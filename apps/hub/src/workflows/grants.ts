/** Grants: which agents run a workflow. Spec: reference/workflows.md "Grants". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, invalidField, notFound } from "@countersign/domain/errors"
import type { AgentId } from "@countersign/domain/ids"
import { type WorkflowGrant, workflowGrantsMax } from "@countersign/domain/workflows"
import { Context, Effect, Layer, Option } from "effect"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { mayActOnAgent } from "../auth/own.ts"
import { Rights } from "../auth/rights.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { workflowIn } from "./access.ts"
import { type GrantRow, WorkflowsRepository } from "./repository.ts"
import { mayChangeWorkflow } from "./rules.ts"

export class WorkflowGrants extends Context.Service<WorkflowGrants, {
  /** For a person who sees the workflow, with the right to change the agent: the agent spends. */
  readonly grant: (
    user: UserPrincipal,
    workflow: string,
    agent: AgentId
  ) => Effect.Effect<{ readonly grant: WorkflowGrant; readonly isNew: boolean }, ApiError>
  /** For a person with the right to change the workflow or the agent. */
  readonly revoke: (
    user: UserPrincipal,
    workflow: string,
    agent: AgentId | undefined
  ) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/workflows/WorkflowGrants") {
  static readonly layer = Layer.effect(
    WorkflowGrants,
    Effect.gen(function*() {
      const repository = yield* WorkflowsRepository
      const agents = yield* AgentsRepository
      const ownAgent = ownAgentIn(agents)
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const found = workflowIn(repository)

      const grant = Effect.fn("WorkflowGrants.grant")(
        function*(caller: UserPrincipal, workflow: string, agent: AgentId) {
          const org = caller.org_id
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(org)
          const { name } = yield* found(user, workflow)
          yield* ownAgent(user, agent, "agents:write")
          const before = yield* repository.grants(org, [workflow])
          const standing = before.find(({ agent_id }) => agent_id === agent)
          if (standing !== undefined) return { grant: toGrant(standing), isNew: false }
          if (before.length >= workflowGrantsMax) {
            return yield* Effect.fail(
              conflict(
                "limit_reached",
                `A workflow can be granted to ${workflowGrantsMax} agents; revoke a grant first.`,
                {
                  max: workflowGrantsMax
                }
              )
            )
          }
          yield* repository.grant(org, { workflow, agent, by: user.user_id, at })
          yield* audit.record(org, actorOf(user), {
            action: "workflow.granted",
            subject: { type: "workflow", id: workflow },
            agent_id: agent,
            data: { name }
          })
          const made = (yield* repository.grants(org, [workflow])).find(({ agent_id }) => agent_id === agent)
          return made === undefined ? yield* Effect.fail(notFound("agent")) : { grant: toGrant(made), isNew: true }
        },
        db.transaction
      )

      const revoke = Effect.fn("WorkflowGrants.revoke")(
        function*(caller: UserPrincipal, workflow: string, agent: AgentId | undefined) {
          const org = caller.org_id
          const user = yield* rights.hold(caller)
          yield* heads.lock(org)
          const row = yield* found(user, workflow)
          if (agent === undefined) return yield* Effect.fail(invalidField("agent_id", "it is required"))
          const granted = yield* agents.find(org, agent)
          const mayRevoke = mayChangeWorkflow(user, row) ||
            Option.exists(granted, (one) => mayActOnAgent(user, "agents:write", one))
          // Without the right to revoke it, a grant answers like a missing one.
          if (!mayRevoke || !(yield* repository.revoke(org, workflow, agent))) {
            return yield* Effect.fail(notFound("grant"))
          }
          yield* audit.record(org, actorOf(user), {
            action: "workflow.grant_revoked",
            subject: { type: "workflow", id: workflow },
            agent_id: agent,
            data: { name: row.name }
          })
        },
        db.transaction
      )

      return WorkflowGrants.of({ grant, revoke })
    })
  )
}

const toGrant = (row: GrantRow): WorkflowGrant => ({
  workflow_id: row.workflow_id,
  agent_id: row.agent_id,
  agent_name: row.agent_name,
  created_at: row.created_at.toISOString()
})
