/**
 * The story of the README as written: its commands run in a shell against a hub, by an owner, a lead, a worker, and two
 * agents. The child is stopped by its cap, gets more, finishes, and ends; a workflow runs as its parent, and another one
 * whose hub is killed while it waits; then every cent is where it belongs.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../hub/platform/postgres/hub-fixture.ts"
import { expectHealthy } from "../support/health.ts"
import { spawnHub, spawnProgram } from "../support/hub-program.ts"
import { freshDatabase } from "../support/pg.ts"

const readme = readFileSync(join(import.meta.dirname, "..", "..", "README.md"), "utf8")

/** The shell commands below a heading. */
const commandsOf = (heading: string): ReadonlyArray<string> => {
  const from = readme.indexOf(`\n## ${heading}\n`)
  assert.isAtLeast(from, 0, `the README has no section "${heading}"`)
  const end = readme.indexOf("\n## ", from + 1)
  return [...readme.slice(from, end).matchAll(/^```sh\n([\s\S]*?)^```$/gmu)].map(([, commands = ""]) => commands)
}

const owner = { email: "ada@countersign.test", password: "correct horse battery" }

layer(Layer.empty, { excludeTestServices: true })("the README's team", (it) => {
  it.effect(
    "an owner, a lead, a worker, his agent, and its child play the story, and the unused cents are back",
    () =>
      Effect.gen(function*() {
        const database = yield* freshDatabase
        const env = {
          HUB_EGRESS_ALLOW: "127.0.0.1:9100",
          HUB_OWNER_EMAIL: owner.email,
          HUB_OWNER_PASSWORD: owner.password
        }
        const hub = yield* spawnHub({
          database,
          env
        })
        const folder = yield* temporaryDirectory
        const show = (name: string, call: string) => `printf '\\n${name} '; ${call}`
        const [firstWorkflow = "", untilKilled = "", afterwards = ""] = commandsOf("Workflows")
        const script = [
          "set -euo pipefail",
          // A program of the story that is left running would hold the output open.
          "trap 'kill $(jobs -p) || true' EXIT",
          `HUB=${hub.url}/api/v1`,
          "json='content-type: application/json'",
          // The tour before leaves the owner's cookie in this file.
          `curl -s -c cookies $HUB/auth/login -H "$json" -d '${JSON.stringify(owner)}' > /dev/null`,
          ...commandsOf("A team, its agents, and their budgets"),
          "child $HUB/service-requests -d '{\"service\":\"echo\",\"operation\":\"say\",\"payload\":{}}' > after.json",
          show("BLOCKED", "cat last.json"),
          show("AFTER", "cat after.json"),
          show("DECIDED", "$lea $HUB/budget-requests/$ASKED"),
          show("PARENT", "$will $HUB/agents/$(echo \"$PARENT\" | id agt)/budget"),
          "$will -X DELETE $HUB/agents/$(echo \"$CHILD\" | id agt)",
          show("FREED", "$will $HUB/agents/$(echo \"$PARENT\" | id agt)/budget"),
          show("POOL", "$lea $HUB/teams/$TEAM/budget"),
          show("MEMBERS", "$lea $HUB/teams/$TEAM/members"),
          show("WALLET", "$ada $HUB/balance"),
          "echo",
          firstWorkflow,
          show("RUNS", "$will $HUB/workflows/$FLOW/runs"),
          "echo",
          untilKilled,
          "echo; echo KILL; read -r",
          afterwards,
          show("RUN", "$will $HUB/workflow-runs/$RUN"),
          show("ORDERS", "wc -l < orders"),
          "echo; echo END"
        ].join("\n")
        const shell = yield* spawnProgram(["bash", "-c", script], {}, { cwd: folder })
        yield* shell.line(/^KILL$/u)
        yield* hub.kill("SIGKILL")
        yield* hub.ended
        yield* spawnHub({ database, env: { ...env, HUB_PORT: new URL(hub.url).port } })
        yield* shell.send("\n")
        yield* shell.line(/^END$/u)
        const shown = (name: string) =>
          Effect.map(shell.line(new RegExp(`^${name} (.*)$`, "u")), ([, text = ""]) => JSON.parse(text))
        const blocked = yield* shown("BLOCKED")
        assert.deepStrictEqual([blocked.status, blocked.reason_code], ["blocked", "agent_budget_exceeded"])
        assert.deepInclude(blocked.block, { limit: "agent_month", limit_cents: 500, spent_cents: 500 })
        assert.strictEqual((yield* shown("DECIDED")).status, "approved")
        assert.strictEqual((yield* shown("AFTER")).status, "executed")
        assert.deepInclude(yield* shown("PARENT"), { spent_cents: 0, committed_cents: 800 })
        assert.deepInclude(yield* shown("FREED"), { spent_cents: 501, committed_cents: 0 })
        assert.deepInclude(yield* shown("POOL"), { balance_cents: 3_000, allocated_cents: 1_499 })
        const members: ReadonlyArray<{ readonly name: string; readonly allocation: unknown }> =
          (yield* shown("MEMBERS")).data
        assert.deepInclude(members.find(({ name }) => name === "Will")?.allocation, { balance_cents: 1_499 })
        assert.strictEqual((yield* shown("WALLET")).balance_cents, 5_000)
        const [run] = (yield* shown("RUNS")).data
        assert.deepInclude(run, { status: "succeeded", cost_cents: 2 })
        const killed = yield* shown("RUN")
        assert.deepInclude(killed, { status: "succeeded", cost_cents: 1 })
        assert.deepStrictEqual(killed.output.delivery, { delivered: true })
        assert.strictEqual(yield* shown("ORDERS"), 1)
        yield* expectHealthy(database)
      }),
    240_000
  )
})
