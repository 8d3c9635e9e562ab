import { type RequiringRule, weakensApprovals } from "@countersign/hub/policies/rules"
import { assert, describe, it } from "vitest"

const rule = (when: string, more: Partial<RequiringRule> = {}): RequiringRule => ({
  id: `pol_${when}` as RequiringRule["id"],
  enabled: true,
  when,
  then: "require_approval",
  required_approvals: 2,
  ...more
})
const two = rule("large")
const { required_approvals: _, ...blocking } = rule("any", { then: "block" })

describe("a change of rules weakens approvals", () => {
  it.each<[string, ReadonlyArray<RequiringRule>, ReadonlyArray<RequiringRule>, boolean]>([
    ["fewer approvals", [two], [{ ...two, required_approvals: 1 }], true],
    ["the default of one approval", [two], [rule("large", { required_approvals: 1 })], true],
    ["more approvals", [two], [{ ...two, required_approvals: 3 }], false],
    ["a deleted rule", [two], [], true],
    ["a deleted rule of one approval", [{ ...two, required_approvals: 1 }], [], true],
    ["a disabled rule", [two], [{ ...two, enabled: false }], true],
    ["a rule enabled", [{ ...two, enabled: false }], [two], false],
    ["a disabled rule deleted", [{ ...two, enabled: false }], [], false],
    ["another condition", [two], [rule("larger")], true],
    ["allow instead", [two], [{ ...two, then: "allow" }], true],
    ["block instead", [two], [{ ...two, then: "block" }], false],
    ["an allowing rule in front", [two], [rule("any", { then: "allow" }), two], true],
    ["an allowing rule behind", [two], [two, rule("any", { then: "allow" })], false],
    ["a blocking rule in front", [two], [rule("any", { then: "block" }), two], false],
    ["a rule of fewer approvals in front", [two], [rule("any", { required_approvals: 1 }), two], true],
    ["a rule of as many approvals in front", [two], [rule("any"), two], false],
    ["behind an allowing rule", [two, rule("any", { then: "allow" })], [rule("any", { then: "allow" }), two], true],
    ["before an allowing rule", [rule("any", { then: "allow" }), two], [two, rule("any", { then: "allow" })], false],
    ["the allowing rule before it widened", [rule("any", { then: "allow" }), two], [
      rule("more", { then: "allow" }),
      two
    ], true],
    ["more deciders", [{ ...two, deciders: { roles: ["owner"] } }], [{
      ...two,
      deciders: { roles: ["owner", "operator"] }
    }], true],
    ["everyone as decider", [{ ...two, deciders: { roles: ["owner"] } }], [two], true],
    ["fewer deciders", [two], [{ ...two, deciders: { roles: ["owner"] } }], false],
    [
      "a deleted rule that another shadows",
      [rule("large", { then: "allow" }), two],
      [rule("large", { then: "allow" })],
      false
    ],
    ["a rule that blocks, deleted", [blocking], [], false],
    ["a rule that blocks, allowed", [blocking], [{ ...blocking, then: "allow" }], false],
    ["a rule that blocks and required approvals before, deleted", [{ ...two, then: "block" }], [], true],
    ["a rule that blocks and required approvals before, allowed", [{ ...two, then: "block" }], [{
      ...two,
      then: "allow"
    }], true],
    [
      "a rule that blocks and required approvals before, requiring them again",
      [{ ...two, then: "block" }],
      [two],
      false
    ],
    ["fewer approvals of a rule that blocks", [{ ...two, then: "block" }], [{
      ...two,
      then: "block",
      required_approvals: 1
    }], true],
    ["no number of approvals of a rule that blocks", [two], [{ ...blocking, id: two.id, when: two.when }], true]
  ])("%s", (_, before, after, weaker) => assert.strictEqual(weakensApprovals(before, after), weaker))

  it("if some request would need fewer, for every list of up to three rules over two conditions", () => {
    // A request is the set of conditions that it meets.
    const requests = [[], ["a"], ["b"], ["a", "b"]]
    const kinds = ["a", "b"].flatMap((when) => [
      rule(when, { then: "allow" }),
      rule(when, { required_approvals: 1 }),
      rule(when),
      rule(when, { then: "block" }),
      rule(when, { enabled: false })
    ])
    const lists: Array<ReadonlyArray<RequiringRule>> = [
      [],
      ...kinds.map((one) => [one]),
      ...kinds.flatMap((one) => kinds.map((other) => [one, other]))
    ]
    const three = kinds.flatMap((one) => kinds.flatMap((other) => kinds.map((last) => [one, other, last])))
    const needed = (rules: ReadonlyArray<RequiringRule>, request: ReadonlyArray<string>): number => {
      const decides = rules.find(({ enabled, when }) => enabled && request.includes(when))
      return decides === undefined || decides.then === "allow"
        ? 0
        : decides.then === "block"
        ? Infinity
        : decides.required_approvals ?? 1
    }
    let weaker = 0
    for (const before of [...lists, ...three.slice(0, 200)]) {
      for (const after of [...lists, ...three.filter((_, at) => at % 5 === 0)]) {
        const lost = requests.some((request) => {
          const needs = needed(before, request)
          return Number.isFinite(needs) && needed(after, request) < needs
        })
        if (lost) weaker++
        if (lost) assert.isTrue(weakensApprovals(before, after), JSON.stringify([before, after]))
      }
    }
    assert.isAbove(weaker, 1_000)
  })
})
