/** The agent of an address below `/agents/:id`. */
import type { Principal } from "@countersign/domain/auth"
import { notFound } from "@countersign/domain/errors"
import { Effect, Option } from "effect"
import { maySeeAgent } from "../auth/own.ts"
import type { AgentsRepository } from "./repository.ts"

/** The caller itself, or an agent that belongs to the caller's scope; 404 otherwise. */
export const ownAgentIn = (agents: AgentsRepository["Service"]) =>
  Effect.fnUntraced(function*(principal: Principal, id: string) {
    const row = Option.filter(yield* agents.find(principal.org_id, id), (agent) => maySeeAgent(principal, agent))
    return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("agent"))
  })
