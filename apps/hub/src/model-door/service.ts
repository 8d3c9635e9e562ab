/**
 * The model door: a call in another API's form becomes a request of `llm.chat`, and its answer, streamed or whole, goes
 * back in that form. Spec: reference/model-door.md "Addresses".
 */
import type { AgentPrincipal } from "@countersign/domain/auth"
import type { Answer, RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, isApiError } from "@countersign/domain/errors"
import { newId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import type { TestOutcome } from "@countersign/domain/service-requests"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { type Submission, submissionOf } from "../dispatch/pipeline/submission.ts"
import { KeptPrompts } from "../model-calls/kept-prompts.ts"
import { OutputLimits } from "../model-calls/output-limit.ts"
import { modelTarget } from "../model-calls/target.ts"
import { newPickUp } from "../pick-ups/pick-up.ts"
import { PickUps } from "../pick-ups/service.ts"
import { type Charge, chargeOf, storedAnswer } from "../providers/llm/completion.ts"
import { contextPayloadOf, promptDigest } from "../providers/llm/context.ts"
import type { ModelAnswer } from "../providers/model-answer.ts"
import type { DoorCall } from "./body.ts"
import { makeReader, type Reader } from "./reader.ts"

/** How long a caller waits for a settlement that the database does not accept in time, or for a call that it took over. */
const endMillisMax = 600_000

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
  & {
    readonly requestId: ServiceRequestId
    readonly delivered: Effect.Effect<void>
    readonly lost: Effect.Effect<void>
  }
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
      const dispatch = yield* Dispatch
      const limits = yield* OutputLimits
      const pickUps = yield* PickUps
      const prompts = yield* KeptPrompts
      const run = Effect.runPromiseWith(yield* Effect.context<never>())

      const withLimit = ({ agent_id: agent, mode, org_id: org }: AgentPrincipal, { prompt }: DoorCall) =>
        prompt.max_tokens === undefined
          ? Effect.map(limits.of({ org, agent, mode }, prompt), ({ maxTokens }) => ({
            ...prompt,
            max_tokens: maxTokens
          }))
          : Effect.succeed({ ...prompt, max_tokens: prompt.max_tokens })

      /** The request after it left the states in which its caller waits, or after this time. */
      const ended = async (org: OrgId, id: ServiceRequestId, approvalMillis: number): Promise<RequestFacts> => {
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
        const { org_id: org } = agent
        const prompt = yield* withLimit(agent, request.call)
        const payload = contextPayloadOf(prompt, promptDigest(prompt))
        const hash = createHash("sha256").update(`${asked}\n${prompt.max_tokens}\n${task ?? ""}`).digest()
        const pickUp = request.key === undefined && script === undefined
          ? newPickUp(hash)
          : undefined
        const id = newId("req")
        const reader = makeReader()
        const submission: Submission = {
          ...submissionOf(agent, { ...modelTarget, payload }, request.key, script, task),
          ...pickUp === undefined ? {} : { pickUp },
          id,
          door: "model",
          model: { prompt, emit: reader.push }
        }
        const endsOf = (requestId: ServiceRequestId) => ({
          requestId,
          delivered: pickUp === undefined ? Effect.void : Effect.suspend(() => pickUps.end(org, pickUp.key)),
          lost: pickUp === undefined ? Effect.void : Effect.suspend(() => pickUps.leave(org, pickUp.key, requestId))
        })

        yield* prompts.keep(submission, payload.context, prompt)
        const answering = submitted(submission).finally(reader.close)
        const settling = answering.then((answer) => ({ answer }), (error: unknown) => ({ error }))
        // The begin may be on its way to the database, and stores the key.
        const stored = Effect.promise(() => Promise.race([pickUp?.taken.promise, settling]))
        const left = <A, E>(effect: Effect.Effect<A, E>) =>
          Effect.onInterrupt(effect, () => Effect.andThen(stored, endsOf(id).lost))
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
