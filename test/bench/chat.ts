/**
 * Chat, the model door, and MCP on one hub: the time to the first text of a streaming model call, a long chat, 200
 * streams at once, and the list of 1,000 tools.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { Agent, request } from "node:http"
import { expectStatus } from "../support/hub.ts"
import { mcpClient } from "../support/mcp-client.ts"
import { below, type Figure, info } from "./figures.ts"
import { interleaved, median, quantile, ratio, sorted, timed } from "./rounds.ts"
import { chat as modelCall, database, makeWorkspace, Stage, startHub, startModels, startPassThrough } from "./stage.ts"

const toolServices = 5
const operationsEach = 200
const toolsMillisMax = 50
const pageRatioMax = 1.2
const streams = 200
/** What the hub may add to the time to the first text of a stream, in commits of a single row. */
const addedCommitsMax = 3

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

/** A caller with one kept-alive connection: milliseconds to the first bytes with this text; the answer is read whole. */
const firstBytes = (port: number, path: string, headers: Readonly<Record<string, string>>, first: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return (body: object) =>
    new Promise<number>((resolve, reject) => {
      const text = JSON.stringify(body)
      const fields = {
        ...headers,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(text))
      }
      const began = performance.now()
      request({ host: "127.0.0.1", port, path, method: "POST", agent, headers: fields }, (response) => {
        let took: number | undefined
        let all = ""
        response.setEncoding("utf8")
        response.on("data", (bytes: string) => {
          all += bytes
          if (took === undefined && all.includes(first)) took = performance.now() - began
        })
        response.on(
          "end",
          () =>
            took === undefined ? reject(new Error(`an answer without ${first}: ${all.slice(0, 400)}`)) : resolve(took)
        )
      }).on("error", reject).end(text)
    })
}

export const chat: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds, seconds } = yield* Stage
  const target = yield* database
  const models = yield* startModels
  const { api, port } = yield* startHub(target, {
    env: { HUB_LLM_BASE_URL: `http://127.0.0.1:${models.port}/v1`, HUB_LLM_API_KEY: "sk-bench-0123456789" }
  })
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

  const sql = yield* singleConnection(target, "bench")
  yield* sql.unsafe("create table commits (id bigint generated always as identity primary key, body text not null)")
  const bearer = { authorization: `Bearer ${key}` }
  const [forwards, commits] = [yield* startPassThrough(models.port), yield* startPassThrough(models.port, target)]
  const [direct, forwarded, committed, door, turn] = [
    firstBytes(models.port, "/v1/chat/completions", {}, "Hello."),
    firstBytes(forwards.port, "/v1/chat/completions", {}, "Hello."),
    firstBytes(commits.port, "/v1/chat/completions", {}, "Hello."),
    firstBytes(port, "/v1/chat/completions", bearer, "Hello."),
    firstBytes(port, "/api/v1/chat/turn", bearer, "Hello.")
  ]
  const streaming = { ...modelCall, stream: true }
  const newChat = Effect.map(
    api("POST", "/chat/sessions", { key, body: { model: modelCall.model } }),
    (answer) => expectStatus(answer, 201).body.id as string
  )
  const turnOnce = Effect.flatMap(
    newChat,
    (session_id) =>
      Effect.promise(() => turn({ session_id, message: modelCall.messages[0]?.content, background: true }))
  )
  /** The median of what each call measured itself. */
  const own = <E, R>(once: Effect.Effect<number, E, R>) =>
    Effect.gen(function*() {
      const took: Array<number> = []
      const until = performance.now() + seconds * 500
      while (took.length < 50 || performance.now() < until) took.push(yield* once)
      return quantile(sorted(took), 0.5)
    })

  const of = (once: Effect.Effect<unknown>, least = 20) =>
    Effect.map(timed(once, { millis: seconds * 300, least }), (took) => quantile(took, 0.5))
  for (const once of [short, long, tools]) yield* of(once)
  for (let warm = 0; warm < 100; warm++) {
    for (const through of [forwarded, committed, door]) yield* Effect.promise(() => through(streaming))
    yield* turnOnce
  }
  const found = yield* interleaved(rounds, {
    commit: Effect.map(
      timed(sql`insert into commits (body) values ('hello')`, { millis: seconds * 200 }),
      (took) => quantile(took, 0.5)
    ),
    direct: own(Effect.promise(() => direct(streaming))),
    forwarded: own(Effect.promise(() => forwarded(streaming))),
    committed: own(Effect.promise(() => committed(streaming))),
    door: own(Effect.promise(() => door(streaming))),
    turn: own(turnOnce),
    short: of(short),
    long: of(long),
    tools: of(tools),
    crowd: of(crowd, 1)
  })
  const millis = (name: keyof typeof found) => `${median(found[name]).toFixed(2)} ms`
  const added = (name: "forwarded" | "committed" | "door" | "turn") =>
    median(found[name].map((took, at) => (took - (found.direct[at] ?? Number.NaN)) / (found.commit[at] ?? Number.NaN)))
  return [
    below("model door: added to the first text of a stream, in single commits", addedCommitsMax, added("door"), 1),
    below("turn: added to the first text of a stream, in single commits", addedCommitsMax, added("turn"), 1),
    info(
      "one row committed; first text of the provider itself, through the door, in a turn",
      (["commit", "direct", "door", "turn"] as const).map(millis).join("; ")
    ),
    info(
      "the floor: the same for a `node:http` proxy that only forwards, and for one that commits one row before. The hub " +
        "cannot add less than the second",
      `${added("forwarded").toFixed(1)} (${millis("forwarded")}); ${added("committed").toFixed(1)} (${
        millis("committed")
      })`
    ),
    below("list of 1,000 MCP tools, all pages", toolsMillisMax, median(found.tools), 1, " ms"),
    below("page of a chat of 500 messages, times one of 50", pageRatioMax, ratio(found.long, found.short)),
    info(`${streams} model streams at once, each whole and in order`, `${median(found.crowd).toFixed(0)} ms`)
  ]
}).pipe(Effect.scoped)
