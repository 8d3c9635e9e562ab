import { Agent } from "@countersign/domain/agents"
import { Binding } from "@countersign/domain/bindings"
import { newId } from "@countersign/domain/ids"
import { BindingsRepository } from "@countersign/hub/agents/bindings-repository"
import { Agents } from "@countersign/hub/agents/service"
import { Bindings } from "@countersign/hub/bindings/service"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fitting } from "../../support/contract.ts"
import { HubServices } from "../../support/hub-services.ts"
import { makeUser } from "../../support/principals.ts"
import { execute, makeWorkspace, tick } from "../../support/tick.ts"

const capsIn = Effect.fnUntraced(function*(agent: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql<
    { row: string }
  >`select concat_ws(' ', mode, operation, kind, coalesce(cap::text, 'none')) as row from limits
    where agent_id = ${agent} and kind in (3, 4) order by mode, operation, kind`).map(({ row }) => row)
})

layer(HubServices, { excludeTestServices: true })("bindings", (it) => {
  it.effect("creation and replacement return the whole binding, and the agent shows it", () =>
    Effect.gen(function*() {
      const bindings = yield* Bindings
      const agents = yield* Agents
      const { agent: { id }, org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const first = yield* bindings.put(user, id, {
        service: "http",
        operations: ["fetch"],
        monthly_cap_cents: 100_000_000_000,
        per_operation: { fetch: { daily_request_limit: 3 } }
      })
      assert.isTrue(first.isNew)
      assert.deepStrictEqual(fitting(Binding, first.binding), {
        service: "http",
        operations: ["fetch"],
        enabled: true,
        monthly_cap_cents: 100_000_000_000,
        per_operation: { fetch: { daily_request_limit: 3 } },
        version: 1,
        operations_usage: {}
      })
      const second = yield* bindings.put(user, id, {
        service: "http",
        operations: ["*"],
        enabled: false,
        approval_threshold_cents: 0
      })
      assert.isFalse(second.isNew)
      assert.deepStrictEqual((yield* agents.get(user, id)).bindings, [
        {
          service: "http",
          operations: ["*"],
          enabled: false,
          approval_threshold_cents: 0,
          version: 2,
          operations_usage: {}
        }
      ])
    }))

  it.effect("names that are not in the catalog are refused with every path", () =>
    Effect.gen(function*() {
      const bindings = yield* Bindings
      const { agent: { id }, org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const paths = (input: Parameters<typeof bindings.put>[2]) =>
        Effect.map(Effect.flip(bindings.put(user, id, input)), ({ error }) => error.details?.map(({ path }) => path))
      assert.deepStrictEqual(yield* paths({ service: "nothing", operations: ["*"] }), ["service"])
      assert.deepStrictEqual(
        yield* paths({ service: "echo", operations: ["say", "shout"], per_operation: { whisper: {}, say: {} } }),
        ["operations.1", "per_operation.whisper"]
      )
      assert.deepStrictEqual((yield* (yield* Agents).get(user, id)).bindings, [])
    }))

  it.effect("adding and removing caps need budgets:write", () =>
    Effect.gen(function*() {
      const bindings = yield* Bindings
      const agents = yield* Agents
      const { org } = yield* makeWorkspace()
      const member = yield* makeUser(org, "member")
      const owner = yield* makeUser(org)
      const { id } = yield* agents.create(member, { name: "Mine" })
      for (
        const caps of [{ monthly_cap_cents: 1 }, { daily_request_limit: 0 }, { approval_threshold_cents: 5 }, {
          per_operation: { say: { daily_request_limit: 1 } }
        }]
      ) {
        const denied = yield* Effect.flip(bindings.put(member, id, { service: "echo", operations: ["*"], ...caps }))
        assert.deepStrictEqual(denied.error.data, { permission: "budgets:write" })
      }
      assert.isTrue((yield* bindings.put(member, id, { service: "echo", operations: ["*"] })).isNew)
      yield* bindings.put(owner, id, { service: "echo", operations: ["*"], monthly_cap_cents: 10 })
      yield* bindings.disable(member, id, "echo")
      const denied = yield* Effect.flip(bindings.put(member, id, { service: "echo", operations: ["*"] }))
      assert.strictEqual(denied._tag, "Forbidden")
      assert.strictEqual((yield* agents.get(owner, id)).bindings[0]!.monthly_cap_cents, 10)
    }))

  it.effect("an agent of another workspace, or of another person, is 404", () =>
    Effect.gen(function*() {
      const bindings = yield* Bindings
      const { agent: { id }, org } = yield* makeWorkspace()
      const stranger = yield* makeUser((yield* makeWorkspace()).org)
      const member = yield* makeUser(org, "member")
      for (const user of [stranger, member]) {
        for (const agent of [id, newId("agt")]) {
          assert.strictEqual(
            (yield* Effect.flip(bindings.put(user, agent, { service: "echo", operations: ["*"] })))._tag,
            "NotFound"
          )
          assert.strictEqual((yield* Effect.flip(bindings.disable(user, agent, "echo")))._tag, "NotFound")
        }
      }
      const user = yield* makeUser(org)
      assert.strictEqual((yield* Effect.flip(bindings.disable(user, id, "echo")))._tag, "NotFound")
    }))

  it.effect("limits are created once with the current caps, and get the caps of a replacement without losing their counters", () =>
    Effect.gen(function*() {
      const bindings = yield* Bindings
      const repository = yield* BindingsRepository
      const agents = yield* Agents
      const workspace = yield* makeWorkspace({ funds: 1_000 })
      const { agent: { id }, org } = workspace
      const user = yield* makeUser(org)
      yield* execute(workspace, 30)
      yield* bindings.put(user, id, {
        service: "echo",
        operations: ["*"],
        monthly_cap_cents: 20,
        daily_request_limit: 9,
        per_operation: { say: { daily_request_limit: 4 } }
      })
      assert.deepStrictEqual(yield* capsIn(id), ["live say 3 20", "live say 4 4", "test say 3 20", "test say 4 4"])
      const { bindings: [bound] } = fitting(Agent, yield* agents.get(user, id))
      assert.deepStrictEqual(bound!.operations_usage, {
        say: { spent_this_month_cents: 30, held_cents: 0, used_today: 1 }
      })
      const limits = yield* repository.ensureLimits({
        org,
        agent: id,
        mode: "live",
        service: "echo",
        operation: "other"
      })
      assert.deepStrictEqual(
        yield* repository.ensureLimits({ org, agent: id, mode: "live", service: "echo", operation: "other" }),
        limits
      )
      assert.deepStrictEqual((yield* capsIn(id)).slice(0, 2), ["live other 3 20", "live other 4 9"])
      yield* bindings.put(user, id, { service: "echo", operations: ["*"] })
      assert.deepStrictEqual(yield* capsIn(id), [
        "live other 3 none",
        "live other 4 none",
        "live say 3 none",
        "live say 4 none",
        "test say 3 none",
        "test say 4 none"
      ])
      assert.strictEqual((yield* agents.get(user, id)).bindings[0]!.operations_usage["say"]!.spent_this_month_cents, 30)
    }))

  it.effect("a cap below the spent amount is accepted and stops the next request", () =>
    Effect.gen(function*() {
      const bindings = yield* Bindings
      const agents = yield* Agents
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace({ funds: 1_000 })
      const user = yield* makeUser(workspace.org)
      yield* execute(workspace, 30)
      yield* bindings.put(user, workspace.agent.id, { service: "echo", operations: ["*"], monthly_cap_cents: 10 })
      yield* sql`update agents set version = 1 where id = ${workspace.agent.id}`
      yield* sql`update org_heads set rules_version = 1 where org_id = ${workspace.org}`
      const { begins: [blocked] } = yield* tick(workspace, [{ ceiling: 1 }])
      assert.deepStrictEqual([blocked!.state, blocked!.ref], [402, "monthly_budget_exceeded"])
      assert.strictEqual((yield* agents.get(user, workspace.agent.id)).bindings[0]!.monthly_cap_cents, 10)
    }))

  it.effect("with any interleaving of a replacement and the creation of limits, the caps are those of the binding", () =>
    Effect.gen(function*() {
      const bindings = yield* Bindings
      const repository = yield* BindingsRepository
      const { agent: { id }, org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      yield* bindings.put(user, id, { service: "email", operations: ["*"], monthly_cap_cents: 1 })
      for (let round = 0; round < 10; round++) {
        const of = { org, agent: id, mode: "live", service: "email", operation: `op${round}` } as const
        const cap = 100 + round
        const made = yield* Effect.all([
          ...Array.from({ length: 4 }, () => repository.ensureLimits(of)),
          bindings.put(user, id, { service: "email", operations: ["*"], monthly_cap_cents: cap }),
          ...Array.from({ length: 2 }, () => repository.ensureLimits(of))
        ], { concurrency: "unbounded" })
        assert.lengthOf(new Set(made.filter((answer) => "day" in answer).map((limits) => JSON.stringify(limits))), 1)
        const caps = (yield* capsIn(id)).filter((row) => row.startsWith("live op") && row.includes(" 3 "))
        assert.deepStrictEqual(caps.map((row) => row.split(" ")[3]), caps.map(() => String(cap)))
        assert.lengthOf(caps, round + 1)
      }
    }))

  it.effect("limits of an agent of another workspace are never created", () =>
    Effect.gen(function*() {
      const repository = yield* BindingsRepository
      const { agent: { id } } = yield* makeWorkspace()
      const { org } = yield* makeWorkspace()
      const exit = yield* Effect.exit(
        repository.ensureLimits({ org, agent: id, mode: "live", service: "echo", operation: "other" })
      )
      assert.strictEqual(exit._tag, "Failure")
      assert.isEmpty((yield* capsIn(id)).filter((row) => row.includes("other")))
    }))
})
