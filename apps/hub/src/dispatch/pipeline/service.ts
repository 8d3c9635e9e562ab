/**
 * Dispatch: all spending goes through it. A request is decided in memory, admitted by the tick, executed by an adapter,
 * and settled by the tick; the answer comes from the stored result. Spec: reference/requests.md "Pipeline", "Records".
 */
import {
  type Accepted,
  type Answer,
  outcomeOf,
  type Refused,
  type RequestFacts
} from "@countersign/domain/dispatch-outcomes"
import { type ApiError, isApiError, notFound, unavailable } from "@countersign/domain/errors"
import { newId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import type { TestOutcome } from "@countersign/domain/service-requests"
import { Context, Effect, Layer, Option } from "effect"
import type { AgentOperation } from "../../agents/bindings-repository.ts"
import { clockDoubted } from "../../clock/rules.ts"
import { ClockWatch } from "../../clock/watch.ts"
import { PickUpsRepository } from "../../pick-ups/repository.ts"
import { hubActor } from "../../platform/audit-log.ts"
import { ConfirmedVersions } from "../../platform/confirmed-versions.ts"
import { Db, isPassing } from "../../platform/db.ts"
import { filingOf } from "../../platform/filing.ts"
import { Owner } from "../../platform/owner.ts"
import { Signals } from "../../platform/signals.ts"
import { counting, dispatchOutcomes } from "../../platform/telemetry.ts"
import { Configuration, type Found } from "../decision/configuration.ts"
import { decide, type Decision } from "../decision/decision.ts"
import { LimitsRepository } from "../decision/limits-repository.ts"
import { MoneyCore } from "../money-core/service.ts"
import { RequestsRepository, type StoredRequest } from "../requests/repository.ts"
import { makeBegin } from "./begin.ts"
import { makeCommits } from "./commits.ts"
import { makeDecide } from "./decide.ts"
import { type Early, makeExecute } from "./execute.ts"
import { Execution } from "./execution.ts"
import { makeGrants } from "./grants.ts"
import { makeReplay } from "./replay.ts"
import type { Grant, GrantAnswer, Submission, Vote } from "./submission.ts"
import { attemptOf, makeSubmit } from "./submit.ts"
import { RequestWaiters } from "./waiters.ts"
import type { Work } from "./work.ts"

/** The stored fields that continue an open request. */
type OpenRequest = Pick<
  StoredRequest,
  "id" | "agent_id" | "mode" | "service" | "operation" | "payload" | "ceiling_cents" | "script"
>

/** Its status may still change, so a caller may wait for it. */
const isOpen = ({ status }: StoredRequest): boolean => status === "running" || status === "approval_required"

/** A request that is decided without being sent. */
export interface Asked extends AgentOperation {
  readonly payload: Readonly<Record<string, unknown>>
  readonly script: TestOutcome | undefined
  readonly task: string | undefined
  /** A model call of the hub itself. */
  readonly isHubs?: boolean
}

export class Dispatch extends Context.Service<Dispatch, {
  /**
   * The whole pipeline. It continues when its caller disconnects. An outcome that is not `Executed` or `Running` is an
   * error by its tag; 400, 401, 409 and 503 are an `ApiError`. A submission with an `id` that this process works on
   * already gets the answer of that work.
   */
  readonly submit: (submission: Submission) => Effect.Effect<Accepted, Refused | ApiError>
  /**
   * The same for callers without a fiber, with every outcome as an answer: it rejects with the `ApiError`, or with a
   * defect.
   */
  readonly submitNow: (submission: Submission) => Promise<Answer>
  /**
   * Records a vote. With the last one it grants the approval, checks 3 to 10 again with today's figures in the same
   * transaction, and executes. Waits at most `millis` for the outcome, then answers `running`.
   */
  readonly grant: (org: OrgId, grant: Grant, vote: Vote, millis: number) => Effect.Effect<GrantAnswer, ApiError>
  /**
   * Files a request in the transaction that ends another: `undefined` when `close`, which takes the workspace's lock,
   * finds nothing left to end.
   */
  readonly replace: (
    submission: Submission,
    id: ServiceRequestId,
    close: Effect.Effect<boolean, ApiError>
  ) => Effect.Effect<Answer | undefined, ApiError>
  readonly find: (org: OrgId, id: ServiceRequestId) => Effect.Effect<Option.Option<StoredRequest>>
  /**
   * As `find`, once it is no longer `running` or `approval_required`, after this many milliseconds, or as soon as this
   * hub stops.
   */
  readonly await: (org: OrgId, id: ServiceRequestId, millis: number) => Effect.Effect<Option.Option<StoredRequest>>
  /** The work that continues an open request, from its stored form. */
  readonly workOf: (org: OrgId, request: OpenRequest) => Promise<Work | undefined>
  /** The decision on a request that is not sent; `undefined` when the agent does not exist. */
  readonly decisionOf: (asked: Asked) => Effect.Effect<Found & { readonly decision: Decision } | undefined>
  /** Requests in progress in this process. */
  readonly inFlight: () => number
  readonly moved: (id: ServiceRequestId) => void
}>()("@countersign/hub/dispatch/pipeline/Dispatch") {
  static readonly layer = Layer.effect(
    Dispatch,
    Effect.gen(function*() {
      const core = yield* MoneyCore
      const clock = yield* ClockWatch
      const configuration = yield* Configuration
      const execution = yield* Execution
      const repository = yield* RequestsRepository
      const limits = yield* LimitsRepository
      const db = yield* Db
      const context = yield* Effect.context<never>()
      const run = Effect.runPromiseWith(context)
      const count = counting(dispatchOutcomes, context)
      const signals = yield* Signals
      const waiters = yield* RequestWaiters

      const stored = async (org: OrgId, id: ServiceRequestId): Promise<StoredRequest> => {
        const found = await run(repository.find(org, id))
        if (Option.isNone(found)) throw new Error(`request ${id} is gone`)
        return found.value
      }
      const cancelPending = async (org: OrgId, request: ServiceRequestId) => {
        // Retries without end: while the approval is pending, a person could approve a request whose caller got an
        // error.
        for (;;) {
          try {
            await execution.patiently("a cancelled approval", repository.cancelPending(org, request, hubActor))
            break
          } catch (error) {
            if (signals.stopped()) {
              return await run(Effect.logError(`the approval of request ${request} could not be cancelled`, error))
            }
          }
        }
        waiters.moved(request)
        signals.log(org)
      }
      const commits = makeCommits({ db, run })
      const { decideWithin } = core
      /** 503 while the database is unavailable. */
      const storedNow = (org: OrgId, id: ServiceRequestId): Effect.Effect<StoredRequest, ApiError> =>
        Effect.catchDefect(Effect.promise(() => stored(org, id)), (error) =>
          isPassing(error)
            ? Effect.fail(unavailable("The hub cannot reach its database. Read the approval again in a moment."))
            : Effect.die(error))
      const decideStage = makeDecide({ configuration, limits, repository, run })
      const begin = makeBegin({
        cancelPending,
        commits,
        core,
        decide: decideStage,
        execution,
        owner: yield* Owner,
        pickUps: yield* PickUpsRepository,
        repository,
        run
      })
      const execute = makeExecute({ execution, limits, run, stored })
      const replay = makeReplay({ repository, run, stored, stopped: signals.stopped, waiters })
      const submit = makeSubmit({
        begin,
        configuration,
        decide: decideStage,
        execute,
        replay,
        repository,
        run,
        versions: yield* ConfirmedVersions
      })
      const grantVote = makeGrants({
        commits,
        configuration,
        decide: decideStage,
        decideWithin,
        execute,
        repository,
        stored
      })

      let inProgress = 0
      const tracked = <A>(id: ServiceRequestId, work: (id: ServiceRequestId) => Promise<A>): Promise<A> => {
        inProgress++
        return execution.track(id, () => work(id)).finally(() => void inProgress--)
      }

      /**
       * Detached from its caller: a disconnect interrupts the wait, not the work. The first answer counts: `early`
       * answers before the work ends.
       */
      const detached = <A>(work: (early: (answer: A) => void) => Promise<A>): Effect.Effect<A, ApiError> =>
        Effect.callback<A, ApiError>((resume) => {
          work((answer) => resume(Effect.succeed(answer))).then(
            (value) => resume(Effect.succeed(value)),
            (error) => resume(isApiError(error) ? Effect.fail(error) : Effect.die(error))
          )
        })

      const counted = (facts: RequestFacts) => count({ status: facts.status, reason: facts.reason_code ?? "" })

      /** The work on submissions that came with an id. */
      const named = new Map<string, Promise<Answer>>()

      const submitAsked = async (
        submission: Submission,
        id: ServiceRequestId,
        early: (answer: Answer) => void
      ): Promise<Answer> => {
        if (!clock.trusted() && !await run(clock.check)) throw clockDoubted()
        const answer = await submit(attemptOf(submission, id), (facts) => early({ facts, replayed: false }))
        if (!answer.replayed) counted(answer.facts)
        return answer
      }

      /** The request of an earlier call with this id, as it is now; otherwise the submission is sent once. */
      const submitNamed = async (
        asked: Submission,
        id: ServiceRequestId,
        early: (answer: Answer) => void
      ): Promise<Answer> => {
        if (asked.again === true) {
          const earlier = await run(repository.find(asked.org, id))
          if (Option.isSome(earlier)) return { facts: earlier.value, replayed: true }
        }
        const current = named.get(id)
        if (current !== undefined) return await current
        // An earlier call got 503, and this process waits to end its begin unsent.
        if (execution.isActive(id)) {
          throw unavailable("The hub still ends an earlier call of this request. Try again shortly.")
        }
        const work = tracked(id, () => submitAsked(asked, id, early))
        named.set(id, work)
        return await work.finally(() => named.delete(id))
      }

      const submitOnce = (asked: Submission, early: (answer: Answer) => void): Promise<Answer> =>
        asked.id === undefined
          ? tracked(newId("req"), (id) => submitAsked(asked, id, early))
          : submitNamed(asked, asked.id, early)

      const grant: Dispatch["Service"]["grant"] = Effect.fnUntraced(function*(org, given, vote, millis) {
        const found = yield* repository.find(org, given.requestId)
        if (Option.isNone(found)) return { kind: "not_pending" }
        const request = found.value
        const asked: Submission = {
          mode: request.mode,
          org,
          agent: request.agent_id,
          actor: { type: "agent", id: request.agent_id, name: "" },
          service: request.service,
          operation: request.operation,
          payload: JSON.parse(request.payload) as Record<string, unknown>,
          ...filingOf(request.origin)
        }
        const granting = { grant: given, script: request.script === "approval" ? null : request.script }
        let abandoned = false
        const done = yield* Effect.timeoutOption(
          detached<GrantAnswer>((early) =>
            tracked(request.id, async (id) => {
              const answer = await grantVote(
                attemptOf(asked, id, granting),
                vote,
                () => abandoned,
                (facts) => early({ kind: "begun", facts })
              )
              if (answer.kind === "begun") {
                counted(answer.facts)
                waiters.moved(request.id)
              }
              return answer
            })
          ),
          millis
        )
        if (Option.isNone(done)) {
          abandoned = true
          const facts = yield* storedNow(org, request.id)
          // No provider was called yet: the vote itself is still to be recorded, or never will be.
          return facts.status === "approval_required"
            ? yield* Effect.fail(
              unavailable("The vote could not be recorded in time. It may still be: read the approval again.")
            )
            : { kind: "begun", facts }
        }
        return done.value.kind === "begun"
          ? { kind: "begun", facts: { ...done.value.facts, created_at: request.created_at, origin: request.origin } }
          : done.value
      })

      const replaceAsked = async (
        asked: Submission,
        id: ServiceRequestId,
        close: Effect.Effect<boolean, ApiError>,
        early: Early
      ): Promise<Answer | undefined> => {
        await configuration.limits(asked)
        const begun = await begin.locked(attemptOf(asked, id), close)
        if (begun === "nothing to end") {
          return undefined
        }
        if (begun === undefined) throw notFound("agent")
        if (begun.answer.kind === "stale") throw new Error(`a limit of request ${id} is missing`)
        if (begun.answer.kind === "known") return { facts: await stored(asked.org, id), replayed: false }
        return { facts: await execute(begun, asked, early), replayed: false }
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
        submit: (submission) => Effect.flatMap(detached<Answer>((early) => submitOnce(submission, early)), outcomeOf),
        submitNow: (submission) =>
          new Promise((resolve, reject) => {
            submitOnce(submission, resolve).then(resolve, reject)
          }),
        grant,
        replace: (submission, id, close) =>
          Effect.tap(
            detached<Answer | undefined>((early) =>
              tracked(id, () => replaceAsked(submission, id, close, (facts) => early({ facts, replayed: false })))
            ),
            (answer) => Effect.sync(() => answer === undefined ? undefined : counted(answer.facts))
          ),
        find: repository.find,
        await: Effect.fnUntraced(function*(org, id, millis) {
          const until = performance.now() + millis
          for (;;) {
            const found = yield* repository.find(org, id)
            const left = until - performance.now()
            if (Option.isNone(found) || !isOpen(found.value) || left <= 0 || signals.stopped()) return found
            yield* Effect.promise(() => waiters.wait(org, id, left))
          }
        }),
        workOf,
        decisionOf: Effect.fnUntraced(function*({ agent, org, ...request }) {
          // Delegating a task makes no hub read the agent again, so its tasks in memory may be old.
          const found = request.task === undefined
            ? yield* Effect.promise(() => configuration.load(org, agent))
            : yield* configuration.read(org, agent)
          if (found === undefined) return undefined
          const asked = { ...request, now: new Date() }
          const decision = decide(found.org, found.agent, asked)
          const chosen = yield* Effect.promise(async () =>
            decideStage.withRoom(found.org, found.agent, asked, decision)
          )
          return { ...found, decision: chosen }
        }),
        inFlight: () => inProgress,
        moved: waiters.moved
      })
    })
  )
}
