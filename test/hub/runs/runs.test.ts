/** Runs through HTTP: every type of step, failures, budgets, recovery, and the books after them. */
import { signStandard } from "@countersign/hub/platform/signatures"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectHealthy } from "../../support/health.ts"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { httpUpstream } from "../../support/upstream.ts"
import { getRun, makeWorkflow, runOf, say, stepOf } from "../../support/workflows.ts"

const scene = Effect.gen(function*() {
  const hub = yield* TestHub
  const { api, owner } = hub
  yield* topUp(hub, owner, 10_000)
  const agent = yield* makeAgent(hub, owner, { bindings: [{ service: "echo", operations: ["*"] }] })
  return { hub, api, owner, agent, cookie: owner.cookie, healthy: expectHealthy(hub.target) }
})

/** Waits until the run has a step in this status. */
const until = (
  hub: Parameters<typeof getRun>[0],
  owner: Parameters<typeof getRun>[1],
  run: string,
  // eslint-disable-next-line typescript/no-explicit-any
  reached: (run: any) => boolean
) =>
  Effect.gen(function*() {
    for (;;) {
      const now = yield* getRun(hub, owner, run)
      if (reached(now)) return now
      yield* Effect.sleep("20 millis")
    }
  })

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })("runs", (it) => {
  it.effect("run steps in order, with templates, conditions, joins, and an output", () =>
    Effect.gen(function*() {
      const { agent, healthy, hub, owner } = yield* scene
      const workflow = yield* makeWorkflow(hub, owner, {
        steps: [
          say("First", { text: "${input.name}" }),
          { label: "Check", type: "condition", config: { expression: "steps.First.output.echo.text == 'Ada'" } },
          say("Yes", { text: "yes ${steps.First.output.echo.text}" }),
          say("No"),
          say("Join", { got: "${steps.Yes.output.echo.text}" })
        ],
        edges: [
          { from: "First", to: "Check" },
          { from: "Check", to: "Yes", when: "output.result" },
          { from: "Check", to: "No", when: "!output.result" },
          { from: "Yes", to: "Join" },
          { from: "No", to: "Join" }
        ],
        input_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        output: { said: "${steps.Join.output.echo.got}" }
      }, [agent])
      const run = yield* runOf(hub, owner, workflow, { input: { name: "Ada" } })
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run))
      assert.deepStrictEqual(run.output, { said: "yes Ada" })
      assert.strictEqual(run.cost_cents, 3)
      assert.strictEqual(stepOf(run, "No").status, "skipped")
      assert.deepStrictEqual(stepOf(run, "Check").output, { result: true })
      const request = expectStatus(
        yield* hub.api("GET", `/service-requests/${stepOf(run, "Yes").request_id}`, { cookie: owner.cookie }),
        200
      ).body
      assert.deepStrictEqual(request.origin, { run_id: run.id, label: "Yes" })
      yield* healthy
    }))

  it.effect("refuse an input that does not fit, an agent without the grant, and a foreign version", () =>
    Effect.gen(function*() {
      const { agent, api, cookie, hub, owner } = yield* scene
      const workflow = yield* makeWorkflow(hub, owner, {
        steps: [say("A")],
        input_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
      }, [agent])
      const bad = expectStatus(yield* api("POST", `/workflows/${workflow}/runs`, { cookie, body: { input: {} } }), 400)
      assert.strictEqual(bad.body.error.details[0].path, "input.n")
      const other = yield* makeAgent(hub, owner, {})
      expectStatus(
        yield* api("POST", `/workflows/${workflow}/runs`, { cookie, body: { input: { n: 1 }, agent_id: other.id } }),
        400
      )
      expectStatus(
        yield* api("POST", `/workflows/${workflow}/runs`, { key: other.key, body: { input: { n: 1 } } }),
        404
      )
    }))

  it.effect("an agent starts a run by dispatch, and a repeated key answers with the same run", () =>
    Effect.gen(function*() {
      const { agent, api, cookie, healthy, hub, owner } = yield* scene
      const workflow = yield* makeWorkflow(hub, owner, { steps: [say("A")] }, [agent])
      const headers = { "idempotency-key": "one" }
      const start = () =>
        api("POST", `/workflows/${workflow}/runs`, { key: agent.key, headers, body: { wait_seconds: 20 } })
      const first = expectStatus(yield* start(), 202).body.run
      assert.strictEqual(first.status, "succeeded")
      const again = expectStatus(yield* start(), 202)
      assert.strictEqual(again.body.run.id, first.id)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      const request = `req${first.id.slice(3)}`
      const settled = expectStatus(yield* api("GET", `/service-requests/${request}?wait=10`, { cookie }), 200).body
      assert.strictEqual(settled.status, "executed")
      assert.strictEqual(settled.result.run_id, first.id)
      assert.deepStrictEqual(Object.keys(settled.result).sort(), ["output", "run_id", "status"])
      expectStatus(yield* api("PATCH", `/agents/${agent.id}`, { cookie, body: { frozen: true } }), 200)
      const refused = expectStatus(
        yield* api("POST", `/workflows/${workflow}/runs`, { key: agent.key, body: {} }),
        409
      ).body.error
      assert.strictEqual(refused.code, "run_refused")
      assert.strictEqual(refused.data.reason_code, "spending_frozen")
      yield* healthy
    }))

  it.effect("retry a provider's refusal, fail fast, and repeat what failed", () =>
    Effect.gen(function*() {
      const { agent, api, cookie, healthy, hub, owner } = yield* scene
      const workflow = yield* makeWorkflow(hub, owner, {
        steps: [say("Paid"), say("Bad", { text: "x" }, { on_error: "fail" }), say("After")],
        edges: [{ from: "Paid", to: "Bad" }, { from: "Bad", to: "After" }]
      }, [agent])
      expectStatus(
        yield* api("POST", `/agents/${agent.id}/services`, {
          cookie,
          body: { service: "echo", operations: ["*"], daily_request_limit: 1 }
        }),
        200
      )
      const failed = yield* runOf(hub, owner, workflow)
      assert.strictEqual(failed.status, "failed")
      assert.strictEqual(failed.error.code, "daily_limit_exceeded")
      assert.strictEqual(stepOf(failed, "Bad").error.block.limit, "operation_day_count")
      assert.strictEqual(stepOf(failed, "After").status, "cancelled")
      expectStatus(
        yield* api("POST", `/agents/${agent.id}/services`, { cookie, body: { service: "echo", operations: ["*"] } }),
        200
      )
      expectStatus(yield* api("POST", `/workflow-runs/${failed.id}/rerun-failed`, { cookie, body: {} }), 200)
      const done = yield* until(hub, owner, failed.id, ({ status }) => status === "succeeded")
      assert.strictEqual(stepOf(done, "Paid").attempt, 1)
      assert.strictEqual(stepOf(done, "Bad").attempt, 2)
      assert.strictEqual(stepOf(done, "Bad").attempts[0].error.code, "daily_limit_exceeded")
      assert.strictEqual(done.cost_cents, 3)
      const none = expectStatus(
        yield* api("POST", `/workflow-runs/${failed.id}/rerun-failed`, { cookie, body: {} }),
        409
      )
      assert.strictEqual(none.body.error.code, "conflict")
      yield* healthy
    }))

  it.effect("wait for a person's approval, an agent request, and a delay", () =>
    Effect.gen(function*() {
      const { agent, api, cookie, healthy, hub, owner } = yield* scene
      const workflow = yield* makeWorkflow(hub, owner, {
        steps: [
          { label: "Ok", type: "approval", config: { title: "Send ${input.what}?", body: "Please" } },
          { label: "Ask", type: "agent_request", config: { kind: "question", title: "Which?", options: ["a", "b"] } },
          { label: "Pause", type: "delay", config: { seconds: 1 } },
          say("Last", { chose: "${steps.Ask.output.answer}" })
        ],
        edges: [{ from: "Ok", to: "Ask" }, { from: "Ask", to: "Pause" }, { from: "Pause", to: "Last" }]
      }, [agent])
      const started = expectStatus(
        yield* api("POST", `/workflows/${workflow}/runs`, { cookie, body: { input: { what: "it" } } }),
        202
      ).body.run
      const waiting = yield* until(hub, owner, started.id, ({ status }) => status === "waiting")
      const approvalId = stepOf(waiting, "Ok").approval_id
      const approval = expectStatus(yield* api("GET", `/approvals/${approvalId}`, { cookie }), 200).body
      assert.strictEqual(approval.kind, "workflow_step")
      assert.deepInclude(approval.payload, { title: "Send it?", label: "Ok", run_id: started.id })
      expectStatus(
        yield* api("POST", `/approvals/${approvalId}/approve`, {
          cookie,
          body: { payload_digest: approval.payload_digest }
        }),
        200
      )
      expectStatus(yield* api("POST", `/approvals/${approvalId}/approve`, { cookie, body: {} }), 409)
      const asking = yield* until(hub, owner, started.id, (run) => stepOf(run, "Ask").agent_request_id !== undefined)
      expectStatus(
        yield* api("PATCH", `/agent-requests/${stepOf(asking, "Ask").agent_request_id}`, {
          cookie,
          body: { status: "answered", answer: "b" }
        }),
        200
      )
      const done = yield* until(hub, owner, started.id, ({ status }) => status === "succeeded")
      assert.deepStrictEqual(stepOf(done, "Last").output, { echo: { chose: "b" } })
      yield* healthy
    }))

  it.effect("cancel: a waiting approval is withdrawn, and the run ends", () =>
    Effect.gen(function*() {
      const { agent, api, cookie, hub, owner } = yield* scene
      const workflow = yield* makeWorkflow(hub, owner, {
        steps: [{ label: "Ok", type: "approval", config: { title: "Go?" } }, say("Next")],
        edges: [{ from: "Ok", to: "Next" }]
      }, [agent])
      const { id } = expectStatus(yield* api("POST", `/workflows/${workflow}/runs`, { cookie, body: {} }), 202).body.run
      const waiting = yield* until(hub, owner, id, (run) => stepOf(run, "Ok").approval_id !== undefined)
      expectStatus(yield* api("DELETE", `/workflows/${workflow}`, { cookie }), 409)
      expectStatus(yield* api("POST", `/workflow-runs/${id}/cancel`, { cookie }), 200)
      const done = yield* until(hub, owner, id, ({ status }) => status === "cancelled")
      assert.deepStrictEqual(done.steps.map(({ status }: { status: string }) => status), ["cancelled", "cancelled"])
      const approval = yield* api("GET", `/approvals/${stepOf(waiting, "Ok").approval_id}`, { cookie })
      assert.strictEqual(approval.body.status, "cancelled")
    }))

  it.effect("16 parallel steps on one max_cost_cents spend exactly that much", () =>
    Effect.gen(function*() {
      const { agent, healthy, hub, owner } = yield* scene
      const workflow = yield* makeWorkflow(hub, owner, {
        steps: Array.from({ length: 16 }, (_, at) => say(`S${at}`, { at }, { on_error: "continue" }))
      }, [agent])
      const run = yield* runOf(hub, owner, workflow, { max_cost_cents: 5 })
      assert.strictEqual(run.status, "succeeded")
      assert.strictEqual(run.cost_cents, 5)
      const blocked = run.steps.filter(({ status }: { status: string }) => status === "failed")
      assert.lengthOf(blocked, 11)
      assert.strictEqual(blocked[0].error.code, "task_budget_exceeded")
      assert.strictEqual(blocked[0].error.block.limit, "run_budget")
      yield* healthy
    }))

  it.effect("run other workflows, count their cost, and refuse a cycle over three of them", () =>
    Effect.gen(function*() {
      const { agent, api, cookie, healthy, hub, owner } = yield* scene
      const child = yield* makeWorkflow(hub, owner, { steps: [say("A"), say("B")], output: { n: "${input.n}" } }, [
        agent
      ])
      const parent = yield* makeWorkflow(hub, owner, {
        steps: [
          { label: "Child", type: "run_workflow", config: { workflow_id: child, input: { n: 7 } } },
          say("After")
        ],
        edges: [{ from: "Child", to: "After" }]
      }, [agent])
      const run = yield* runOf(hub, owner, parent)
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run))
      assert.strictEqual(run.cost_cents, 3)
      const step = stepOf(run, "Child")
      assert.deepStrictEqual(step.output.output, { n: 7 })
      assert.strictEqual((yield* getRun(hub, owner, step.child_run_id)).parent_run_id, run.id)
      const tight = yield* runOf(hub, owner, parent, { max_cost_cents: 1 })
      assert.strictEqual(tight.status, "failed")
      assert.strictEqual(tight.cost_cents, 1)
      const top = yield* makeWorkflow(hub, owner, {
        steps: [
          { label: "Parent", type: "run_workflow", config: { workflow_id: parent } },
          say("Last")
        ],
        edges: [{ from: "Parent", to: "Last" }]
      }, [agent])
      // A version of the child that runs the topmost workflow: an ancestor again.
      const version = expectStatus(
        yield* api("POST", `/workflows/${child}/versions`, {
          cookie,
          body: {
            steps: [{ label: "Up", type: "run_workflow", config: { workflow_id: top } }],
            edges: []
          }
        }),
        201
      ).body.id
      const request = expectStatus(
        yield* api("POST", `/workflows/${child}/versions/${version}/publish`, { cookie, body: {} }),
        201
      ).body.id
      expectStatus(yield* api("PATCH", `/publish-requests/${request}`, { cookie, body: { status: "approved" } }), 200)
      const cycle = yield* runOf(hub, owner, top)
      assert.strictEqual(cycle.status, "failed")
      assert.strictEqual(stepOf(cycle, "Parent").error.code, "run_failed")
      const middle = yield* getRun(hub, owner, stepOf(cycle, "Parent").child_run_id)
      assert.strictEqual(stepOf(middle, "Child").error.code, "run_failed")
      const inner = yield* getRun(hub, owner, stepOf(middle, "Child").child_run_id)
      assert.strictEqual(inner.error.code, "workflow_cycle")
      assert.deepStrictEqual([cycle, middle, inner].map((run) => run.cost_cents), [0, 0, 0])
      const again = expectStatus(yield* api("GET", `/workflow-runs?workflow_id=${top}`, { cookie }), 200).body.data
      assert.deepStrictEqual(again.map((run: { readonly id: string }) => run.id), [cycle.id])
      yield* healthy
    }))

  it.effect("send signed webhooks, and wait for a callback that counts once", () =>
    Effect.gen(function*() {
      const { api, cookie, healthy, hub, owner } = yield* scene
      const upstream = yield* httpUpstream((_, response) => response.writeHead(200).end())
      expectStatus(yield* api("PUT", "/secrets/hook_key", { cookie, body: { value: "a secret of the receiver" } }), 201)
      const agent = yield* makeAgent(hub, owner, { bindings: [{ service: "webhook", operations: ["*"] }] })
      const workflow = yield* makeWorkflow(hub, owner, {
        steps: [{
          label: "Hook",
          type: "webhook",
          config: {
            url: `${upstream.origin}/in`,
            body: { reply_to: "${callback_url}" },
            secret: "hook_key",
            callback_within_seconds: 60
          }
        }]
      }, [agent])
      const { id } = expectStatus(yield* api("POST", `/workflows/${workflow}/runs`, { cookie, body: {} }), 202).body.run
      yield* until(hub, owner, id, (run) => stepOf(run, "Hook").due_at !== undefined)
      const [sent] = upstream.received
      const expected = signStandard("a secret of the receiver", {
        id: String(sent!.headers["webhook-id"]),
        at: Number(sent!.headers["webhook-timestamp"]) * 1_000,
        body: sent!.body
      })
      assert.strictEqual(sent!.headers["webhook-signature"], expected["webhook-signature"])
      assert.strictEqual(sent!.headers["svc-run-depth"], "1")
      const path = new URL(JSON.parse(sent!.body).reply_to).pathname.replace("/api/v1", "")
      expectStatus(yield* api("POST", `${path.slice(0, -3)}abc`, { body: { ok: true } }), 404)
      expectStatus(yield* api("GET", path), 200)
      expectStatus(yield* api("POST", path, { body: { ok: true } }), 200)
      expectStatus(yield* api("POST", path, { body: { ok: true } }), 200)
      expectStatus(yield* api("POST", path, { body: { ok: false } }), 409)
      const done = yield* until(hub, owner, id, ({ status }) => status === "succeeded")
      assert.deepStrictEqual(stepOf(done, "Hook").output, { ok: true })
      yield* healthy
    }))

  it.effect("delegate a task, whose budget counts in full until it ends, and keep memories", () =>
    Effect.gen(function*() {
      const { agent, api, cookie, healthy, hub, owner } = yield* scene
      const child = expectStatus(
        yield* api("POST", "/agents/spawn", {
          key: agent.key,
          body: { name: "Child", services: [{ service: "echo", operations: ["*"] }], monthly_budget_cents: 10 }
        }),
        201
      ).body
      const workflow = yield* makeWorkflow(hub, owner, {
        steps: [
          {
            label: "Task",
            type: "delegation",
            config: { to_agent_id: child.id, goal: "Say it", budget_cents: 4, services: ["echo"] }
          },
          {
            label: "Tight",
            type: "delegation",
            config: { to_agent_id: child.id, goal: "More", budget_cents: 2, services: [] },
            on_error: "continue"
          },
          {
            label: "Keep",
            type: "memory_write",
            config: { content: "The task said ${steps.Task.output.said}", kind: "fact" }
          },
          { label: "Recall", type: "memory_read", config: { limit: 5 } }
        ],
        edges: [{ from: "Task", to: "Keep" }, { from: "Keep", to: "Recall" }]
      }, [agent])
      const { id } = expectStatus(
        yield* api("POST", `/workflows/${workflow}/runs`, { cookie, body: { max_cost_cents: 5 } }),
        202
      ).body.run
      const waiting = yield* until(
        hub,
        owner,
        id,
        (run) =>
          run.steps.slice(0, 2).every(({ status }: { status: string }) =>
            status === "waiting" || status === "failed"
          ) &&
          stepOf(run, "Task").delegated_task_id !== undefined
      )
      const [task, tight] = [stepOf(waiting, "Task"), stepOf(waiting, "Tight")]
      const first = task.status === "waiting" ? task : tight
      const other = first === task ? tight : task
      assert.strictEqual(other.status, "failed")
      assert.strictEqual(other.error.code, "task_budget_exceeded")
      yield* healthy
      if (first === tight) return
      const headers = { "x-delegated-task": first.delegated_task_id }
      expectStatus(
        yield* api("POST", "/service-requests", {
          key: child.api_key,
          headers,
          body: { service: "echo", operation: "say", payload: {} }
        }),
        200
      )
      expectStatus(
        yield* api("PATCH", `/agents/${child.id}/delegated-tasks/${first.delegated_task_id}`, {
          key: child.api_key,
          body: { status: "completed", result: { said: "hello" } }
        }),
        200
      )
      const done = yield* until(hub, owner, id, ({ status }) => status === "succeeded" || status === "failed")
      assert.strictEqual(done.status, "succeeded", JSON.stringify(done))
      assert.strictEqual(done.cost_cents, 1)
      assert.strictEqual(stepOf(done, "Recall").output.memories[0].content, "The task said hello")
      yield* healthy
    }))

  it.effect("follow a run as server-sent events to its end, and estimate it", () =>
    Effect.gen(function*() {
      const { agent, api, cookie, hub, owner } = yield* scene
      const workflow = yield* makeWorkflow(hub, owner, {
        steps: [say("A"), say("B", { got: "${steps.A.output.echo.text}" })],
        edges: [{ from: "A", to: "B" }]
      }, [agent])
      const estimate = expectStatus(
        yield* api("POST", `/workflows/${workflow}/runs/estimate`, { cookie, body: {} }),
        200
      ).body
      assert.deepStrictEqual([estimate.cost_cents, estimate.unknown], [2, []])
      const run = yield* runOf(hub, owner, workflow)
      const { text } = expectStatus(yield* api("GET", `/workflow-runs/${run.id}/events`, { cookie }), 200)
      assert.include(text, "event: run.updated")
      assert.include(text, `"status":"succeeded"`)
      const list = expectStatus(yield* api("GET", `/workflows/${workflow}/runs`, { cookie }), 200).body
      assert.deepStrictEqual(list.data.map(({ id }: { id: string }) => id), [run.id])
    }))
})
