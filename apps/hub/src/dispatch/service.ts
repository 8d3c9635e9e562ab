/**
 * Dispatch: the one door through which anything is spent. A request is decided in memory, admitted by the tick, executed by an adapter
 * and settled by the tick; what is answered is what the store says. Spec: contract 2.
 */
import type { AgentPrincipal, Mode, Principal } from "@countersign/domain/auth"
import { type ApiError, conflict, isApiError, invalidField, invalidRequest, notFound, unauthorized, unavailable } from "@countersign/domain/errors"
import { newId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import type { RequestStatus } from "@countersign/domain/service-requests"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { type Actor, actorLine, hubActor } from "../audit/service.ts"
import { Db } from "../platform/db.ts"
import { counting, dispatchOutcomes } from "../platform/telemetry.ts"
import { Configuration } from "./configuration.ts"
import { type AgentConfiguration, decide, type Decision, type OrgConfiguration, type Standing, standingFor, type TestOutcome, testOutcomes } from "./decision.ts"
import { Execution, failedResult, type Settled, type Work } from "./execution.ts"
import { LimitsRepository } from "./limits-repository.ts"
import { MoneyCore } from "./money-core.ts"
import { RequestsRepository, type StoredRequest } from "./repository.ts"
import type { Begin, BeginAnswer, Granted } from "./tick-entries.ts"
import { renderRequest, type RequestFacts } from "./view.ts"
import { makeWaiters } from "./waiters.ts"

/** A decision on an old configuration is made again so often; then under the workspace's lock, where nothing can change. */
const staleTriesMax = 3
/** The second call with a key waits so long for the first. */
const inFlightMillisMax = 30_000

export interface Submission {
  readonly mode: Mode
  readonly org: string
  readonly agent: string
  /** The key that asks, and the agent's version when it was found alive: its death since must count. Absent when a person files it. */
  readonly keyId?: string
  readonly keyVersion?: number
  readonly actor: Actor
  readonly service: string
  readonly operation: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly key?: string
  readonly script?: TestOutcome
  /** A person filed it by editing another. */
  readonly origin?: { readonly user_id: string; readonly replaces: string }
}

/** A grant of a pending approval: the last voice it needed. */
export interface Grant {
  readonly approvalId: string
  readonly requestId: string
  readonly approvedCeilingCents: number
  readonly by: string
  readonly comment?: string
  readonly actor: Actor
}

export interface Answer {
  readonly facts: RequestFacts
  readonly replayed: boolean
}

export type GrantAnswer = { readonly kind: "begun"; readonly facts: RequestFacts } | { readonly kind: "not_pending" }

export const payloadDigest = (agent: string, ceilingCents: number, mode: string, service: string, operation: string, payload: unknown): string =>
  createHash("sha256").update(canonicalize({ agent_id: agent, ceiling_cents: ceilingCents, mode, operation, payload, service })).digest("hex")

const keyHash = (service: string, operation: string, canonicalPayload: string, script: string | undefined): string =>
  createHash("sha256").update(`${service}\n${operation}\n${script ?? ""}\n${canonicalPayload}`).digest("hex")

export const keyScope = (agent: string, mode: string): string => `dispatch ${agent} ${mode}`

/** `idempotency-key`: 1 to 255 printable ASCII characters. */
export const readIdempotencyKey = (header: string | undefined): Effect.Effect<string | undefined, ApiError> =>
  header === undefined || /^[\x20-\x7e]{1,255}$/.test(header)
    ? Effect.succeed(header)
    : Effect.fail(invalidRequest("The header idempotency-key must be 1 to 255 printable ASCII characters.", [{ path: "idempotency-key", message: "1 to 255 printable ASCII characters" }]))

export const readScript = (header: string | undefined, mode: Mode): Effect.Effect<TestOutcome | undefined, ApiError> => {
  if (header === undefined) return Effect.succeed(undefined)
  if (mode === "live") return Effect.fail(invalidField("x-test-outcome", "it is for test keys only"))
  const known = testOutcomes.find((outcome) => outcome === header)
  return known === undefined ? Effect.fail(invalidField("x-test-outcome", `it must be one of ${testOutcomes.join(", ")}`)) : Effect.succeed(known)
}

export class Dispatch extends Context.Service<Dispatch, {
  /** The whole pipeline. It goes on when its caller is gone. 400, 401, 409, 503 are errors; every outcome is a value. */
  readonly submit: (submission: Submission) => Effect.Effect<Answer, ApiError>
  /** The same as a promise, for who has no fiber: it rejects with the `ApiError`, or with a defect. */
  readonly submitNow: (submission: Submission) => Promise<Answer>
  /** Checks 3 to 10 again at today's figures, then executes. Waits at most `millis` for the outcome, then answers `running`. */
  readonly grant: (org: string, grant: Grant, millis: number) => Effect.Effect<GrantAnswer, ApiError>
  /** Files a request in the transaction that ends another: `undefined` when `close` says there is nothing to end any more. */
  readonly replace: (submission: Submission, id: string, close: Effect.Effect<boolean>) => Effect.Effect<Answer | undefined, ApiError>
  readonly find: (org: string, id: string) => Effect.Effect<Option.Option<StoredRequest>>
  /** As `find`, once it has left `running` and `approval_required`, or after so many milliseconds. */
  readonly await: (org: string, id: string, millis: number) => Effect.Effect<Option.Option<StoredRequest>>
  /** What is to be done of an open request, from its stored form. */
  readonly workOf: (org: string, request: Pick<StoredRequest, "id" | "agent_id" | "mode" | "service" | "operation" | "payload" | "ceiling_cents" | "script">) => Promise<Work | undefined>
  readonly decisionOf: (principal: Principal, agent: string, mode: Mode, service: string, operation: string, payload: Readonly<Record<string, unknown>>, script: TestOutcome | undefined) => Effect.Effect<{ readonly org: OrgConfiguration; readonly agent: AgentConfiguration; readonly decision: Decision } | undefined>
  /** Requests under way in this process. */
  readonly inFlight: () => number
  readonly moved: (id: string) => void
}>()("@countersign/hub/dispatch/Dispatch") {
  static readonly layer = Layer.effect(Dispatch, Effect.gen(function*() {
    const { decideWithin, onOrphaned, ticker } = yield* MoneyCore
    const configuration = yield* Configuration
    const execution = yield* Execution
    const repository = yield* RequestsRepository
    const limits = yield* LimitsRepository
    const db = yield* Db
    const context = yield* Effect.context<never>()
    const run = Effect.runPromiseWith(context)
    const count = counting(dispatchOutcomes, context)
    const waiters = makeWaiters((asked) => run(repository.settled(asked)))
    let underWay = 0
    yield* Effect.addFinalizer(() => Effect.sync(waiters.stop))
    execution.onMoved(waiters.moved)
    /** Begins whose callers were sent away: this process stays at them until the ticker knows what became of them. */
    const sentAway = new Map<string, () => void>()
    onOrphaned((begin, admitted) => {
      const over = () => {
        sentAway.get(begin.id)?.()
        sentAway.delete(begin.id)
      }
      if (!admitted) return over()
      void ticker.settle({
        id: begin.id, org: begin.org, status: "failed", cents: 0, micro: 0, reason: null, result: failedResult("interrupted", "The hub could not reach its database in time. Nothing was sent."),
        ref: null, dueMillis: null, deadlineMillis: null, audit: newId("aud"), move: newId("led"), actor: actorLine(hubActor),
        data: JSON.stringify({ service: begin.service, operation: begin.operation, mode: begin.mode })
      }).then(over)
    })

    const beginOf = async (org: OrgConfiguration, agent: AgentConfiguration, asked: Submission, id: string, canonical: string, hash: string, decision: Exclude<Decision, { kind: "invalid" }>, granted: Granted | null, script: string | null): Promise<Begin> => {
      const counted = (decision.kind === "admit" || decision.kind === "wait") && decision.plan.counted
      const rows = counted ? configuration.peekLimits(agent.id, asked.mode, asked.service, asked.operation) ?? await configuration.limits(org.id, agent.id, asked.mode, asked.service, asked.operation) : undefined
      const standing = decision.kind === "admit" ? decision.plan.standing : undefined
      const wait = decision.kind === "wait" || decision.kind === "admit" ? decision.wait : undefined
      return {
        id, org: org.id, agent: agent.id, agentVersion: agent.version, rulesVersion: org.rulesVersion, mode: asked.mode, service: asked.service, operation: asked.operation,
        scope: asked.key === undefined ? null : keyScope(agent.id, asked.mode), key: asked.key ?? null, hash,
        verdict: decision.kind, ceilingCents: decision.ceilingCents,
        limits: rows === undefined ? [] : [rows.day, rows.month, agent.monthLimits[asked.mode], org.wallet, ...(standing?.limits ?? [])],
        wallet: asked.mode === "live" ? org.wallet : null, check: rows !== undefined && asked.mode === "test" ? org.wallet : null,
        payload: canonical,
        reason: decision.kind === "blocked" ? decision.reason : decision.kind === "wait" ? "approval_threshold" : null,
        result: decision.kind === "failed" ? failedResult(decision.code, decision.detail) : null,
        block: decision.kind === "blocked" ? JSON.stringify(decision.block) : null,
        wait: wait === undefined ? null : {
          id: newId("apr"), threshold_cents: wait.thresholdCents, reason: wait.reason, ...(wait.policyId === undefined ? {} : { policy_id: wait.policyId }), required: wait.required,
          ...(wait.deciders === undefined ? {} : { deciders: JSON.stringify(wait.deciders) }), life_seconds: wait.lifeSeconds,
          digest: payloadDigest(agent.id, decision.ceilingCents, asked.mode, asked.service, asked.operation, asked.payload),
          ...(asked.origin === undefined ? {} : { filed_by: asked.origin.user_id })
        },
        origin: asked.origin === undefined ? null : JSON.stringify(asked.origin), script, granted,
        audit: newId("aud"), actor: actorLine(granted === null ? asked.actor : { ...asked.actor, name: agent.name }), ip: asked.actor.ip ?? null,
        data: JSON.stringify({ service: asked.service, operation: asked.operation, mode: asked.mode, ceiling_cents: decision.ceilingCents, ...(standing === undefined ? {} : { standing_approval_id: standing.id }) })
      }
    }

    const factsOf = (begin: Begin, status: RequestStatus, at: number, more: Partial<RequestFacts> = {}): RequestFacts => ({
      id: begin.id, status, mode: begin.mode, service: begin.service, operation: begin.operation, cost_cents: 0, ceiling_cents: begin.ceilingCents, reason_code: null,
      approval_id: begin.granted?.id ?? null, result: null, block: null, late_result: null, origin: begin.origin, agent_id: begin.agent, created_at: at, completed_at: null, ...more
    })

    const stored = async (org: string, id: string): Promise<StoredRequest> => {
      const found = await run(repository.find(org, id))
      if (Option.isNone(found)) throw new Error(`request ${id} is gone`)
      return found.value
    }

    const settledFacts = async (begin: Begin, at: number, settled: Settled): Promise<RequestFacts> => {
      switch (settled.kind) {
        case "final": return factsOf(begin, settled.status, at, { cost_cents: settled.costCents, result: settled.result, reason_code: settled.reason, completed_at: settled.at })
        case "running": return factsOf(begin, "running", at)
        case "stands": return await stored(begin.org, begin.id)
      }
    }

    /** What a begin became: the facts to answer, or that it must be decided again. */
    const proceed = async (begin: Begin, answer: BeginAnswer, decision: Decision, org: OrgConfiguration, agent: AgentConfiguration, payload: unknown): Promise<RequestFacts> => {
      switch (answer.kind) {
        case "waits": return factsOf(begin, "approval_required", answer.at, { reason_code: "approval_threshold", approval_id: answer.approvalId })
        case "blocked": return factsOf(begin, "blocked", answer.at, { reason_code: answer.reason, block: answer.block, completed_at: answer.at })
        case "failed": return factsOf(begin, "failed", answer.at, { result: begin.result, completed_at: answer.at })
        case "admitted": {
          const service = org.services.get(begin.service)
          if (decision.kind !== "admit" || service === undefined) throw new Error(`request ${begin.id} was admitted without a decision to`)
          const noted = decision.plan.standing === undefined ? undefined : run(limits.standingUsed(org.id, decision.plan.standing.id, answer.at))
          const settled = await execution.execute({
            id: begin.id, org: org.id, agent: agent.id, agentName: agent.name, mode: begin.mode, service, operation: decision.operation, payload, ceilingCents: begin.ceilingCents, script: begin.script
          }, answer.owner)
          await noted
          return await settledFacts(begin, answer.at, settled)
        }
        default: throw new Error(`a begin answered ${answer.kind}`)
      }
    }

    /** The answer that a key stands for: the first caller's, waited for while it is in flight. */
    const replay = async (org: string, id: string): Promise<Answer> => {
      const until = performance.now() + inFlightMillisMax
      for (;;) {
        const facts = await stored(org, id)
        if (!facts.in_flight) return { facts, replayed: true }
        const left = until - performance.now()
        if (left <= 0) throw conflict("idempotency_in_progress", "The first request with this idempotency-key is still in flight. Ask again.", { retry_after_seconds: 1, service_request_id: id })
        await waiters.wait(org, id, Math.min(left, 1_000))
      }
    }
    const keyConflict = (id: string) =>
      conflict("idempotency_conflict", "This idempotency-key was used with another request. Use a new key for a new request.", { service_request_id: id })

    const known = async (asked: Submission, hash: string): Promise<Answer | undefined> => {
      if (asked.key === undefined) return undefined
      const found = await run(repository.byKey(asked.org, keyScope(asked.agent, asked.mode), asked.key))
      if (Option.isNone(found)) return undefined
      if (found.value.hash !== hash) throw keyConflict(found.value.request_id)
      return await replay(asked.org, found.value.request_id)
    }

    const keyIsAlive = (asked: Submission) => asked.keyId === undefined ? Promise.resolve(true) : run(repository.keyIsAlive(asked.org, asked.keyId))
    const keyGone = () => unauthorized("The agent key is not valid any more. This endpoint wants an agent key.", { wants: "agent" })

    /** Of several standing approvals that would do, the first that is not used up: read without a lock, and the tick has the last word. */
    const withRoom = (org: OrgConfiguration, agent: AgentConfiguration, asked: Pick<Submission, "mode" | "service" | "operation">, decision: Decision): Decision | Promise<Decision> => {
      if (decision.kind !== "admit" || decision.plan.standing === undefined) return decision
      const candidates = standingFor(agent, { ...asked, now: new Date() }, decision.ceilingCents)
      return candidates.length < 2 ? decision : withFirstRoom(org, candidates, decision)
    }
    const withFirstRoom = async (org: OrgConfiguration, candidates: ReadonlyArray<Standing>, decision: Extract<Decision, { kind: "admit" }>): Promise<Decision> => {
      for (const standing of candidates) {
        if (await run(limits.tight(org.id, standing.limits, decision.ceilingCents)) === undefined) return { ...decision, plan: { ...decision.plan, standing } }
      }
      return decision
    }

    type Granting = { readonly grant: Grant; readonly script: string | null }

    const begin = async (asked: Submission, id: string, canonical: string, hash: string, granting: Granting | undefined, found: { readonly org: OrgConfiguration; readonly agent: AgentConfiguration }, tick: (begin: Begin) => Promise<BeginAnswer>) => {
      const chosen = withRoom(found.org, found.agent, asked, decide(found.org, found.agent, {
        mode: asked.mode, service: asked.service, operation: asked.operation, payload: asked.payload, script: asked.script, now: new Date(),
        ...(granting === undefined ? {} : { granted: { ceilingCents: granting.grant.approvedCeilingCents } })
      }))
      const decision = chosen instanceof Promise ? await chosen : chosen
      if (decision.kind === "invalid") return { decision }
      const granted: Granted | null = granting === undefined ? null : {
        id: granting.grant.approvalId, by: granting.grant.by, ...(granting.grant.comment === undefined ? {} : { comment: granting.grant.comment }), actor: actorLine(granting.grant.actor),
        audit: newId("aud"), ...(granting.grant.actor.ip === undefined ? {} : { ip: granting.grant.actor.ip }),
        data: JSON.stringify({ service_request_id: id, service: asked.service, operation: asked.operation, mode: asked.mode })
      }
      const made = await beginOf(found.org, found.agent, asked, id, canonical, hash, decision, granted, granting?.script ?? asked.script ?? null)
      return { decision, made, answer: await tick(made) }
    }

    /** Decided under the lock, where no configuration can change: for a workspace whose rules change faster than a request is decided. */
    const beginLocked = (asked: Submission, id: string, canonical: string, hash: string, granting: Granting | undefined, first: Effect.Effect<boolean> = Effect.succeed(true)) =>
      run(db.transaction(Effect.gen(function*() {
        yield* repository.lock(asked.org)
        if (!(yield* first)) return "nothing to end" as const
        const found = yield* configuration.read(asked.org, asked.agent)
        if (found === undefined || (asked.keyId !== undefined && !(yield* repository.keyIsAlive(asked.org, asked.keyId)))) return undefined
        const begun = yield* Effect.promise((): ReturnType<typeof begin> => begin(asked, id, canonical, hash, granting, found, () => Promise.resolve({ kind: "stale" })))
        // Fails the transaction: what was ended before stays as it was.
        if (begun.made === undefined) return yield* Effect.fail(invalidRequest(begun.decision.message, begun.decision.details))
        const answer = yield* decideWithin(begun.made)
        return { ...begun, answer, found }
      })))

    const submitPromise = async (asked: Submission, id: string, granting?: Granting): Promise<Answer | { readonly notPending: true }> => {
      const canonical = canonicalize(asked.payload)
      // Nobody asks for it without a key.
      const hash = asked.key === undefined ? "" : keyHash(asked.service, asked.operation, canonical, asked.script)
      let { keyVersion } = asked
      for (let tries = 0; ; tries++) {
        const found = configuration.peek(asked.org, asked.agent) ?? await configuration.load(asked.org, asked.agent)
        if (found === undefined) {
          // An agent that is deleted has nothing that waits.
          if (granting !== undefined) return { notPending: true }
          throw keyGone()
        }
        // Read before this configuration, the key may have died with the version in between; from here on the tick sees it.
        if (asked.keyId !== undefined && found.agent.version !== keyVersion) {
          if (!await keyIsAlive(asked)) throw keyGone()
          keyVersion = found.agent.version
        }
        // Rows that count are made before the lock is taken: making them takes it too.
        if (tries === staleTriesMax) await configuration.limits(asked.org, asked.agent, asked.mode, asked.service, asked.operation)
        const locked = tries < staleTriesMax ? undefined : await beginLocked(asked, id, canonical, hash, granting)
        if (locked === "nothing to end") throw new Error("there was nothing to end")
        const begun = locked ?? await begin(asked, id, canonical, hash, granting, found, (made) => ticker.begin(made))
        const used = locked?.found ?? found
        if (begun.decision.kind === "invalid") {
          const replayed = await known(asked, hash)
          if (replayed !== undefined) return replayed
          throw invalidRequest(begun.decision.message, begun.decision.details)
        }
        const { answer, made } = begun
        if (made === undefined || answer === undefined) throw new Error("a decision led nowhere")
        switch (answer.kind) {
          case "known": {
            const first = await replay(asked.org, answer.id)
            // Its own id, after a lost reply: it ended already, or another hub took it over.
            return answer.id === id ? { ...first, replayed: false } : first
          }
          case "conflict": throw keyConflict(answer.id)
          case "not_pending": return { notPending: true }
          case "unavailable":
            void execution.atWork(id, () => new Promise<void>((resolve) => sentAway.set(id, resolve)))
            throw unavailable("The hub cannot reach its database. Try again with the same idempotency-key.")
          case "refused": throw new Error("the money core refused this request", { cause: answer.cause })
          case "stale":
            configuration.forget(asked.org)
            continue
          default:
            return { facts: await proceed(made, answer, begun.decision, used.org, used.agent, asked.payload), replayed: false }
        }
      }
    }

    const replacePromise = async (asked: Submission, id: string, close: Effect.Effect<boolean>): Promise<Answer | undefined> => {
      const canonical = canonicalize(asked.payload)
      await configuration.limits(asked.org, asked.agent, asked.mode, asked.service, asked.operation)
      const begun = await beginLocked(asked, id, canonical, keyHash(asked.service, asked.operation, canonical, undefined), undefined, close)
      if (begun === "nothing to end") return undefined
      if (begun === undefined) throw notFound("agent")
      return { facts: await proceed(begun.made, begun.answer, begun.decision, begun.found.org, begun.found.agent, asked.payload), replayed: false }
    }

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
      const answer = await submitPromise(submission, id)
      if (!("facts" in answer)) throw new Error("only a grant can find nothing pending")
      if (!answer.replayed) counted(answer.facts)
      return answer
    }

    const workOf: Dispatch["Service"]["workOf"] = async (org, request) => {
      const loaded = await configuration.org(org)
      const service = loaded.services.get(request.service)
      const operation = service?.operations.get(request.operation)
      if (service === undefined || operation === undefined) return undefined
      const agent = await configuration.load(org, request.agent_id)
      return {
        id: request.id, org, agent: request.agent_id, agentName: agent?.agent.name ?? request.agent_id, mode: request.mode, service, operation,
        payload: JSON.parse(request.payload), ceilingCents: request.ceiling_cents, script: request.script
      }
    }

    return Dispatch.of({
      submit: (submission) => atWork(newId("req"), (id) => submitAsked(submission, id)),
      submitNow: (submission) => working(newId("req"), (id) => submitAsked(submission, id)),
      grant: Effect.fnUntraced(function*(org, grant, millis) {
        const found = yield* repository.find(org, grant.requestId)
        if (Option.isNone(found)) return { kind: "not_pending" as const }
        const request = found.value
        const asked: Submission = {
          mode: request.mode as Mode, org, agent: request.agent_id, actor: { type: "agent", id: request.agent_id, name: "" }, service: request.service,
          operation: request.operation, payload: JSON.parse(request.payload) as Record<string, unknown>
        }
        const done = yield* atWork(request.id, (id) => submitPromise(asked, id, { grant, script: request.script === "approval" ? null : request.script })).pipe(Effect.timeoutOption(millis))
        if (Option.isNone(done)) return { kind: "begun" as const, facts: yield* Effect.promise(() => stored(org, request.id)) }
        if (!("facts" in done.value)) return { kind: "not_pending" as const }
        counted(done.value.facts)
        waiters.moved(request.id)
        return { kind: "begun" as const, facts: { ...done.value.facts, created_at: request.created_at, origin: request.origin } }
      }),
      replace: (submission, id, close) => Effect.tap(atWork(id, () => replacePromise(submission, id, close)), (answer) => Effect.sync(() => answer === undefined ? undefined : counted(answer.facts))),
      find: repository.find,
      await: Effect.fnUntraced(function*(org, id, millis) {
        const until = performance.now() + millis
        for (;;) {
          const found = yield* repository.find(org, id)
          const left = until - performance.now()
          if (Option.isNone(found) || (found.value.status !== "running" && found.value.status !== "approval_required") || left <= 0) return found
          yield* Effect.promise(() => waiters.wait(org, id, left))
        }
      }),
      workOf,
      decisionOf: Effect.fnUntraced(function*(principal, agent, mode, service, operation, payload, script) {
        const found = yield* Effect.promise(() => configuration.load(principal.org_id, agent))
        if (found === undefined) return undefined
        const asked = { mode, service, operation, payload, script, now: new Date() }
        const decision = decide(found.org, found.agent, asked)
        return { ...found, decision: yield* Effect.promise(async () => withRoom(found.org, found.agent, asked, decision)) }
      }),
      inFlight: () => underWay,
      moved: waiters.moved
    })
  }))
}

/** What an agent key submits. */
export const submissionOf = (principal: AgentPrincipal, input: Pick<Submission, "service" | "operation" | "payload">, key: string | undefined, script: TestOutcome | undefined): Submission => ({
  mode: principal.mode, org: principal.org_id, agent: principal.agent_id, keyId: principal.key_id, keyVersion: principal.agent_version,
  actor: { type: "agent", id: principal.agent_id, name: principal.agent_name, ip: principal.ip }, ...input,
  ...(key === undefined ? {} : { key }), ...(script === undefined ? {} : { script })
})

export { renderRequest }
