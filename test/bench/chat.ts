/** Chat, the model door, and MCP on one hub: a long chat, 200 streams at once, and the list of 1,000 tools. */
import { Effect } from "effect"
import { expectStatus } from "../support/hub.ts"
import { mcpClient } from "../support/mcp-client.ts"
import { below, type Figure, info } from "./figures.ts"
import { interleaved, median, quantile, ratio, timed } from "./rounds.ts"
import { database, makeWorkspace, Stage, startHub } from "./stage.ts"

const toolServices = 5
const operationsEach = 200
const toolsMillisMax = 50
const pageRatioMax = 1.2
const streams = 200

/** 200 operations; nothing calls them. */
const service = (at: number) => ({
  name: `many-${at}`,
  kind: "http",
  base_url: "https://many.example",
  operations: Array.from({ length: operationsEach }, (_, operation) => ({
    name: `do_${operation}`,
    method: "POST",
    path: `/do/${operation}`,
    payload_schema: { type: "object", properties: { text: { type: "string" } } },
    price: { type: "fixed", cents: 1 }
  }))
})

export const chat: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds, seconds } = yield* Stage
  const target = yield* database
  const { api, port } = yield* startHub(target)
  const url = `http://127.0.0.1:${port}`
  const services = Array.from({ length: toolServices }, (_, at) => service(at))
  const { agent, cookie, key } = yield* makeWorkspace({ api }, services, ["llm"])

  /** A chat with this many messages; every turn adds two. */
  const chatOf = Effect.fnUntraced(function*(messages: number) {
    const body = { agent_id: agent, model: "offline/echo" }
    const { id } = expectStatus(yield* api("POST", "/chat/sessions", { cookie, body }), 201).body
    for (let at = 0; at < messages / 2; at++) {
      const { text } = yield* api("POST", "/chat/turn", { cookie, body: { session_id: id, message: `Message ${at}` } })
      if (!text.includes("\"reason\":\"end\"")) throw new Error(`a turn did not end: ${text.slice(-400)}`)
    }
    return Effect.map(
      api("GET", `/chat/sessions/${id}?limit=50`, { cookie }),
      (answer) => expectStatus(answer, 200)
    )
  })
  const short = yield* chatOf(50)
  const long = yield* chatOf(500)

  const client = yield* mcpClient(url, { token: key })
  const tools = Effect.promise(async () => {
    const found = await client.listTools()
    if (found.tools.length < toolServices * operationsEach) throw new Error(`${found.tools.length} tools were listed`)
  })

  const message = "word ".repeat(200).trim()
  const stream = async () => {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "offline/echo", stream: true, messages: [{ role: "user", content: message }] })
    })
    const text = (await answer.text()).split("\n").flatMap((line) =>
      line.startsWith("data: {")
        ? [
          (JSON.parse(line.slice(6)) as { choices?: ReadonlyArray<{ delta?: { content?: string } }> }).choices?.[0]
            ?.delta?.content ?? ""
        ]
        : []
    ).join("")
    return text === `You said: ${message}`
  }
  const crowd = Effect.promise(async () => {
    const whole = await Promise.all(Array.from({ length: streams }, stream))
    if (whole.includes(false)) throw new Error(`${whole.filter((each) => !each).length} streams lost text`)
  })

  const of = (once: Effect.Effect<unknown>, least = 20) =>
    Effect.map(timed(once, { millis: seconds * 300, least }), (took) => quantile(took, 0.5))
  for (const once of [short, long, tools]) yield* of(once)
  const found = yield* interleaved(rounds, {
    short: of(short),
    long: of(long),
    tools: of(tools),
    crowd: of(crowd, 1)
  })
  return [
    below("list of 1,000 MCP tools, all pages", toolsMillisMax, median(found.tools), 1, " ms"),
    below("page of a chat of 500 messages, times one of 50", pageRatioMax, ratio(found.long, found.short)),
    info(`${streams} model streams at once, each whole and in order`, `${median(found.crowd).toFixed(0)} ms`)
  ]
}).pipe(Effect.scoped)
