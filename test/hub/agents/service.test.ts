import { Agent, AgentHealth, CreatedAgent } from "@countersign/domain/agents"
import { parseCredential } from "@countersign/domain/credentials"
import { type AgentId, newId } from "@countersign/domain/ids"
import { Page } from "@countersign/domain/pagination"
import { AgentsRepository } from "@countersign/hub/agents/repository"
import { Agents } from "@countersign/hub/agents/service"
import { AuditLog } from "@countersign/hub/platform/audit-log"
import { Signals } from "@countersign/hub/platform/signals"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { fitting } from "../../support/contract.ts"
import { HubServices } from "../../support/hub-services.ts"
import { asAgent, makeUser } from "../../support/principals.ts"
import { execute, makeAgent, makeWorkspace, tick } from "../../support/tick.ts"

const aliveKeys = Effect.fnUntraced(function*(agent: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ key_hash: Uint8Array; mode: string; lives: boolean; forever: boolean }>`select key_hash, mode,
    expires_at is null or expires_at > now() as lives, expires_at is null as forever from agent_keys
    where agent_id = ${agent}
    order by id`
})
const versionOf = Effect.fnUntraced(function*(agent: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ version: number }>`select version from agents where id = ${agent}`
  return row!.version
})
const actionsOf = Effect.fnUntraced(function*(org: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql<{ action: string }>`select action from audit where org_id = ${org} order by seq`).map((
    { action }
  ) => action)
})
const hashOf = (token: string) => createHash("sha256").update(token).digest("hex")

layer(HubServices, { excludeTestServices: true })("agents", (it) => {
  it.effect("creation returns the key once, stores its hash, and creates limits of both modes with the same cap", () =>
    Effect.gen(function*() {
      const agents = yield* Agents
      const sql = yield* SqlClient.SqlClient
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const made = yield* agents.create(user, {
        name: "Scout",
        description: "Looks\naround",
        icon: "🦊",
        personality: "calm",
        voiceConfig: { voice: "alto", speed: 1.5 },
        monthly_budget_cents: 5_000_000_000
      })
      assert.deepStrictEqual(parseCredential(made.api_key), { ok: true, kind: "agent_key_live" })
      const { api_key, ...agent } = fitting(CreatedAgent, made)
      assert.deepStrictEqual(fitting(Agent, yield* agents.get(user, made.id)), agent)
      assert.deepStrictEqual({ ...agent, created_at: "", updated_at: "", id: "", key_hint: "" }, {
        id: "",
        name: "Scout",
        description: "Looks\naround",
        kind: "standard",
        status: "active",
        frozen: false,
        icon: "🦊",
        category: null,
        personality: "calm",
        voiceConfig: { voice: "alto", speed: 1.5 },
        depth: 0,
        owner_user_id: user.user_id,
        monthly_budget_cents: 5_000_000_000,
        spent_this_month_cents: 0,
        held_cents: 0,
        committed_cents: 0,
        child_count: 0,
        key_hint: "",
        mode_keys: { live: true, test: false },
        bindings: [],
        version: 1,
        created_at: "",
        updated_at: ""
      } as never)
      const keys = yield* aliveKeys(made.id)
      assert.deepStrictEqual(keys.map((key) => Buffer.from(key.key_hash).toString("hex")), [hashOf(api_key)])
      const limits = yield* sql<{ mode: string; cap: number }>`select mode, cap from limits
        where agent_id = ${made.id} and kind = 2
        order by mode`
      assert.deepStrictEqual(limits, [{ mode: "live", cap: 5_000_000_000 }, { mode: "test", cap: 5_000_000_000 }])
      assert.deepStrictEqual(yield* actionsOf(org), ["agent.created"])
      const [entry] = yield* sql<{ data: string }>`select data from audit where org_id = ${org}`
      assert.notInclude(entry!.data, api_key.slice(20))
    }))

  it.effect("creation with a budget needs budgets:write, rejects a team, and leaves nothing behind on failure", () =>
    Effect.gen(function*() {
      const agents = yield* Agents
      const { org } = yield* makeWorkspace()
      const member = yield* makeUser(org, "member")
      const denied = yield* Effect.flip(agents.create(member, { name: "Rich", monthly_budget_cents: 1 }))
      assert.strictEqual(denied._tag, "Forbidden")
      assert.deepStrictEqual(denied.error.data, { permission: "budgets:write" })
      const refused = yield* Effect.flip(
        agents.create(member, { name: "Teamed", team_id: newId("team" as never) as never })
      )
      assert.strictEqual(refused._tag, "BadRequest")
      assert.strictEqual(refused.error.details?.[0]?.path, "team_id")
      assert.deepStrictEqual((yield* agents.list(member, {})).data, [])
      assert.deepStrictEqual(yield* actionsOf(org), [])
    }))

  it.effect("a member sees, changes, and lists only their own agents; another workspace sees none", () =>
    Effect.gen(function*() {
      const agents = yield* Agents
      const { org } = yield* makeWorkspace()
      const member = yield* makeUser(org, "member")
      const owner = yield* makeUser(org)
      const stranger = yield* makeUser((yield* makeWorkspace()).org)
      const mine = yield* agents.create(member, { name: "Mine" })
      const theirs = yield* agents.create(owner, { name: "Theirs" })
      assert.deepStrictEqual((yield* agents.list(member, {})).data.map(({ name }) => name), ["Mine"])
      assert.includeMembers((yield* agents.list(owner, {})).data.map(({ name }) => name), ["Mine", "Theirs"])
      for (const user of [member, stranger]) {
        const answers = yield* Effect.all([
          Effect.flip(agents.get(user, theirs.id)),
          Effect.flip(agents.update(user, theirs.id, { frozen: true })),
          Effect.flip(agents.remove(user, theirs.id)),
          Effect.flip(agents.rotateKey(user, theirs.id, {})),
          Effect.flip(agents.get(user, newId("agt")))
        ])
        assert.deepStrictEqual(answers.map(({ _tag }) => _tag), [
          "NotFound",
          "NotFound",
          "NotFound",
          "NotFound",
          "NotFound"
        ])
        assert.lengthOf(new Set(answers.map((answer) => JSON.stringify(answer.error))), 1)
      }
      assert.deepStrictEqual((yield* agents.fleetHealth(member, {})).data.map(({ agent_id }) => agent_id), [mine.id])
      assert.isFalse((yield* agents.get(owner, theirs.id)).frozen)
      assert.strictEqual((yield* agents.get(asAgent(org, mine.id), mine.id)).id, mine.id)
      assert.strictEqual((yield* Effect.flip(agents.get(asAgent(org, mine.id), theirs.id)))._tag, "NotFound")
    }))

  it.effect("an update changes the given fields, clears nulls, and makes earlier reads of dispatch stale", () =>
    Effect.gen(function*() {
      const agents = yield* Agents
      const signals = yield* Signals
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const { api_key: _, ...made } = yield* agents.create(user, {
        name: "One",
        icon: "x",
        category: "ops",
        voiceConfig: { a: 1 }
      })
      const notified: Array<string> = []
      const stop = signals.subscribe((signal) => void (signal.kind === "config" && notified.push(signal.org)))
      const before = yield* versionOf(made.id)
      const changed = yield* agents.update(user, made.id, {
        name: "Two",
        status: "paused",
        frozen: true,
        icon: null,
        voiceConfig: null
      })
      stop()
      assert.deepStrictEqual({ ...changed, updated_at: made.updated_at }, {
        ...made,
        name: "Two",
        status: "paused",
        frozen: true,
        icon: null,
        voiceConfig: null,
        version: 2
      })
      assert.strictEqual(yield* versionOf(made.id), before + 1)
      assert.deepStrictEqual(notified, [org])
      assert.deepStrictEqual(yield* agents.update(user, made.id, {}), changed)
      assert.strictEqual(yield* versionOf(made.id), before + 1)
    }))

  it.effect("lists by page, status, and words, never lists a chat's agent, and as_of lets a reader continue", () =>
    Effect.gen(function*() {
      const agents = yield* Agents
      const sql = yield* SqlClient.SqlClient
      const audit = yield* AuditLog
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const made: Array<AgentId> = []
      for (const name of ["100% sure", "Beta_x", "Gamma", "Delta"]) made.push((yield* agents.create(user, { name })).id)
      yield* agents.update(user, made[2]!, { status: "disabled" })
      yield* sql`update agents set kind = 'chat' where id = ${made[3]!}`
      const names = (query: Parameters<typeof agents.list>[1]) =>
        Effect.map(agents.list(user, query), ({ data }) => data.map(({ name }) => name))
      const first = yield* agents.list(user, { limit: 2 })
      assert.deepStrictEqual(first.data.map(({ name }) => name), ["Gamma", "Beta_x"])
      assert.strictEqual(first.as_of, yield* audit.asOf(org))
      assert.deepStrictEqual(yield* names({ limit: 2, cursor: first.next_cursor! }), ["100% sure", "Agent"])
      assert.deepStrictEqual(yield* names({ status: "disabled" }), ["Gamma"])
      assert.deepStrictEqual(yield* names({ q: "0% S" }), ["100% sure"])
      assert.deepStrictEqual(yield* names({ q: "_" }), ["Beta_x"])
      assert.deepStrictEqual(yield* names({ q: made[0]! }), ["100% sure"])
      assert.deepStrictEqual(yield* names({ kind: "chat" }), [])
      assert.strictEqual((yield* Effect.flip(agents.list(user, { cursor: "WzFd" }))).error.details?.[0]?.path, "cursor")
    }))

  it.effect("rotation ends the keys of that mode at once, or after the grace period", () =>
    Effect.gen(function*() {
      const agents = yield* Agents
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const made = yield* agents.create(user, { name: "Keys" })
      const test = yield* agents.rotateKey(user, made.id, { mode: "test" })
      assert.match(test.api_key, /^agent_key_test_/)
      assert.deepStrictEqual((yield* agents.get(user, made.id)).mode_keys, { live: true, test: true })
      const graced = yield* agents.rotateKey(user, made.id, { grace_seconds: 3600 })
      assert.deepStrictEqual((yield* aliveKeys(made.id)).map(({ forever, lives, mode }) => [mode, lives, forever]), [
        ["live", true, false],
        ["test", true, true],
        ["live", true, true]
      ])
      assert.strictEqual((yield* agents.get(user, made.id)).key_hint, graced.key_hint)
      yield* agents.rotateKey(user, made.id, {})
      assert.deepStrictEqual((yield* aliveKeys(made.id)).map(({ lives, mode }) => [mode, lives]), [
        ["live", false],
        ["test", true],
        ["live", false],
        ["live", true]
      ])
    }))

  it.effect("of many concurrent rotations exactly one key remains, and a longer grace period never extends a shorter one", () =>
    Effect.gen(function*() {
      const agents = yield* Agents
      const sql = yield* SqlClient.SqlClient
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const made = yield* agents.create(user, { name: "Race" })
      const rotated = yield* Effect.all(Array.from({ length: 8 }, () => agents.rotateKey(user, made.id, {})), {
        concurrency: "unbounded"
      })
      const alive = (yield* aliveKeys(made.id)).filter(({ lives }) => lives)
      assert.lengthOf(alive, 1)
      assert.include(rotated.map(({ api_key }) => hashOf(api_key)), Buffer.from(alive[0]!.key_hash).toString("hex"))
      yield* agents.rotateKey(user, made.id, { grace_seconds: 60 })
      yield* agents.rotateKey(user, made.id, { grace_seconds: 86_400 })
      const [soonest] = yield* sql<
        { short: boolean }
      >`select expires_at <= now() + interval '60 seconds' as short from agent_keys
        where agent_id = ${made.id} and expires_at > now() order by expires_at limit 1`
      assert.isTrue(soonest!.short)
    }))

  it.effect("deletion ends keys and approvals and makes children roots; protected kinds cannot be deleted", () =>
    Effect.gen(function*() {
      const agents = yield* Agents
      const repository = yield* AgentsRepository
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace({ funds: 1_000 })
      const { org } = workspace
      const user = yield* makeUser(org)
      const parent = workspace.agent.id
      const { begins } = yield* tick(workspace, [{ verdict: 2, ceiling: 5 }])
      assert.strictEqual(begins[0]!.state, 202)
      yield* agents.rotateKey(user, parent, {})
      // The tests' ticks decide with the first version: dispatch gets this refusal after a rotation.
      assert.strictEqual((yield* tick(workspace, [{ ceiling: 5 }])).begins[0]!.state, 412)
      const child = yield* makeAgent(org)
      const grandchild = yield* makeAgent(org)
      yield* sql`update agents set parent_agent_id = ${parent}, depth = 1 where id = ${child.id}`
      yield* sql`update agents set parent_agent_id = ${child.id}, depth = 2 where id = ${grandchild.id}`
      const version = yield* versionOf(parent)
      yield* agents.remove(user, parent)
      assert.strictEqual((yield* Effect.flip(agents.get(user, parent)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(agents.remove(user, parent)))._tag, "NotFound")
      assert.deepStrictEqual((yield* aliveKeys(parent)).filter(({ lives }) => lives), [])
      assert.isAbove(yield* versionOf(parent), version)
      const freed = yield* agents.get(user, child.id)
      assert.isUndefined(freed.parent_agent_id)
      assert.strictEqual(freed.depth, 0)
      const below = yield* agents.get(user, grandchild.id)
      assert.deepStrictEqual([below.parent_agent_id as string, below.depth], [child.id, 1])
      assert.deepStrictEqual(
        (yield* sql<{ status: string }>`select status from approvals where agent_id = ${parent}`).map(({ status }) =>
          status
        ),
        ["cancelled"]
      )
      assert.strictEqual((yield* actionsOf(org)).at(-1), "agent.deleted")
      for (const kind of ["yupi", "chat"]) {
        yield* sql`update agents set kind = ${kind} where id = ${child.id}`
        assert.strictEqual((yield* Effect.flip(agents.remove(user, child.id))).error.code, "agent_protected")
      }
      assert.isTrue((yield* repository.find(org, child.id))._tag === "Some")
    }))

  it.effect("fleet health reports errors, spending, pending approvals, and stale keys of each agent", () =>
    Effect.gen(function*() {
      const agents = yield* Agents
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace({ funds: 10_000 })
      const { agent, org } = workspace
      const user = yield* makeUser(org)
      yield* execute(workspace, 40)
      yield* execute(workspace, 2)
      const { begins } = yield* tick(workspace, [{ ceiling: 7 }, { verdict: 3 }, { verdict: 2 }, {
        mode: "test",
        ceiling: 1
      }, {
        ceiling: 9
      }])
      yield* tick(workspace, [], [{ id: begins[0]!.id, status: "failed", reason: "adapter_error" }, {
        id: begins[3]!.id,
        status: "failed",
        reason: "adapter_error"
      }])
      yield* agents.rotateKey(user, agent.id, {})
      yield* sql`update agent_keys set created_at = now() - interval '91 days' where agent_id = ${agent.id}`
      yield* sql`insert into agent_sightings (agent_id, org_id, last_seen_at) values (${agent.id}, ${org}, now())`
      const [health] = fitting(Page(AgentHealth), yield* agents.fleetHealth(user, {})).data
      assert.isString(health!.last_seen_at)
      assert.deepStrictEqual({ ...health!, last_seen_at: "" }, {
        agent_id: agent.id as never,
        name: "Agent",
        status: "active",
        frozen: false,
        last_seen_at: "",
        requests_24h: 4,
        error_rate_24h: 0.25,
        spent_this_month_cents: 42,
        held_cents: 9,
        pending_approvals: 1,
        stale_keys: 1
      })
      assert.strictEqual((yield* agents.get(user, agent.id)).spent_this_month_cents, 42)
    }))

  it.effect("spending of an earlier month does not count in the current one", () =>
    Effect.gen(function*() {
      const agents = yield* Agents
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace({ funds: 100 })
      const user = yield* makeUser(workspace.org)
      yield* execute(workspace, 40)
      yield* sql`update limits set period = period - 1 where kind = 2 and agent_id = ${workspace.agent.id}`
      assert.strictEqual((yield* agents.get(user, workspace.agent.id)).spent_this_month_cents, 0)
    }))
})
