/** Long results, many tools, and conversations over the window of the model. */
import type { BindingInput } from "@countersign/domain/bindings"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { chatOf, textsOf } from "../../support/chat.ts"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../support/hub.ts"

const llm = { service: "llm", operations: ["*"], approval_threshold_cents: 100_000 }

layer(HubTest(), { excludeTestServices: true })("the context of a chat", (it) => {
  const world = (bindings: ReadonlyArray<BindingInput> = [llm, { service: "echo", operations: ["*"] }]) =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100_000)
      const agent = yield* makeAgent(hub, hub.owner, { bindings })
      return { hub, agent, chat: chatOf(hub, { key: agent.key }) }
    })

  it.effect("keeps a long result as an artifact that the model and the caller can read", () =>
    Effect.gen(function*() {
      const { chat, hub } = yield* world()
      const session = yield* chat.session()
      const text = "é".repeat(20_000)
      const first = yield* chat.turn({ session_id: session.id, message: `#script\ncall echo.say {"text":"${text}"}` })
      const [done] = first.frames.filter(({ event }) => event === "tool_done").map(({ data }) => data)
      assert.match(done.artifact_id, /^art_/u)
      assert.isBelow(JSON.stringify(done.result).length, 12_000)
      assert.include(done.result.head, "ééé")
      const file = yield* Effect.promise(async () => {
        const answer = await fetch(`${hub.url}/api/v1/chat/artifacts/${done.artifact_id}`, { headers: chat.headers })
        return { text: await answer.text(), disposition: answer.headers.get("content-disposition") }
      })
      assert.include(file.disposition, "attachment; filename=\"echo.say.json\"")
      assert.strictEqual(JSON.parse(file.text).result.echo.text, text)
      const read = yield* chat.turn({
        session_id: session.id,
        message: `#script\ncall read_artifact ${
          JSON.stringify({ id: done.artifact_id, pointer: "/result/echo/text", offset: 19_990 })
        }\ncall read_artifact {"id":"art_01hzzzzzzzzzzzzzzzzzzzzzzz"}`
      })
      const results = read.frames.filter(({ event }) => event === "tool_done").map(({ data }) => data)
      const executed = results.find(({ status }) => status === "executed")
      assert.deepStrictEqual(executed.result, { text: "é".repeat(10), offset: 19_990, length: 20_000 })
      assert.deepInclude(results.find(({ status }) => status === "failed"), { reason_code: "not_found" })
      const other = yield* world()
      expectStatus(yield* other.chat.call("GET", `/chat/artifacts/${done.artifact_id}`), 404)
    }))

  it.effect("keeps a long text of an answer as an artifact", () =>
    Effect.gen(function*() {
      const { chat, hub } = yield* world()
      const session = yield* chat.session()
      const said = "€".repeat(30_000)
      const { frames } = yield* chat.turn({ session_id: session.id, message: `#script\nsay ${said}` })
      assert.deepStrictEqual(textsOf(frames), [said])
      const part = frames.at(-2)?.data.message.parts[0]
      assert.strictEqual(part.text, "€".repeat(21_845))
      const file = yield* Effect.promise(async () => {
        const answer = await fetch(`${hub.url}/api/v1/chat/artifacts/${part.artifact_id}`, { headers: chat.headers })
        return await answer.text()
      })
      assert.strictEqual(file, said)
    }))

  it.effect("offers a few of many tools, and those that the model finds", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const operations = Array.from({ length: 45 }, (_, at) => ({
        name: `tool_${at}`,
        description: at === 44 ? "Books a submarine." : `Does the thing number ${at}.`,
        method: "POST",
        path: "/x",
        price: { type: "fixed", cents: 0 },
        unknown: "fail",
        payload_schema: { type: "object", additionalProperties: false }
      }))
      yield* makeService(hub, hub.owner, { name: "many", kind: "http", base_url: "https://many.example", operations })
      const { chat } = yield* world([llm, { service: "many", operations: ["*"] }])
      const session = yield* chat.session({})
      const { frames } = yield* chat.turn({
        session_id: session.id,
        message: "#script\ncall find_tools {\"query\":\"submarine\"}\n---\nsay Found."
      })
      const [done] = frames.filter(({ event }) => event === "tool_done").map(({ data }) => data)
      assert.deepStrictEqual(done.result.tools.map(({ name }: { name: string }) => name), ["many__tool_44"])
      assert.strictEqual(done.cost_cents, 0)
      assert.notProperty(done, "service_request_id")
    }))

  it.effect("summarizes earlier messages when the conversation outgrows the window", () =>
    Effect.gen(function*() {
      const { chat, hub, agent } = yield* world()
      const session = yield* chat.session()
      for (let at = 0; at < 2; at++) {
        const { frames } = yield* chat.turn({ session_id: session.id, message: "word ".repeat(35_000) })
        assert.strictEqual(frames.at(-1)?.data.reason, "end")
      }
      const { frames } = yield* chat.turn({ session_id: session.id, message: "Where were we?" })
      assert.isTrue(frames.some(({ data, event }) => event === "status" && data.phase === "compacting"))
      assert.deepStrictEqual(textsOf(frames), ["You said: Where were we?"])
      const turn = expectStatus(yield* chat.call("GET", `/chat/turns/${frames[0]?.data.turn_id}`), 200).body
      assert.deepStrictEqual(turn.steps.map(({ kind }: { kind: string }) => kind), ["compact", "model"])
      const stored = expectStatus(yield* chat.call("GET", `/chat/sessions/${session.id}`), 200).body
      assert.strictEqual(stored.messages.data.length, 6)
      const again = yield* chat.turn({ session_id: session.id, message: "And now?" })
      assert.isFalse(again.frames.some(({ data, event }) => event === "status" && data.phase === "compacting"))
      const requests = expectStatus(yield* hub.api("GET", "/service-requests", { key: agent.key }), 200).body.data
      assert.strictEqual(requests.length, 5)
      const huge = yield* chat.turn({ session_id: session.id, message: "x".repeat(262_144), parent_id: null })
      assert.strictEqual(huge.frames.at(-1)?.data.reason, "end")
    }))
})
