/**
 * The model door: a call in another API's form becomes a request of `llm.chat`, and its answer, streamed or whole, goes
 * back in that form. Spec: reference/model-door.md "Addresses".
 */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { capsOf } from "@countersign/domain/bindings"
import type { Answer, RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, isApiError } from "@countersign/domain/errors"
import { newId } from "@countersign/domain/ids"
import { defaultRatesOf } from "@countersign/domain/price"
import type { TestOutcome } from "@countersign/domain/service-requests"
import { ceilingCentsOf, outputTokensFor } from "@countersign/domain/token-price"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { LimitsRepository } from "../dispatch/decision/limits-repository.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { type Submission, submissionOf } from "../dispatch/pipeline/submission.ts"
import { ModelCatalog } from "../models/catalog.ts"
import { PromptsRepository } from "../models/prompts-repository.ts"
import { PickUps } from "../pick-ups/service.ts"
import { type Charge, chargeOf, storedAnswer } from "../providers/llm/completion.ts"
import { type CallContext, contextPayloadOf, promptDigest } from "../providers/llm/context.ts"
import type { ModelAnswer } from "../providers/model-answer.ts"
import { inputTokensMax, type Prompt } from "../providers/model-prompt.ts"
import type { DoorCall } from "./body.ts"
import { makeReader, type Reader } from "./reader.ts"

/** The answer's limit when the caller sets none, if the model allows it. */
const maxTokensDefault = 8_192
/** A budget with less left than this many tokens is reported as used up. */
const maxTokensLeast = 256
/** How long a caller waits for a settlement that the database does not accept in time, or for a call that it took over. */
const endMillisMax = 600_000
/** An approval's prompt is kept a little longer than the approval. */
const promptSlackSeconds = 3_600

const target = { service: "llm", operation: "chat" } as const

export interface DoorRequest {
  readonly call: DoorCall
  /** What the caller sent, as text: the same text is the identical call. */
  readonly asked: string
  readonly key: string | undefined
  readonly script: TestOutcome | undefined
  readonly task: string | undefined
  /** `Prefer: wait`: how long the caller waits for an approval. */
  readonly waitMillis: number
}

/** What is known when the answer begins. Exactly one of `delivered` and `lost` is to be run. */
export type DoorReply =
  & { readonly requestId: string; readonly delivered: Effect.Effect<void>; readonly lost: Effect.Effect<void> }
  & (
    | { readonly kind: "refused"; readonly facts: RequestFacts }
    | {
      readonly kind: "answered"
      readonly answer: ModelAnswer
      readonly charge: Charge
      readonly replayed: boolean
    }
    /** Content arrives. `ended` resolves after the settlement. */
    | {
      readonly kind: "streaming"
      readonly reader: Reader
      readonly ended: Promise<
        { readonly answer: ModelAnswer; readonly charge: Charge } | { readonly facts: RequestFacts }
      >
    }
  )

export class ModelDoor extends Context.Service<ModelDoor, {
  readonly call: (agent: AgentPrincipal, request: DoorRequest) => Effect.Effect<DoorReply, ApiError>
}>()("@countersign/hub/model-door/ModelDoor") {
  static readonly layer = Layer.effect(
    ModelDoor,
    Effect.gen(function*() {
      const catalog = yield* ModelCatalog
      const configuration = yield* Configuration
      const dispatch = yield* Dispatch
      const limits = yield* LimitsRepository
      const pickUps = yield* PickUps
      const prompts = yield* PromptsRepository
      const run = Effect.runPromiseWith(yield* Effect.context<never>())

      /** The default limit of the answer, as far as the budgets of the agent pay for it. */
      const withLimit = Effect.fnUntraced(function*(agent: AgentPrincipal, { prompt }: DoorCall) {
        if (prompt.max_tokens !== undefined) return { ...prompt, max_tokens: prompt.max_tokens }
        const { table } = catalog.peek()
        const own = table.find(prompt.model)?.top_provider.max_completion_tokens ?? maxTokensDefault
        const wanted = Math.min(own, maxTokensDefault)
        const found = yield* Effect.promise(() => configuration.load(agent.org_id, agent.agent_id))
        const price = found?.org.services.get(target.service)?.operations.get(target.operation)?.definition.price
        const rates = table.ratesOf(prompt.model) ?? (price?.type === "tokens" ? defaultRatesOf(price) : undefined)
        if (rates === undefined || found === undefined) return { ...prompt, max_tokens: wanted }
        const input = inputTokensMax(prompt)
        if (ceilingCentsOf(rates, input, wanted) === 0) return { ...prompt, max_tokens: wanted }
        const binding = found.agent.bindings.get(target.service)
        const caps = binding === undefined ? {} : capsOf(binding, target.operation)
        const { remaining } = yield* limits.figures(
          { org: agent.org_id, agent: agent.agent_id, mode: agent.mode, ...target },
          caps
        )
        const left = Math.min(
          remaining.wallet_cents,
          remaining.agent_month_cents ?? Infinity,
          remaining.operation_month_cents ?? Infinity
        )
        if (ceilingCentsOf(rates, input, wanted) <= left) return { ...prompt, max_tokens: wanted }
        const paid = Number.isFinite(left) ? outputTokensFor(rates, input, Math.max(0, Math.floor(left))) : wanted
        return { ...prompt, max_tokens: Math.min(wanted, Math.max(maxTokensLeast, paid)) }
      })

      /** The request after it left the states in which its caller waits, or after this time. */
      const ended = async (org: string, id: string, approvalMillis: number): Promise<RequestFacts> => {
        const began = performance.now()
        for (;;) {
          const found = await run(dispatch.await(org, id, 1_000))
          if (Option.isNone(found)) throw new Error(`request ${id} is gone`)
          const passed = performance.now() - began
          const { status } = found.value
          const isOver = status === "approval_required"
            ? passed >= approvalMillis
            : status !== "running" || passed >= Math.max(endMillisMax, approvalMillis)
          if (isOver) return found.value
        }
      }

      const settledOf = (facts: RequestFacts, live: ModelAnswer | undefined) => {
        if (facts.status !== "executed" || facts.result === null) return undefined
        const result: unknown = JSON.parse(facts.result)
        const answer = live ?? storedAnswer(result)
        return answer === undefined ? undefined : { answer, charge: chargeOf(result) }
      }

      /** Before a request can be approved, its prompt must be stored. */
      const keepPrompt = Effect.fnUntraced(function*(
        submission: Submission,
        { id }: CallContext,
        prompt: Prompt
      ) {
        const { agent, org } = submission
        const decided = yield* dispatch.decisionOf({
          ...submission,
          script: submission.script,
          task: submission.task,
          isHubs: true
        })
        const decision = decided?.decision
        const wait = decision?.kind === "wait" || decision?.kind === "admit" ? decision.wait : undefined
        if (wait !== undefined) {
          yield* prompts.keep({ org, id, agent, prompt, lifeSeconds: wait.lifeSeconds + promptSlackSeconds })
        }
      })

      /** The answer of a submission. The call that another one picked up may still be in progress. */
      const submitted = async (submission: Submission): Promise<Answer> => {
        const until = performance.now() + endMillisMax
        for (;;) {
          try {
            return await dispatch.submitNow(submission)
          } catch (error) {
            const isOpen = isApiError(error) && error.error.code === "idempotency_in_progress"
            if (!isOpen || performance.now() > until) throw error
          }
        }
      }

      const call = Effect.fn("ModelDoor.call")(function*(
        agent: AgentPrincipal,
        request: DoorRequest
      ): Effect.fn.Return<DoorReply, ApiError> {
        const { asked, script, task, waitMillis } = request
        const { agent_id, mode, org_id: org } = agent
        const prompt = yield* withLimit(agent, request.call)
        const payload = contextPayloadOf(prompt, promptDigest(prompt))
        const hash = createHash("sha256").update(`${asked}\n${prompt.max_tokens}\n${task ?? ""}`).digest()
        const pickUp = request.key === undefined && script === undefined
          ? yield* pickUps.keyOf({ org, agent: agent_id, mode, hash })
          : undefined
        const id = newId("req")
        const reader = makeReader()
        const submission: Submission = {
          ...submissionOf(agent, { ...target, payload }, request.key ?? pickUp, script, task),
          id,
          door: "model",
          model: { prompt, emit: reader.push }
        }
        const endsOf = (requestId: string) => ({
          requestId,
          delivered: pickUp === undefined ? Effect.void : pickUps.end(org, pickUp),
          lost: pickUp === undefined ? Effect.void : pickUps.leave(org, pickUp, requestId)
        })
        const left = <A, E>(effect: Effect.Effect<A, E>) => Effect.onInterrupt(effect, () => endsOf(id).lost)

        yield* left(keepPrompt(submission, payload.context, prompt))
        const answering = submitted(submission).finally(reader.close)
        const settling = answering.then((answer) => ({ answer }), (error: unknown) => ({ error }))
        const first = yield* left(Effect.promise(() => Promise.race([reader.first, settling])))
        if (first === undefined && request.call.stream) {
          return {
            kind: "streaming",
            reader,
            ended: answering.then(async ({ facts }) => {
              const last = facts.status === "running" ? await ended(org, facts.id, 0) : facts
              return settledOf(last, reader.answer()) ?? { facts: last }
            }),
            ...endsOf(id)
          }
        }
        const end = yield* left(Effect.promise(() => settling))
        if ("error" in end) {
          const { error } = end
          // After 503 only a repeated call shows whether the request was begun.
          const isOpen = isApiError(error) && error.error.code === "unavailable"
          yield* isOpen ? endsOf(id).lost : endsOf(id).delivered
          return yield* isApiError(error) ? Effect.fail(error) : Effect.die(error)
        }
        const { facts, replayed } = end.answer
        const waits = facts.status === "running" || (facts.status === "approval_required" && waitMillis > 0)
        const last = waits ? yield* left(Effect.promise(() => ended(org, facts.id, waitMillis))) : facts
        const ends = endsOf(last.id)
        const settled = settledOf(last, replayed || waits ? undefined : reader.answer())
        if (settled !== undefined) {
          return { kind: "answered", ...settled, replayed: request.key !== undefined && replayed, ...ends }
        }
        // A pending call is the next identical one's; any other refusal is delivered with this answer.
        const isPending = last.status === "approval_required" || last.status === "running"
        return { kind: "refused", facts: last, ...ends, ...isPending ? { delivered: ends.lost } : {} }
      })

      return ModelDoor.of({ call })
    })
  )
}
