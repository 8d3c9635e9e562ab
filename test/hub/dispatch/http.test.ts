/** Dispatch over HTTP. Spec: reference/requests.md "Service requests", reference/conventions.md "Idempotency". */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "node:http"
import { type Answer, expectStatus, HubTest, makeAgent, makeToken, TestHub, topUp } from "../../support/hub.ts"

const outcomeOf = (
  { body, status }: Answer
) => [status, body.error?.code ?? body.status, body.reason_code ?? body.result?.code]
const replayed = (answer: Answer) => answer.headers.get("idempotent-replayed")

layer(HubTest(), { excludeTestServices: true })("dispatch over HTTP", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    const say = (
      key: string,
      payload: unknown = {},
      headers: Record<string, string> = {},
      service = "echo",
      operation = "say"
    ) => api("POST", "/service-requests", { key, body: { service, operation, payload }, headers })
    const wallet = Effect.map(api("GET", "/balance", { cookie: owner.cookie }), ({ body }) => body)
    const seq = Effect.map(api("GET", "/audit-logs?limit=1", { cookie: owner.cookie }), ({ body }) => body.data[0].seq)
    return { ...hub, say, wallet, seq, as: { cookie: owner.cookie } }
  })

  it.effect("blocks a paid request without money and explains the block", () =>
    Effect.gen(function*() {
      const { org, say } = yield* Effect.map(world, (world) => ({ ...world, org: world.owner.org }))
      const hub = yield* TestHub
      const { key } = yield* makeAgent(hub, hub.owner)
      const blocked = yield* say(key)
      assert.deepStrictEqual(outcomeOf(blocked), [200, "blocked", "insufficient_balance"])
      assert.deepStrictEqual(blocked.body.block, {
        limit: "wallet",
        scope: { type: "org", id: org },
        limit_cents: 0,
        spent_cents: 0,
        held_cents: 0,
        message: "The wallet has too little money for the request.",
        next_action: { kind: "top_up", href: "/api/v1/balance/top-up" }
      })
      assert.deepStrictEqual([blocked.body.cost_cents, blocked.body.ceiling_cents], [0, 1])
      assert.isString(blocked.body.completed_at)
    }))

  it.effect("charges an executed request once and answers as the contract requires", () =>
    Effect.gen(function*() {
      const { api, say, wallet } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 10_000)
      const { id, key } = yield* makeAgent(hub, hub.owner)
      const before = yield* wallet
      const answer = yield* say(key, { text: "hi" })
      assert.strictEqual(answer.headers.get("content-type"), "application/json; charset=utf-8")
      const { completed_at, created_at, id: request, ...rest } = answer.body
      assert.deepStrictEqual(rest, {
        status: "executed",
        mode: "live",
        service: "echo",
        operation: "say",
        cost_cents: 1,
        ceiling_cents: 1,
        result: { echo: { text: "hi" } },
        agent_id: id,
        links: { self: `/api/v1/service-requests/${request}` }
      })
      for (const at of [created_at, completed_at]) assert.match(at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
      assert.strictEqual((yield* wallet).balance_cents, before.balance_cents - 1)
      const read = yield* api("GET", `/service-requests/${request}?wait=30`, { key })
      assert.deepStrictEqual([read.status, read.text], [200, answer.text])
    }))

  it.effect("stops at the first reason, in the pipeline's order", () =>
    Effect.gen(function*() {
      const { api, as, owner, say } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, owner, 10_000)
      const agent = yield* makeAgent(hub, owner, {
        bindings: [{ service: "echo", operations: ["*"], daily_request_limit: 1, monthly_cap_cents: 2 }]
      })
      const patch = (path: string, body: unknown) =>
        Effect.map(api("PATCH", path, { ...as, body }), (answer) => expectStatus(answer, 200))
      // 3 before 4: a paused agent's request fails whatever its payload.
      yield* patch(`/agents/${agent.id}`, { status: "paused" })
      assert.deepStrictEqual(outcomeOf(yield* say(agent.key, {}, {}, "email", "send")), [
        200,
        "failed",
        "agent_disabled"
      ])
      yield* patch(`/agents/${agent.id}`, { status: "active", frozen: true })
      // 4 before 5: the payload is checked before the binding.
      const unfit = yield* say(agent.key, { to: 1 }, {}, "email", "send")
      assert.deepStrictEqual(outcomeOf(unfit).slice(0, 2), [400, "invalid_request"])
      assert.includeMembers(unfit.body.error.details.map((detail: { path: string }) => detail.path), [
        "payload.to",
        "payload.subject"
      ])
      // 5 before 6: the binding is checked before a freeze.
      assert.deepStrictEqual(outcomeOf(yield* say(agent.key, {}, {}, "nope", "nope")), [
        200,
        "blocked",
        "policy_violation"
      ])
      // 6: the agent's freeze, then the workspace's.
      assert.deepStrictEqual(outcomeOf(yield* say(agent.key)), [200, "blocked", "spending_frozen"])
      yield* patch(`/agents/${agent.id}`, { frozen: false })
      yield* patch(`/workspaces/${owner.org}`, { frozen: true })
      const frozen = yield* say(agent.key)
      assert.deepStrictEqual([...outcomeOf(frozen), frozen.body.block.limit, frozen.body.block.scope], [
        200,
        "blocked",
        "spending_frozen",
        "frozen",
        { type: "org", id: owner.org }
      ])
      yield* patch(`/workspaces/${owner.org}`, { frozen: false })
      // 7 before 8 before 9.
      yield* patch(`/agents/${agent.id}/budget`, { monthly_budget_cents: 0 })
      assert.deepStrictEqual(outcomeOf(yield* say(agent.key)), [200, "blocked", "agent_budget_exceeded"])
      yield* patch(`/agents/${agent.id}/budget`, { monthly_budget_cents: null })
      assert.deepStrictEqual(outcomeOf(yield* say(agent.key)), [200, "executed", undefined])
      const daily = yield* say(agent.key)
      assert.deepStrictEqual([
        ...outcomeOf(daily),
        daily.body.block.limit_count,
        daily.body.block.used_count,
        daily.body.block.next_action.kind
      ], [200, "blocked", "daily_limit_exceeded", 1, 1, "wait"])
      assert.match(daily.body.block.resets_at, /T00:00:00\.000Z$/)
      yield* api("POST", `/agents/${agent.id}/services`, {
        ...as,
        body: { service: "echo", operations: ["*"], monthly_cap_cents: 1 }
      })
      yield* patch(`/agents/${agent.id}/budget`, { monthly_budget_cents: 1 })
      const monthly = yield* say(agent.key)
      assert.deepStrictEqual([
        ...outcomeOf(monthly),
        monthly.body.block.limit,
        monthly.body.block.limit_cents,
        monthly.body.block.spent_cents
      ], [200, "blocked", "monthly_budget_exceeded", "operation_month", 1, 1])
    }))

  it.effect("a money limit never blocks a free request; a count does", () =>
    Effect.gen(function*() {
      const { api, as, owner, say } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, owner, 10)
      expectStatus(yield* api("PATCH", "/services/echo", { ...as, body: { price: { type: "fixed", cents: 0 } } }), 200)
      const { key } = yield* makeAgent(hub, owner, {
        monthly_budget_cents: 0,
        bindings: [{ service: "echo", operations: ["*"], monthly_cap_cents: 0, daily_request_limit: 2 }]
      })
      assert.deepStrictEqual([outcomeOf(yield* say(key)), outcomeOf(yield* say(key)), outcomeOf(yield* say(key))], [
        [200, "executed", undefined],
        [200, "executed", undefined],
        [200, "blocked", "daily_limit_exceeded"]
      ])
      expectStatus(yield* api("PATCH", "/services/echo", { ...as, body: { price: null } }), 200)
    }))

  it.effect("requires approval above the nearest threshold: operation's, binding's, agent's, then the workspace's", () =>
    Effect.gen(function*() {
      const { api, as, owner, say } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, owner, 100_000)
      const agent = yield* makeAgent(hub, owner)
      const status = Effect.map(say(agent.key), ({ body }) => body.status)
      const price = (cents: number | null) =>
        Effect.map(
          api("PATCH", "/services/echo", { ...as, body: { price: cents === null ? null : { type: "fixed", cents } } }),
          (answer) => expectStatus(answer, 200)
        )
      const bind = (body: object) =>
        Effect.map(
          api("POST", `/agents/${agent.id}/services`, { ...as, body: { service: "echo", operations: ["*"], ...body } }),
          (answer) => expectStatus(answer, 200)
        )
      const budget = (body: object) =>
        Effect.map(
          api("PATCH", `/agents/${agent.id}/budget`, { ...as, body: { monthly_budget_cents: null, ...body } }),
          (answer) => expectStatus(answer, 200)
        )
      yield* price(1_000)
      assert.strictEqual(yield* status, "executed")
      yield* price(1_001)
      assert.strictEqual(yield* status, "approval_required")
      yield* budget({ approval_threshold_cents: 1_001 })
      assert.strictEqual(yield* status, "executed")
      yield* bind({ approval_threshold_cents: 1_000 })
      assert.strictEqual(yield* status, "approval_required")
      yield* bind({ approval_threshold_cents: 1_000, per_operation: { say: { approval_threshold_cents: 1_001 } } })
      assert.strictEqual(yield* status, "executed")
      yield* price(null)
    }))

  it.effect("lets spent, held, and ceiling reach a cap and never exceed it under concurrent requests", () =>
    Effect.gen(function*() {
      const { api, as, owner, say } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, owner, 1_000)
      const { id, key } = yield* makeAgent(hub, owner, { monthly_budget_cents: 7 })
      const answers = yield* Effect.all(Array.from({ length: 30 }, (_, n) => say(key, { n })), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([
        answers.filter(({ body }) => body.status === "executed").length,
        answers.filter(({ body }) => body.reason_code === "agent_budget_exceeded").length
      ], [7, 23])
      const budget = yield* api("GET", `/agents/${id}/budget`, as)
      assert.deepStrictEqual([budget.body.spent_cents, budget.body.held_cents, budget.body.remaining_cents], [7, 0, 0])
    }))

  it.effect("answers the same key and payload with the first answer's bytes; another payload is a conflict", () =>
    Effect.gen(function*() {
      const { api, as, say, wallet } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 1_000)
      const agent = yield* makeAgent(hub, hub.owner)
      const key = { "idempotency-key": "one" }
      const first = yield* say(agent.key, { b: 1, a: [1.5, "\u0000"] }, key)
      const before = yield* wallet
      const second = yield* api("POST", "/service-requests", {
        key: agent.key,
        headers: key,
        body: "{\"payload\":{\"a\":[15e-1,\"\\u0000\"],\"b\":1.0},\"operation\":\"say\",\"service\":\"echo\"}"
      })
      assert.deepStrictEqual([second.status, second.text, replayed(second), replayed(first)], [
        first.status,
        first.text,
        "true",
        null
      ])
      assert.deepStrictEqual(yield* wallet, before)
      for (
        const other of [
          say(agent.key, { b: 2 }, key),
          say(agent.key, { b: 1, a: [1.5, "\u0000"] }, key, "echo", "other"),
          say(agent.key, {}, key, "email", "send")
        ]
      ) {
        assert.deepStrictEqual(outcomeOf(yield* other).slice(0, 2), [409, "idempotency_conflict"])
      }
      // Scope: the agent's own keys.
      const another = yield* makeAgent(hub, hub.owner)
      assert.deepStrictEqual([
        outcomeOf(yield* say(another.key, { b: 2 }, key)),
        replayed(yield* say(another.key, { b: 2 }, key))
      ], [[
        200,
        "executed",
        undefined
      ], "true"])
      // Looked up before any other check.
      expectStatus(yield* api("PATCH", `/agents/${agent.id}`, { ...as, body: { status: "disabled" } }), 200)
      const third = yield* say(agent.key, { b: 1, a: [1.5, "\u0000"] }, key)
      assert.deepStrictEqual([third.text, replayed(third)], [first.text, "true"])
    }))

  it.effect("accepts a key of 1 to 255 printable ASCII characters; a 4xx stores none; blocked and failed outcomes are replayed too", () =>
    Effect.gen(function*() {
      const { say } = yield* world
      const hub = yield* TestHub
      const { key } = yield* makeAgent(hub, hub.owner)
      for (const wrong of ["", "x".repeat(256), "\u00e9"]) {
        const answer = yield* say(key, {}, { "idempotency-key": wrong })
        assert.deepStrictEqual([...outcomeOf(answer).slice(0, 2), answer.body.error.details[0].path], [
          400,
          "invalid_request",
          "idempotency-key"
        ])
      }
      const again = { "idempotency-key": "k".repeat(255) }
      assert.strictEqual((yield* say(key, { to: 1 }, again, "email", "send")).status, 400)
      const blocked = yield* say(key, {}, again, "nope", "nope")
      assert.deepStrictEqual([outcomeOf(blocked), replayed(blocked)], [[200, "blocked", "policy_violation"], null])
      const repeated = yield* say(key, {}, again, "nope", "nope")
      assert.deepStrictEqual([repeated.text, replayed(repeated)], [blocked.text, "true"])
    }))

  it.effect("rejects two idempotency keys in one request, on the short path and on the framework's", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { key } = yield* makeAgent(hub, hub.owner, { mode: "test" })
      const body = JSON.stringify({ service: "echo", operation: "say", payload: {} })
      const send = (keys: string | Array<string>, more: Record<string, string> = {}) =>
        Effect.promise(() =>
          new Promise<readonly [number | undefined, string]>((resolve, reject) => {
            const headers = {
              authorization: `Bearer ${key}`,
              "content-type": "application/json",
              "content-length": Buffer.byteLength(body),
              "idempotency-key": keys,
              ...more
            }
            const sent = request(`${hub.url}/api/v1/service-requests`, { method: "POST", headers }, (answer) => {
              answer.setEncoding("utf8").toArray().then((texts) => resolve([answer.statusCode, texts.join("")]), reject)
            })
            sent.on("error", reject).end(body)
          })
        )
      // With this header the framework answers.
      const framework = { "svc-workspace": hub.owner.org }
      for (const more of [{}, framework]) {
        const [status, text] = yield* send(["one", "two"], more)
        assert.strictEqual(status, 400)
        assert.deepStrictEqual(JSON.parse(text).error.details, [{
          path: "idempotency-key",
          message: "must be sent once"
        }])
        assert.strictEqual((yield* send("one, two", more))[0], 200)
      }
    }))

  it.effect("executes once for many concurrent calls with one key", () =>
    Effect.gen(function*() {
      const { api, say } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 1_000)
      const { id, key } = yield* makeAgent(hub, hub.owner)
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => say(key, { n: 1 }, { "idempotency-key": "same" })),
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual([
        new Set(answers.map(({ text }) => text)).size,
        answers.filter((answer) => replayed(answer) === null).length
      ], [1, 1])
      assert.strictEqual((yield* api("GET", `/service-requests?agent_id=${id}`, { key })).body.data.length, 1)
    }))

  it.effect("estimates the outcome without any change", () =>
    Effect.gen(function*() {
      const { api, as, owner, say, seq, wallet } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, owner, 1_000)
      const { id, key } = yield* makeAgent(hub, owner, {
        monthly_budget_cents: 5,
        bindings: [{ service: "echo", operations: ["*"], monthly_cap_cents: 1, daily_request_limit: 9 }]
      })
      const body = { service: "echo", operation: "say", payload: {} }
      const before = [yield* seq, yield* wallet]
      const fits = yield* api("POST", "/service-requests/estimate", { key, body })
      const left = (yield* wallet).available_cents
      assert.deepStrictEqual(fits.body, {
        status: "executed",
        mode: "live",
        service: "echo",
        operation: "say",
        cost_cents: 1,
        ceiling_cents: 1,
        remaining: { operation_month_cents: 1, operation_day_count: 9, agent_month_cents: 5, wallet_cents: left }
      })
      assert.deepStrictEqual([yield* seq, yield* wallet], before)
      yield* say(key)
      const spent = yield* api("POST", "/service-requests/estimate", { ...as, body: { ...body, agent_id: id } })
      assert.deepStrictEqual([...outcomeOf(spent), spent.body.remaining.operation_month_cents], [
        200,
        "blocked",
        "monthly_budget_exceeded",
        0
      ])
      assert.deepStrictEqual(
        outcomeOf(yield* api("POST", "/service-requests/estimate", { key, body: { ...body, service: "nope" } })),
        [200, "blocked", "policy_violation"]
      )
      const [nameless, foreign, unfit] = [
        yield* api("POST", "/service-requests/estimate", { ...as, body }),
        yield* api("POST", "/service-requests/estimate", { key, body: { ...body, agent_id: `agt_${"0".repeat(26)}` } }),
        yield* api("POST", "/service-requests/estimate", {
          key,
          body: { service: "email", operation: "send", payload: {} }
        })
      ]
      assert.deepStrictEqual([nameless.status, foreign.status, unfit.status], [400, 400, 400])
      assert.strictEqual((yield* api("GET", `/service-requests?agent_id=${id}`, as)).body.data.length, 1)
    }))

  it.effect("a test key reaches mocks, has its own counters, and debits nothing", () =>
    Effect.gen(function*() {
      const { api, as, owner, say, wallet } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, owner, 1_000)
      const { id, key } = yield* makeAgent(hub, owner, {
        mode: "test",
        bindings: [{ service: "echo", operations: ["*"], daily_request_limit: 2 }]
      })
      const before = yield* wallet
      const answer = yield* say(key, { text: "hi" })
      assert.deepStrictEqual(
        [answer.body.mode, answer.body.status, answer.body.cost_cents, answer.body.ceiling_cents],
        [
          "test",
          "executed",
          0,
          1
        ]
      )
      yield* say(key)
      assert.deepStrictEqual(outcomeOf(yield* say(key)), [200, "blocked", "daily_limit_exceeded"])
      assert.deepStrictEqual(yield* wallet, before)
      const live = expectStatus(yield* api("PATCH", `/agents/${id}/key`, { ...as, body: { mode: "live" } }), 200)
      assert.deepStrictEqual(outcomeOf(yield* say(live.body.api_key)), [200, "executed", undefined])
      const [own] = (yield* api("GET", `/agents/${id}/budget`, { key })).body.operations
      assert.deepStrictEqual([own.spent_cents, own.used_today], [2, 2])
      // Each key sees the requests of its mode.
      assert.deepStrictEqual([
        (yield* api("GET", "/service-requests", { key })).body.data.length,
        (yield* api("GET", "/service-requests", { key: live.body.api_key })).body.data.length
      ], [3, 1])
      assert.strictEqual(
        (yield* api("GET", `/service-requests/${answer.body.id}`, { key: live.body.api_key })).status,
        404
      )
    }))

  it.effect("x-test-outcome scripts a test key's request and is refused for a live one", () =>
    Effect.gen(function*() {
      const { api, as, owner, say } = yield* world
      const hub = yield* TestHub
      const { key } = yield* makeAgent(hub, owner, { mode: "test" })
      const live = yield* makeAgent(hub, owner)
      const scripted = (outcome: string, more: Record<string, string> = {}, service?: string) =>
        say(key, {}, { "x-test-outcome": outcome, ...more }, service)
      assert.deepStrictEqual(outcomeOf(yield* scripted("failure")), [200, "failed", "adapter_error"])
      assert.deepStrictEqual(outcomeOf(yield* scripted("blocked")), [200, "blocked", "policy_violation"])
      assert.deepStrictEqual(outcomeOf(yield* scripted("approval", {}, "nope")), [
        200,
        "approval_required",
        "approval_threshold"
      ])
      assert.deepStrictEqual(outcomeOf(yield* scripted("nonsense")).slice(0, 2), [400, "invalid_request"])
      assert.deepStrictEqual(outcomeOf(yield* say(live.key, {}, { "x-test-outcome": "failure" })).slice(0, 2), [
        400,
        "invalid_request"
      ])
      // After step 4.
      assert.strictEqual((yield* say(key, { to: 1 }, { "x-test-outcome": "failure" }, "email", "send")).status, 400)
      // Part of the payload that a key is bound to.
      yield* scripted("failure", { "idempotency-key": "scripted" })
      assert.strictEqual(
        (yield* scripted("blocked", { "idempotency-key": "scripted" })).body.error.code,
        "idempotency_conflict"
      )
      const running = yield* scripted("running")
      assert.deepStrictEqual([...outcomeOf(running), running.body.completed_at], [202, "running", undefined, undefined])
      const cancelled = yield* api("POST", `/service-requests/${running.body.id}/cancel`, { key })
      assert.deepStrictEqual(outcomeOf(cancelled), [200, "failed", "cancelled"])
      const settled = yield* scripted("running")
      const by = yield* api("POST", `/service-requests/${settled.body.id}/settle`, {
        ...as,
        body: { status: "executed", result: { ok: true }, comment: "by hand" }
      })
      assert.deepStrictEqual([...outcomeOf(by), by.body.cost_cents, by.body.result], [200, "executed", undefined, 0, {
        ok: true
      }])
      assert.strictEqual(
        (yield* api("POST", `/service-requests/${settled.body.id}/settle`, {
          ...as,
          body: { status: "executed", comment: "again" }
        })).body.error.code,
        "not_running"
      )
      assert.strictEqual(
        (yield* api("POST", `/service-requests/${settled.body.id}/cancel`, { key })).body.error.code,
        "not_cancellable"
      )
    }))

  it.effect("rejects an invalid body with 400 and every path; only the payload may contain NUL", () =>
    Effect.gen(function*() {
      const { api, say } = yield* world
      const hub = yield* TestHub
      const { key } = yield* makeAgent(hub, hub.owner)
      const wrong = yield* api("POST", "/service-requests", { key, body: { service: 1, payload: [], extra: true } })
      assert.deepStrictEqual(wrong.body.error.details.map((detail: { path: string }) => detail.path).sort(), [
        "extra",
        "operation",
        "payload",
        "service"
      ])
      assert.strictEqual(
        (yield* api("POST", "/service-requests", {
          key,
          body: "{\"service\":\"ec\\u0000ho\",\"operation\":\"say\",\"payload\":{}}"
        })).body.error.details[0].path,
        "service"
      )
      const kept = yield* say(key, { "a\u0000": ["\u0000", { __proto__: null, constructor: 1 }] })
      const read = yield* api("GET", `/service-requests/${kept.body.id}`, { key })
      assert.deepStrictEqual([read.status, read.text], [200, kept.text])
      const proto = yield* api("POST", "/service-requests", {
        key,
        body: "{\"service\":\"echo\",\"operation\":\"say\",\"payload\":{\"__proto__\":{\"polluted\":true}}}"
      })
      assert.deepStrictEqual([proto.status, ({} as { polluted?: boolean }).polluted], [200, undefined])
    }))

  it.effect("pages lists by cursor while rows are added, filters them, and shows an agent only its own", () =>
    Effect.gen(function*() {
      const { api, as, say } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 1_000)
      const agent = yield* makeAgent(hub, hub.owner)
      const other = yield* makeAgent(hub, hub.owner)
      const made: Array<string> = []
      for (let n = 0; n < 5; n++) made.unshift((yield* say(agent.key, { word: `needle${n}` })).body.id)
      yield* say(agent.key, {}, {}, "nope", "nope")
      const seen: Array<string> = []
      let cursor: string | null = null
      do {
        const page: Answer = yield* api(
          "GET",
          `/service-requests?status=executed&agent_id=${agent.id}&limit=2${cursor === null ? "" : `&cursor=${cursor}`}`,
          as
        )
        assert.isString(page.body.as_of)
        seen.push(...page.body.data.map(({ id }: { id: string }) => id))
        if (cursor === null) yield* say(agent.key, { late: true })
        cursor = page.body.next_cursor
      } while (cursor !== null)
      assert.deepStrictEqual(seen, made)
      const count = (query: string, who: object) =>
        Effect.map(api("GET", `/service-requests?${query}`, who), ({ body }) => body.data.length)
      assert.strictEqual(yield* count("", { key: other.key }), 0)
      assert.strictEqual(yield* count("status=blocked", { key: agent.key }), 1)
      assert.strictEqual(yield* count(`status=blocked&status=executed&agent_id=${agent.id}`, as), 7)
      assert.strictEqual(yield* count("service=nope", { key: agent.key }), 1)
      assert.strictEqual(yield* count("operation=say", { key: agent.key }), 6)
      assert.strictEqual(yield* count(`q=needle3&agent_id=${agent.id}`, as), 1)
      assert.strictEqual(yield* count(`from=2100-01-01&agent_id=${agent.id}`, as), 0)
      assert.strictEqual(yield* count(`to=2100-01-01T00:00:00Z&agent_id=${agent.id}`, as), 7)
      assert.strictEqual(yield* count(`mode=test&agent_id=${agent.id}`, as), 0)
      const foreign = yield* api("GET", `/service-requests/${made[0]}`, { key: other.key })
      assert.deepStrictEqual(outcomeOf(foreign).slice(0, 2), [404, "not_found"])
    }))

  it.effect("a list's from and to bound created_at: from is inclusive, to is exclusive", () =>
    Effect.gen(function*() {
      const { api, as, say } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 1_000)
      const agent = yield* makeAgent(hub, hub.owner)
      const made: Array<{ id: string; created_at: string; status: string }> = []
      while (new Set(made.map(({ created_at }) => created_at)).size < 6) {
        made.unshift((yield* say(agent.key, {}, {}, made.length % 2 === 0 ? "echo" : "nope")).body)
      }
      for (const states of ["", "&status=blocked", "&status=blocked&status=running&status=approval_required"]) {
        const wanted = made.filter(({ status }) => states === "" || status === "blocked")
        for (const { created_at } of made) {
          for (
            const [bound, kept] of [["from", (at: string) => at >= created_at], [
              "to",
              (at: string) => at < created_at
            ]] as const
          ) {
            const { body } = yield* api(
              "GET",
              `/service-requests?agent_id=${agent.id}&${bound}=${created_at}${states}`,
              as
            )
            assert.deepStrictEqual(
              body.data.map(({ id }: { id: string }) => id),
              wanted.filter((request) => kept(request.created_at)).map(({ id }) => id)
            )
          }
        }
        const [first] =
          (yield* api("GET", `/service-requests?agent_id=${agent.id}&to=${made[1]!.created_at}&limit=1${states}`, as))
            .body.data
        assert.strictEqual(first.id, wanted.find(({ created_at }) => created_at < made[1]!.created_at)!.id)
      }
    }))

  it.effect("lists every set of statuses, page by page, as the whole list has them", () =>
    Effect.gen(function*() {
      const { api, as, say } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 1_000)
      const agent = yield* makeAgent(hub, hub.owner, { mode: "test" })
      for (
        const outcome of [
          "blocked",
          undefined,
          "approval",
          "failure",
          "running",
          "blocked",
          undefined,
          "failure",
          "approval",
          "running",
          "blocked"
        ]
      ) {
        yield* say(
          agent.key,
          { outcome: outcome ?? "none" },
          outcome === undefined ? {} : { "x-test-outcome": outcome }
        )
      }
      const list = Effect.fnUntraced(function*(query: string) {
        const found: Array<{ readonly id: string; readonly status: string }> = []
        let cursor: string | null = null
        do {
          const page: Answer = expectStatus(
            yield* api(
              "GET",
              `/service-requests?agent_id=${agent.id}&limit=2${query}${cursor === null ? "" : `&cursor=${cursor}`}`,
              as
            ),
            200
          )
          found.push(...page.body.data.map(({ id, status }: { id: string; status: string }) => ({ id, status })))
          cursor = page.body.next_cursor
        } while (cursor !== null)
        return found
      })
      const all = yield* list("")
      assert.strictEqual(all.length, 11)
      const states = ["executed", "blocked", "failed", "approval_required", "running"]
      assert.deepStrictEqual([...new Set(all.map(({ status }) => status))].sort(), [...states].sort())
      for (let set = 1; set < 1 << states.length; set++) {
        const asked = states.filter((_, at) => set & 1 << at)
        const query = asked.map((status) => `&status=${status}`).join("")
        assert.deepStrictEqual(yield* list(query), all.filter(({ status }) => asked.includes(status)), query)
        assert.deepStrictEqual(
          yield* list(`${query}&q=say&service=echo&mode=test`),
          all.filter(({ status }) => asked.includes(status)),
          query
        )
      }
    }))

  it.effect("a token allows its scopes only", () =>
    Effect.gen(function*() {
      const { api, say } = yield* world
      const hub = yield* TestHub
      const { id, key } = yield* makeAgent(hub, hub.owner)
      const request = yield* say(key)
      const pat = yield* makeToken(hub, hub.owner, ["requests:read"])
      assert.strictEqual((yield* api("GET", `/service-requests/${request.body.id}`, { pat })).status, 200)
      const refused = [
        yield* api("POST", "/service-requests/estimate", {
          pat,
          body: { service: "echo", operation: "say", payload: {}, agent_id: id }
        }),
        yield* api("POST", `/service-requests/${request.body.id}/cancel`, { pat }),
        yield* api("POST", `/service-requests/${request.body.id}/settle`, {
          pat,
          body: { status: "failed", comment: "x" }
        })
      ]
      assert.deepStrictEqual(refused.map(({ body, status }) => [status, body.error.data.permission]), [[
        403,
        "requests:write"
      ], [
        403,
        "requests:write"
      ], [403, "budgets:write"]])
    }))
})
