/** The agent of an address below `/agents/:id`. */
import type { Permission, Principal } from "@countersign/domain/auth"
import { type ApiError, notFound } from "@countersign/domain/errors"
import { Effect, Option } from "effect"
import { maySeeAgent, needsOnAgent } from "../auth/own.ts"
import type { AgentRow, AgentsRepository } from "./repository.ts"

/**
 * The caller itself, or an agent that belongs to the caller's scope; 404 otherwise. With `permission`: 403 unless a
 * person may change the agent.
 */
export const ownAgentIn = (agents: AgentsRepository["Service"]) =>
  Effect.fnUntraced(function*(
    principal: Principal,
    id: string,
    permission?: Permission
  ): Effect.fn.Return<AgentRow, ApiError> {
    const row = Option.filter(yield* agents.find(principal.org_id, id), (agent) => maySeeAgent(principal, agent))
    if (Option.isNone(row)) return yield* Effect.fail(notFound("agent"))
    if (permission !== undefined && principal.kind === "user") yield* needsOnAgent(principal, permission, row.value)
    return row.value
  })
