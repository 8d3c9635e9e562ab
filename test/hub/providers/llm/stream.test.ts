/** Recorded streams of both wires, whole, cut at every byte, and from hostile providers on loopback. */
import { scrubOf } from "@countersign/hub/providers/answer"
import { makeEgress } from "@countersign/hub/providers/egress"
import { anthropicWire } from "@countersign/hub/providers/llm/anthropic-wire"
import { openAiWire } from "@countersign/hub/providers/llm/openai-wire"
import { type StreamLimits, streamModel, type StreamOutcome, type Target } from "@countersign/hub/providers/llm/stream"
import { AnswerBuilder, eventsOf, type ModelEvent } from "@countersign/hub/providers/model-answer"
import type { Prompt } from "@countersign/hub/providers/model-prompt"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { setImmediate } from "node:timers/promises"
import { httpUpstream, tcpUpstream } from "../../../support/upstream.ts"

const sse = (events: ReadonlyArray<object | string>, named = false): string =>
  events.map((data) =>
    typeof data === "string"
      ? data
      : `${named ? `event: ${(data as { type: string }).type}\n` : ""}data: ${JSON.stringify(data)}\n\n`
  ).join("")

const chunk = (delta: object, more: object = {}) => ({ id: "gen-1", choices: [{ index: 0, delta, ...more }] })

const openAi = sse([
  ": a comment\n\n",
  chunk({ role: "assistant", content: "" }),
  chunk({ reasoning_content: "Hm. " }),
  chunk({ content: "Zażółć " }),
  chunk({ content: "gęślą 🦆" }),
  chunk({ tool_calls: [{ index: 0, id: "call_a", function: { name: "book", arguments: "" } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: "{\"to\":" } }] }),
  chunk({ tool_calls: [{ index: 0, id: "", function: { arguments: "\"BER\"}" } }] }),
  chunk({ tool_calls: [{ index: 1, id: "call_b", function: { name: "say", arguments: { text: "ok" } } }] }),
  chunk({}, { finish_reason: "stop" }),
  { id: "gen-1", choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
  {
    id: "gen-1",
    choices: [],
    usage: {
      prompt_tokens: 50,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 4 },
      cost: 0.001,
      is_byok: true,
      cost_details: { upstream_inference_cost: 0.002 }
    }
  },
  "data: [DONE]\n\n"
])

const anthropic = sse([
  {
    type: "message_start",
    message: {
      id: "msg_1",
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 10,
        cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 4 },
        output_tokens: 1
      }
    }
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm. " } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
  { type: "content_block_stop", index: 0 },
  { type: "ping" },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Zażółć gęślą 🦆" } },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_1", name: "book", input: {} }
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "{\"to\":" } },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "\"BER\"}" } },
  { type: "content_block_stop", index: 2 },
  { type: "content_block_start", index: 3, content_block: { type: "tool_use", id: "toolu_2", name: "say", input: {} } },
  { type: "content_block_stop", index: 3 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 20 } },
  { type: "message_stop" }
], true)

const prompt: Prompt = {
  model: "m",
  max_tokens: 100,
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", parts: [{ type: "text", text: "hi" }, { type: "image", url: "data:image/png;base64,AAAA" }] },
    { role: "assistant", text: "", calls: [{ id: "call_0", name: "book", arguments: "{broken" }] },
    { role: "tool", call_id: "call_0", parts: [{ type: "text", text: "no" }], is_error: true }
  ],
  tools: [{ name: "book", description: "Books.", parameters: { type: "object", properties: {} } }]
}

const limits: StreamLimits = { silenceMs: 20_000, timeoutMs: 40_000, retryMs: 1 }
const wires = { openai: openAiWire, anthropic: anthropicWire } as const

const targetOf = (origin: string, wire: keyof typeof wires): Target => ({
  wire: wires[wire],
  baseUrl: `${origin}/v1/`,
  key: "sk-very-secret",
  model: "provider-model",
  scrub: scrubOf(["sk-very-secret"])
})

const call = (origin: string, wire: keyof typeof wires, given: Partial<StreamLimits> = {}, stopped?: AbortSignal) =>
  Effect.gen(function*() {
    const egress = yield* makeEgress({ allow: [] })
    const events: Array<ModelEvent> = []
    const outcome = yield* streamModel(
      egress,
      targetOf(origin, wire),
      { prompt, emit: (event) => void events.push(event), ...stopped === undefined ? {} : { stopped } },
      "req_1",
      { ...limits, ...given }
    )
    return { outcome, events }
  })

const head = { "content-type": "text/event-stream; charset=utf-8" }
const streaming = (text: string | Buffer) => (_: unknown, response: ServerResponse) =>
  response.writeHead(200, head).end(text)

/** What a reader of the events has, joined. */
const joined = (events: ReadonlyArray<ModelEvent>) => {
  const builder = new AnswerBuilder()
  for (const event of events) builder.add(event)
  return builder.answer
}

describe("streams of models", () => {
  it.live("of OpenAI's form become text, reasoning, calls, and the last counts", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream(streaming(openAi))
      const { events, outcome } = yield* call(server.origin, "openai")
      assert.strictEqual(outcome.kind, "whole")
      const answer = joined(events)
      assert.deepInclude(answer, { text: "Zażółć gęślą 🦆", thinking: "Hm. ", finish: "tool_calls", id: "gen-1" })
      assert.closeTo(answer.usd!, 0.003, 1e-12)
      assert.deepStrictEqual(answer.calls, [
        { id: "call_a", name: "book", arguments: "{\"to\":\"BER\"}" },
        { id: "call_b", name: "say", arguments: "{\"text\":\"ok\"}" }
      ])
      assert.deepInclude(answer.counts, { input: 50, cached: 30, written: 4, output: 20 })
      const [received] = server.received
      assert.strictEqual(received?.url, "/v1/chat/completions")
      assert.deepInclude(received?.headers, { authorization: "Bearer sk-very-secret", "idempotency-key": "req_1" })
      assert.deepInclude(JSON.parse(received!.body), { model: "provider-model", stream: true, max_tokens: 100 })
      assert.deepStrictEqual(joined(eventsOf(answer)).calls, answer.calls)
    }))

  it.live("of Anthropic's form become the same, with signed reasoning and all kinds of input", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream(streaming(anthropic))
      const { events, outcome } = yield* call(server.origin, "anthropic")
      assert.strictEqual(outcome.kind, "whole")
      const answer = joined(events)
      assert.deepInclude(answer, { text: "Zażółć gęślą 🦆", thinking: "Hm. ", finish: "tool_calls", id: "msg_1" })
      assert.deepStrictEqual(answer.reasoning, [{ type: "thinking", thinking: "Hm. ", signature: "c2ln" }])
      assert.deepStrictEqual(answer.calls, [
        { id: "toolu_1", name: "book", arguments: "{\"to\":\"BER\"}" },
        { id: "toolu_2", name: "say", arguments: "{}" }
      ])
      assert.deepStrictEqual(answer.counts, { input: 50, cached: 30, written: 10, writtenHour: 4, output: 20 })
      const [received] = server.received
      assert.strictEqual(received?.url, "/v1/messages")
      assert.deepInclude(received?.headers, { "x-api-key": "sk-very-secret", "anthropic-version": "2023-06-01" })
      const body = JSON.parse(received!.body)
      assert.deepStrictEqual(body.system[0].text, "Be brief.")
      assert.deepStrictEqual(body.messages.map(({ role }: { role: string }) => role), ["user", "assistant", "user"])
      assert.deepInclude(body.messages[1].content[0], { type: "tool_use", input: { invalid_json: "{broken" } })
    }))

  for (const [wire, recorded] of [["openai", openAi], ["anthropic", anthropic]] as const) {
    it.live(
      `of ${wire}, cut at every byte, are a definite answer: nothing, the part that arrived, or the whole`,
      () =>
        Effect.gen(function*() {
          const bytes = Buffer.from(recorded)
          const server = yield* httpUpstream(({ url }, response) => {
            response.writeHead(200, head)
            response.write(bytes.subarray(0, Number(url.split("/")[1])), () => response.destroy())
          })
          const full = (yield* call((yield* httpUpstream(streaming(recorded))).origin, wire)).events
          const whole = joined(full)
          const cuts = Array.from({ length: bytes.length }, (_, cut) => cut)
          const results = yield* Effect.forEach(cuts, (cut) => call(`${server.origin}/${cut}`, wire), {
            concurrency: 16
          })
          const seen = new Set<StreamOutcome["kind"]>()
          let last = 0
          for (const [cut, { events, outcome }] of results.entries()) {
            seen.add(outcome.kind)
            const answer = joined(events)
            const context = `${cut} ${outcome.kind} ${JSON.stringify(events.at(-1))}`
            assert.isTrue(whole.text.startsWith(answer.text), context)
            assert.notInclude(answer.text, "\ufffd", context)
            assert.isAtLeast(events.length, last, context)
            last = events.length
            const hasContent = answer.text !== "" || answer.thinking !== "" || answer.calls.length > 0
            assert.strictEqual(
              outcome.kind,
              answer.finish !== undefined ? "whole" : hasContent ? "cut" : "unknown",
              context
            )
          }
          assert.deepStrictEqual([...seen], ["unknown", "cut", "whole"])
        })
    )
  }

  it.live(
    "are repeated before content only: twice, with the same key, and within Retry-After",
    () =>
      Effect.gen(function*() {
        for (const status of [408, 429, 500, 529]) {
          let tries = 0
          const server = yield* httpUpstream((_, response) =>
            ++tries < 3
              ? response.writeHead(status, { "retry-after": "0" }).end("busy")
              : response.writeHead(200, head).end(openAi)
          )
          assert.strictEqual((yield* call(server.origin, "openai")).outcome.kind, "whole")
          assert.deepStrictEqual(server.received.map(({ headers }) => headers["idempotency-key"]), [
            "req_1",
            "req_1",
            "req_1"
          ])
        }
        for (const [status, after, tries] of [[400, "0", 1], [404, "0", 1], [503, "0", 3], [429, "31", 1]] as const) {
          const server = yield* httpUpstream((_, response) =>
            response.writeHead(status, { "retry-after": after }).end("no, sk-very-secret")
          )
          const { outcome } = yield* call(server.origin, "openai")
          assert.deepInclude(outcome, { kind: "refused", status, retryAfterSeconds: Number(after) })
          assert.notInclude(JSON.stringify(outcome), "sk-very-secret")
          assert.strictEqual(server.received.length, tries)
        }
        const inBand = sse([{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }], true)
        const busy = yield* httpUpstream(streaming(inBand))
        assert.deepInclude((yield* call(busy.origin, "anthropic")).outcome, {
          kind: "refused",
          status: 529,
          detail: "Overloaded"
        })
        assert.strictEqual(busy.received.length, 3)
        const late = sse([chunk({ content: "a" }), { error: { message: "gone", code: 502 } }])
        const cut = yield* httpUpstream(streaming(late))
        assert.deepInclude((yield* call(cut.origin, "openai")).outcome, { kind: "cut", detail: "gone" })
        assert.strictEqual(cut.received.length, 1)
        const refused = yield* call("http://127.0.0.1:1", "openai")
        assert.strictEqual(refused.outcome.kind, "refused")
      })
  )

  it.live("of providers that break every rule end within their limits, without a defect", () =>
    Effect.gen(function*() {
      const outcomeOf = (text: string, headers: Record<string, string> = head) =>
        Effect.gen(function*() {
          const server = yield* httpUpstream((_, response) => response.writeHead(200, headers).end(text))
          return (yield* call(server.origin, "openai")).outcome
        })
      const weird = sse([
        "data: not json\n\n",
        "data: 7\n\n",
        "data: null\n\n",
        "data: []\n\n",
        { choices: "none", usage: { prompt_tokens: -1, completion_tokens: 1e99, cost: "free" } },
        { choices: [null, { delta: null }, { index: 3, delta: { content: "not mine" } }] },
        {
          choices: [{
            delta: {
              content: { a: 1 },
              tool_calls: [null, {}, { function: {} }, { index: {}, function: { arguments: 7 } }]
            }
          }]
        },
        { choices: [{ delta: { content: "ok\ud800" }, finish_reason: "unknown to us" }] }
      ])
      const answered = yield* outcomeOf(weird)
      assert.strictEqual(answered.kind, "whole")
      if (answered.kind === "whole") {
        assert.deepInclude(answered.answer, { text: "ok\ufffd", finish: "stop", counts: undefined, usd: undefined })
      }
      assert.deepInclude(yield* outcomeOf("<html>hello</html>", { "content-type": "text/html" }), {
        kind: "refused",
        status: 200
      })
      assert.deepInclude(yield* outcomeOf(""), { kind: "unknown" })
      const whole = JSON.stringify({ choices: [{ message: { content: "plain" }, finish_reason: "stop" }] })
      assert.strictEqual((yield* outcomeOf(whole, { "content-type": "application/json" })).kind, "whole")
      const endless = yield* httpUpstream((_, response) => {
        response.writeHead(200, head)
        const write = (): void => {
          while (
            !response.destroyed && response.write(`data: ${JSON.stringify(chunk({ content: "x".repeat(60_000) }))}\n\n`)
          ) { /* full */ }
        }
        response.on("drain", write)
        write()
      })
      const cut = (yield* call(endless.origin, "openai")).outcome
      assert.strictEqual(cut.kind, "cut")
      const silent = yield* tcpUpstream(() => {})
      assert.strictEqual(
        (yield* call(`http://127.0.0.1:${silent.port}`, "openai", { silenceMs: 100 })).outcome.kind,
        "unknown"
      )
    }))

  it.live("leave their connection to the next call, unless the provider sends more after its last event", () =>
    Effect.gen(function*() {
      const ports: Array<number | undefined> = []
      const { promise: cut, resolve } = Promise.withResolvers<void>()
      const server = yield* httpUpstream((_, response) => {
        ports.push(response.socket?.remotePort)
        if (ports.length < 3) {
          response.writeHead(200, { ...head, "content-length": Buffer.byteLength(openAi) })
          return void response.end(openAi)
        }
        response.writeHead(200, head).write(openAi)
        const more = setInterval(() => response.write(": more\n\n"), 20)
        response.once("close", () => {
          clearInterval(more)
          resolve()
        })
      })
      const egress = yield* makeEgress({ allow: [] })
      for (let at = 0; at < 3; at++) {
        const outcome = yield* streamModel(
          egress,
          targetOf(server.origin, "openai"),
          { prompt, emit: () => {} },
          "req_1"
        )
        assert.strictEqual(outcome.kind, "whole")
        // A connection is free from the next turn of the event loop on.
        yield* Effect.promise(() => setImmediate())
      }
      assert.strictEqual(new Set(ports).size, 1)
      yield* Effect.promise(() => cut)
    }))

  it.live("end when they are stopped, with the part that arrived", () =>
    Effect.gen(function*() {
      const stop = new AbortController()
      const server = yield* httpUpstream((_, response) => {
        response.writeHead(200, head).write(sse([chunk({ content: "part" })]))
        setTimeout(() => stop.abort(), 50)
      })
      const { outcome } = yield* call(server.origin, "openai", {}, stop.signal)
      assert.deepInclude(outcome, { kind: "cut" })
      assert.strictEqual((outcome as { answer: { text: string } }).answer.text, "part")
    }))
})
