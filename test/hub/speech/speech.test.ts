/** Text to speech over HTTP: the built-in voices, and a provider on loopback. */
import { isForeign, isWav, joinedWav, partsOf, spoken } from "@countersign/hub/speech/rules"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request as send } from "undici"
import { expectStatus, firstOwner, HubTest, makeAgent, startHub, TestHub, topUp } from "../../support/hub.ts"
import { httpUpstream } from "../../support/upstream.ts"

const audioOf = (url: string, headers: Record<string, string>, body: object) =>
  Effect.promise(async () => {
    const answer = await send(`${url}/api/v1/tts`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body)
    })
    return {
      status: answer.statusCode,
      type: answer.headers["content-type"],
      bytes: new Uint8Array(await answer.body.arrayBuffer())
    }
  })

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset)
/** Seconds of a WAV of the hub, and its loudest sample. */
const facts = (wav: Uint8Array) => {
  const samples = new Int16Array(wav.slice(44).buffer)
  return {
    seconds: samples.length / view(wav).getUint32(24, true),
    peak: samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  }
}

describe("texts for the built-in voices", () => {
  it("lose markup and symbols, and get amounts and dates in words", () => {
    assert.strictEqual(
      spoken("# Booked\n**Hi** [you](http://x.test): $12.50, €1 & 5% on 2026-11-27 😀"),
      "Booked\nHi you: 12 dollars and 50 cents, 1 euro and 5 percent on November 27, 2026"
    )
    assert.strictEqual(spoken("naïve café in Łódź"), "naive cafe in Lodz")
    assert.strictEqual(spoken("😀 ** `"), "")
  })

  it("are refused in other scripts and languages with many accents, not for a name", () => {
    assert.deepStrictEqual(
      ["Привет, мир", "你好", "Zażółć gęślą jaźń", "A naïve café in Łódź", "Hello", "12"].map(isForeign),
      [true, true, true, false, false, false]
    )
  })

  it("are divided between sentences, a long sentence between words, and lose nothing", () => {
    const text = `${"This is a sentence. ".repeat(80)}${"word ".repeat(400)}${"x".repeat(2_500)}`
    const parts = partsOf(text)
    assert.isTrue(parts.every((part) => part.length <= 1_000))
    assert.strictEqual(parts.join("").replaceAll(" ", ""), text.replaceAll(" ", ""))
  })

  it("become one WAV, also when the parts have other chunks or end too early", () => {
    const wav = joinedWav([])
    assert.isFalse(isWav(wav))
    const one = joinedWav([new Uint8Array(10), new Uint8Array(100)])
    assert.strictEqual(view(one).getUint32(40, true), one.length - 44)
  })
})

layer(HubTest(), { excludeTestServices: true })("the built-in voices", (it) => {
  it.effect(
    "speak English for every credential, at the requested speed, at no cost",
    () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        const agent = yield* makeAgent(hub, hub.owner, { bindings: [] })
        const voices = expectStatus(yield* hub.api("GET", "/tts", { key: agent.key }), 200).body
        assert.deepStrictEqual(voices.data.map(({ id }: { id: string }) => id), ["slt", "rms", "awb", "kal16"])
        assert.isNull(voices.next_cursor)
        const say = (more: object) =>
          audioOf(hub.url, { authorization: `Bearer ${agent.key}` }, {
            text: "Your flight to Berlin is booked.",
            voice: "kal16",
            ...more
          })
        const plain = yield* say({})
        assert.deepStrictEqual([plain.status, plain.type], [200, "audio/wav"])
        assert.isTrue(isWav(plain.bytes))
        const { peak, seconds } = facts(plain.bytes)
        assert.isAbove(peak, 3_000)
        assert.isTrue(seconds > 1 && seconds < 5, String(seconds))
        const fast = facts((yield* say({ speed: 2 })).bytes)
        assert.isBelow(fast.seconds, seconds * 0.7)
        for (const voice of ["slt", "rms", "awb"]) {
          assert.isAbove(facts((yield* say({ voice })).bytes).peak, 1_000, voice)
        }
        assert.deepStrictEqual((yield* say({})).bytes, plain.bytes, "the same text is the same audio")
        const long = yield* say({ text: "This sentence is one of many. ".repeat(60) })
        assert.isAbove(facts(long.bytes).seconds, 60)
      })
  )

  it.effect("refuse unknown voices, other languages, texts without words, and texts over the limit", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const fieldOf = (body: object) =>
        Effect.map(
          hub.api("POST", "/tts", { cookie: hub.owner.cookie, body }),
          (answer) => expectStatus(answer, 400).body.error.details[0].path
        )
      const good = { text: "Hello.", voice: "slt" }
      assert.strictEqual(yield* fieldOf({ ...good, voice: "alloy" }), "voice")
      assert.strictEqual(yield* fieldOf({ ...good, text: "Привет, как дела?" }), "text")
      assert.strictEqual(yield* fieldOf({ ...good, text: "😀" }), "text")
      assert.strictEqual(yield* fieldOf({ ...good, text: "" }), "text")
      assert.strictEqual(yield* fieldOf({ ...good, text: "x".repeat(5_001) }), "text")
      assert.strictEqual(yield* fieldOf({ ...good, speed: 3 }), "speed")
    }))
})

describe("a provider's voices", () => {
  it.live(
    "are requests of the agent that speaks, otherwise of the assistant, charged by the character",
    () =>
      Effect.gen(function*() {
        const wav = joinedWav([new Uint8Array(0), new Uint8Array(64)])
        let isBroken = false
        const server = yield* httpUpstream((_, response) =>
          isBroken
            ? response.writeHead(500).end("bad key sk-speech")
            : response.writeHead(200, { "content-type": "audio/wav" }).end(wav)
        )
        const hub = yield* startHub({ env: { HUB_TTS_URL: `${server.origin}/v1`, HUB_TTS_KEY: "sk-speech" } })
        const owner = yield* firstOwner(hub)
        yield* topUp(hub, owner, 1_000)
        const speaking = { service: "speech", operations: ["*"] }
        const agent = yield* makeAgent(hub, owner, { bindings: [speaking] })
        const body = { text: "x".repeat(1_000), voice: "alloy", speed: 1.5 }
        const first = yield* audioOf(hub.url, { authorization: `Bearer ${agent.key}` }, body)
        assert.deepStrictEqual([first.status, first.bytes], [200, wav])
        assert.deepInclude(JSON.parse(server.received[0]!.body), {
          model: "tts-1",
          input: body.text,
          voice: "alloy",
          response_format: "wav",
          speed: 1.5
        })
        const [request] = expectStatus(
          yield* hub.api("GET", `/service-requests?agent_id=${agent.id}`, { cookie: owner.cookie }),
          200
        ).body.data
        assert.deepInclude(request, { status: "executed", service: "speech", cost_cents: 1, ceiling_cents: 2 })
        assert.deepStrictEqual(request.result, { characters: 1_000, audio_bytes: wav.length, cost_cents: 1.5 })

        assert.strictEqual((yield* audioOf(hub.url, { cookie: owner.cookie }, body)).status, 200)
        assert.strictEqual(
          (yield* audioOf(hub.url, { cookie: owner.cookie }, { ...body, voice: "kal16", text: "Hi." })).status,
          200
        )
        assert.strictEqual(server.received.length, 2, "a built-in voice reaches no provider")

        const assistants =
          expectStatus(yield* hub.api("GET", "/agents?kind=yupi", { cookie: owner.cookie }), 200).body.data
        const [spoken] = expectStatus(
          yield* hub.api("GET", `/service-requests?agent_id=${assistants[0].id}`, { cookie: owner.cookie }),
          200
        ).body.data
        assert.deepInclude(spoken, { status: "executed", origin: { user_id: owner.user } })

        const poor = yield* makeAgent(hub, owner, { bindings: [speaking], monthly_budget_cents: 0 })
        const refused = expectStatus(yield* hub.api("POST", "/tts", { key: poor.key, body }), 409).body.error
        assert.strictEqual(refused.code, "speech_refused")
        assert.deepInclude(refused.data, { status: "blocked", reason_code: "agent_budget_exceeded" })

        isBroken = true
        const failed = expectStatus(yield* hub.api("POST", "/tts", { key: agent.key, body }), 502)
        assert.notInclude(failed.text, "sk-speech")
        const test = yield* makeAgent(hub, owner, { mode: "test", bindings: [speaking] })
        const mocked = yield* audioOf(hub.url, { authorization: `Bearer ${test.key}` }, { ...body, text: "Hello." })
        assert.strictEqual(mocked.status, 200)
        assert.strictEqual(server.received.length, 3)
      })
  )
})
