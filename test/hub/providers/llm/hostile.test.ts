/**
 * Providers that stream without end, count wrongly, or break the arguments of calls, in both forms: each call of
 * `llm.chat` has a definite outcome, and an estimate never exceeds its ceiling.
 */
import { ratesOf } from "@countersign/domain/models"
import type { BuiltinService } from "@countersign/domain/services"
import { ceilingCentsOf, centsOf, microCentsOf, noTokens, type TokenCounts } from "@countersign/domain/token-price"
import type { AdapterOutcome } from "@countersign/hub/providers/adapter"
import { makeEgress } from "@countersign/hub/providers/egress"
import { llmAdapter } from "@countersign/hub/providers/llm/adapter"
import { storedAnswer } from "@countersign/hub/providers/llm/completion"
import { contextPayloadOf } from "@countersign/hub/providers/llm/context"
import { AnswerBuilder, type ModelAnswer } from "@countersign/hub/providers/model-answer"
import { inputTokensMax, type Prompt } from "@countersign/hub/providers/model-prompt"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { ServerResponse } from "node:http"
import { httpUpstream } from "../../../support/upstream.ts"

type WireName = "openai" | "anthropic"

const definition = {
  name: "llm",
  kind: "builtin",
  adapter: "llm",
  operations: [{
    name: "chat",
    payload_schema: { type: "object" },
    price: { type: "tokens", default: { prompt: "0.00001", completion: "0.00005" } }
  }]
} satisfies BuiltinService
const rates = ratesOf({ pricing: { prompt: "0.00001", completion: "0.00005" } })!
const prompt: Prompt = {
  model: "m",
  max_tokens: 100,
  messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }]
}
const ceilingCents = ceilingCentsOf(rates, inputTokensMax(prompt), prompt.max_tokens)
const centsFor = (counts: Partial<TokenCounts>): number => centsOf(microCentsOf(rates, { ...noTokens, ...counts }))

interface Called {
  readonly outcome: AdapterOutcome
  /** What a reader of the stream has. */
  readonly streamed: ModelAnswer
}

/** Calls a provider that answers with `respond`. */
const call = (wire: WireName, respond: (response: ServerResponse) => void, timeoutMs = 60_000) =>
  Effect.gen(function*() {
    const server = yield* httpUpstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      respond(response)
    })
    const egress = yield* makeEgress({ allow: [] })
    const builder = new AnswerBuilder()
    const outcome = yield* llmAdapter({
      egress,
      settings: {
        llm: Option.some({ baseUrl: server.origin, apiKey: Option.none(), wire }),
        anthropicKey: Option.none()
      },
      ratesOf: () => rates,
      promptOf: () => Effect.succeed(undefined),
      counted: () => {},
      limits: { silenceMs: 20_000, timeoutMs, retryMs: 1 }
    }).execute(definition, {
      requestId: "req_1",
      orgId: "org_1",
      agent: { id: "agt_1", name: "Scout" },
      service: "llm",
      operation: "chat",
      payload: contextPayloadOf(prompt, "ctx_1"),
      timeoutMs,
      ceilingCents,
      secretOf: () => Effect.succeed(undefined),
      appOf: () => Effect.succeed({ kind: "missing", detail: "No app." }),
      model: { prompt, emit: (event) => builder.add(event) }
    })
    return { outcome, streamed: builder.answer } satisfies Called
  }).pipe(Effect.scoped)

const event = (data: object): string =>
  `event: ${(data as { type?: string }).type ?? "x"}\ndata: ${JSON.stringify(data)}\n\n`

interface CallPiece {
  readonly index?: unknown
  readonly id?: unknown
  readonly name?: unknown
  readonly arguments?: unknown
}

/** The same parts of an answer in each provider's form. */
const forms: Readonly<
  Record<WireName, {
    readonly text: (text: string) => string
    readonly thinking: (text: string) => string
    readonly call: (piece: CallPiece) => string
    readonly end: (usage?: unknown) => string
  }>
> = {
  openai: {
    text: (content) => event({ choices: [{ index: 0, delta: { content } }] }),
    thinking: (reasoning) => event({ choices: [{ index: 0, delta: { reasoning } }] }),
    call: ({ arguments: text, id, index = 0, name }) =>
      event({ choices: [{ index: 0, delta: { tool_calls: [{ index, id, function: { name, arguments: text } }] } }] }),
    end: (usage) =>
      event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
      (usage === undefined ? "" : event({ choices: [], usage })) + "data: [DONE]\n\n"
  },
  anthropic: {
    text: (text) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    thinking: (thinking) =>
      event({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking } }),
    call: ({ arguments: text, id, index = 0, name }) =>
      event({ type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } }) +
      event({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: text } }) +
      event({ type: "content_block_stop", index }),
    end: (usage) =>
      event({ type: "message_delta", delta: { stop_reason: "end_turn" }, ...usage === undefined ? {} : { usage } }) +
      event({ type: "message_stop" })
  }
}
const wires = ["openai", "anthropic"] as const

const executed = ({ outcome }: Called) => {
  if (outcome.kind !== "executed") throw new Error(`expected executed, got ${JSON.stringify(outcome)}`)
  const result = outcome.result as Readonly<Record<string, unknown>>
  return { actual: outcome.actual as number | undefined, result, answer: storedAnswer(result) }
}

describe("hostile model providers", () => {
  const long = "x".repeat(60_000)
  /** The repeated part, and whether a reader can use it. */
  const endless: Readonly<Record<string, readonly [chunk: (wire: WireName) => string, hasContent: boolean]>> = {
    "text": [(wire) => forms[wire].text(long), true],
    "reasoning": [(wire) => forms[wire].thinking(long), true],
    "arguments of one call": [(wire) => forms[wire].call({ id: "a", name: "book", arguments: long }), true],
    "calls": [
      (wire) =>
        Array.from({ length: 200 }, (_, index) => forms[wire].call({ index, id: `c${index}`, name: "n".repeat(99) }))
          .join(""),
      true
    ],
    "comments": [() => `: ${long}\n\n`, false],
    "empty events": [() => "data:\n\n".repeat(5_000), false],
    "one event": [() => `data: ${long}`, false],
    "one line without a field": [() => long, false],
    "events of no meaning": [() => event({ type: "ping", choices: [], more: long }), false]
  }
  for (const wire of wires) {
    it.live(
      `that send without end are cut at 8 MiB, and charged for content within the ceiling only (${wire})`,
      () =>
        Effect.forEach(Object.entries(endless), ([name, [chunk, hasContent]]) =>
          Effect.gen(function*() {
            const called = yield* call(wire, (response) => {
              const write = (): void => {
                while (!response.destroyed && response.write(chunk(wire))) { /* until its buffer is full */ }
              }
              response.on("drain", write)
              write()
            })
            if (!hasContent) {
              assert.include(["unknown", "failed"], called.outcome.kind, name)
              return
            }
            const { actual = Number.NaN, result } = executed(called)
            assert.deepInclude(result, { truncated: true, estimated: true }, name)
            assert.isAtMost(actual, ceilingCents, name)
            assert.isAbove(actual, 0, name)
            assert.isAtMost(Buffer.byteLength(JSON.stringify(result)), 1024 * 1024, name)
          }))
    )
  }

  it.live("that only keep the connection open end at the time limit, without charge", () =>
    Effect.gen(function*() {
      for (const wire of wires) {
        const { outcome } = yield* call(wire, (response) => {
          const timer = setInterval(() => response.write(": still thinking\n\n"), 20)
          response.on("close", () => clearInterval(timer))
        }, 500)
        assert.strictEqual(outcome.kind, "unknown")
      }
    }))

  /** Usage of OpenAI's form, and the counts that are charged; absent: the hub's own estimate. */
  const usages: ReadonlyArray<readonly [usage: unknown, counts?: Partial<TokenCounts>]> = [
    [undefined],
    ["many"],
    [[]],
    [{}],
    [{ prompt_tokens: -1, completion_tokens: 5 }],
    [{ prompt_tokens: 1.5, completion_tokens: 5 }],
    [{ prompt_tokens: "7", completion_tokens: 5 }],
    [{ prompt_tokens: 7, completion_tokens: true }],
    [{ prompt_tokens: 7 }],
    [{ prompt_tokens: 1e13, completion_tokens: 1 }],
    [{ prompt_tokens: 7, completion_tokens: 5 }, { input: 7, output: 5 }],
    [{ prompt_tokens: 0, completion_tokens: 0 }, {}],
    // More of the cache than there was input.
    [
      {
        prompt_tokens: 7,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 1e6, cache_write_tokens: 1e6 }
      },
      {
        input: 7,
        cached: 7,
        output: 5
      }
    ],
    // Far over the requested length: dispatch charges the ceiling, and reports the price.
    [{ prompt_tokens: 1e9, completion_tokens: 1e9 }, { input: 1e9, output: 1e9 }],
    [{ prompt_tokens: 7, completion_tokens: 5, cost: -3 }, { input: 7, output: 5 }],
    [{ prompt_tokens: 7, completion_tokens: 5, cost: "0" }, { input: 7, output: 5 }],
    [{ prompt_tokens: 7, completion_tokens: 5, cost: 1e300 }, { input: 7, output: 5 }]
  ]
  it.live(
    "that count wrongly are charged by counts that can be counts, otherwise by an estimate within the ceiling",
    () =>
      Effect.gen(function*() {
        for (const wire of wires) {
          const { end, text } = forms[wire]
          for (const [usage, counts] of usages) {
            const given = wire === "openai" || typeof usage !== "object" || usage === null
              ? usage
              : Object.fromEntries(
                Object.entries(usage).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> =>
                  name === "prompt_tokens"
                    ? [["input_tokens", value]]
                    : name === "completion_tokens"
                    ? [["output_tokens", value]]
                    : []
                )
              )
            const context = `${wire} ${JSON.stringify(usage)}`
            const { actual = Number.NaN, answer, result } = executed(
              yield* call(wire, (response) => response.end(text("A short answer.") + end(given)))
            )
            assert.strictEqual(answer?.text, "A short answer.", context)
            assert.strictEqual(result["estimated"], counts === undefined ? true : undefined, context)
            if (counts === undefined) {
              assert.isAbove(actual, 0, context)
              assert.isAtMost(actual, ceilingCents, context)
            } else assert.strictEqual(actual, centsFor(counts), context)
          }
          // The output is counted at the beginning, before there is any, and then the connection is cut.
          const early = wire === "openai"
            ? event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 0 } })
            : event({ type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 0 } } })
          const cut = executed(
            yield* call(
              wire,
              (response) => void response.write(early + text("Most of an answer."), () => response.destroy())
            )
          )
          assert.deepInclude(cut.result, { truncated: true, estimated: true })
          assert.isAbove(cut.actual ?? 0, centsFor({ input: 3 }))
        }
      })
  )

  const broken: ReadonlyArray<unknown> = [
    "",
    "{",
    "{\"to\":\"BER\"",
    "[1]",
    "7",
    "null",
    "\"text\"",
    "{\"a\":1}{\"b\":2}",
    "{\"a\":\"\\ud800\"}",
    "{\"__proto__\":{\"approved\":true}}",
    `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
    7,
    null,
    [],
    { approved: true }
  ]
  it.live("that break the arguments of a call lose nothing else of the answer", () =>
    Effect.gen(function*() {
      for (const wire of wires) {
        const { call: piece, end, text } = forms[wire]
        for (const text_ of broken) {
          const context = `${wire} ${JSON.stringify(text_)?.slice(0, 40)}`
          const called = yield* call(wire, (response) =>
            response.end(
              text("Before.") + piece({ id: "call_1", name: "book", arguments: text_ }) +
                piece({ index: 1, id: "call_2", name: "say", arguments: "{\"ok\":true}" }) +
                end({ prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1 })
            ))
          const { answer } = executed(called)
          assert.strictEqual(answer?.text, "Before.", context)
          assert.deepStrictEqual(answer?.calls.map(({ id, name }) => [id, name]), [["call_1", "book"], [
            "call_2",
            "say"
          ]], context)
          assert.strictEqual(answer?.calls[1]?.arguments, "{\"ok\":true}", context)
          assert.isString(answer?.calls[0]?.arguments, context)
          assert.deepStrictEqual(called.streamed.calls, answer?.calls, context)
        }
        const odd = yield* call(wire, (response) =>
          response.end(
            piece({ index: { a: 1 }, id: 7, name: "first", arguments: "{}" }) +
              piece({ index: -1, id: "", name: "second", arguments: "{}" }) +
              piece({ index: 1e300, id: "same", name: "x".repeat(5_000), arguments: "{}" }) +
              piece({ index: null, id: "same", name: "\ud800", arguments: "{}" }) + end()
          ))
        for (const { arguments: text, id, name } of executed(odd).answer?.calls ?? []) {
          for (const part of [id, name, text]) assert.isTrue(part.isWellFormed())
        }
      }
    }))
})
