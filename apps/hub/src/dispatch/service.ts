/**
 * Dispatch: the one door through which anything is spent. A request is decided in memory, admitted by the tick, executed by an
 * adapter and settled by the tick; what is answered is what the store says. Spec: contract 2.
 */
import type { Mode, Principal } from "@countersign/domain/auth"
import { type ApiError, isApiError, notFound } from "@countersign/domain/errors"
import { newId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { Db } from "../platform/db.ts"
import { counting, dispatchOutcomes } from "../platform/telemetry.ts"
import { makeAttempts } from "./attempts.ts"
import { Configuration, type Found } from "./configuration.ts"
import { decide, type Decision, type TestOutcome } from "./decision.ts"
import { Execution } from "./execution.ts"
import { LimitsRepository } from "./limits-repository.ts"
import { MoneyCore } from "./money-core.ts"
import { makeProceed } from "./proceed.ts"
import { makeReplay } from "./replay.ts"
import { RequestsRepository, type StoredRequest } from "./repository.ts"
import type { Answer, Grant, GrantAnswer, Submission } from "./submission.ts"
import { attemptOf, makeSubmit } from "./submit.ts"
import type { RequestFacts } from "./view.ts"
import { makeWaiters } from "./waiters.ts"
import type { Work } from "./work.ts"

export type { Answer } from "./submission.ts"

/** What is kept of an open request to do its work from. */
type OpenRequest = Pick<
  StoredRequest,
  "id" | "agent_id" | "mode" | "service" | "operation" | "payload" | "ceiling_cents" | "script"
>

/** It may still move: a caller may wait for that. */
const isOpen = ({ status }: StoredRequest): boolean => status === "running" || status === "approval_required"

export class Dispatch extends Context.Service<Dispatch, {
  /** The whole pipeline. It goes on when its caller is gone. 400, 401, 409, 503 are errors; every outcome is a value. */
  readonly submit: (submission: Submission) => Effect.Effect<Answer, ApiError>
  /** The same as a promise, for who has no fiber: it rejects with the `ApiError`, or with a defect. */
  readonly submitNow: (submission: Submission) => Promise<Answer>
  /** Checks 3 to 10 again at today's figures, then executes. Waits at most `millis` for the outcome, then answers `running`. */
  readonly grant: (org: string, grant: Grant, millis: number) => Effect.Effect<GrantAnswer, ApiError>
  /** Files a request in the transaction that ends another: `undefined` when `close` says there is nothing to end any more. */
  readonly replace: (
    submission: Submission,
    id: string,
    close: Effect.Effect<boolean>
  ) => Effect.Effect<Answer | undefined, ApiError>
  readonly find: (org: string, id: string) => Effect.Effect<Option.Option<StoredRequest>>
  /** As `find`, once it has left `running` and `approval_required`, or after so many milliseconds. */
  readonly await: (org: string, id: string, millis: number) => Effect.Effect<Option.Option<StoredRequest>>
  /** What is to be done of an open request, from its stored form. */
  readonly workOf: (org: string, request: OpenRequest) => Promise<Work | undefined>
  readonly decisionOf: (
    principal: Principal,
    agent: string,
    mode: Mode,
    service: string,
    operation: string,
    payload: Readonly<Record<string, unknown>>,
    script: TestOutcome | undefined
  ) => Effect.Effect<Found & { readonly decision: Decision } | undefined>
  /** Requests under way in this process. */
  readonly inFlight: () => number
  readonly moved: (id: string) => void
}>()("@countersign/hub/dispatch/Dispatch") {
  static readonly layer = Layer.effect(Dispatch, Effect.gen(function*() {
    const core = yield* MoneyCore
    const configuration = yield* Configuration
    const execution = yield* Execution
    const repository = yield* RequestsRepository
    const limits = yield* LimitsRepository
    const db = yield* Db
    const context = yield* Effect.context<never>()
    const run = Effect.runPromiseWith(context)
    const count = counting(dispatchOutcomes, context)
    const waiters = makeWaiters((asked) => run(repository.settled(asked)))
    yield* Effect.addFinalizer(() => Effect.sync(waiters.stop))
    execution.onMoved(waiters.moved)

    const stored = async (org: string, id: string): Promise<StoredRequest> => {
      const found = await run(repository.find(org, id))
      if (Option.isNone(found)) throw new Error(`request ${id} is gone`)
      return found.value
    }
    const attempts = makeAttempts({ configuration, db, decideWithin: core.decideWithin, limits, repository, run })
    const replay = makeReplay({ repository, run, stored, waiters })
    const proceed = makeProceed({ execution, limits, run, stored })
    const submit = makeSubmit({ attempts, configuration, core, execution, proceed, replay, repository, run })

    let underWay = 0
    const working = <A>(id: string, work: (id: string) => Promise<A>): Promise<A> => {
      underWay++
      return execution.atWork(id, () => work(id)).finally(() => void underWay--)
    }

    /** Detached from its caller: a hang-up interrupts the wait, not the work. */
    const atWork = <A>(id: string, work: (id: string) => Promise<A>): Effect.Effect<A, ApiError> =>
      Effect.callback<A, ApiError>((resume) => {
        working(id, work).then(
          (value) => resume(Effect.succeed(value)),
          (error) => resume(isApiError(error) ? Effect.fail(error) : Effect.die(error))
        )
      })

    const counted = (facts: RequestFacts) => count({ status: facts.status, reason: facts.reason_code ?? "" })

    const submitAsked = async (submission: Submission, id: string): Promise<Answer> => {
      const answer = await submit(attemptOf(submission, id))
      if (!("facts" in answer)) throw new Error("only a grant can find nothing pending")
      if (!answer.replayed) counted(answer.facts)
      return answer
    }

    const grant: Dispatch["Service"]["grant"] = Effect.fnUntraced(function*(org, given, millis) {
      const found = yield* repository.find(org, given.requestId)
      if (Option.isNone(found)) return { kind: "not_pending" }
      const request = found.value
      const asked: Submission = {
        mode: request.mode as Mode,
        org,
        agent: request.agent_id,
        actor: { type: "agent", id: request.agent_id, name: "" },
        service: request.service,
        operation: request.operation,
        payload: JSON.parse(request.payload) as Record<string, unknown>
      }
      const granting = { grant: given, script: request.script === "approval" ? null : request.script }
      const done = yield* Effect.timeoutOption(atWork(request.id, (id) => submit(attemptOf(asked, id, granting))), millis)
      if (Option.isNone(done)) return { kind: "begun", facts: yield* Effect.promise(() => stored(org, request.id)) }
      if (!("facts" in done.value)) return { kind: "not_pending" }
      const { facts } = done.value
      counted(facts)
      waiters.moved(request.id)
      return { kind: "begun", facts: { ...facts, created_at: request.created_at, origin: request.origin } }
    })

    const replaceAsked = async (
      asked: Submission,
      id: string,
      close: Effect.Effect<boolean>
    ): Promise<Answer | undefined> => {
      await configuration.limits(asked.org, asked.agent, asked.mode, asked.service, asked.operation)
      const begun = await attempts.beginLocked(attemptOf(asked, id), close)
      if (begun === "nothing to end") return undefined
      if (begun === undefined) throw notFound("agent")
      return { facts: await proceed(begun, asked.payload), replayed: false }
    }

    const workOf: Dispatch["Service"]["workOf"] = async (org, request) => {
      const loaded = await configuration.org(org)
      const service = loaded.services.get(request.service)
      const operation = service?.operations.get(request.operation)
      if (service === undefined || operation === undefined) return undefined
      const agent = await configuration.load(org, request.agent_id)
      return {
        id: request.id,
        org,
        agent: request.agent_id,
        agentName: agent?.agent.name ?? request.agent_id,
        mode: request.mode,
        service,
        operation,
        payload: JSON.parse(request.payload),
        ceilingCents: request.ceiling_cents,
        script: request.script
      }
    }

    return Dispatch.of({
      submit: (submission) => atWork(newId("req"), (id) => submitAsked(submission, id)),
      submitNow: (submission) => working(newId("req"), (id) => submitAsked(submission, id)),
      grant,
      replace: (submission, id, close) =>
        Effect.tap(atWork(id, () => replaceAsked(submission, id, close)), (answer) =>
          Effect.sync(() => answer === undefined ? undefined : counted(answer.facts))),
      find: repository.find,
      await: Effect.fnUntraced(function*(org, id, millis) {
        const until = performance.now() + millis
        for (;;) {
          const found = yield* repository.find(org, id)
          const left = until - performance.now()
          if (Option.isNone(found) || !isOpen(found.value) || left <= 0) return found
          yield* Effect.promise(() => waiters.wait(org, id, left))
        }
      }),
      workOf,
      decisionOf: Effect.fnUntraced(function*(principal, agent, mode, service, operation, payload, script) {
        const found = yield* Effect.promise(() => configuration.load(principal.org_id, agent))
        if (found === undefined) return undefined
        const asked = { mode, service, operation, payload, script, now: new Date() }
        const decision = decide(found.org, found.agent, asked)
        const chosen = yield* Effect.promise(async () => attempts.withRoom(found.org, found.agent, asked, decision))
        return { ...found, decision: chosen }
      }),
      inFlight: () => underWay,
      moved: waiters.moved
    })
  }))
}
