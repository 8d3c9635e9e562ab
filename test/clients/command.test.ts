/** The command line on a real hub: data and notes, formats, exit codes, profiles, and decisions in a pseudo-terminal. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { HubTest, makeAgent, makeToken, TestHub, topUp } from "../support/hub.ts"
import { requireFor } from "../support/required.ts"
import { missingPython } from "../support/requirements.mjs"
import { pythonProgram, runProgram } from "./python.ts"
import { json as answer, scriptedServer } from "./scripted-server.ts"

const main = join(import.meta.dirname, "..", "..", "packages", "countersign", "src", "main.ts")

/** A new home folder, so that no test reads or writes the developer's profiles. */
class Home extends Context.Service<Home, string>()("test/clients/Home") {
  static readonly layer = Layer.effect(
    Home,
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-home-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
  )
}

const environment = (home: string, more: Readonly<Record<string, string>> = {}) => ({
  HOME: home,
  XDG_CONFIG_HOME: join(home, "config"),
  NO_COLOR: "1",
  COUNTERSIGN_URL: "",
  COUNTERSIGN_TOKEN: "",
  COUNTERSIGN_API_KEY: "",
  ...more
})

const countersign = Effect.fnUntraced(function*(
  args: ReadonlyArray<string>,
  { env = {}, input = "" }: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {}
) {
  return yield* runProgram(process.execPath, [main, ...args], { env: environment(yield* Home, env), input })
})

interface Transcript {
  readonly transcript: string
  readonly code: number
  readonly left: ReadonlyArray<unknown>
}

/** Waits for each text on a terminal, then types the answer. */
const inTerminal = Effect.fnUntraced(function*(
  context: unknown,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  steps: ReadonlyArray<readonly [waitFor: string, type: string]>
) {
  requireFor(context as never, missingPython())
  const input = JSON.stringify({
    command: [process.execPath, main, ...args],
    env: environment(yield* Home, { TERM: "xterm", ...env }),
    steps
  })
  const { code, errors, output } = yield* runProgram("python3", [pythonProgram("terminal.py")], { input })
  assert.strictEqual(code, 0, errors)
  const transcript = JSON.parse(output) as Transcript
  assert.deepStrictEqual(transcript.left, [], transcript.transcript)
  return transcript
})

const scopes = [
  "agents:read",
  "approvals:read",
  "approvals:decide",
  "requests:read",
  "audit:read",
  "usage:read",
  "catalog:read",
  "budgets:read",
  "chat:read",
  "chat:write"
]

/** A person's token and an agent's key, whose requests above `threshold` cents require approval. */
const prepare = Effect.fnUntraced(function*(threshold = 1_000) {
  const hub = yield* TestHub
  yield* topUp(hub, hub.owner, 1_000)
  const agent = yield* makeAgent(hub, hub.owner, {
    bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: threshold }]
  })
  const token = yield* makeToken(hub, hub.owner, scopes)
  return { hub, agent, env: { COUNTERSIGN_URL: hub.url, COUNTERSIGN_TOKEN: token, COUNTERSIGN_API_KEY: agent.key } }
})

layer(Layer.merge(HubTest(), Home.layer), { excludeTestServices: true, timeout: 300_000 })("countersign", (it) => {
  it.effect("prints data on standard output, and ends with the code of the outcome", () =>
    Effect.gen(function*() {
      const { agent, env, hub } = yield* prepare()
      const sent = yield* countersign(["dispatch", "echo.say", "{\"text\":\"hello\"}", "--idempotency-key", "k1"], {
        env
      })
      assert.strictEqual(sent.code, 0, sent.errors)
      const outcome = JSON.parse(sent.output) as { readonly id: string; readonly result: unknown }
      assert.deepStrictEqual(outcome.result, { echo: { text: "hello" } })
      const again = yield* countersign(["dispatch", "echo.say", "-", "--idempotency-key", "k1", "-o", "id"], {
        env,
        input: "{\"text\":\"hello\"}"
      })
      assert.strictEqual(again.output, `${outcome.id}\n`)
      const blocked = yield* countersign(["dispatch", "echo.shout"], { env })
      assert.strictEqual(blocked.code, 3, blocked.errors)
      const strict = yield* prepare(0)
      const pending = yield* countersign(["dispatch", "echo.say"], { env: strict.env })
      assert.strictEqual(pending.code, 5, pending.errors)
      const { id: pendingId } = JSON.parse(pending.output) as { readonly id: string }
      const agentOnly = { ...strict.env, COUNTERSIGN_TOKEN: "" }
      assert.include((yield* countersign(["requests", "cancel", pendingId], { env: agentOnly })).output, "cancelled")
      const csv = yield* countersign(["requests", "list", "-o", "csv", "--agent", agent.id], { env })
      assert.match(csv.output, /^id,status,service,operation,cost_cents,/u)
      assert.include(csv.output, `${outcome.id},executed,echo,say,1,`)
      const table = yield* countersign(["requests", "show", outcome.id, "-o", "table"], { env })
      assert.include(table.output, "$0.01")
      assert.strictEqual((yield* countersign(["audit", "verify"], { env })).code, 0)
      assert.include((yield* countersign(["estimate", "echo.say", "{}"], { env })).output, "\"executed\"")
      assert.strictEqual((yield* countersign(["requests", "show", "req_x"], { env })).code, 1)
      assert.strictEqual(hub.url, env.COUNTERSIGN_URL)
    }))

  it.effect("ends with 2 for a mistake in its use and with 4 without a sign-in", () =>
    Effect.gen(function*() {
      const { hub } = yield* prepare()
      const unknown = yield* countersign(["agnts"])
      assert.strictEqual(unknown.code, 2)
      assert.strictEqual(unknown.output, "")
      assert.include(unknown.errors, "agents")
      assert.strictEqual((yield* countersign(["dispatch", "echo"], { env: { COUNTERSIGN_API_KEY: "x" } })).code, 2)
      assert.strictEqual((yield* countersign(["agents", "list"])).code, 4)
      const refused = yield* countersign(["agents", "list", "--url", hub.url], {
        env: { COUNTERSIGN_TOKEN: "svc_pat_live_wrong" }
      })
      assert.strictEqual(refused.code, 4)
      assert.include(refused.errors, "countersign login")
      const unsure = yield* countersign(["approvals", "approve", "apr_1"], { env: (yield* prepare()).env })
      assert.notStrictEqual(unsure.code, 0)
      for (const shell of ["bash", "zsh", "fish"]) {
        assert.include((yield* countersign(["completion", shell])).output, "approvals")
      }
    }))

  it.effect("signs in by a token, keeps it private, and adds the hub to an MCP client", () =>
    Effect.gen(function*() {
      const { agent, env, hub } = yield* prepare()
      const home = yield* Home
      const signedIn = yield* countersign(["login", "--token", "--url", hub.url, "--profile", "work"], {
        input: `${env.COUNTERSIGN_TOKEN}\n`
      })
      assert.strictEqual(signedIn.code, 0, signedIn.errors)
      const file = join(home, "config", "countersign", "credentials.json")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.notInclude(signedIn.errors + signedIn.output, env.COUNTERSIGN_TOKEN)
      const who = JSON.parse((yield* countersign(["whoami", "--profile", "work"])).output) as { readonly user: string }
      assert.strictEqual(who.user, hub.owner.email)
      const key = yield* countersign(["login", "--key", "--profile", "work", "--url", hub.url], { input: agent.key })
      assert.strictEqual(key.code, 0, key.errors)
      writeFileSync(join(home, ".claude.json"), JSON.stringify({ theme: "dark", mcpServers: { other: { url: "x" } } }))
      const installed = yield* countersign(["mcp", "install", "claude", "--profile", "work"])
      assert.strictEqual(installed.code, 0, installed.errors)
      assert.deepStrictEqual(JSON.parse(readFileSync(join(home, ".claude.json"), "utf8")), {
        theme: "dark",
        mcpServers: {
          other: { url: "x" },
          countersign: { type: "http", url: `${hub.url}/mcp`, headers: { Authorization: `Bearer ${agent.key}` } }
        }
      })
      assert.strictEqual((yield* countersign(["mcp", "install", "claude", "--profile", "work"])).code, 2)
      writeFileSync(join(home, ".claude.json"), "{ // mine\n}")
      assert.strictEqual((yield* countersign(["mcp", "install", "claude", "--profile", "work", "--yes"])).code, 1)
      assert.strictEqual(readFileSync(join(home, ".claude.json"), "utf8"), "{ // mine\n}")
      yield* countersign(["logout", "--profile", "work"])
      assert.deepStrictEqual(JSON.parse(readFileSync(file, "utf8")), {})
      assert.isTrue(existsSync(join(home, "config", "countersign", "config.json")))
    }))

  it.effect("signs in by a code that a person confirms (RFC 8628)", () =>
    Effect.gen(function*() {
      const { env, hub } = yield* prepare()
      const server = yield* scriptedServer
      const code = (status: number, code: string) => answer(status, { error: { code, message: "" } })
      const base = server.add("device", [
        answer(200, {
          device_code: "d1",
          user_code: "ABCD-EFGH",
          verification_uri: "http://hub/device",
          expires_in: 600,
          interval: 0.01
        }),
        code(400, "authorization_pending"),
        answer(200, { access_token: env.COUNTERSIGN_TOKEN, token_type: "Bearer", scope: "" }),
        answer(200, (yield* hub.api("GET", "/auth/me", { cookie: hub.owner.cookie })).body)
      ])
      const signedIn = yield* countersign(["login", "--url", base, "--profile", "device"])
      assert.strictEqual(signedIn.code, 0, signedIn.errors)
      assert.include(signedIn.errors, "ABCD-EFGH")
      assert.deepStrictEqual(server.sent("device").map(({ method, path }) => `${method} ${path}`), [
        "POST /api/v1/auth/device",
        "POST /api/v1/auth/device/token",
        "POST /api/v1/auth/device/token",
        "GET /api/v1/auth/me"
      ])
      const denied = server.add("denied", [
        answer(200, { device_code: "d", user_code: "X", verification_uri: "u", expires_in: 600, interval: 0.01 }),
        code(400, "access_denied")
      ])
      const refused = yield* countersign(["login", "--url", denied, "--profile", "denied"])
      assert.deepStrictEqual([refused.code, refused.errors.includes("rejected")], [1, true])
    }))

  it.effect(
    "approves on a terminal by y after the seal, never by Enter alone, and follows the inbox",
    (context) =>
      Effect.gen(function*() {
        const { env, hub } = yield* prepare(0)
        const request = yield* countersign(["dispatch", "echo.say", "{\"text\":\"\\u001b[2Jx\"}"], { env })
        const { approval_id: id } = JSON.parse(request.output) as { readonly approval_id: string }
        const enter = yield* inTerminal(context, ["approvals", "approve", id], env, [["then Enter: ", "\r"]])
        assert.strictEqual(enter.code, 1)
        const digest = (yield* hub.api("GET", `/approvals/${id}`, { cookie: hub.owner.cookie })).body
          .payload_digest as string
        assert.include(enter.transcript, `Seal      ${digest.slice(0, 4)} ${digest.slice(4, 8)}`)
        // The payload cannot clear the screen.
        assert.notInclude(enter.transcript, "\u001b[2Jx")
        const watched = yield* inTerminal(context, ["approvals", "watch"], env, [
          ["s skips, then Enter: ", "\r"],
          ["s skips, then Enter: ", "y\r"],
          ["Waiting for approvals", "\u0003"]
        ])
        assert.strictEqual(watched.code, 130, watched.transcript)
        const decided = (yield* hub.api("GET", `/approvals/${id}`, { cookie: hub.owner.cookie })).body
        assert.strictEqual(decided.status, "approved")
      })
  )

  it.effect("streams a chat, and decides its approval in place", (context) =>
    Effect.gen(function*() {
      const { env, hub } = yield* prepare()
      const agent = yield* makeAgent(hub, hub.owner, {
        bindings: [
          { service: "llm", operations: ["*"] },
          { service: "echo", operations: ["*"], approval_threshold_cents: 0 }
        ]
      })
      const model = ["--model", "offline/echo", "--agent", agent.id]
      const plain = yield* countersign(["chat", "#script\nsay Hello.", "-o", "table", ...model], { env })
      assert.deepStrictEqual([plain.code, plain.output], [0, "Hello.\n"], plain.errors)
      const script = "#script\ncall echo.say {\"text\":\"x\"}\n---\nsay All done."
      const pending = yield* countersign(["chat", script, "-o", "jsonl", ...model], { env })
      assert.strictEqual(pending.code, 5, pending.errors)
      const decided = yield* inTerminal(context, ["chat", script, ...model], env, [["s skips, then Enter: ", "y\r"]])
      assert.strictEqual(decided.code, 0, decided.transcript)
      for (const text of ["→ echo.say, at most $0.01", "← executed, $0.01", "All done."]) {
        assert.include(decided.transcript, text)
      }
    }))

  it.effect(
    "runs local tools in one folder, each after a y, and reports denials to the agent",
    (context) =>
      Effect.gen(function*() {
        const { env, hub } = yield* prepare()
        const agent = yield* makeAgent(hub, hub.owner, { bindings: [{ service: "llm", operations: ["*"] }] })
        const folder = join(yield* Home, "project")
        mkdirSync(folder)
        writeFileSync(join(folder, "notes.txt"), "two paper boats")
        symlinkSync("/etc", join(folder, "etc"))
        const script = [
          "#script",
          "local read_file {\"path\":\"notes.txt\"}",
          "local read_file {\"path\":\"etc/passwd\"}",
          "local run_command {\"argv\":[\"sh\",\"-c\",\"echo $COUNTERSIGN_TOKEN; pwd\"]}",
          "---",
          "local write_file {\"path\":\"a/b.txt\",\"content\":\"made\"}",
          "local write_file {\"path\":\"../out.txt\",\"content\":\"made\"}",
          "local run_command {\"argv\":[\"touch\",\"denied.txt\"]}",
          "---",
          "say All done."
        ].join("\n")
        const args = ["chat", script, "--model", "offline/echo", "--agent", agent.id, "--local-tools", "--yes"]
        const answers: ReadonlyArray<readonly [string, string]> = ["y\r", "y\r", "y\r", "y\r", "\r"].map((each) =>
          ["anything else denies it, then Enter: ", each] as const
        )
        const done = yield* inTerminal(context, [...args, "--directory", folder], env, answers)
        assert.strictEqual(done.code, 0, done.transcript)
        assert.include(done.transcript, "All done.")
        assert.strictEqual(readFileSync(join(folder, "a", "b.txt"), "utf8"), "made")
        assert.isFalse(existsSync(join(folder, "denied.txt")))
        assert.isFalse(existsSync(join(folder, "..", "out.txt")))
        const session = /Session (cht_[0-9a-z]+)/u.exec(done.transcript)?.[1] ?? ""
        const { body } = yield* hub.api("GET", `/chat/sessions/${session}`, { cookie: hub.owner.cookie })
        const calls: ReadonlyArray<{ readonly type: string; readonly status: string; readonly result: unknown }> = body
          .messages.data[0].parts.filter(({ type }: { readonly type: string }) => type === "tool_call")
        assert.deepStrictEqual(
          calls.map(({ status }) => status),
          ["executed", "failed", "executed", "executed", "failed", "executed"]
        )
        assert.deepInclude(calls[0]?.result, { content: "two paper boats" })
        assert.deepInclude(calls[2]?.result, { exit_code: 0, stdout: `\n${realpathSync(folder)}\n` })
        assert.deepInclude(calls[5]?.result, { denied: true })
        const noTerminal = yield* countersign(args, { env })
        assert.strictEqual(noTerminal.code, 2, noTerminal.errors)
      })
  )
})
