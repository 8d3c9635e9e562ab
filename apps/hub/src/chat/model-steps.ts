/**
 * Model calls of a turn: each is a request of `llm.chat` with its own hold, and its answer streams into the turn's
 * events. Spec: reference/chat.md "Model calls".
 */
import type { NewChatEvent } from "@countersign/domain/chat-events"
import { answerOf, type ChatStep, isModelStep, type ModelAnswer, type ModelStep } from "@countersign/domain/chat-state"
import { type Answer, answered } from "@countersign/domain/dispatch-outcomes"
import type { ApiError } from "@countersign/domain/errors"
import { newId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { Settings } from "../config.ts"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import type { Submission } from "../dispatch/pipeline/submission.ts"
import { KeptPrompts } from "../model-calls/kept-prompts.ts"
import { OutputLimits } from "../model-calls/output-limit.ts"
import { modelTarget } from "../model-calls/target.ts"
import { contextPayloadOf, promptDigest } from "../providers/llm/context.ts"
import { targetOf } from "../providers/llm/providers.ts"
import { AnswerBuilder, type ModelEvent } from "../providers/model-answer.ts"
import { inputTokensMax, type Prompt, type PromptMessage } from "../providers/model-prompt.ts"
import { boundTools } from "../tools/bound.ts"
import { ChatSaves, type TurnActor } from "./actor.ts"
import { ChatAttachments } from "./attachments.ts"
import {
  coveredBy,
  fits,
  inputMaxOf,
  type Open,
  sentOf,
  shortenedResults,
  summarized,
  summaryPrompt
} from "./context.ts"
import { ChatModels } from "./model-choice.ts"
import { modelErrorOf, type ModelResult, modelResultOf } from "./outcomes.ts"
import { promptMessages, sourcesOf, stepsOnPath, systemMessage } from "./prompt.ts"
import { localToolsOf, toStep } from "./records.ts"
import { ChatSessionsRepository } from "./sessions-repository.ts"
import { toolsFor } from "./tools.ts"
import { ChatTurnsRepository } from "./turns-repository.ts"

/** The hub could not reach its database, or another process holds the call: the same request is sent again. */
const againMillis = 1_000
/** One look at a request that another hub began. */
const lookMillis = 1_000

/** The parts of one answer: its thinking, and its text. */
const partsOfAnswer = 2

/** The next call of a turn. */
export interface History {
  readonly kind: ModelStep["kind"]
  readonly prompt: Open
  readonly sources: ReadonlyArray<string>
  /** The most tokens that its provider can count. */
  readonly inputMax: number
  /** Of a summary. */
  readonly covers?: number
  /** The conversation is too long, also with a summary. */
  readonly isTooLong?: true
}

/** A new model call with the events that announce it. */
export interface PlannedCall {
  readonly step: ModelStep
  readonly events: ReadonlyArray<NewChatEvent>
}

export interface ModelEnd {
  readonly step: ModelStep
  readonly result: ModelResult
}

export class ChatModelSteps extends Context.Service<ChatModelSteps, {
  /** The next prompt of the turn. */
  readonly history: (actor: TurnActor) => Effect.Effect<History>
  /** The next model call. Store it before it is sent. `left`: the cents that the budgets have left, if read. */
  readonly plan: (actor: TurnActor, history: History, left?: number) => Effect.Effect<PlannedCall>
  /** Events that take back what an interrupted call has streamed. */
  readonly erased: (actor: TurnActor, step: ModelStep) => Effect.Effect<ReadonlyArray<NewChatEvent>>
  readonly isSent: (actor: TurnActor, step: ModelStep) => Effect.Effect<boolean>
  /** Sends a planned call, or finds the request that was sent for it, and returns its end. */
  readonly run: (actor: TurnActor, step: ModelStep, history: History, again: boolean) => Effect.Effect<ModelEnd>
}>()("@countersign/hub/chat/ChatModelSteps") {
  static readonly layer = Layer.effect(
    ChatModelSteps,
    Effect.gen(function*() {
      const sessions = yield* ChatSessionsRepository
      const turns = yield* ChatTurnsRepository
      const configuration = yield* Configuration
      const dispatch = yield* Dispatch
      const attachments = yield* ChatAttachments
      const modelsOf = yield* ChatModels
      const limits = yield* OutputLimits
      const prompts = yield* KeptPrompts
      const settings = yield* Settings
      const saves = yield* ChatSaves

      const history = Effect.fnUntraced(function*({ path: read, row, steps }: TurnActor): Effect.fn.Return<History> {
        const { agent_id, model, org_id: org } = row
        const path = read ?? (yield* sessions.path(org, row.user_message_id))
        const others = path.flatMap(({ role, turn_id }) => role === "assistant" && turn_id !== null ? [turn_id] : [])
        const rows = others.length === 0 ? [] : yield* turns.steps(org, others)
        const source = {
          agentName: row.agent_name,
          personality: row.personality,
          path,
          steps: new Map<string, ReadonlyArray<ChatStep>>([
            ...[...Map.groupBy(rows, ({ turn_id }) => turn_id)].map(([turn, own]) => [turn, own.map(toStep)] as const),
            [row.id, steps]
          ]),
          turn: row.id,
          model,
          wire: targetOf(settings, model)?.wire.name,
          attachments: yield* attachments.read(org, path)
        }
        const found = yield* Effect.promise(() => configuration.load(org, agent_id))
        const bound = found === undefined
          ? []
          : boundTools(found).filter(({ target }) => target.service !== modelTarget.service)
        const onPath = stepsOnPath(source)
        const offered = toolsFor(bound, localToolsOf(row), onPath)
        const tools = offered.length === 0 ? {} : { tools: offered }
        const sources = sourcesOf(onPath)
        const window = modelsOf.windowOf(model)
        const all = promptMessages(source)
        const open = (messages: ReadonlyArray<PromptMessage>): Open => ({
          model,
          messages: [systemMessage(source), ...messages],
          ...tools
        })
        const of = (prompt: Open): History => ({
          kind: "model",
          prompt,
          sources,
          inputMax: inputMaxOf(prompt, onPath.filter(isModelStep).findLast(({ kind }) => kind === "model")?.sent)
        })
        const compact = onPath.filter(isModelStep).findLast((step) =>
          step.kind === "compact" && answerOf(step) !== undefined
        )
        const text = answerOf(compact)?.text
        const summary = text === undefined ? undefined : { covers: compact?.covers ?? 0, text }
        const whole = open(summarized(all, summary))
        if (fits(whole, window)) return of(whole)
        const short = shortenedResults(all)
        const shorter = open(summarized(short, summary))
        if (fits(shorter, window)) return of(shorter)
        const rest = summarized(short, summary)
        const covered = coveredBy(rest)
        // Of a summary's summary: its message replaces the messages that it covers.
        const covers = summary === undefined ? covered : summary.covers + covered - 1
        const prompt = summaryPrompt(model, rest.slice(0, covered))
        const isSummarized = steps.at(-1)?.kind === "compact"
        return covered === 0 || covers <= (summary?.covers ?? 0) || isSummarized || !fits(prompt, window)
          ? { ...of(shorter), isTooLong: true }
          : { kind: "compact", prompt, sources, inputMax: inputTokensMax(prompt), covers }
      })

      const plan = Effect.fnUntraced(function*(
        { row, steps }: TurnActor,
        { covers, kind, prompt }: History,
        left?: number
      ) {
        const { maxTokens, shrunk } = yield* limits.of(
          { org: row.org_id, agent: row.agent_id, mode: row.mode },
          prompt,
          left
        )
        const step: ModelStep = {
          kind,
          step: steps.length,
          state: "open",
          model: row.model,
          // The call that takes the place of an interrupted one writes its parts again.
          part: steps.filter(isModelStep).reduce(
            (next, one) => answerOf(one) === undefined ? next : Math.max(next, one.part + partsOfAnswer),
            0
          ),
          max_tokens: maxTokens,
          sent: sentOf(prompt),
          ...covers === undefined ? {} : { covers },
          request_id: newId("req"),
          cost_cents: 0
        }
        const first = steps.length === 0
        const events: ReadonlyArray<NewChatEvent> = [
          {
            event: "status",
            data: kind === "compact"
              ? { phase: "compacting", text: "Summarizing the earlier messages, to fit the model's window" }
              : { phase: "planning", text: first ? "Reading the message" : "Reading the results" }
          },
          ...shrunk
            ? [
              {
                event: "status",
                data: {
                  phase: "limited",
                  text: `The budget left pays for an answer of at most ${maxTokens} tokens.`
                }
              } as const
            ]
            : []
        ]
        return { step, events }
      })

      /** Writes what streams as deltas, from where an earlier owner left each part. */
      const deltasOf = (actor: TurnActor, step: ModelStep) => {
        const builder = new AnswerBuilder()
        const offsets = { thinking: 0, text: 0 }
        let isFirst = !actor.steps.some((one) => one.step < step.step)
        const emit = (event: ModelEvent) => {
          builder.add(event)
          if (event.type !== "text" && event.type !== "thinking") return
          if (event.delta === "" || actor.isLost() || step.kind === "compact") return
          const offset = offsets[event.type]
          offsets[event.type] += event.delta.length
          saves.deltas.add(actor, {
            event: event.type === "text" ? "message_delta" : "thinking",
            part: step.part + (event.type === "text" ? 1 : 0),
            offset,
            delta: event.delta
          }, isFirst)
          isFirst = false
        }
        return { builder, emit }
      }

      /** Writes the rest of an answer that was not streamed here: an earlier owner may have written its beginning. */
      const catchUp = Effect.fnUntraced(function*(actor: TurnActor, { part }: ModelStep, answer: ModelAnswer) {
        const lengths = yield* turns.streamed(actor.row.org_id, actor.row.id, part)
        const rest = (event: "thinking" | "message_delta", at: number, text: string) => {
          const offset = lengths.get(at) ?? 0
          if (text.length > offset) {
            saves.deltas.add(actor, { event, part: at, offset, delta: text.slice(offset) }, false)
          }
        }
        rest("thinking", part, answer.thinking)
        rest("message_delta", part + 1, answer.text)
      })

      const submissionOf = (
        { row, stop }: TurnActor,
        step: ModelStep,
        { inputMax, prompt: open, sources }: History,
        emit: (event: ModelEvent) => void
      ) => {
        const prompt: Prompt = { ...open, max_tokens: step.max_tokens }
        const payload = contextPayloadOf(prompt, promptDigest(prompt), inputMax)
        const submission: Submission = {
          mode: row.mode,
          org: row.org_id,
          agent: row.agent_id,
          actor: { type: "agent", id: row.agent_id, name: row.agent_name },
          ...modelTarget,
          payload,
          id: step.request_id!,
          origin: {
            ...row.user_id === null ? {} : { user_id: row.user_id },
            session_id: row.session_id,
            turn_id: row.id,
            call_id: "model"
          },
          door: "chat",
          sources,
          model: { prompt, emit, stopped: stop.signal }
        }
        return { submission, context: payload.context, prompt }
      }

      /** Until the request has left the state `running`: another hub may have begun it. */
      const settled = Effect.fnUntraced(function*(actor: TurnActor, { facts }: Answer) {
        let now = facts
        while (now.status === "running" && !actor.isLost()) {
          now = Option.getOrElse(yield* dispatch.await(actor.row.org_id, facts.id, lookMillis), () => now)
        }
        return now
      })

      const submit = (actor: TurnActor, submission: Submission, again: boolean): Effect.Effect<Answer, ApiError> =>
        answered(dispatch.submit({ ...submission, ...again ? { again } : {} })).pipe(
          Effect.catch((error) =>
            error.error.code === "unavailable" && !actor.isLost()
              ? Effect.andThen(Effect.sleep(againMillis), submit(actor, submission, true))
              : Effect.fail(error)
          )
        )

      const run = Effect.fnUntraced(
        function*(actor: TurnActor, step: ModelStep, from: History, again: boolean): Effect.fn.Return<ModelEnd> {
          const { builder, emit } = deltasOf(actor, step)
          const { context, prompt, submission } = submissionOf(actor, step, from, emit)
          yield* prompts.keep(submission, context, prompt)
          return yield* submit(actor, submission, again).pipe(
            Effect.flatMap((answer) =>
              Effect.map(settled(actor, answer), (facts) => {
                const isLive = !answer.replayed && builder.hasContent
                const result = modelResultOf(facts, isLive ? builder.answer : undefined)
                return { step, result, isLive }
              })
            ),
            Effect.flatMap(Effect.fnUntraced(function*({ isLive, ...end }) {
              if (end.result.kind === "answered" && !isLive && step.kind === "model") {
                yield* catchUp(actor, step, end.result.answer)
              }
              return end
            })),
            Effect.catch((error) =>
              Effect.succeed<ModelEnd>({ step, result: { kind: "failed", error: modelErrorOf(error) } })
            )
          )
        }
      )

      return ChatModelSteps.of({
        history,
        plan,
        run,
        erased: ({ row }, { part: first }) =>
          Effect.map(turns.streamed(row.org_id, row.id, first), (lengths) =>
            [...lengths.keys()].map((part) => ({
              event: part === first ? "thinking" : "message_delta",
              data: { part, offset: 0, delta: "" }
            }))),
        isSent: ({ row }, { request_id }) =>
          request_id === undefined
            ? Effect.succeed(false)
            : Effect.map(dispatch.find(row.org_id, request_id), Option.isSome)
      })
    })
  )
}
