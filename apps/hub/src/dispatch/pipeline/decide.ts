/**
 * The stage `decide`: on the configuration in memory, or in a transaction under the workspace's lock, where it cannot
 * change.
 */
import { type ApiError, invalidRequest } from "@countersign/domain/errors"
import { Effect } from "effect"
import { contextOf } from "../../platform/filing.ts"
import type { Configuration, Found } from "../decision/configuration.ts"
import {
  type AgentConfiguration,
  decide,
  type Decision,
  type OrgConfiguration,
  type Standing,
  standingFor
} from "../decision/decision.ts"
import type { LimitsRepository } from "../decision/limits-repository.ts"
import type { Begin } from "../money-core/entries.ts"
import type { RequestsRepository } from "../requests/repository.ts"
import { beginOf } from "./entry.ts"
import type { Attempt, Decided, Invalid, Verdict } from "./states.ts"
import type { Submission } from "./submission.ts"

/** A decision with its entry for the tick; no entry when the payload is invalid. */
export type Prepared =
  | { readonly made: undefined; readonly decision: Invalid }
  | { readonly made: Begin; readonly decision: Verdict }

export interface DecideOptions {
  readonly configuration: Configuration["Service"]
  readonly limits: LimitsRepository["Service"]
  readonly repository: RequestsRepository["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
}

export const makeDecide = ({ configuration, limits, repository, run }: DecideOptions) => {
  const withFirstRoom = async (
    org: OrgConfiguration,
    candidates: ReadonlyArray<Standing>,
    decision: Extract<Decision, { readonly kind: "admit" }>
  ): Promise<Decision> => {
    for (const standing of candidates) {
      if (await run(limits.tight(org.id, standing.limits, decision.ceilingCents)) === undefined) {
        return { ...decision, plan: { ...decision.plan, standing } }
      }
    }
    return decision
  }

  /**
   * The first of several matching standing approvals that has room left. It is read without a lock; the tick makes the
   * final check. Returns a promise only when there is something to read.
   */
  const withRoom = (
    org: OrgConfiguration,
    agent: AgentConfiguration,
    asked: Pick<Submission, "mode" | "service" | "operation" | "payload">,
    decision: Decision
  ): Decision | Promise<Decision> => {
    if (decision.kind !== "admit" || decision.plan.standing === undefined) return decision
    const candidates = standingFor(agent, { ...asked, now: new Date() }, decision.ceilingCents)
    return candidates.length < 2 ? decision : withFirstRoom(org, candidates, decision)
  }

  /** Decides on a configuration; the entry for the tick is `undefined` when the payload is invalid. */
  const prepare = async (attempt: Attempt, found: Found): Promise<Prepared> => {
    const { asked, granting } = attempt
    const { agent, org } = found
    const chosen = withRoom(
      org,
      agent,
      asked,
      decide(org, agent, {
        mode: asked.mode,
        service: asked.service,
        operation: asked.operation,
        payload: asked.payload,
        script: asked.script,
        task: asked.task,
        context: contextOf(asked),
        ...(asked.model === undefined ? {} : { isHubs: true }),
        ...(asked.forceApproval === true ? { forceApproval: true } : {}),
        now: new Date(),
        ...(granting === undefined ? {} : { granted: { ceilingCents: granting.grant.approvedCeilingCents } })
      })
    )
    const decision = chosen instanceof Promise ? await chosen : chosen
    if (decision.kind === "invalid") return { made: undefined, decision }
    const counted = (decision.kind === "admit" || decision.kind === "wait") && decision.plan.counted
    const rows = counted
      ? configuration.peekLimits(asked) ?? await configuration.limits(asked)
      : undefined
    return { made: beginOf(attempt, found, decision, rows), decision }
  }

  /**
   * Decides in the caller's transaction, under the workspace's lock, where no configuration can change. `undefined`
   * when the agent or its key was deleted; fails when the payload is invalid.
   */
  const readWithin = Effect.fnUntraced(function*(attempt: Attempt): Effect.fn.Return<Decided | undefined, ApiError> {
    const { asked } = attempt
    const found = yield* configuration.read(asked.org, asked.agent)
    if (found === undefined) return undefined
    if (asked.keyId !== undefined && !(yield* repository.keyIsAlive(asked.org, asked.keyId))) return undefined
    const { decision, made } = yield* Effect.promise(() => prepare(attempt, found))
    return made === undefined
      ? yield* Effect.fail(invalidRequest(decision.message, decision.details))
      : { made, decision, found }
  })

  return { prepare, readWithin, withRoom }
}

export type Decide = ReturnType<typeof makeDecide>
