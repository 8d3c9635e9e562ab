import { type Role, rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import type { Vote } from "@countersign/hub/approvals/repository"
import {
  counts,
  type Decidable,
  denialOf,
  isLastVote,
  mayApprove,
  type OrgRules
} from "@countersign/hub/approvals/rules"
import { assert, describe, it } from "vitest"

const approval = (more: Partial<Decidable> = {}): Decidable => ({
  status: "pending",
  overdue: false,
  deciders: undefined,
  agent_owner: "usr_owner",
  agent_team: null,
  filed_by: null,
  cost_cents: 500,
  required_approvals: 2,
  ...more
})

const user = (
  id: string,
  role: Role,
  via: UserPrincipal["via"] = { kind: "session", session_id: "ses_1" as never, stepped_up: false }
): UserPrincipal => ({
  kind: "user",
  user_id: id as never,
  name: id,
  email: `${id}@x.test`,
  org_id: "org_1" as never,
  role,
  permissions: rolePermissions[role],
  via,
  ip: "127.0.0.1"
})
const plain: OrgRules = { separation_of_duties: false, step_up_cents: null }
const vote = (id: string, role: Role | undefined = "operator"): Vote => ({
  user: { id, name: id, email: "" },
  role,
  teams: [],
  decision: "approve",
  comment: null,
  at: new Date(0)
})
const denied = (...args: Parameters<typeof denialOf>) => denialOf(...args)?.code

describe("the right to decide", () => {
  it.each(
    [["owner", undefined], ["admin", undefined], ["operator", undefined], ["member", "forbidden"], [
      "viewer",
      "forbidden"
    ]] as const
  )(
    "%s: %s",
    (role, code) => assert.strictEqual(denied(approval(), user("usr_1", role), plain, "approve", []), code)
  )

  it("a lead decides the requests of the team's agents, and no others; a token only with the scope", () => {
    const teams = [{ team_id: "team_1" as never, role: "lead" as const }]
    const lead = { ...user("usr_1", "member"), teams }
    const ofTeam = (agent_team: string | null) => approval({ agent_team })
    assert.isUndefined(denied(ofTeam("team_1"), lead, plain, "approve", []))
    assert.strictEqual(denied(ofTeam("team_2"), lead, plain, "approve", []), "forbidden")
    assert.strictEqual(denied(ofTeam(null), lead, plain, "reject", []), "forbidden")
    const worker = { ...lead, teams: [{ team_id: "team_1" as never, role: "worker" as const }] }
    assert.strictEqual(denied(ofTeam("team_1"), worker, plain, "approve", []), "forbidden")
    const pat = (scopes: UserPrincipal["permissions"]) => ({
      ...lead,
      permissions: new Set<never>(),
      via: { kind: "pat" as const, token_id: "pat_1" as never, scopes: [...scopes] }
    })
    assert.isUndefined(denied(ofTeam("team_1"), pat(new Set(["approvals:decide"])), plain, "approve", []))
    assert.strictEqual(denied(ofTeam("team_1"), pat(new Set(["approvals:read"])), plain, "approve", []), "forbidden")
    assert.isTrue(counts(ofTeam("team_1"), { ...vote("usr_1", "member"), teams }, plain))
    assert.isFalse(counts(ofTeam("team_2"), { ...vote("usr_1", "member"), teams }, plain))
  })

  it("nobody decides a decided approval, or an expired one that the sweeper has not closed yet", () => {
    assert.strictEqual(
      denied(approval({ status: "rejected" }), user("usr_1", "owner"), plain, "reject", []),
      "approval_not_pending"
    )
    assert.strictEqual(
      denied(approval({ overdue: true }), user("usr_1", "owner"), plain, "approve", []),
      "approval_not_pending"
    )
  })

  it("a rule's deciders are set by role or by person, for approving and rejecting alike", () => {
    const named = approval({ deciders: { roles: ["admin"], user_ids: ["usr_2" as never] } })
    assert.strictEqual(denied(named, user("usr_1", "owner"), plain, "approve", []), "forbidden")
    assert.strictEqual(denied(named, user("usr_1", "owner"), plain, "reject", []), "forbidden")
    assert.isUndefined(denied(named, user("usr_1", "admin"), plain, "approve", []))
    assert.isUndefined(denied(named, user("usr_2", "operator"), plain, "approve", []))
  })

  it("separation of duties keeps the agent's owners and the requester from approving, not from rejecting", () => {
    const strict = { ...plain, separation_of_duties: true }
    assert.strictEqual(denied(approval(), user("usr_owner", "owner"), strict, "approve", []), "separation_of_duties")
    assert.strictEqual(
      denied(approval({ filed_by: "usr_1" }), user("usr_1", "admin"), strict, "approve", []),
      "separation_of_duties"
    )
    assert.isUndefined(denied(approval(), user("usr_owner", "owner"), strict, "reject", []))
    assert.isUndefined(denied(approval(), user("usr_owner", "owner"), plain, "approve", []))
    assert.isFalse(mayApprove(approval(), { id: "usr_owner", role: "owner", teams: [] }, strict))
  })

  it("each person counts once", () => {
    assert.strictEqual(
      denied(approval(), user("usr_1", "owner"), plain, "approve", [vote("usr_1")]),
      "already_approved"
    )
    assert.isUndefined(denied(approval(), user("usr_2", "owner"), plain, "approve", [vote("usr_1")]))
  })

  it("a vote counts only while its voter may approve: role, deciders, and separation of duties", () => {
    assert.isTrue(counts(approval(), vote("usr_1"), plain))
    for (const role of ["member", "viewer", undefined] as const) {
      assert.isFalse(counts(approval(), { ...vote("usr_1"), role }, plain))
    }
    assert.isFalse(counts(approval({ deciders: { roles: ["admin"] } }), vote("usr_1"), plain))
    assert.isFalse(counts(approval(), vote("usr_owner"), { ...plain, separation_of_duties: true }))
    assert.isFalse(counts(approval(), { ...vote("usr_1"), decision: "reject" }, plain))
  })

  it("the last vote is the one that completes the valid votes", () => {
    assert.isTrue(isLastVote(approval({ required_approvals: 1 }), "usr_1", plain, []))
    assert.isFalse(isLastVote(approval(), "usr_1", plain, []))
    assert.isFalse(isLastVote(approval(), "usr_1", plain, [vote("usr_1")]))
    assert.isFalse(isLastVote(approval(), "usr_1", plain, [vote("usr_2", "viewer")]))
    assert.isTrue(isLastVote(approval(), "usr_1", plain, [vote("usr_1"), vote("usr_2")]))
    assert.isUndefined(denied(approval(), user("usr_1", "owner"), plain, "approve", [vote("usr_1"), vote("usr_2")]))
  })

  it("above the step-up amount only a stepped-up session approves; at or below it, any session does", () => {
    const rules = { ...plain, step_up_cents: 499 }
    assert.strictEqual(denied(approval(), user("usr_1", "owner"), rules, "approve", []), "step_up_required")
    assert.strictEqual(
      denied(
        approval(),
        user("usr_1", "owner", { kind: "pat", token_id: "pat_1" as never, scopes: [] }),
        rules,
        "approve",
        []
      ),
      "step_up_required"
    )
    assert.isUndefined(
      denied(
        approval(),
        user("usr_1", "owner", { kind: "session", session_id: "ses_1" as never, stepped_up: true }),
        rules,
        "approve",
        []
      )
    )
    assert.isUndefined(denied(approval(), user("usr_1", "owner"), { ...plain, step_up_cents: 500 }, "approve", []))
    assert.isUndefined(denied(approval(), user("usr_1", "owner"), rules, "reject", []))
  })
})
