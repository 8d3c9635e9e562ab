import { newId } from "@countersign/domain/ids"
import { Policy, PolicyReplay, SavedPolicy } from "@countersign/domain/policies"
import { PoliciesRepository } from "@countersign/hub/policies/repository"
import { Policies } from "@countersign/hub/policies/service"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fitting } from "../../support/contract.ts"
import { HubServices } from "../../support/hub-services.ts"
import { makeUser, steppedUp } from "../../support/principals.ts"
import { execute, makeWorkspace, tick } from "../../support/tick.ts"

const block = (name: string, when = "true") => ({ name, when, then: "block" as const })
const withoutWarnings = <A extends { readonly warnings: unknown }>({ warnings: _, ...saved }: A) => saved
const rulesVersion = Effect.fnUntraced(function*(org: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ rules_version: number }>`select rules_version from org_heads where org_id = ${org}`
  return row!.rules_version
})

layer(HubServices, { excludeTestServices: true })("policy rules", (it) => {
  it.effect("are added at the end or in between, moved, and deleted, and keep their order without gaps", () =>
    Effect.gen(function*() {
      const policies = yield* Policies
      const repository = yield* PoliciesRepository
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const order = Effect.map(
        policies.list(user, {}),
        ({ data }) => data.map(({ name, position }) => `${position}${name}`).join(" ")
      )
      const a = yield* policies.create(user, block("a"))
      const b = yield* policies.create(user, { ...block("b"), enabled: false })
      yield* policies.create(user, { ...block("c"), position: 1 })
      yield* policies.create(user, { ...block("d"), position: 200 })
      assert.strictEqual(yield* order, "1c 2a 3b 4d")
      assert.strictEqual((yield* policies.update(user, a.id, { position: 4 })).position, 4)
      assert.strictEqual(yield* order, "1c 2b 3d 4a")
      yield* policies.update(user, a.id, { position: 2 })
      assert.strictEqual(yield* order, "1c 2a 3b 4d")
      yield* policies.update(user, a.id, { position: 200 })
      assert.strictEqual(yield* order, "1c 2b 3d 4a")
      yield* policies.remove(user, b.id)
      assert.strictEqual(yield* order, "1c 2d 3a")
      const first = yield* policies.list(user, { limit: 2 })
      assert.deepStrictEqual(
        (yield* policies.list(user, { limit: 2, cursor: first.next_cursor! })).data.map(({ name }) => name),
        ["a"]
      )
      yield* policies.update(user, a.id, { enabled: false })
      assert.deepStrictEqual((yield* repository.enabled(org)).map(({ name }) => name), ["c", "d"])
    }))

  it.effect("are saved with warnings about names and fields that do not exist", () =>
    Effect.gen(function*() {
      const policies = yield* Policies
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const made = fitting(
        SavedPolicy,
        yield* policies.create(user, block("typo", "service == 'ecko' && payload.n > 3"))
      )
      assert.deepStrictEqual(made.warnings, [{ path: "when", message: "There is no service \"ecko\"." }])
      const mended = yield* policies.update(user, made.id, { when: "service == 'echo' && payload.n > 3" })
      assert.deepStrictEqual(mended.warnings.map(({ path }) => path), ["when"])
      assert.include(mended.warnings[0]?.message, "payload.n is optional in echo.say")
      assert.deepStrictEqual(
        (yield* policies.update(user, made.id, { when: "has(payload.n) && payload.n > 3" })).warnings,
        []
      )
    }))

  it.effect("keep their settings, raise their version and the workspace's rules version, and are audited", () =>
    Effect.gen(function*() {
      const policies = yield* Policies
      const sql = yield* SqlClient.SqlClient
      const { org } = yield* makeWorkspace()
      // Another condition and a deletion weaken the rule.
      const user = steppedUp(yield* makeUser(org))
      const operator = yield* makeUser(org, "operator")
      const made = yield* policies.create(user, {
        name: "Big",
        when: "ceiling_cents > 500",
        then: "require_approval",
        required_approvals: 2,
        deciders: { roles: ["owner"], user_ids: [operator.user_id] },
        expires_in_seconds: 600,
        reason: "money"
      })
      assert.deepStrictEqual(yield* policies.get(user, made.id), fitting(Policy, withoutWarnings(made)))
      assert.deepStrictEqual([made.version, made.position, made.enabled], [1, 1, true])
      assert.strictEqual(yield* rulesVersion(org), 2)
      const changed = yield* policies.update(user, made.id, {
        name: "Bigger",
        when: "ceiling_cents > 900",
        deciders: null
      })
      assert.deepStrictEqual(
        { ...changed, updated_at: made.updated_at },
        (({ deciders: _, ...rest }) => ({ ...rest, name: "Bigger", when: "ceiling_cents > 900", version: 2 }))(made)
      )
      assert.deepStrictEqual(yield* policies.update(user, made.id, {}), changed)
      assert.strictEqual(yield* rulesVersion(org), 3)
      yield* policies.remove(user, made.id)
      assert.strictEqual(yield* rulesVersion(org), 4)
      const audited = yield* sql<{ action: string; subject_id: string }>`select action, subject_id from audit
        where org_id = ${org}
        order by seq`
      assert.deepStrictEqual(
        audited.map(({ action, subject_id }) => [action, subject_id]),
        ["created", "updated", "deleted"].map((what) => [`policy.${what}`, made.id])
      )
    }))

  it.effect("are checked when they are saved: expression and people", () =>
    Effect.gen(function*() {
      const policies = yield* Policies
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const stranger = yield* makeUser((yield* makeWorkspace()).org)
      const paths = (error: { readonly error: { readonly details?: ReadonlyArray<{ readonly path: string }> } }) =>
        error.error.details?.map(({ path }) => path)
      const wrong = yield* Effect.flip(
        policies.create(user, {
          ...block("x", "nothing > 1"),
          deciders: { user_ids: [user.user_id, stranger.user_id] }
        })
      )
      assert.deepStrictEqual(paths(wrong), ["when", "deciders.user_ids.1"])
      const made = yield* policies.create(user, block("x"))
      assert.deepStrictEqual(paths(yield* Effect.flip(policies.update(user, made.id, { when: "1 + 1" }))), ["when"])
      assert.deepStrictEqual(paths(yield* Effect.flip(policies.test(user, { rule: block("y", "(") }))), ["rule.when"])
      assert.deepStrictEqual(paths(yield* Effect.flip(policies.test(user, {}))), ["rule", "policy_id"])
      assert.strictEqual((yield* policies.get(user, made.id)).version, 1)
    }))

  it.effect("added and deleted concurrently keep one order", () =>
    Effect.gen(function*() {
      const policies = yield* Policies
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const made = yield* Effect.all(
        Array.from({ length: 12 }, (_, at) =>
          policies.create(user, { ...block(`r${at}`), ...(at % 2 === 0 ? { position: 1 } : {}) })),
        { concurrency: "unbounded" }
      )
      yield* Effect.all([
        ...made.slice(0, 4).map(({ id }) =>
          policies.remove(user, id)
        ),
        ...made.slice(4, 8).map(({ id }, at) => policies.update(user, id, { position: at + 1 }))
      ], { concurrency: "unbounded", discard: true })
      const { data } = yield* policies.list(user, {})
      assert.deepStrictEqual(data.map(({ position }) => position), [1, 2, 3, 4, 5, 6, 7, 8])
      assert.lengthOf(new Set(data.map(({ id }) => id)), 8)
    }))

  it.effect("of another workspace are 404", () =>
    Effect.gen(function*() {
      const policies = yield* Policies
      const { org } = yield* makeWorkspace()
      const made = yield* policies.create(yield* makeUser(org), block("x"))
      const stranger = yield* makeUser((yield* makeWorkspace()).org)
      for (const id of [made.id, newId("pol")]) {
        const answers = yield* Effect.all([
          Effect.flip(policies.get(stranger, id)),
          Effect.flip(policies.update(stranger, id, { enabled: false })),
          Effect.flip(policies.remove(stranger, id)),
          Effect.flip(policies.test(stranger, { policy_id: id }))
        ])
        assert.deepStrictEqual(answers.map(({ _tag }) => _tag), ["NotFound", "NotFound", "NotFound", "NotFound"])
      }
      assert.deepStrictEqual((yield* policies.list(stranger, {})).data, [])
    }))

  it.effect("are limited to two hundred", () =>
    Effect.gen(function*() {
      const policies = yield* Policies
      const sql = yield* SqlClient.SqlClient
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      yield* sql`insert into policies (id, org_id, name, position, condition, action)
      select 'pol_' || lpad(n::text, 26, '0'), ${org}, 'x', n, 'true', 'block' from generate_series(1, 200) n`
      assert.strictEqual((yield* Effect.flip(policies.create(user, block("x")))).error.code, "limit_reached")
    }))
})

layer(HubServices, { excludeTestServices: true })("a replay", (it) => {
  it.effect("shows what a rule would have changed among the current rules, newest first, and changes nothing", () =>
    Effect.gen(function*() {
      const policies = yield* Policies
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace({ funds: 10_000 })
      const { org } = workspace
      const user = yield* makeUser(org)
      const cheap = yield* execute(workspace, 5)
      const expensive = yield* execute(workspace, 900)
      const { begins: [waits, blocked, disabled, held] } = yield* tick(workspace, [
        { verdict: 2, ceiling: 950 },
        { verdict: 3, ceiling: 800 },
        { verdict: 4, ceiling: 700, reason: "agent_disabled" },
        { ceiling: 600 }
      ])
      const counts = ({ changed: _, ...rest }: { readonly changed: unknown }) => rest
      const version = yield* rulesVersion(org)
      const stops = fitting(PolicyReplay, yield* policies.test(user, { rule: block("x", "ceiling_cents > 500") }))
      assert.deepStrictEqual(counts(stops), {
        checked: 6,
        matched: 5,
        errors: 0,
        would_block: 3,
        would_require_approval: 0
      })
      assert.sameDeepMembers([...stops.changed], [
        { request_id: held!.id, status: "running", would: "blocked" },
        { request_id: waits!.id, status: "approval_required", would: "blocked" },
        { request_id: expensive, status: "executed", would: "blocked" }
      ] as never)
      const asks = yield* policies.test(user, {
        rule: { ...block("x", "ceiling_cents > 500"), then: "require_approval" }
      })
      assert.sameMembers(asks.changed.map(({ request_id }) => request_id as string), [held!.id, expensive])
      assert.strictEqual(asks.would_require_approval, 2)
      const errs = yield* policies.test(user, { rule: { ...block("x", "payload.text > 3"), then: "allow" }, limit: 2 })
      assert.deepStrictEqual([errs.checked, errs.errors], [2, 2])
      const standing = yield* policies.create(user, { ...block("first", "ceiling_cents > 800"), then: "allow" })
      const after = yield* policies.test(user, { rule: block("x", "ceiling_cents > 500") })
      assert.deepStrictEqual(counts(after), {
        checked: 6,
        matched: 3,
        errors: 0,
        would_block: 1,
        would_require_approval: 0
      })
      const before = yield* policies.test(user, { rule: { ...block("x", "ceiling_cents > 500"), position: 1 } })
      assert.strictEqual(before.would_block, 3)
      yield* sql`update settlements set block = ${JSON.stringify({ limit: "policy", policy_id: newId("pol") })}
        where request_id = ${blocked!.id}`
      yield* policies.update(user, standing.id, { when: "ceiling_cents >= 800", enabled: false })
      const allows = yield* policies.test(user, { policy_id: standing.id })
      assert.deepStrictEqual(
        allows.changed,
        [{ request_id: blocked!.id, status: "blocked", would: "allowed" }] as never
      )
      assert.isFalse(stops.changed.some(({ request_id }) => [cheap, blocked!.id, disabled!.id].includes(request_id)))
      assert.strictEqual(yield* rulesVersion(org), version + 2)
    }))

  it.effect("reads only its period and its workspace", () =>
    Effect.gen(function*() {
      const policies = yield* Policies
      const workspace = yield* makeWorkspace({ funds: 100 })
      const user = yield* makeUser(workspace.org)
      const stranger = yield* makeUser((yield* makeWorkspace()).org)
      yield* execute(workspace, 5)
      const rule = block("x")
      const checked = (input: object) => Effect.map(policies.test(user, { rule, ...input }), ({ checked }) => checked)
      assert.strictEqual(yield* checked({}), 1)
      assert.strictEqual(yield* checked({ to: new Date(Date.now() - 3_600_000).toISOString() }), 0)
      assert.strictEqual(yield* checked({ from: new Date(Date.now() - 3_600_000).toISOString() }), 1)
      assert.strictEqual(yield* checked({ from: new Date(Date.now() + 30_000).toISOString() }), 0)
      assert.strictEqual(
        (yield* Effect.flip(policies.test(user, { rule, from: "2026-11-02", to: "2026-11-01" }))).error.details?.[0]
          ?.path,
        "to"
      )
      assert.strictEqual((yield* policies.test(stranger, { rule })).checked, 0)
    }))
})
