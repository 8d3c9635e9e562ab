import type { Policy } from "@countersign/ui/hub/queries"
import { createInput, draftOfRule, emptyRule, lacksDecider, updateInput } from "@countersign/ui/policies/rule-draft"
import { conditionProblem, tryOn } from "@countersign/ui/policies/sample-check"
import { describe, expect, test } from "vitest"

const rule = (position: number, then: Policy["then"], when: string, more: Partial<Policy> = {}): Policy => ({
  id: `pol_${position}` as Policy["id"],
  name: `rule ${position}`,
  position,
  enabled: true,
  when,
  then,
  reason: "",
  version: 1,
  created_at: "2026-11-21T00:00:00.000Z",
  updated_at: "2026-11-21T00:00:00.000Z",
  ...more
})
const facts = {
  agent: { id: "agt_1", name: "Scout", team_id: "" },
  service: "shop",
  operation: "buy",
  payload: { item: "boat" },
  ceiling_cents: 100,
  time: new Date("2026-11-21T00:00:00Z")
}

describe("a policy draft", () => {
  test("sends the approval settings only if an approval is required", () => {
    const draft = {
      ...emptyRule(),
      name: " Night ",
      when: "true",
      isNarrow: true,
      roles: ["admin"] as const,
      life: 2,
      unit: "3600" as const
    }
    expect(createInput(draft)).toEqual({
      name: "Night",
      enabled: true,
      when: "true",
      then: "require_approval",
      reason: "",
      required_approvals: 1,
      deciders: { roles: ["admin"] },
      expires_in_seconds: 7_200
    })
    expect(createInput({ ...draft, then: "block" })).toEqual({
      name: "Night",
      enabled: true,
      when: "true",
      then: "block",
      reason: ""
    })
    expect(updateInput({ ...draft, then: "block" })).toMatchObject({
      required_approvals: null,
      deciders: null,
      expires_in_seconds: null
    })
    expect(lacksDecider({ ...draft, roles: [] })).toBe(true)
  })

  test.each([
    [90, 90, "1"],
    [120, 2, "60"],
    [7_200, 2, "3600"],
    [172_800, 2, "86400"]
  ])("shows an expiry of %i s as %i in its largest unit", (seconds, life, unit) => {
    expect(draftOfRule(rule(1, "require_approval", "true", { expires_in_seconds: seconds }))).toMatchObject({
      life,
      unit
    })
  })

  test("is validated before it is sent", () => {
    expect(conditionProblem("ceiling_cents > 5000")).toBeUndefined()
    expect(conditionProblem("ceiling_cents >")?.range).toEqual({ start: 15, end: 15 })
    expect(conditionProblem("nobody.answers")?.message).toMatch(/\w/)
    expect(conditionProblem("ceiling_cents")?.message).toMatch(/\w/)
  })
})

describe("a policy on a sample", () => {
  test("is evaluated at its position: the first match decides", () => {
    const rules = [rule(1, "allow", "agent.name == \"Nobody\""), rule(2, "block", "service == \"shop\"")]
    expect(tryOn(facts, rules, undefined)).toMatchObject({
      match: undefined,
      decision: { action: "block", rule: { name: "rule 2" } }
    })
    const tried = { ...rule(2, "allow", "ceiling_cents <= 100"), id: "" as Policy["id"] }
    expect(tryOn(facts, rules, tried)).toMatchObject({
      match: { kind: "yes" },
      decision: { action: "allow", rule: { id: "" } }
    })
    expect(tryOn(facts, rules, { ...tried, position: 3 })).toMatchObject({
      match: { kind: "yes" },
      decision: { action: "block", rule: { name: "rule 2" } }
    })
  })

  test("replaces its saved version, and decides nothing while it is disabled", () => {
    const rules = [rule(1, "block", "true")]
    expect(tryOn(facts, rules, { ...rule(1, "allow", "true") }).decision).toMatchObject({ action: "allow" })
    expect(tryOn(facts, rules, { ...rule(1, "block", "true"), enabled: false }).decision).toEqual({ action: "none" })
  })

  test("blocks a sample that its condition cannot evaluate, with the error", () => {
    const { decision, match } = tryOn(facts, [], rule(1, "allow", "payload.amount > 3"))
    expect(match).toMatchObject({ kind: "unreadable" })
    expect(decision).toMatchObject({ action: "block" })
  })
})
