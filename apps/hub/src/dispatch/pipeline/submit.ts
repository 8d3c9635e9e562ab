/** Drives a submission through its states, `decide` to `ended`, and repeats `decide` while the configuration changes. */
import type { Answer } from "@countersign/domain/dispatch-outcomes"
import { invalidRequest, notFound, unauthorized } from "@countersign/domain/errors"
import type { ServiceRequestId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import type { Effect } from "effect"
import type { ConfirmedVersions } from "../../platform/confirmed-versions.ts"
import type { Configuration } from "../decision/configuration.ts"
import type { RequestsRepository } from "../requests/repository.ts"
import type { BeginStage } from "./begin.ts"
import type { Decide } from "./decide.ts"
import type { Early, Execute } from "./execute.ts"
import { keyConflict, type Replay } from "./replay.ts"
import type { Admitted, Answered, Attempt, Beginning, Deciding, Submitting } from "./states.ts"
import { keyHash, keyOf, type Submission } from "./submission.ts"

/**
 * How often a stale decision is repeated before it is made under the workspace's lock, where no configuration can
 * change.
 */
export const staleTriesMax = 3

export const attemptOf = (asked: Submission, id: ServiceRequestId, granting?: Attempt["granting"]): Attempt => {
  const canonical = canonicalize(asked.payload)
  // The hash is needed only with a key.
  return { asked, id, canonical, hash: keyOf(asked) === undefined ? "" : keyHash(asked, canonical), granting }
}

const keyGone = () =>
  unauthorized("The agent key is no longer valid. This endpoint requires an agent key.", { wants: "agent" })

export interface SubmitOptions {
  readonly begin: BeginStage
  readonly configuration: Configuration["Service"]
  readonly decide: Decide
  readonly execute: Execute
  readonly replay: Replay
  readonly repository: RequestsRepository["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  readonly versions: ConfirmedVersions["Service"]
}

export const makeSubmit = (
  { begin, configuration, decide, execute, replay, repository, run, versions }: SubmitOptions
) => {
  const ended = (answer: Answer): Answered => ({ stage: "ended", answer })
  const gone = ({ keyId }: Submission) => keyId === undefined ? notFound("agent") : keyGone()

  const decideStage = async (attempt: Attempt, state: Deciding): Promise<Beginning | Answered> => {
    const { asked } = attempt
    const { tries } = state
    let { keyVersion } = state
    const known = configuration.peek(asked.org, asked.agent)
    const isAtOnce = tries === 0 && known !== undefined && configuration.peekLimits(asked) !== undefined &&
      (asked.keyId === undefined || known.agent.version === keyVersion)
    // Whatever waits for the database before the begin, a caller that hangs up meanwhile can leave its key.
    if (!isAtOnce) await begin.pickedUp(asked)
    const found = known ?? await configuration.load(asked.org, asked.agent)
    if (found === undefined) throw gone(asked)
    // The key was read with an older version of the configuration and may have been revoked with it; later revocations
    // are caught by the tick.
    if (asked.keyId !== undefined && found.agent.version !== keyVersion) {
      if (!await run(repository.keyIsAlive(asked.org, asked.keyId))) throw keyGone()
      keyVersion = found.agent.version
    }
    if (tries === staleTriesMax) {
      // Creating counter rows takes the lock, so they are created before the transaction that decides takes it.
      await configuration.limits(asked)
      return { stage: "begin", decided: undefined, tries, keyVersion }
    }
    const { decision, made } = await decide.prepare(attempt, found)
    if (made !== undefined) return { stage: "begin", decided: { made, decision, found }, tries, keyVersion }
    await begin.pickedUp(asked)
    const first = await replay.known(asked, attempt.hash)
    if (first === undefined) throw invalidRequest(decision.message, decision.details)
    return ended(first)
  }

  const beginLocked = async (attempt: Attempt, since: number) => {
    const begun = await begin.lockedInTime(attempt, since)
    if (begun === "nothing to end") throw new Error("there was nothing to end")
    if (begun === undefined) throw gone(attempt.asked)
    return begun
  }

  const beginStage = async (
    attempt: Attempt,
    { decided, keyVersion, tries }: Beginning,
    since: number
  ): Promise<Deciding | Admitted | Answered> => {
    const { asked, id } = attempt
    // A begin that is sent alone takes it by its own statement.
    if (decided === undefined || !begin.isIdle()) await begin.pickedUp(asked)
    const begun = decided === undefined
      ? await beginLocked(attempt, since)
      : await begin.batched(attempt, decided, since)
    const { answer } = begun
    switch (answer.kind) {
      case "known": {
        const first = await replay.replay(asked.org, answer.id)
        // The request's own id, after a lost reply: it has already ended, or another hub took it over.
        return ended(answer.id === id ? { ...first, replayed: false } : first)
      }
      case "conflict":
        throw keyConflict(answer.id)
      case "not_pending":
        throw new Error("a new request has no approval to consume")
      case "stale":
        // No configuration can change under the lock, so a counter row of the request is missing.
        if (decided === undefined) throw new Error(`a limit of a request of agent ${asked.agent} is missing`)
        configuration.forget(asked.org)
        return { stage: "decide", tries: tries + 1, keyVersion }
      default:
        // The tick compared the version after `since`, except for a begin that an earlier process sent.
        if (asked.again !== true) versions.confirm(begun.made.agent, begun.made.agentVersion, since)
        return { stage: "execute", begun }
    }
  }

  /** Rejects with the `ApiError`, or with a defect. */
  return async (attempt: Attempt, early: Early): Promise<Answer> => {
    const since = performance.now()
    const { asked } = attempt
    let state: Submitting = { stage: "decide", tries: 0, keyVersion: asked.keyVersion }
    for (;;) {
      switch (state.stage) {
        case "decide":
          state = await decideStage(attempt, state)
          break
        case "begin":
          state = await beginStage(attempt, state, since)
          break
        case "execute":
          state = ended({ facts: await execute(state.begun, asked, early), replayed: false })
          break
        case "ended":
          return state.answer
      }
    }
  }
}
