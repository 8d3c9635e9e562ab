/**
 * One attempt at a begin: decided on the configuration in memory, or under the workspace's lock, where it cannot
 * change.
 */
import { type ApiError, invalidRequest } from "@countersign/domain/errors"
import { Effect, Option } from "effect"
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
import type { Begin, BeginAnswer } from "../money-core/entries.ts"
import type { MoneyCore } from "../money-core/service.ts"
import type { RequestsRepository } from "../requests/repository.ts"
import { type Attempt, beginOf, type Refusal, type Verdict } from "./begin.ts"
import type { Commits } from "./commits.ts"
import type { Submission } from "./submission.ts"

/** A decision with its entry for the tick; no entry when the payload is invalid. */
export type Prepared =
  | { readonly made: undefined; readonly decision: Refusal }
  | { readonly made: Begin; readonly decision: Verdict }

/** A begin for the tick, with the decision and the configuration behind it. */
export interface Decided {
  readonly made: Begin
  readonly decision: Verdict
  readonly found: Found
}

/** A begin with its answer. */
export interface Begun extends Decided {
  readonly answer: BeginAnswer
}

export interface AttemptsOptions {
  readonly commits: Commits
  readonly configuration: Configuration["Service"]
  readonly decideWithin: MoneyCore["Service"]["decideWithin"]
  readonly limits: LimitsRepository["Service"]
  readonly repository: RequestsRepository["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
}

export const makeAttempts = ({ commits, configuration, decideWithin, limits, repository, run }: AttemptsOptions) => {
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
        now: new Date(),
        ...(granting === undefined ? {} : { granted: { ceilingCents: granting.grant.approvedCeilingCents } })
      })
    )
    const decision = chosen instanceof Promise ? await chosen : chosen
    if (decision.kind === "invalid") return { made: undefined, decision }
    const counted = (decision.kind === "admit" || decision.kind === "wait") && decision.plan.counted
    const rows = counted
      ? configuration.peekLimits(agent.id, asked.mode, asked.service, asked.operation) ??
        await configuration.limits(org.id, agent.id, asked.mode, asked.service, asked.operation)
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

  /**
   * One transaction that decides under the lock, for a workspace whose rules change faster than a request is decided.
   * `first` runs before this function takes the lock, and may take it. A failure rolls `first` back.
   */
  const beginLocked = (
    attempt: Attempt,
    first: Effect.Effect<boolean, ApiError> = Effect.succeed(true)
  ): Promise<Begun | "nothing to end" | undefined> => {
    const { asked, id } = attempt
    let sent: Decided | undefined
    return commits({
      work: Effect.gen(function*() {
        if (!(yield* first)) return "nothing to end" as const
        yield* repository.lock(asked.org)
        sent = yield* readWithin(attempt)
        return sent === undefined ? undefined : { ...sent, answer: yield* decideWithin(sent.made) }
      }),
      committed: Effect.gen(function*() {
        yield* repository.lock(asked.org)
        if (sent === undefined || !(yield* repository.exists(asked.org, id))) return Option.none()
        return Option.some({ ...sent, answer: yield* decideWithin(sent.made, true) })
      })
    })
  }

  return { beginLocked, prepare, readWithin, withRoom }
}

export type Attempts = ReturnType<typeof makeAttempts>
