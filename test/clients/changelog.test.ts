import { assert, it } from "@effect/vitest"
import { changelogOf } from "../../packages/countersign/scripts/changelog.ts"

it("groups the commits of a release by kind, breaking changes first, and leaves out what users do not notice", () => {
  const commits = [
    { hash: "a1", subject: "feat(approvals): settle once under a race" },
    { hash: "b2", subject: "test(approvals): cover the race" },
    { hash: "c3", subject: "fix: answer 404 for another organization" },
    { hash: "d4", subject: "feat(api)!: remove the old field" },
    { hash: "e5", subject: "Merge branch 'x'" },
    { hash: "f6", subject: "constructor: not a kind" }
  ]
  assert.strictEqual(
    changelogOf("0.3.0", commits),
    "# 0.3.0\n\n## Breaking changes\n\n- **api**: Remove the old field (d4)\n\n## Features\n\n" +
      "- **approvals**: Settle once under a race (a1)\n\n## Fixes\n\n- Answer 404 for another organization (c3)\n"
  )
})
