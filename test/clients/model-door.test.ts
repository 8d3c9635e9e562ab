/** The model door, used by the clients of PyPI and by the AI SDK as they are published. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureNodePackages } from "../support/cached-tools.mjs"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../support/hub.ts"
import { python, pythonProgram, runProgram } from "./python.ts"

/** A folder in which the AI SDK is installed. */
class App extends Context.Service<App, string>()("test/clients/App") {
  static readonly layer = Layer.effect(
    App,
    Effect.acquireRelease(
      Effect.sync(() => {
        const app = mkdtempSync(join(tmpdir(), "countersign-ai-sdk-"))
        const installed = ensureNodePackages("client-tools", join(import.meta.dirname, "tools"))
        symlinkSync(join(installed, "node_modules"), join(app, "node_modules"))
        writeFileSync(join(app, "package.json"), JSON.stringify({ type: "module" }))
        cpSync(join(import.meta.dirname, "programs", "model-door.ts"), join(app, "model-door.ts"))
        return app
      }),
      (app) => Effect.sync(() => rmSync(app, { recursive: true, force: true }))
    )
  )
}

const limit = /monthly budget of 0 cents/u

/** An agent with money, and one whose budget is 0. Returns the output of the program as both, and the spending agent's requests. */
const run = Effect.fnUntraced(function*(program: string, args: ReadonlyArray<string>, cwd: string) {
  const hub = yield* TestHub
  yield* topUp(hub, hub.owner, 1_000)
  const bindings = [{ service: "llm", operations: ["chat"], approval_threshold_cents: 100_000 }]
  const agent = yield* makeAgent(hub, hub.owner, { bindings })
  const poor = yield* makeAgent(hub, hub.owner, { bindings, monthly_budget_cents: 0 })
  const { code, errors, output } = yield* runProgram(program, args, {
    cwd,
    env: { COUNTERSIGN_URL: hub.url, COUNTERSIGN_API_KEY: agent.key, POOR_API_KEY: poor.key, PYTHONWARNINGS: "error" }
  })
  assert.strictEqual(code, 0, errors)
  const requestsOf = (id: string) =>
    Effect.map(
      hub.api("GET", `/service-requests?agent_id=${id}`, { cookie: hub.owner.cookie }),
      (answer) => expectStatus(answer, 200).body.data as ReadonlyArray<{ readonly status: string }>
    )
  return { received: JSON.parse(output), requests: yield* requestsOf(agent.id), refused: yield* requestsOf(poor.id) }
})

layer(Layer.merge(HubTest(), App.layer), { excludeTestServices: true, timeout: 600_000 })("the model door", (it) => {
  it.effect(
    "streams text and calls to the client of PyPI, and stops it at a budget with a readable reason",
    (context) =>
      Effect.gen(function*() {
        const { received, refused, requests } = yield* run(
          python(context),
          [pythonProgram("model_door.py")],
          tmpdir()
        )
        const { at_once, deltas, models, refusals, ...answers } = received
        assert.strictEqual(deltas.join(""), "One moment.")
        assert.deepStrictEqual(answers, {
          finish: "tool_calls",
          call: ["weather", { city: "Łódź" }],
          cost: 0.012,
          answer: "It is 20 degrees.",
          response: "Sunny."
        })
        assert.deepStrictEqual(at_once, Array.from({ length: 8 }, (_, at) => `You said: number ${at}`))
        assert.isAbove(models, 300)
        for (const refusal of refusals) {
          assert.deepInclude(refusal, { status: 402, type: "APIStatusError", code: "agent_budget_exceeded" })
          assert.match(refusal.message, limit)
        }
        assert.lengthOf(requests, 11)
        assert.deepStrictEqual(refused.map(({ status }) => status), ["blocked", "blocked"], "no refusal was repeated")
      }),
    600_000
  )

  it.effect(
    "streams text, thoughts, and calls to the AI SDK, and stops it at a budget with a readable reason",
    () =>
      Effect.gen(function*() {
        const { received, refused, requests } = yield* run(process.execPath, ["model-door.ts"], yield* App)
        const { refusals, ...answers } = received
        assert.deepStrictEqual(answers, {
          text: "One moment.It is 20 degrees.",
          asked: [{ city: "Łódź" }],
          finish: "stop",
          reasoning: "Hm.",
          usage: [1_000, 50]
        })
        for (const refusal of refusals) {
          assert.deepInclude(refusal, { status: 402, retryable: false })
          assert.match(refusal.message, limit)
        }
        assert.lengthOf(requests, 2)
        assert.deepStrictEqual(refused.map(({ status }) => status), ["blocked", "blocked"], "no refusal was repeated")
      }),
    600_000
  )
})
