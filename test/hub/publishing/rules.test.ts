import { type Permission, permissions } from "@countersign/domain/auth"
import { newId } from "@countersign/domain/ids"
import { audienceProblem, decisionRefusal, reviewerRoles } from "@countersign/hub/publishing/rules"
import { assert, describe, it } from "@effect/vitest"

const team_id = "team_01jd0000000000000000000000"

describe("an audience", () => {
  it("is a team with its id, or the workspace without one; only the workspace's can be listed", () => {
    assert.isUndefined(audienceProblem({ scope: "org" }))
    assert.isUndefined(audienceProblem({ scope: "org", listed: true }))
    assert.isUndefined(audienceProblem({ scope: "team", team_id, listed: false }))
    assert.strictEqual(audienceProblem({ scope: "team" })?.path, "team_id")
    assert.strictEqual(audienceProblem({ scope: "org", team_id })?.path, "team_id")
    assert.strictEqual(audienceProblem({ scope: "team", team_id, listed: true })?.path, "listed")
  })
})

describe("a decision", () => {
  const user_id = newId("usr")
  const reviewer = { user_id, permissions: new Set<Permission>(permissions) }
  const other = { user_id, permissions: new Set<Permission>(["agents:write"]) }
  const own = { requested_by: user_id }
  const foreign = { requested_by: newId("usr") }
  const codeOf = (...args: Parameters<typeof decisionRefusal>) => decisionRefusal(...args)?.error.code

  it("belongs to owners and admins", () => {
    assert.deepStrictEqual(reviewerRoles, ["owner", "admin"])
    for (const status of ["approved", "rejected"] as const) {
      assert.isUndefined(codeOf(reviewer, foreign, status, true))
      assert.strictEqual(codeOf(other, foreign, status, true), "forbidden")
      assert.strictEqual(codeOf(other, own, status, false), "forbidden")
    }
  })

  it("on one's own request approves only where nobody else reviews", () => {
    assert.strictEqual(codeOf(reviewer, own, "approved", true), "separation_of_duties")
    assert.isUndefined(codeOf(reviewer, own, "approved", false))
    assert.isUndefined(codeOf(reviewer, own, "rejected", true))
  })

  it("to withdraw is the requester's", () => {
    assert.isUndefined(codeOf(other, own, "withdrawn", true))
    assert.strictEqual(codeOf(reviewer, foreign, "withdrawn", true), "forbidden")
  })
})
