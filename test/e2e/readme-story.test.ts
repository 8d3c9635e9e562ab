/**
 * The story of the README as written: its commands run in a shell against a hub, by an owner, a lead, a worker, and two
 * agents. The child is stopped by its cap, gets more, finishes, and ends; a workflow runs as its parent, and another one
 * whose hub is killed while it waits; the demo agent books a flight in a chat through the same kill, and an OpenAI client
 * and an MCP client are stopped by budgets; then every cent is where it belongs.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../hub/platform/postgres/hub-fixture.ts"
import { expectHealthy } from "../support/health.ts"
import { announcedFile, spawnHub, spawnProgram } from "../support/hub-program.ts"
import { freshDatabase } from "../support/pg.ts"

const root = join(import.meta.dirname, "..", "..")
const readme = readFileSync(join(root, "README.md"), "utf8")

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
          HUB_DEMO: "1",
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
        symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
        const [, key = ""] = /Bearer (agent_key_live_\w+)/.exec(yield* announcedFile(hub, /Demo is ready/)) ?? []
        const [firstWorkflow = "", untilKilled = "", afterwards = ""] = commandsOf("Workflows")
        const [bookFlight = "", followTurn = ""] = commandsOf("Chat")
        const [askModel = ""] = commandsOf("Models")
        const [, callTool = ""] = commandsOf("MCP")
        const script = [
          "set -euo pipefail",
          // A program of the story that is left running would hold the output open.
          "trap 'kill $(jobs -p) || true' EXIT",
          `HUB=${hub.url}/api/v1`,
          "json='content-type: application/json'",
          // The tour before leaves the owner's cookie in this file.
          `curl -s -c cookies $HUB/auth/login -H "$json" -d '${JSON.stringify(owner)}' > /dev/null`,
          `KEY=${key}`,
          "DEMO=$(curl -s -b cookies $HUB/workspaces | sed 's/.*\"id\":\"\\(org_[0-9a-z]*\\)\",\"name\":\"Demo\".*/\\1/')",
          "me=\"curl -s -b cookies -H svc-workspace:$DEMO\"",
          "AGENT=$($me \"$HUB/agents?q=Scout\" | grep -o 'agt_[0-9a-z]*' | head -1)",
          `printf 'MODEL\\n'; ${askModel}`,
          `printf 'TOOL\\n'; ${callTool}`,
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
          bookFlight,
          "echo; echo KILL; read -r",
          followTurn,
          show("BOOKINGS", "$me \"$HUB/service-requests?agent_id=$CONCIERGE&limit=100\""),
          show("CHAT", "$me $HUB/chat/sessions/$CHAT"),
          "echo",
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
        // The chat: an OpenAI client and an MCP client stopped by budgets, and a booking through a killed hub.
        yield* shell.line(/^402 .*monthly cap of 10 cents\.$/u)
        yield* shell.line(/^blocked .*monthly cap of 50 cents\.$/u)
        yield* shell.line(/^data: .*"reason":"pending_approval"/u)
        yield* shell.line(/^data: .*"reason":"end"/u)
        const chat = yield* shown("CHAT")
        assert.strictEqual(chat.cost_cents, 4_940)
        const [answer] = chat.messages.data
        assert.deepStrictEqual(
          answer.parts.map(({ status, text, type }: { readonly [field: string]: unknown }) => [type, text ?? status]),
          [["text", "I will book it."], ["tool_call", "executed"], ["text", "The flight is booked."]]
        )
        const bookings: ReadonlyArray<
          { readonly origin?: { readonly session_id?: string }; readonly operation: string }
        > = (yield* shown("BOOKINGS")).data
        assert.lengthOf(
          bookings.filter(({ operation, origin }) => operation === "book" && origin?.session_id === chat.id),
          1
        )
        yield* expectHealthy(database)
      }),
    240_000
  )
})
