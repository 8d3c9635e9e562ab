/** Approval or rejection of a command through a real hub. Spec: reference/devices.md "Security rules". */
import { findSandbox } from "@countersign/desktop/device/sandbox/sandbox"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { atWork, missingSandbox, paired, until } from "../../support/device-agent.ts"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { requireFor } from "../../support/required.ts"

const sandboxes = ["off", "available"] as const

layer(HubTest(), { excludeTestServices: true })("consent", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const as = { cookie: hub.owner.cookie }
    const place = yield* paired(hub, hub.owner)
    /** Allows nothing: every command requires approval through the hub. */
    const asking = (rules: ReadonlyArray<object> = [], more: object = {}) =>
      place.rules(rules, { ask_via: "hub", ...more })
    const get = (path: string) => Effect.map(hub.api("GET", path, as), (answer) => expectStatus(answer, 200).body)
    const queue = (session: string, argv: ReadonlyArray<string>) =>
      Effect.map(
        hub.api("POST", `/devices/sessions/${session}/commands`, {
          ...as,
          body: { tool: "shell.run", input: { argv } }
        }),
        (answer) => expectStatus(answer, 201).body.id as string
      )
    const asked = (id: string) =>
      Effect.flatMap(
        until(get(`/devices/commands/${id}`), ({ approval_id }) => approval_id !== undefined),
        ({ approval_id }) => get(`/approvals/${approval_id}`)
      )
    const decide = (
      { id, payload_digest }: { readonly id: string; readonly payload_digest: string },
      what: "approve" | "reject"
    ) => hub.api("POST", `/approvals/${id}/${what}`, { ...as, body: { payload_digest } })
    const end = (id: string) =>
      until(get(`/devices/commands/${id}`), ({ status }) => ["done", "cancelled", "expired"].includes(status))
    const printed = (id: string) =>
      Effect.map(
        get(`/devices/commands/${id}/output`),
        ({ data }) => data.map((chunk: { data: string }) => chunk.data).join("")
      )
    return { ...hub, hub, as, place, asking, get, queue, asked, decide, end, printed }
  })

  it.effect("D9: the approver sees the complete plan, and the command runs once after an approval", () =>
    Effect.gen(function*() {
      const { asked, asking, decide, end, hub, owner, place, printed, queue } = yield* world
      const talk = place.script("talk", "echo said \"$1\"")
      asking()
      const { session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [talk, "a b"])
      const approval = yield* asked(id)
      assert.deepInclude(approval, {
        kind: "device_command",
        status: "pending",
        device: { id: place.id, name: "build-1" }
      })
      const text = readFileSync(talk)
      assert.deepStrictEqual(approval.payload, {
        version: 1,
        tool: "shell.run",
        input: { argv: [talk, "a b"] },
        directory: place.root,
        timeout_seconds: 30,
        program: { path: talk, real_path: talk },
        sandbox: findSandbox() === undefined ? "none" : "bubblewrap",
        network: "on",
        files: [{ path: talk, sha256: createHash("sha256").update(text).digest("hex"), bytes: text.length }]
      })
      const answer = expectStatus(yield* decide(approval, "approve"), 200)
      assert.notStrictEqual(answer.body.device_command.status, "awaiting_consent")
      assert.deepInclude(yield* end(id), { outcome: "succeeded", exit_code: 0, approval_id: approval.id })
      assert.strictEqual(yield* printed(id), "said a b\n")
      assert.isEmpty(readdirSync(place.folder.file("scripts")).filter((name) => name !== "empty"))
    }))

  it.effect("a rejected command does not run", () =>
    Effect.gen(function*() {
      const { asked, asking, decide, end, hub, owner, place, queue } = yield* world
      const touch = place.script("touch-it", `touch ${join(place.root, "touched")}`)
      asking()
      const { session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [touch])
      expectStatus(yield* decide(yield* asked(id), "reject"), 200)
      const ended = yield* end(id)
      assert.deepStrictEqual([ended.outcome, ended.error.code], ["denied", "consent_denied"])
      assert.isFalse(existsSync(join(place.root, "touched")))
    }))

  it.effect("D9: a file changed after it was shown does not run", () =>
    Effect.gen(function*() {
      const { asked, asking, decide, end, hub, owner, place, queue } = yield* world
      const script = place.script("deploy", "true")
      asking()
      const { session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, ["sh", script])
      const approval = yield* asked(id)
      assert.strictEqual(approval.payload.files[0].path, script)
      place.script("deploy", `touch ${join(place.root, "touched")}`)
      expectStatus(yield* decide(approval, "approve"), 200)
      const ended = yield* end(id)
      assert.deepStrictEqual([ended.outcome, ended.error.code], ["denied", "plan_changed"])
      assert.isFalse(existsSync(join(place.root, "touched")))
    }))

  for (const sandbox of sandboxes) {
    it.effect(`D9: a file changed during execution has no effect on it, with the sandbox ${sandbox}`, (context) =>
      Effect.gen(function*() {
        requireFor(context, sandbox === "available" ? missingSandbox() : undefined)
        const { asked, asking, decide, end, get, hub, owner, place, printed, queue } = yield* world
        const go = join(place.root, "go")
        // A shell reads its script during execution, so appended lines would run.
        const script = place.script("slow", `until [ -e ${go} ]; do :; done; echo first`)
        asking([], { sandbox })
        const { session } = yield* atWork(hub, owner, place)
        const id = yield* queue(session, [script])
        expectStatus(yield* decide(yield* asked(id), "approve"), 200)
        yield* until(get(`/devices/commands/${id}`), ({ status }) => status === "running")
        writeFileSync(script, `${readFileSync(script, "utf8")}echo second\n`)
        writeFileSync(go, "")
        assert.deepInclude(yield* end(id), { outcome: "succeeded" })
        assert.strictEqual(yield* printed(id), "first\n")
      }))
  }

  it.effect("D12: reads the rules again after the approval", () =>
    Effect.gen(function*() {
      const { asked, asking, decide, end, hub, owner, place, queue } = yield* world
      asking()
      const { session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, ["uname"])
      const approval = yield* asked(id)
      asking([{ effect: "deny", tool: "shell.run", argv: ["uname"] }])
      expectStatus(yield* decide(approval, "approve"), 200)
      const ended = yield* end(id)
      assert.deepStrictEqual([ended.outcome, ended.error.code], ["denied", "denied_by_rule"])
    }))

  it.effect("D10: no answer in time denies the command; a cancel ends the request", () =>
    Effect.gen(function*() {
      const { api, as, asked, asking, end, get, hub, owner, place, queue, run } = yield* world
      asking()
      const { session } = yield* atWork(hub, owner, place)
      const late = yield* queue(session, ["uname"])
      const approval = yield* asked(late)
      yield* run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`update approvals set expires_at = clock_timestamp() - interval '1 second' where id = ${approval.id}`)))
      assert.deepInclude(yield* end(late), { outcome: "denied" })
      assert.strictEqual((yield* get(`/approvals/${approval.id}`)).status, "expired")
      const unwanted = yield* queue(session, ["uname"])
      const second = yield* asked(unwanted)
      expectStatus(yield* api("POST", `/devices/commands/${unwanted}/cancel`, as), 200)
      assert.deepInclude(yield* end(unwanted), { status: "cancelled", outcome: "cancelled" })
      assert.strictEqual((yield* get(`/approvals/${second.id}`)).status, "cancelled")
    }))

  it.effect("D22: an agent's third identical call in a row requires approval even if a rule allows it, unless the rule allows repeats", () =>
    Effect.gen(function*() {
      const { api, as, asked, asking, decide, end, get, hub, owner, place } = yield* world
      yield* topUp({ api }, owner, 1_000)
      const agent = yield* makeAgent({ api }, owner, { bindings: [{ service: "device", operations: ["*"] }] })
      expectStatus(yield* api("PATCH", `/devices/${place.id}`, { ...as, body: { agents: [agent.id] } }), 200)
      const allow = { effect: "allow", tool: "shell.run", argv: ["uname"] }
      asking([allow])
      yield* atWork(hub, owner, place)
      const newest = Effect.map(
        Effect.flatMap(
          get(`/devices/${place.id}`),
          ({ session }) => get(`/devices/sessions/${session.id}/commands?limit=1`)
        ),
        ({ data }) => data[0].id as string
      )
      const call = Effect.gen(function*() {
        const { body } = yield* api("POST", "/service-requests", {
          key: agent.key,
          body: {
            service: "device",
            operation: "shell.run",
            payload: { device_id: place.id, input: { argv: ["uname"] } }
          }
        })
        assert.include(["running", "executed"], body.status, JSON.stringify(body))
        return yield* newest
      })
      for (let at = 0; at < 2; at++) assert.deepInclude(yield* end(yield* call), { outcome: "succeeded" })
      const third = yield* call
      const approval = yield* asked(third)
      assert.deepInclude(approval, {
        agent: { id: agent.id, name: approval.agent.name },
        requested_by: { type: "agent", id: agent.id, name: approval.agent.name }
      })
      expectStatus(yield* decide(approval, "approve"), 200)
      assert.deepInclude(yield* end(third), { outcome: "succeeded" })
      asking([{ ...allow, repeats: true }])
      for (let at = 0; at < 4; at++) {
        const ended = yield* end(yield* call)
        assert.deepInclude(ended, { outcome: "succeeded" })
        assert.notProperty(ended, "approval_id")
      }
    }))
})
