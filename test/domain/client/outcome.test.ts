import type { Outcome } from "@countersign/domain/client"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clientOf, json, requestId, type Scripted, serviceRequest } from "./scripted-hub.ts"

const say = { service: "echo", operation: "say", payload: { n: 1 } }
const apr = "apr_01j00000000000000000000000"
const outcomeOf = (answer: Scripted) =>
  Effect.gen(function*() {
    const { client } = yield* clientOf([answer], { retries: 0 })
    return yield* client.dispatch(say)
  })
const answered = (fields: Record<string, unknown>, status = 200) => outcomeOf(json(status, serviceRequest(fields)))

describe("an outcome is a value", () => {
  it.live("executed: the provider's result and the cost", () =>
    Effect.gen(function*() {
      const outcome = yield* answered({
        status: "executed",
        cost_cents: 12,
        ceiling_cents: 20,
        result: { id: "x" },
        completed_at: "2026-11-21T09:00:01.000Z"
      })
      assert(outcome.status === "executed")
      assert.deepStrictEqual([outcome.id, outcome.cost_cents, outcome.ceiling_cents, outcome.result], [
        requestId,
        12,
        20,
        { id: "x" }
      ])
      assert.strictEqual(outcome.completed_at, "2026-11-21T09:00:01.000Z")
    }))

  it.live("blocked: the reason and its figures", () =>
    Effect.gen(function*() {
      const scope = { type: "binding", id: "bnd_1" }
      const block = { limit: "operation_month", scope, limit_cents: 100, next_action: { kind: "budget_request" } }
      const outcome = yield* answered({ status: "blocked", reason_code: "monthly_budget_exceeded", block })
      assert(outcome.status === "blocked")
      assert.strictEqual(outcome.reason_code, "monthly_budget_exceeded")
      assert.deepStrictEqual(outcome.block, block)
    }))

  it.live("blocked for a reason that this client does not list", () =>
    Effect.gen(function*() {
      const block = { limit: "moon", scope: { type: "sky", id: "s" }, next_action: { kind: "wait_for_it" } }
      const outcome = yield* answered({ status: "blocked", reason_code: "moon_phase", block })
      assert(outcome.status === "blocked")
      assert.strictEqual(outcome.reason_code, "moon_phase")
      assert.strictEqual(outcome.block?.limit, "moon")
    }))

  it.live("approval_required: the pending approval", () =>
    Effect.gen(function*() {
      const outcome = yield* answered({
        status: "approval_required",
        reason_code: "approval_threshold",
        approval_id: apr
      })
      assert(outcome.status === "approval_required")
      assert.deepStrictEqual([outcome.approval_id, outcome.reason_code], [apr, "approval_threshold"])
    }))

  it.live("failed: code and detail", () =>
    Effect.gen(function*() {
      const outcome = yield* answered({
        status: "failed",
        result: { code: "adapter_error", detail: "402 card declined" }
      })
      assert(outcome.status === "failed")
      assert.deepStrictEqual([outcome.code, outcome.detail, outcome.fate], [
        "adapter_error",
        "402 card declined",
        undefined
      ])
      const unknown = yield* answered({
        status: "failed",
        result: { code: "fate_unknown", detail: "cut", fate: "unknown" }
      })
      assert(unknown.status === "failed")
      assert.deepStrictEqual([unknown.code, unknown.fate], ["fate_unknown", "unknown"])
    }))

  it.live.each(
    [
      [{ result: { detail: "no" } }, "unknown", "no"],
      [{ result: { detail: "no" }, reason_code: "policy_block" }, "policy_block", "no"],
      [{ result: "no" }, "unknown", ""],
      [{ result: null }, "unknown", ""],
      [{}, "unknown", ""],
      [{ result: { code: 7, detail: {} } }, "unknown", ""]
    ] as const
  )("failed with %j is still an outcome", ([fields, code, detail]) =>
    Effect.gen(function*() {
      const outcome = yield* answered({ status: "failed", ...fields })
      assert(outcome.status === "failed")
      assert.deepStrictEqual([outcome.code, outcome.detail], [code, detail])
    }))

  it.live("running, with status 202", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* answered({ status: "running" }, 202)).status, "running")
    }))

  it.live("ignores fields that this client does not list", () =>
    Effect.gen(function*() {
      const outcome = yield* answered({
        status: "executed",
        result: 1,
        colour: "red",
        links: { self: "s", next: "n" },
        mode: "shadow"
      })
      assert.strictEqual(outcome.status, "executed")
      assert.strictEqual<string>(outcome.mode, "shadow")
    }))
})

describe("an answer that is not an outcome raises", () => {
  it.live.each(
    [
      ["another status", { status: "parked" }],
      ["no status", {}],
      ["an approval without its id", { status: "approval_required" }],
      ["a cost that is no number", { status: "executed", cost_cents: "1" }]
    ] as const
  )("%s", ([, fields]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(answered(fields))
      assert.deepStrictEqual([error._tag, error.code], ["AnswerError", "unexpected_answer"])
    }))

  it.live.each([[[]], [null], ["executed"], [7]])("%j", ([body]) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(outcomeOf(json(200, body))))._tag, "AnswerError")
    }))
})

it("narrows by status", () => {
  const describeOutcome = (outcome: Outcome): string => {
    switch (outcome.status) {
      case "executed":
        return `${outcome.cost_cents} ${typeof outcome.result}`
      case "blocked":
        return outcome.reason_code
      case "approval_required":
        return outcome.approval_id
      case "failed":
        return `${outcome.code}: ${outcome.detail}`
      case "running":
        return outcome.id
    }
  }
  const facts = { ...serviceRequest({}), id: requestId, agent_id: "agt_1", mode: "live" } as const
  assert.strictEqual(
    describeOutcome({ ...facts, status: "failed", code: "anything", detail: "at all" }),
    "anything: at all"
  )
})
