/** Text to speech: a built-in engine, or a provider whose calls are requests of the agent that speaks. Spec: reference/speech.md "Voices". */
import type { Principal } from "@countersign/domain/auth"
import { type ApiError, conflict, invalidField, isApiError, upstreamError } from "@countersign/domain/errors"
import type { SpeechInput, Voice } from "@countersign/domain/speech"
import { Context, Effect, Layer, Option } from "effect"
import { Assistant } from "../agents/assistant.ts"
import { Settings } from "../config.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { type Submission, submissionOf } from "../dispatch/pipeline/submission.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { BuiltInSpeech } from "./built-in.ts"
import { builtInVoices, providerVoices } from "./voices.ts"

const target = { service: "speech", operation: "say" } as const

export class Speech extends Context.Service<Speech, {
  readonly voices: (
    principal: Principal
  ) => Effect.Effect<{ readonly data: ReadonlyArray<Voice>; readonly next_cursor: null; readonly as_of: string }>
  /** A WAV. 409 `speech_refused` when the request of the provider's voice was not executed. */
  readonly say: (
    principal: Principal,
    input: SpeechInput,
    key: string | undefined
  ) => Effect.Effect<Uint8Array, ApiError>
}>()("@countersign/hub/speech/Speech") {
  static readonly layer = Layer.effect(
    Speech,
    Effect.gen(function*() {
      const assistant = yield* Assistant
      const audit = yield* AuditLog
      const builtIn = yield* BuiltInSpeech
      const dispatch = yield* Dispatch
      const hasProvider = Option.isSome((yield* Settings).tts)
      const voices = hasProvider ? [...providerVoices, ...builtInVoices] : builtInVoices

      /** The request of the agent that speaks; a person's is the assistant's of the workspace. */
      const submissionFor = Effect.fnUntraced(function*(
        principal: Principal,
        payload: Submission["payload"],
        key: string | undefined,
        audio: (bytes: Uint8Array) => void
      ): Effect.fn.Return<Submission> {
        if (principal.kind === "agent") {
          return { ...submissionOf(principal, { ...target, payload }, key, undefined, undefined), audio }
        }
        const agent = yield* assistant.of(principal.org_id, { service: target.service, operations: ["*"] })
        return {
          mode: "live",
          org: principal.org_id,
          agent,
          actor: actorOf(principal),
          ...target,
          payload,
          origin: { user_id: principal.user_id },
          ...key === undefined ? {} : { key },
          audio
        }
      })

      const byProvider = Effect.fnUntraced(function*(
        principal: Principal,
        { speed, text, voice }: SpeechInput,
        key: string | undefined
      ): Effect.fn.Return<Uint8Array, ApiError> {
        let wav: Uint8Array | undefined
        const payload = { text, voice, ...speed === undefined ? {} : { speed } }
        const submission = yield* submissionFor(principal, payload, key, (bytes) => {
          wav = bytes
        })
        const { facts } = yield* Effect.tryPromise({
          try: () => dispatch.submitNow(submission),
          catch: (error) => error
        }).pipe(Effect.catch((error) => isApiError(error) ? Effect.fail(error) : Effect.die(error)))
        if (facts.status === "executed" && wav !== undefined) return wav
        if (facts.status === "failed") {
          const { detail } = JSON.parse(facts.result ?? "{}") as { readonly detail?: string }
          return yield* Effect.fail(upstreamError(detail ?? "The speech provider did not answer."))
        }
        return yield* Effect.fail(
          conflict(
            "speech_refused",
            facts.status === "executed"
              ? "This request was executed before, and its audio is not stored. Send it with a new idempotency-key."
              : facts.status === "approval_required"
              ? "A person must approve this speech first. Its price is above the approval threshold."
              : `The request for this speech was blocked: ${facts.reason_code ?? facts.status}.`,
            {
              service_request_id: facts.id,
              status: facts.status,
              ...facts.reason_code === null ? {} : { reason_code: facts.reason_code },
              ...facts.approval_id === null ? {} : { approval_id: facts.approval_id }
            }
          )
        )
      })

      return Speech.of({
        voices: (principal) =>
          Effect.map(audit.asOf(principal.org_id), (as_of) => ({ data: voices, next_cursor: null, as_of })),
        say: Effect.fn("Speech.say")(function*(principal, input, key) {
          if (!voices.some(({ id }) => id === input.voice)) {
            return yield* Effect.fail(invalidField("voice", "no such voice; GET /tts lists them"))
          }
          const isBuiltIn = builtInVoices.some(({ id }) => id === input.voice)
          // A test key reaches no provider.
          return isBuiltIn || (principal.kind === "agent" && principal.mode === "test")
            ? yield* builtIn.say({
              text: input.text,
              voice: isBuiltIn ? input.voice : builtInVoices[0]!.id,
              speed: input.speed ?? 1
            })
            : yield* byProvider(principal, input, key)
        })
      })
    })
  )
}
