import { eventTypes } from "@countersign/domain/events"
import { spelledOut } from "@countersign/ui/audit/action-words"
import { auditActionText } from "@countersign/ui/text/audit-actions"
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const hub = join(import.meta.dirname, "../../../apps/hub/src")
const words = Object.keys(auditActionText)
const nouns = [...new Set(words.map((action) => action.slice(0, action.indexOf("."))))]

/** Names of events that only look like actions. */
const events: ReadonlySet<string> = new Set(eventTypes)
const written = [
  ...new Set(
    globSync("**/*.ts", { cwd: hub }).flatMap((file) =>
      [...readFileSync(join(hub, file), "utf8").matchAll(new RegExp(`"((?:${nouns.join("|")})\\.[a-z_]+)"`, "gu"))].map(
        ([, action = ""]) => action
      )
    )
  )
].filter((action) => !events.has(action))

describe("texts of audit actions", () => {
  it("exist for every action that the hub writes", () => {
    assert.isAbove(written.length, 40)
    assert.deepStrictEqual(written.filter((action) => !words.includes(action)), [])
  })
  it("spell out an action of a newer hub", () => {
    assert.strictEqual(spelledOut("plan_tool.run_started"), "Plan tool: run started")
  })
})
