/** The model door, used by the official clients of OpenAI and Anthropic. */
import Anthropic from "@anthropic-ai/sdk"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import OpenAI from "openai"
import { type AgentInTest, type Answer, expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { chanceOf } from "../../support/random.ts"

const llm = { service: "llm", operations: ["*"], approval_threshold_cents: 100_000 }

interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost: number
  readonly service_request_id: string
}

const failureOf = async (call: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
  try {
    await call
  } catch (error) {
    return error as InstanceType<typeof OpenAI.APIError>
  }
  throw new Error("the call did not fail")
}

layer(HubTest(), { excludeTestServices: true })("the model door", (it) => {
  const world = (options: Parameters<typeof makeAgent>[2] = {}) =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100_000)
      const agent = yield* makeAgent(hub, hub.owner, { bindings: [llm], ...options })
      const clientOf = ({ key }: Pick<AgentInTest, "key">) =>
        new OpenAI({ apiKey: key, baseURL: `${hub.url}/v1`, maxRetries: 2 })
      const requests = Effect.map(
        hub.api("GET", `/service-requests?agent_id=${agent.id}`, { cookie: hub.owner.cookie }),
        (answer) => expectStatus(answer, 200).body.data as ReadonlyArray<Answer["body"]>
      )
      return {
        hub,
        agent,
        requests,
        openai: clientOf(agent),
        anthropic: new Anthropic({ apiKey: agent.key, baseURL: hub.url, maxRetries: 2 }),
        say: (content: string, more: object = {}) => ({
          model: "offline/echo-priced",
          messages: [{ role: "user" as const, content }],
          ...more
        })
      }
    })

  it.effect("answers the OpenAI client whole and streamed, with the cost and the request of each call", () =>
    Effect.gen(function*() {
      const { agent, hub, openai, requests, say } = yield* world()
      const whole = yield* Effect.promise(() => openai.chat.completions.create(say("hello", { max_tokens: 100 })))
      assert.strictEqual(whole.choices[0]?.message.content, "You said: hello")
      const usage = whole.usage as unknown as Usage
      assert.closeTo(usage.cost, usage.prompt_tokens * 1e-5 + usage.completion_tokens * 4e-5, 1e-12)
      const script = "#script\nthink Let me see.\nsay One moment.\nusage 1000 50 200\nlocal weather {\"city\":\"Łódź\"}"
      const tools = [{ type: "function" as const, function: { name: "weather", parameters: { type: "object" } } }]
      const streamed = yield* Effect.promise(async () => {
        const chunks: Array<OpenAI.ChatCompletionChunk> = []
        const stream = await openai.chat.completions.create({
          ...say(script, { tools, stream_options: { include_usage: true } }),
          stream: true
        })
        for await (const chunk of stream) chunks.push(chunk)
        return chunks
      })
      const deltas = streamed.flatMap(({ choices }) => choices.map(({ delta }) => delta))
      assert.strictEqual(deltas.map(({ content }) => content ?? "").join(""), "One moment.")
      const calls = deltas.flatMap(({ tool_calls }) => tool_calls ?? [])
      assert.strictEqual(calls[0]?.function?.name, "weather")
      assert.strictEqual(calls.map((each) => each.function?.arguments ?? "").join(""), "{\"city\":\"Łódź\"}")
      assert.strictEqual(streamed.at(-2)?.choices[0]?.finish_reason, "tool_calls")
      const last = streamed.at(-1)?.usage as unknown as Usage
      assert.deepInclude(last, { prompt_tokens: 1000, completion_tokens: 50, cost: 0.012 })
      const [second] = yield* requests
      assert.strictEqual(second.id, last.service_request_id)
      assert.strictEqual(second.cost_cents, 1)
      const stored = yield* hub.run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        return yield* sql<{ payload: string }>`select payload from requests where agent_id = ${agent.id}`
      }))
      assert.strictEqual(stored.length, 2)
      for (const { payload } of stored) {
        assert.deepStrictEqual(Object.keys(JSON.parse(payload)).sort(), ["context", "max_tokens", "model"])
        assert.notInclude(payload, "hello")
      }
    }))

  it.effect("answers the OpenAI client in the form of responses", () =>
    Effect.gen(function*() {
      const { openai } = yield* world()
      const input = "#script\nthink Hm.\nsay Sunny.\ncall weather.now {\"city\":\"BER\"}"
      const tools = [{ type: "function" as const, name: "weather__now", parameters: { type: "object" }, strict: false }]
      const request = { model: "offline/echo", input, tools, instructions: "Be brief.", store: false }
      const whole = yield* Effect.promise(() => openai.responses.create(request))
      assert.strictEqual(whole.output_text, "Sunny.")
      assert.deepStrictEqual(whole.output.map(({ type }) => type), ["reasoning", "message", "function_call"])
      const { events, final } = yield* Effect.promise(async () => {
        const stream = openai.responses.stream(request)
        const events: Array<{ type: string; sequence_number: number }> = []
        for await (const event of stream) events.push(event as never)
        return { events, final: await stream.finalResponse() }
      })
      assert.deepStrictEqual(events.map(({ sequence_number }) => sequence_number), events.map((_, at) => at))
      assert.deepStrictEqual(events.at(-1)?.type, "response.completed")
      assert.strictEqual(final.output_text, "Sunny.")
      const call = final.output.find(({ type }) =>
        type === "function_call"
      ) as OpenAI.Responses.ResponseFunctionToolCall
      assert.deepInclude(call, { name: "weather__now", arguments: "{\"city\":\"BER\"}" })
      const second = yield* Effect.promise(() =>
        openai.responses.create({
          ...request,
          input: [
            { role: "user", content: `${input}\n---\nsay It is 20 degrees.` },
            ...final.output as Array<OpenAI.Responses.ResponseInputItem>,
            { type: "function_call_output", call_id: call.call_id, output: "20" }
          ]
        })
      )
      assert.strictEqual(second.output_text, "It is 20 degrees.")
    }))

  it.effect("answers the Anthropic client whole and streamed", () =>
    Effect.gen(function*() {
      const { anthropic } = yield* world()
      const request = (content: string) => ({
        model: "offline/echo-priced",
        max_tokens: 1_000,
        system: "Be brief.",
        messages: [{ role: "user" as const, content }],
        tools: [{ name: "weather", input_schema: { type: "object" as const } }]
      })
      const whole = yield* Effect.promise(() => anthropic.messages.create(request("hello")))
      assert.deepInclude(whole.content[0], { type: "text", text: "You said: hello" })
      assert.strictEqual(whole.stop_reason, "end_turn")
      const script = "#script\nthink Hm.\nsay One moment.\nusage 1000 50 200\nlocal weather {\"city\":\"BER\"}"
      const final = yield* Effect.promise(() => anthropic.messages.stream(request(script)).finalMessage())
      assert.deepStrictEqual(final.content.map(({ type }) => type), ["thinking", "text", "tool_use"])
      assert.deepInclude(final.content[2], { name: "weather", input: { city: "BER" } })
      assert.strictEqual(final.stop_reason, "tool_use")
      assert.deepInclude(final.usage, { input_tokens: 800, cache_read_input_tokens: 200, output_tokens: 50 })
      assert.isAbove((whole.usage as unknown as Usage).cost, 0)
      const refused = yield* Effect.promise(() =>
        failureOf(anthropic.messages.create({ ...request("x"), model: "claude-nowhere" }))
      )
      assert.strictEqual(refused.status, 502)
      assert.deepInclude((refused.error as { type: string; error: object }).error, { code: "adapter_error" })
    }))

  it.effect("lists the models of the catalog, and one of them", () =>
    Effect.gen(function*() {
      const { openai } = yield* world()
      const page = yield* Effect.promise(() => openai.models.list())
      assert.isAbove(page.data.length, 300)
      const one = yield* Effect.promise(() => openai.models.retrieve("offline/echo"))
      assert.deepInclude(one, { id: "offline/echo", owned_by: "offline" })
      assert.strictEqual((yield* Effect.promise(() => failureOf(openai.models.retrieve("none/such")))).status, 404)
    }))

  it.effect("reports each refusal once, with its status, reason, and next step", () =>
    Effect.gen(function*() {
      const { anthropic, hub, openai, say } = yield* world({ monthly_budget_cents: 0 })
      const money = yield* Effect.promise(() => failureOf(openai.chat.completions.create(say("a", { max_tokens: 10 }))))
      assert.strictEqual(money.status, 402)
      assert.deepInclude(money.error as object, { type: "insufficient_quota", code: "agent_budget_exceeded" })
      assert.strictEqual((money.error as { block: { limit: string } }).block.limit, "agent_month")
      for (const stream of [false, true]) {
        const same = yield* Effect.promise(() =>
          failureOf(anthropic.messages.create({ ...say("a"), max_tokens: 10, stream }))
        )
        assert.strictEqual(same.status, 402)
        assert.match(same.message, /monthly budget of 0 cents/u)
      }
      const free = yield* Effect.promise(() => openai.chat.completions.create({ ...say("a"), model: "offline/echo" }))
      assert.strictEqual(free.choices[0]?.message.content, "You said: a")
      const unbound = yield* makeAgent(hub, hub.owner, { bindings: [] })
      const other = new OpenAI({ apiKey: unbound.key, baseURL: `${hub.url}/v1` })
      const forbidden = yield* Effect.promise(() => failureOf(other.chat.completions.create(say("a"))))
      assert.strictEqual(forbidden.status, 403)
      assert.deepInclude(forbidden.error as object, { type: "forbidden", code: "policy_violation" })
      const fails = yield* makeAgent(hub, hub.owner, { bindings: [llm] })
      const failing = new OpenAI({ apiKey: fails.key, baseURL: `${hub.url}/v1` })
      for (const [status, shown] of [[400, 400], [413, 413], [429, 429], [500, 502], [529, 502]] as const) {
        const error = yield* Effect.promise(() =>
          failureOf(failing.chat.completions.create(say(`#script\nfail ${status}`)))
        )
        assert.strictEqual(error.status, shown, String(status))
      }
      const all = expectStatus(
        yield* hub.api("GET", `/service-requests?agent_id=${fails.id}`, { cookie: hub.owner.cookie }),
        200
      ).body.data
      assert.strictEqual(all.length, 5, "no refusal was repeated")
      const cut = yield* Effect.promise(() => failureOf(failing.chat.completions.create(say("#script\ncut"))))
      assert.deepInclude(cut.error as object, { code: "fate_unknown" })
    }))

  it.effect("answers errors of the hub in the form of the client", () =>
    Effect.gen(function*() {
      const { agent, hub } = yield* world()
      const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
        Effect.promise(async () => {
          const answer = await fetch(`${hub.url}${path}`, {
            method: "POST",
            headers: { "content-type": "application/json", authorization: `Bearer ${agent.key}`, ...headers },
            body: typeof body === "string" ? body : JSON.stringify(body)
          })
          return { status: answer.status, headers: answer.headers, body: await answer.json() as Answer["body"] }
        })
      const message = { role: "user", content: "x" }
      const wrong: ReadonlyArray<readonly [path: string, body: unknown, status: number, param?: string]> = [
        ["/v1/chat/completions", "{", 400],
        ["/v1/chat/completions", {}, 400, "model"],
        ["/v1/chat/completions", { model: "offline/echo", messages: [] }, 400, "messages"],
        [
          "/v1/chat/completions",
          { model: "offline/echo", messages: [{ role: "king", content: "x" }] },
          400,
          "messages.0.role"
        ],
        ["/v1/chat/completions", { model: "offline/echo", messages: [message], n: 2 }, 400, "n"],
        [
          "/v1/chat/completions",
          {
            model: "offline/echo",
            messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "http://x" } }] }]
          },
          400,
          "messages.0.content.0.image_url.url"
        ],
        ["/v1/chat/completions", { model: "offline/echo", messages: [message], max_tokens: 0 }, 400, "max_tokens"],
        [
          "/v1/responses",
          { model: "offline/echo", input: "x", previous_response_id: "resp_1" },
          400,
          "previous_response_id"
        ],
        [
          "/v1/messages",
          { model: "offline/echo", messages: [message], max_tokens: 1, temperature: 9 },
          400,
          "temperature"
        ],
        ["/v1/chat/completions", `{"a":"${"x".repeat(8 * 1024 * 1024)}"}`, 413]
      ]
      for (const [path, body, status, param] of wrong) {
        const answer = yield* post(path, body)
        assert.strictEqual(answer.status, status, JSON.stringify(answer.body))
        assert.strictEqual(answer.body.error.param, param, JSON.stringify(answer.body))
        assert.strictEqual(answer.body.type, path === "/v1/messages" ? "error" : undefined)
        assert.strictEqual(answer.headers.get("x-should-retry"), "false")
        assert.strictEqual(answer.body.request_id, answer.headers.get("x-request-id"))
      }
      const unknown = { model: "offline/echo", messages: [message], never_heard_of: { a: 1 } }
      assert.strictEqual((yield* post("/v1/chat/completions", unknown)).status, 200)
      for (
        const headers of [{ authorization: "Bearer nothing" }, { authorization: `Bearer ${"agent_key_live_mistyped"}` }]
      ) {
        const answer = yield* post("/v1/chat/completions", unknown, headers)
        assert.deepStrictEqual([answer.status, answer.body.error.type], [401, "authentication_error"])
      }
      const get = yield* Effect.promise(() => fetch(`${hub.url}/v1/chat/completions`))
      assert.strictEqual(get.status, 405)
      const foreign = yield* hub.api("POST", "/service-requests", {
        key: agent.key,
        body: {
          service: "llm",
          operation: "chat",
          payload: { model: "offline/echo", max_tokens: 1, context: { id: "a", sha256: "b", input_tokens_max: 1 } }
        }
      })
      assert.strictEqual(foreign.status, 400)
      assert.include(foreign.text, "payload.context")
    }))

  it.effect(
    "asks for approval once, and gives the answer to the identical call: asked and charged once",
    () =>
      Effect.gen(function*() {
        const { agent, hub, openai, requests, say } = yield* world({
          bindings: [{ ...llm, approval_threshold_cents: 0 }]
        })
        const body = say("#script\nsay Approved.\nusage 1000 1000 0", { max_tokens: 1_000 })
        const first = yield* Effect.promise(() => failureOf(openai.chat.completions.create(body)))
        const { approval, code } = first.error as { code: string; approval: { id: string; url: string } }
        assert.deepStrictEqual([first.status, code], [403, "approval_required"])
        assert.strictEqual(new URL(approval.url).pathname, `/w/${hub.owner.org}/approvals/${approval.id}`)
        const again = yield* Effect.promise(() => failureOf(openai.chat.completions.create({ ...body, stream: true })))
        assert.strictEqual((again.error as { approval: { id: string } }).approval.id, approval.id)
        const waiting = Effect.promise(() => openai.chat.completions.create(body, { headers: { prefer: "wait=60" } }))
        const approve = hub.api("POST", `/approvals/${approval.id}/approve`, { cookie: hub.owner.cookie, body: {} })
        const [answer] = yield* Effect.all([waiting, approve], { concurrency: 2 })
        assert.strictEqual(answer.choices[0]?.message.content, "Approved.")
        assert.deepStrictEqual((yield* requests).map(({ cost_cents, status }) => [status, cost_cents]), [[
          "executed",
          5
        ]])
        const next = yield* Effect.promise(() => failureOf(openai.chat.completions.create(body)))
        assert.notStrictEqual((next.error as { approval: { id: string } }).approval.id, approval.id)
        assert.isDefined(agent)
      })
  )

  it.effect("gives the same answers ahead of the framework and by its path", () =>
    Effect.gen(function*() {
      const { agent, hub, say } = yield* world()
      const settled = ({ headers, status, text }: Answer) => ({
        status,
        headers: [...headers.entries()].filter(([name]) =>
          !["content-length", "date", "keep-alive", "connection", "x-request-id", "x-service-request-id"].includes(name)
        ).sort(),
        text: text.replaceAll(/[0-9a-hjkmnp-tv-z]{26}/gu, "id").replaceAll(/"created(_at)?":\d+/gu, "\"created\"")
      })
      const calls: ReadonlyArray<readonly [path: string, body: unknown, headers?: Record<string, string>]> = [
        ["/v1/chat/completions", say("hello")],
        ["/v1/chat/completions", { ...say("hello"), stream: true }],
        ["/v1/responses", { model: "offline/echo", input: "hello", stream: true }],
        ["/v1/messages", { ...say("hello"), max_tokens: 10, stream: true }],
        ["/v1/chat/completions", { ...say("#script\nfail 400"), stream: true }],
        ["/v1/chat/completions", { model: "offline/echo", messages: [] }],
        ["/v1/messages", { model: "offline/echo", messages: [] }],
        ["/v1/chat/completions", "{\"model\":"],
        ["/v1/chat/completions", say("hello"), { "idempotency-key": "x".repeat(256) }],
        ["/v1/chat/completions", say("hello"), { "content-type": "text/plain" }]
      ]
      for (const [path, body, headers] of calls) {
        const [direct, common] = yield* Effect.forEach([{}, { "svc-workspace": hub.owner.org }], (more) =>
          Effect.promise(async () => {
            const response = await fetch(`${hub.url}${path}`, {
              method: "POST",
              headers: {
                authorization: `Bearer ${agent.key}`,
                "content-type": "application/json",
                ...headers,
                ...more
              },
              body: typeof body === "string" ? body : JSON.stringify(body)
            })
            return { status: response.status, headers: response.headers, text: await response.text(), body: undefined }
          }))
        assert.deepStrictEqual(settled(direct!), settled(common!), JSON.stringify(body))
      }
    }))

  it.effect("keeps an answer that was cut before delivery for the identical call", () =>
    Effect.gen(function*() {
      const { agent, hub, openai, requests, say } = yield* world()
      const body = say("#script\nsay Part one,\nwait 300\nsay part two.\nusage 1000 1000 0", { max_tokens: 1_000 })
      yield* Effect.promise(async () => {
        const stream = await openai.chat.completions.create({ ...body, stream: true })
        for await (const _ of stream) break
        stream.controller.abort()
      })
      const isLeft = hub.run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        return (yield* sql`select 1 from call_pickups where agent_id = ${agent.id} and owner is null`).length > 0
      }))
      while (!(yield* isLeft)) yield* Effect.sleep(10)
      const whole = yield* Effect.promise(() => openai.chat.completions.create(body))
      assert.strictEqual(whole.choices[0]?.message.content, "Part one,\npart two.")
      const [only, ...more] = yield* requests
      assert.deepStrictEqual([only.status, only.cost_cents, more.length], ["executed", 5, 0])
      yield* Effect.promise(() => openai.chat.completions.create(body))
      assert.strictEqual((yield* requests).length, 2, "a delivered answer is not given again")
    }))

  it.effect("keeps the answer of a call that is cut while its request waits to begin, and charges it once", () =>
    Effect.gen(function*() {
      const { agent, hub, openai, requests, say } = yield* world()
      const sql = yield* hub.run(SqlClient.SqlClient)
      const until = (state: "none" | "stored" | "left") =>
        Effect.gen(function*() {
          const rows = sql<{ owner: number | null }>`select owner from call_pickups where agent_id = ${agent.id}`
          for (;;) {
            const [row] = yield* rows
            if (state === (row === undefined ? "none" : row.owner === null ? "left" : "stored")) return
            yield* Effect.sleep(10)
          }
        })
      // The first call of an agent also waits for its counters.
      for (const name of ["First", "Second"]) {
        const body = say(`#script\nsay ${name}.\nusage 1000 1000 0`, { max_tokens: 1_000 })
        const abort = new AbortController()
        yield* until("none")
        const cut = yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`select set_config('idle_in_transaction_session_timeout', '0', true), lock_org(${hub.owner.org})`
          const call = openai.chat.completions.create(body, { signal: abort.signal }).then(
            () => "answered",
            () => "cut"
          )
          yield* until("stored")
          abort.abort()
          yield* until("left")
          return yield* Effect.promise(() => call)
        }))
        assert.strictEqual(cut, "cut")
        const again = yield* Effect.promise(() => openai.chat.completions.create(body))
        assert.strictEqual(again.choices[0]?.message.content, `${name}.`)
      }
      assert.deepStrictEqual((yield* requests).map(({ cost_cents, status }) => [status, cost_cents]), [
        ["executed", 5],
        ["executed", 5]
      ])
    }))

  it.effect("charges to the micro-cent what all calls cost, whatever they cost", () =>
    Effect.gen(function*() {
      const { agent, hub, openai, requests } = yield* world()
      const random = chanceOf(7)
      let micros = 0
      yield* Effect.forEach(Array.from({ length: 60 }, (_, at) => at), (at) => {
        const [input, output, cached] = [random.int(3_000), random.int(500), random.int(500)]
        // Cached tokens cost as much as others: the model has no other rate for them.
        micros += input * 1_000 + output * 4_000
        return Effect.promise(() =>
          openai.chat.completions.create({
            model: "offline/echo-priced",
            max_tokens: 500,
            messages: [
              { role: "system", content: "x".repeat(3_000) },
              { role: "user", content: `#script\nsay ${at}\nusage ${input} ${output} ${cached}` }
            ]
          })
        )
      }, { concurrency: 8 })
      const charged = (yield* requests).reduce((sum, { cost_cents }) => sum + cost_cents, 0)
      const [accrued] = yield* hub.run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        return yield* sql<{ micro_cents: number }>`select micro_cents::int from accruals where agent_id = ${agent.id}`
      }))
      assert.strictEqual((yield* requests).length, 50)
      const page = expectStatus(
        yield* hub.api("GET", `/usage?agentId=${agent.id}`, { cookie: hub.owner.cookie }),
        200
      ).body.totals.cost_cents
      assert.isAtMost(charged, page)
      assert.strictEqual(page * 1_000_000 + (accrued?.micro_cents ?? 0), micros)
    }))

  it.effect("streams 100 answers at once, each in its order", () =>
    Effect.gen(function*() {
      const { openai, say } = yield* world()
      const text = Array.from({ length: 200 }, (_, at) => `word${at}`).join(" ")
      yield* Effect.forEach(Array.from({ length: 100 }, (_, at) => at), (at) =>
        Effect.promise(async () => {
          const stream = await openai.chat.completions.create({ ...say(`${at} ${text}`), stream: true })
          let got = ""
          for await (const { choices } of stream) got += choices[0]?.delta.content ?? ""
          assert.strictEqual(got, `You said: ${at} ${text}`)
        }), { concurrency: 100 })
    }))

  it.effect("answers test keys by the offline model at no cost", () =>
    Effect.gen(function*() {
      const { openai, requests, say } = yield* world({ mode: "test" })
      const answer = yield* Effect.promise(() => openai.chat.completions.create(say("hi", { model: "openai/gpt-4o" })))
      assert.strictEqual(answer.choices[0]?.message.content, "You said: hi")
      assert.strictEqual((answer.usage as unknown as Usage).cost, 0)
      assert.deepStrictEqual((yield* requests).map(({ cost_cents, mode }) => [mode, cost_cents]), [["test", 0]])
    }))
})
