/** Every shipped template runs to its end with a test key's answers, and those without a provider also live. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"

/** Needs no network and no provider. */
const offline = ["Answer from documents", "Delegate and review", "Deploy with two approvals", "File digest"]

const services = ["device", "echo", "email", "http", "knowledge", "llm", "search", "storage", "voice", "webhook"]

interface Run {
  readonly id: string
  readonly status: string
  readonly output?: unknown
  readonly error?: unknown
  readonly steps: ReadonlyArray<{
    readonly status: string
    readonly type: string
    readonly input?: { readonly body?: { readonly callback_url?: string } }
    readonly approval_id?: string
    readonly agent_request_id?: string
    readonly delegated_task_id?: string
  }>
}

layer(HubTest(), { excludeTestServices: true })("the shipped templates", (it) => {
  const scene = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    const as = { cookie: owner.cookie }
    yield* topUp(hub, owner, 10_000)
    const agent = yield* makeAgent(hub, owner, {
      bindings: services.map((service) => ({ service, operations: ["*"] }))
    })
    const child = expectStatus(
      yield* api("POST", "/agents/spawn", {
        key: agent.key,
        body: { name: "Child", services: [{ service: "echo", operations: ["*"] }], monthly_budget_cents: 100 }
      }),
      201
    ).body
    /** A task has the mode of its run, and so has the key of the agent that works on it. */
    const { api_key: testKey } = expectStatus(
      yield* api("PATCH", `/agents/${child.id}/key`, { ...as, body: { mode: "test" } }),
      200
    ).body
    const keys = { live: child.api_key as string, test: testKey as string }
    const collection = expectStatus(
      yield* api("POST", "/knowledge/collections", { ...as, body: { name: "Terms" } }),
      201
    ).body.id
    const { data: templates } = expectStatus(yield* api("GET", "/workflow-templates", as), 200).body
    /** The input of the template, with ids of this workspace. */
    const inputOf = (input: object) => ({
      ...input,
      ..."to_agent_id" in input ? { to_agent_id: child.id } : {},
      ..."collection_id" in input ? { collection_id: collection } : {},
      ..."wait_seconds" in input ? { wait_seconds: 1 } : {}
    })

    /** Does what people, the other agent, and the other system would do. */
    const answer = Effect.fnUntraced(function*(step: Run["steps"][number], key: string) {
      if (step.type === "approval" && step.approval_id !== undefined) {
        yield* api("POST", `/approvals/${step.approval_id}/approve`, { ...as, body: {} })
      }
      if (step.type === "agent_request" && step.agent_request_id !== undefined) {
        yield* api("PATCH", `/agent-requests/${step.agent_request_id}`, {
          ...as,
          body: { status: "answered", answer: "Yes" }
        })
      }
      if (step.type === "delegation" && step.delegated_task_id !== undefined) {
        const path = `/agents/${child.id}/delegated-tasks/${step.delegated_task_id}`
        yield* api("PATCH", path, { key, body: { status: "in_progress" } })
        yield* api("PATCH", path, { key, body: { status: "completed", result: { done: true } } })
      }
      const callback = step.type === "webhook" ? step.input?.body?.callback_url : undefined
      if (callback !== undefined) {
        yield* api("POST", new URL(callback).pathname.replace("/api/v1", ""), { body: { finished: true } })
      }
    })

    const play = Effect.fnUntraced(function*(
      template: { readonly id: string; readonly name: string; readonly example_input: object },
      mode: "live" | "test"
    ) {
      const { id, latest_version_id: version_id } = expectStatus(
        yield* api("POST", "/workflows/from-template", { ...as, body: { template_id: template.id } }),
        201
      ).body
      expectStatus(yield* api("POST", `/workflows/${id}/agents`, { ...as, body: { agent_id: agent.id } }), 201)
      const body = { input: inputOf(template.example_input), version_id, mode }
      let run: Run = expectStatus(yield* api("POST", `/workflows/${id}/runs`, { ...as, body }), 202).body.run
      for (let looks = 0; looks < 200 && !["succeeded", "failed", "cancelled"].includes(run.status); looks++) {
        for (const step of run.steps) {
          if (step.status === "waiting") yield* answer(step, keys[mode])
        }
        yield* Effect.sleep("50 millis")
        run = expectStatus(yield* api("GET", `/workflow-runs/${run.id}`, as), 200).body
      }
      assert.strictEqual(run.status, "succeeded", `${template.name}, ${mode}: ${JSON.stringify(run)}`)
      assert.isDefined(run.output, template.name)
    })
    return { templates, play }
  })

  it.effect("run in test mode", () =>
    Effect.gen(function*() {
      const { play, templates } = yield* scene
      for (const template of templates) yield* play(template, "test")
    }))

  it.effect("run live without a provider", () =>
    Effect.gen(function*() {
      const { play, templates } = yield* scene
      const without = templates.filter(({ name }: { readonly name: string }) => offline.includes(name))
      assert.lengthOf(without, offline.length)
      for (const template of without) yield* play(template, "live")
    }))
})
