import { permissions } from "@countersign/domain/auth"
import { eventPermission, eventsOf, type EventSource, eventTypes } from "@countersign/domain/events"
import { assert, describe, it } from "@effect/vitest"

const org = "org_01m7yqtbc2ea5srjtvm54vtyeq"
const entry = (action: string, more: Partial<EventSource> = {}): EventSource => ({
  id: "aud_01m7yqtbc2ea5srjtvm54vtyeq",
  seq: 9,
  action,
  subject_type: "service_request",
  subject_id: "req_1",
  agent_id: "agt_1",
  cost_cents: null,
  approval_id: null,
  service_request_id: null,
  ...more
})
const typesOf = (source: EventSource) =>
  eventsOf(org, source).map((event) => [event.type, event.subject.type, event.subject.id])
const wallet = ["balance.changed", "workspace", org]

describe("events of an audit entry", () => {
  it("are derived from its action", () => {
    const table: ReadonlyArray<readonly [string, Partial<EventSource>, ReadonlyArray<ReadonlyArray<string>>]> = [
      ["service_request.blocked", {}, [["service_request.updated", "service_request", "req_1"]]],
      ["service_request.running", {}, [["service_request.updated", "service_request", "req_1"]]],
      ["service_request.executed", { cost_cents: 5 }, [
        ["service_request.updated", "service_request", "req_1"],
        wallet
      ]],
      ["service_request.executed", { cost_cents: 0 }, [["service_request.updated", "service_request", "req_1"]]],
      ["service_request.approval_required", { approval_id: "apr_1" }, [[
        "service_request.updated",
        "service_request",
        "req_1"
      ], ["approval.created", "approval", "apr_1"]]],
      ["service_request.approval_required", {}, [["service_request.updated", "service_request", "req_1"]]],
      ["approval.approved", { subject_type: "approval", subject_id: "apr_1", service_request_id: "req_2" }, [[
        "approval.decided",
        "approval",
        "apr_1"
      ], ["service_request.updated", "service_request", "req_2"]]],
      ["approval.rejected", { subject_type: "approval", subject_id: "apr_1", service_request_id: "req_2" }, [[
        "approval.decided",
        "approval",
        "apr_1"
      ]]],
      ["approval.cancelled", { subject_type: "approval", subject_id: "apr_1" }, [[
        "approval.decided",
        "approval",
        "apr_1"
      ]]],
      ["approval.expired", { subject_type: "approval", subject_id: "apr_1" }, [[
        "approval.expired",
        "approval",
        "apr_1"
      ]]],
      ["agent.key_rotated", { subject_type: "agent", subject_id: "agt_1" }, [["agent.updated", "agent", "agt_1"]]],
      ["binding.put", { subject_type: "binding", subject_id: "bnd_1" }, [["agent.updated", "agent", "agt_1"]]],
      ["agent.created", { subject_type: "agent", subject_id: "agt_2", agent_id: null }, [[
        "agent.updated",
        "agent",
        "agt_2"
      ]]],
      ["balance.topped_up", { subject_type: "movement", subject_id: "led_1", agent_id: null }, [wallet]],
      ["standing_approval.withdrawn", { subject_type: "standing_approval", subject_id: "sta_1" }, [[
        "standing_approval.updated",
        "standing_approval",
        "sta_1"
      ]]],
      ["device.revoked", { subject_type: "device", subject_id: "dev_1" }, [["device.updated", "device", "dev_1"]]],
      ["approval.voice_added", { subject_type: "approval", subject_id: "apr_1" }, [[
        "approval.updated",
        "approval",
        "apr_1"
      ]]],
      ["workspace.updated", { subject_type: "org", subject_id: org, agent_id: null }, [[
        "workspace.updated",
        "workspace",
        org
      ]]],
      ["member.added", { subject_type: "user", subject_id: "usr_1", agent_id: null }, [[
        "workspace.updated",
        "user",
        "usr_1"
      ]]],
      ["policy.created", { subject_type: "policy", subject_id: "pol_1", agent_id: null }, [[
        "workspace.updated",
        "policy",
        "pol_1"
      ]]],
      ["service.updated", { subject_type: "service", subject_id: "shop", agent_id: null }, [[
        "catalog.updated",
        "service",
        "shop"
      ]]],
      ["secret.put", { subject_type: "secret", subject_id: "shop-key", agent_id: null }, [[
        "catalog.updated",
        "secret",
        "shop-key"
      ]]],
      ["user.signed_in", { subject_type: "user", subject_id: "usr_1" }, []],
      ["agents_of_chaos.created", {}, []],
      ["nonsense", {}, []],
      ["", {}, []]
    ]
    for (const [action, more, expected] of table) {
      assert.deepStrictEqual(typesOf(entry(action, more)), expected as never, action)
    }
  })

  it("have the entry's seq as version, and ids that are distinct and stable", () => {
    const twice = [
      eventsOf(org, entry("service_request.executed", { cost_cents: 5 })),
      eventsOf(org, entry("service_request.executed", { cost_cents: 5 }))
    ]
    assert.deepStrictEqual(twice[0], twice[1])
    assert.deepStrictEqual(twice[0]!.map((event) => event.version), [9, 9])
    assert.strictEqual(new Set(twice[0]!.map((event) => event.id)).size, 2)
    for (const { id } of twice[0]!) assert.match(id, /^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  })

  it("need an existing permission each", () => {
    for (const type of eventTypes) assert.include(permissions, eventPermission[type])
  })
})
