import { CreatePolicyInput, type PolicyAction, UpdatePolicyInput } from "@countersign/domain/policies"
import { compileCondition, compileRule, decidePolicy, type PolicyFacts } from "@countersign/domain/policy-rules"
import { Result, Schema } from "effect"
import { assert, describe, it } from "vitest"

const facts: PolicyFacts = {
  agent: { id: "agt_1", name: "Scout", team_id: "" },
  service: "email",
  operation: "send",
  payload: { to: "a@example.com", lines: [1, 2.5] },
  ceiling_cents: 700,
  time: new Date("2026-11-21T09:30:00.000Z"),
  context: { door: "chat", user_id: "usr_1", sources: ["http.fetch"] }
}
const rule = (id: string, when: string, then: PolicyAction = "block") =>
  compileRule({ id: `pol_${id}`, name: id, when, then, reason: "", version: 1 })

describe("policy rules", () => {
  it("read agent, service, operation, payload, ceiling, time, and context", () => {
    for (
      const when of [
        "agent.id == 'agt_1' && agent.name.startsWith('Sc') && agent.team_id == ''",
        "service == 'email' && operation in ['send', 'draft']",
        "payload.to.endsWith('@example.com')",
        "payload.lines.exists(n, n > 2)",
        "ceiling_cents > 500",
        "ceiling_cents * 2 == 1400",
        "time.getHours() == 9 && time < timestamp('2027-01-01T00:00:00Z')",
        "has(payload.cc) == false",
        "context.door == 'chat' && context.user_id != ''",
        "'http.fetch' in context.sources && context.sources.exists(s, s.startsWith('http.'))"
      ]
    ) assert.strictEqual(decidePolicy([rule("1", when)], facts).action, "block", when)
  })

  it("are refused when they use unknown names or are not boolean", () => {
    for (
      const when of [
        "",
        "nothing == 1",
        "agent.nothing == 1",
        "1 + 1",
        "service ==",
        "service == 1",
        "payload.x ||",
        "'yes'"
      ]
    ) {
      assert.isTrue(Result.isFailure(compileCondition(when)), when)
    }
  })

  it("decide by the first match, or not at all without one", () => {
    const rules = [
      rule("1", "service == 'sms'"),
      rule("2", "ceiling_cents >= 700", "require_approval"),
      rule("3", "true"),
      rule("4", "true", "allow")
    ]
    assert.deepStrictEqual(decidePolicy(rules, facts), { action: "require_approval", rule: rules[1]!.rule })
    assert.strictEqual(decidePolicy(rules.slice(3), facts).action, "allow")
    assert.deepStrictEqual(decidePolicy(rules.slice(0, 1), facts), { action: "none" })
    assert.deepStrictEqual(decidePolicy([], facts), { action: "none" })
  })

  it("block when their expression fails, regardless of their decision, and later rules are not evaluated", () => {
    for (
      const when of [
        "payload.missing == 1",
        "payload.to > 3",
        "payload.lines[9] == 1",
        "payload.lines",
        "size(payload.to) / 0 == 1"
      ]
    ) {
      const rules = [rule("1", "false"), rule("2", when, "allow"), rule("3", "true", "allow")]
      const decision = decidePolicy(rules, facts)
      assert.strictEqual(decision.action, "block", when)
      assert.strictEqual(decision.rule?.id, "pol_2")
      assert.isString(decision.problem)
    }
  })

  it("block every request when they no longer compile", () => {
    assert.deepStrictEqual(
      [decidePolicy([rule("1", "gone(1)", "allow")], facts)].map(({ action, rule }) => [action, rule?.id]),
      [["block", "pol_1"]]
    )
  })
})

describe("a submitted rule", () => {
  const options = { onExcessProperty: "error", errors: "all" } as const
  const refused = (schema: Schema.Top, value: unknown) =>
    Result.isFailure(Schema.decodeUnknownResult(schema as never, options)(value))
  const good = { name: "Big mails", when: "true", then: "block" }

  it("has a limit in each field", () => {
    assert.isFalse(
      refused(CreatePolicyInput, {
        ...good,
        required_approvals: 5,
        deciders: { roles: ["owner", "operator"] },
        expires_in_seconds: 60,
        position: 1,
        reason: "a\nb"
      })
    )
    for (
      const wrong of [
        { name: "" },
        { name: " x" },
        { name: "a\u0007" },
        { name: "\u202egnp" },
        { name: "x".repeat(101) },
        { when: "x".repeat(4_097) },
        { then: "deny" },
        { required_approvals: 0 },
        { required_approvals: 6 },
        { required_approvals: 1.5 },
        { expires_in_seconds: 59 },
        { expires_in_seconds: 2_592_001 },
        { position: 0 },
        { position: 201 },
        { deciders: {} },
        { deciders: { roles: [] } },
        { deciders: { roles: ["viewer"] } },
        { deciders: { roles: ["member"] } },
        { deciders: { user_ids: ["ada"] } },
        { extra: 1 },
        { required_approvals: null }
      ]
    ) assert.isTrue(refused(CreatePolicyInput, { ...good, ...wrong }), JSON.stringify(wrong))
  })

  it("may remove settings in an update", () => {
    assert.isFalse(refused(UpdatePolicyInput, { deciders: null, required_approvals: null, expires_in_seconds: null }))
    for (const wrong of [{ name: null }, { when: null }, { version: 2 }, { id: "pol_1" }]) {
      assert.isTrue(refused(UpdatePolicyInput, wrong), JSON.stringify(wrong))
    }
  })
})
