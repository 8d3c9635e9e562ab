import { compileSchema } from "@countersign/domain/json-schema"
import { compileRule } from "@countersign/domain/policy-rules"
import type { HttpOperation, HttpService } from "@countersign/domain/services"
import type { CatalogOperation, CatalogService } from "@countersign/hub/catalog/compiled"
import {
  type AgentConfiguration,
  type Asked,
  decide,
  type OrgConfiguration,
  type Standing
} from "@countersign/hub/dispatch/decision/decision"
import { Result } from "effect"
import { assert, describe, it } from "vitest"

const now = new Date("2026-11-21T12:00:00Z")
const schema = { type: "object", required: ["n"], properties: { n: { type: "number" }, to: { type: "string" } } }

const operation = (more: Partial<HttpOperation> = {}): CatalogOperation => ({
  definition: {
    name: "do",
    method: "POST",
    path: "/do",
    payload_schema: schema,
    price: { type: "quoted", ceiling: "payload.n * 3" },
    ...more
  },
  validator: Result.getOrThrow(compileSchema(schema))
})
const service = (one: CatalogOperation, enabled = true): CatalogService => ({
  definition: {
    name: "work",
    kind: "http",
    base_url: "https://provider.test",
    operations: [one.definition as HttpOperation]
  } satisfies HttpService,
  operations: new Map([["do", one]]),
  shipped: false,
  enabled,
  version: 1
})

const org = (more: Partial<OrgConfiguration> = {}): OrgConfiguration => ({
  id: "org_1",
  rulesVersion: 1,
  frozen: false,
  approvalThresholdCents: 1000,
  approvalLifeSeconds: 86_400,
  rules: [],
  services: new Map([["work", service(operation())]]),
  ratesOf: () => undefined,
  ...more
})
const agent = (more: Partial<AgentConfiguration> = {}): AgentConfiguration => ({
  id: "agt_1",
  version: 1,
  name: "Scout",
  status: "active",
  frozen: false,
  teamId: null,
  ownerUserId: null,
  approvalThresholdCents: null,
  workflows: new Set(),
  payer: { wallet: 1, walletMonth: null },
  bindings: new Map([["work", { service: "work", operations: ["*"], enabled: true }]]),
  monthLimits: { live: 2, test: 3 },
  standing: [],
  tasks: new Map(),
  ...more
})
const asked = (more: Partial<Asked> = {}): Asked => ({
  mode: "live",
  service: "work",
  operation: "do",
  payload: { n: 1 },
  script: undefined,
  now,
  ...more
})

const rule = (then: "allow" | "block" | "require_approval", when = "true") =>
  compileRule({ id: `pol_${then}` as never, name: then, when, then, reason: "", version: 1 })

const standing = (more: Partial<Standing> = {}): Standing => ({
  id: "sta_1",
  mode: "live",
  service: "work",
  operation: "do",
  maxCostCents: 5_000,
  expiresAt: now.getTime() + 1,
  limits: [8, 9],
  ...more
})

describe("a decision follows the pipeline's order", () => {
  it("admits a request that fits, at the ceiling of its price", () => {
    const decision = decide(org(), agent(), asked())
    assert.strictEqual(decision.kind, "admit")
    assert.strictEqual(decision.kind === "admit" && decision.ceilingCents, 3)
  })

  it.each(["paused", "disabled"] as const)("fails for a %s agent before the payload is checked", (status) => {
    const decision = decide(org(), agent({ status }), asked({ payload: {} }))
    assert.deepInclude(decision, { kind: "failed", code: "agent_disabled" })
  })

  it("reports every invalid place of a payload, also for an operation without a binding", () => {
    const decision = decide(org(), agent({ bindings: new Map() }), asked({ payload: { n: "1", to: 2 } }))
    assert.strictEqual(decision.kind, "invalid")
    assert.sameMembers(decision.kind === "invalid" ? decision.details.map(({ path }) => path) : [], [
      "payload.n",
      "payload.to"
    ])
  })

  it("rejects a payload that cannot fill the request's template before any money is held", () => {
    const path = operation({ path: "/to/${payload.to}" })
    const decision = decide(org({ services: new Map([["work", service(path)]]) }), agent(), asked())
    assert.strictEqual(decision.kind, "invalid")
  })

  it("reports an invalid price amount at price", () => {
    const decision = decide(org(), agent(), asked({ payload: { n: -1 } }))
    assert.deepStrictEqual(decision.kind === "invalid" ? decision.details.map(({ path }) => path) : [], ["price"])
  })

  it.each([
    ["no binding", org(), agent({ bindings: new Map() })],
    [
      "a disabled binding",
      org(),
      agent({ bindings: new Map([["work", { service: "work", operations: ["*"], enabled: false }]]) })
    ],
    [
      "a binding of other operations",
      org(),
      agent({ bindings: new Map([["work", { service: "work", operations: ["other"], enabled: true }]]) })
    ],
    ["a disabled service", org({ services: new Map([["work", service(operation(), false)]]) }), agent()],
    ["an unknown service", org({ services: new Map() }), agent()]
  ])("blocks as a policy violation that names the binding: %s", (_, where, who) => {
    const decision = decide(where, who, asked())
    assert.deepInclude(decision, { kind: "blocked", reason: "policy_violation" })
    assert.strictEqual(decision.kind === "blocked" && decision.block["limit"], "binding")
  })

  it.each([["the workspace", org({ frozen: true }), agent()], ["the agent", org(), agent({ frozen: true })]])(
    "blocks when %s is frozen, before any rule",
    (_, where, who) =>
      assert.deepInclude(decide({ ...where, rules: [rule("allow")] }, who, asked()), {
        kind: "blocked",
        reason: "spending_frozen"
      })
  )

  it("applies the first rule that matches; an expression with an error blocks", () => {
    assert.deepInclude(decide(org({ rules: [rule("allow"), rule("block")] }), agent(), asked()), { kind: "admit" })
    assert.deepInclude(decide(org({ rules: [rule("allow", "payload.n > 5"), rule("block")] }), agent(), asked()), {
      kind: "blocked",
      reason: "policy_violation"
    })
    const erring = decide(org({ rules: [rule("allow", "payload.absent == 1")] }), agent(), asked())
    assert.strictEqual(erring.kind === "blocked" && erring.block["policy_id"], "pol_allow")
  })

  it.each([
    ["the workspace's", org({ approvalThresholdCents: 2 }), agent(), 2],
    [
      "the agent's before the workspace's",
      org({ approvalThresholdCents: 1000 }),
      agent({ approvalThresholdCents: 1 }),
      1
    ],
    [
      "the binding's before the agent's",
      org(),
      agent({
        approvalThresholdCents: 1000,
        bindings: new Map([["work", {
          service: "work",
          operations: ["*"],
          enabled: true,
          approval_threshold_cents: 0
        }]])
      }),
      0
    ]
  ])("requires approval over %s threshold", (_, where, who, threshold) => {
    const decision = decide(where, who, asked())
    assert.strictEqual(decision.kind === "wait" && decision.wait.thresholdCents, threshold)
  })

  it("requires no approval at a ceiling equal to the threshold", () => {
    assert.strictEqual(decide(org({ approvalThresholdCents: 3 }), agent(), asked()).kind, "admit")
  })

  it("a standing approval replaces the threshold until it expires, for the payloads that it covers", () => {
    const low = org({ approvalThresholdCents: 0 })
    const kindWith = (given: Standing) => decide(low, agent({ standing: [given] }), asked()).kind
    assert.strictEqual(kindWith(standing()), "admit")
    assert.strictEqual(kindWith(standing({ maxCostCents: 2 })), "wait")
    assert.strictEqual(kindWith(standing({ expiresAt: now.getTime() })), "wait")
    assert.strictEqual(kindWith(standing({ mode: "test" })), "wait")
    assert.strictEqual(kindWith(standing({ operation: "other" })), "wait")
  })

  it("a standing approval does not replace a rule that requires approval", () => {
    assert.strictEqual(
      decide(org({ rules: [rule("require_approval")] }), agent({ standing: [standing()] }), asked()).kind,
      "wait"
    )
  })

  it("an allowing rule does not skip the threshold", () => {
    assert.strictEqual(
      decide(org({ rules: [rule("allow")], approvalThresholdCents: 0 }), agent(), asked()).kind,
      "wait"
    )
  })
})

describe("a granted request is decided again with today's figures", () => {
  const granted = (ceilingCents: number) => asked({ granted: { ceilingCents } })

  it("is admitted over the threshold", () =>
    assert.strictEqual(decide(org({ approvalThresholdCents: 0 }), agent(), granted(3)).kind, "admit"))
  it("is stale when its price rose", () =>
    assert.deepInclude(decide(org(), agent(), granted(2)), { kind: "blocked", reason: "approval_stale" }))
  it("is not filed for approval again by a rule, but blocked by one", () => {
    assert.strictEqual(decide(org({ rules: [rule("require_approval")] }), agent(), granted(3)).kind, "admit")
    assert.deepInclude(decide(org({ rules: [rule("block")] }), agent(), granted(3)), {
      kind: "blocked",
      reason: "policy_violation"
    })
  })
  it("fails when the agent was paused or the payload no longer fits", () => {
    assert.deepInclude(decide(org(), agent({ status: "paused" }), granted(3)), {
      kind: "failed",
      code: "agent_disabled"
    })
    assert.deepInclude(decide(org(), agent(), { ...granted(3), payload: {} }), {
      kind: "failed",
      code: "invalid_request"
    })
  })
  it("keeps the approved ceiling when it ends before today's price is calculated", () => {
    const ends = [
      decide(org(), agent({ status: "paused" }), granted(3)),
      decide(org(), agent(), { ...granted(3), payload: {} }),
      decide(org({ services: new Map() }), agent(), granted(3))
    ]
    assert.deepStrictEqual(ends.map((end) => end.kind === "invalid" ? end.kind : [end.kind, end.ceilingCents]), [
      ["failed", 3],
      ["failed", 3],
      ["blocked", 3]
    ])
  })
})

describe("a test key's script applies after the payload check", () => {
  const scripted = (script: NonNullable<Asked["script"]>, payload: Record<string, unknown> = { n: 1 }) =>
    decide(org(), agent({ bindings: new Map() }), asked({ mode: "test", script, payload }))

  it("gives each outcome", () => {
    assert.strictEqual(scripted("approval").kind, "wait")
    assert.deepInclude(scripted("failure"), { kind: "failed", code: "adapter_error" })
    assert.deepInclude(scripted("blocked"), { kind: "blocked", reason: "policy_violation" })
    assert.strictEqual(scripted("running").kind, "admit")
  })
  it("does not apply to an invalid payload", () => assert.strictEqual(scripted("failure", {}).kind, "invalid"))
  it("takes the ceiling that the operation sets for tests", () => {
    const priced = operation({ test: { ceiling_cents: 77 } })
    const decision = decide(org({ services: new Map([["work", service(priced)]]) }), agent(), asked({ mode: "test" }))
    assert.strictEqual(decision.kind === "admit" && decision.ceilingCents, 77)
  })
})
