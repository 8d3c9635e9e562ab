/** Policy rules of a workspace. Spec: reference/policies.md "Rule", "Order". */
import type { UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  conflict,
  type Detail,
  invalidField,
  invalidRequest,
  notFound
} from "@countersign/domain/errors"
import { problemText } from "@countersign/domain/expression-problem"
import { newId, type OrgId } from "@countersign/domain/ids"
import {
  type CreatePolicyInput,
  type Deciders,
  policiesMax,
  type Policy,
  type PolicyReplay,
  replayChangedMax,
  replayLimitDefault,
  type SavedPolicy,
  type TestPolicyInput,
  type UpdatePolicyInput
} from "@countersign/domain/policies"
import { compileCondition, compileRule } from "@countersign/domain/policy-rules"
import { policyWarnings } from "@countersign/domain/policy-warnings"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { momentMillis } from "@countersign/domain/time"
import { Context, Effect, Layer, Option, Result } from "effect"
import { Catalog } from "../catalog/service.ts"
import { needsStepUp } from "../edge/step-up.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { replay, type ReplayedRule } from "./replay.ts"
import { PoliciesRepository, type PolicyColumns, toPolicy } from "./repository.ts"
import { weakensApprovals } from "./rules.ts"

const replayBatch = 50
/** Maximum size of the payloads that one replay parses, in characters. */
const replayCharactersMax = 16 * 1024 * 1024

export class Policies extends Context.Service<Policies, {
  readonly list: (
    user: UserPrincipal,
    query: PageQuery
  ) => Effect.Effect<PageOf<Policy>, ApiError>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<Policy, ApiError>
  readonly create: (user: UserPrincipal, input: CreatePolicyInput) => Effect.Effect<SavedPolicy, ApiError>
  readonly update: (user: UserPrincipal, id: string, input: UpdatePolicyInput) => Effect.Effect<SavedPolicy, ApiError>
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
  readonly test: (user: UserPrincipal, input: TestPolicyInput) => Effect.Effect<PolicyReplay, ApiError>
}>()("@countersign/hub/policies/Policies") {
  static readonly layer = Layer.effect(
    Policies,
    Effect.gen(function*() {
      const policies = yield* PoliciesRepository
      const catalog = yield* Catalog
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const found = Effect.fnUntraced(function*(org: OrgId, id: string) {
        const row = yield* policies.find(org, id)
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("policy"))
      })
      const checked = Effect.fnUntraced(function*(
        org: OrgId,
        input: { readonly when?: string; readonly deciders?: Deciders | null },
        at: string
      ) {
        const problems: Array<Detail> = []
        const condition = input.when === undefined ? undefined : compileCondition(input.when)
        if (condition !== undefined && Result.isFailure(condition)) {
          problems.push({ path: `${at}when`, message: problemText(input.when ?? "", condition.failure) })
        }
        const users = input.deciders?.user_ids ?? []
        const members = yield* policies.members(org, users)
        users.forEach((user, index) => {
          if (!members.has(user)) {
            problems.push({
              path: `${at}deciders.user_ids.${index}`,
              message: "There is no such person in this workspace."
            })
          }
        })
        if (problems.length > 0) {
          return yield* Effect.fail(invalidRequest(problemsSentence("The rule", problems), problems))
        }
      })
      const changed = Effect.fnUntraced(function*(
        user: UserPrincipal,
        action: string,
        id: string,
        data: Readonly<Record<string, unknown>>
      ) {
        const org = user.org_id
        yield* heads.bumpRules(org)
        yield* audit.record(org, actorOf(user), { action, subject: { type: "policy", id }, data })
        yield* db.afterCommit(Effect.sync(() => signals.config(org)))
      })

      const rulesOf = (org: OrgId) => Effect.map(policies.all(org), (rows) => rows.map(toPolicy))
      /** Fails, and so rolls back the change, if it weakens required approvals without a stepped-up session. */
      const stepUpIfWeaker = Effect.fnUntraced(function*(user: UserPrincipal, before: ReadonlyArray<Policy>) {
        if (weakensApprovals(before, yield* rulesOf(user.org_id))) {
          yield* needsStepUp(user, "Weakening a rule that requires approvals")
        }
      })

      const create = Effect.fn("Policies.create")(function*(user: UserPrincipal, input: CreatePolicyInput) {
        const org = user.org_id
        yield* heads.lock(org)
        yield* checked(org, input, "")
        const count = yield* policies.count(org)
        if (count >= policiesMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A workspace can have ${policiesMax} policy rules; delete one first.`)
          )
        }
        const id = newId("pol")
        const { position, ...settings } = input
        const before = yield* rulesOf(org)
        yield* policies.insert(
          org,
          id,
          Math.min(position ?? count + 1, count + 1),
          toColumns({ ...blank, ...settings })
        )
        yield* stepUpIfWeaker(user, before)
        const policy = toPolicy(yield* found(org, id))
        yield* changed(user, "policy.created", id, auditedFacts(policy))
        return policy
      }, db.transaction)

      const update = Effect.fn("Policies.update")(function*(user: UserPrincipal, id: string, input: UpdatePolicyInput) {
        const org = user.org_id
        yield* heads.lock(org)
        const before = yield* found(org, id)
        const { expected_version: expected, ...fields } = input
        yield* expectVersion(audit, org)({
          noun: "rule",
          expected,
          version: before.version,
          current: Effect.succeed(toPolicy(before)),
          subject: id,
          actions: ["policy.created", "policy.updated"]
        })
        if (Object.keys(fields).length === 0) return toPolicy(before)
        yield* checked(org, fields, "")
        const { position, ...settings } = fields
        const to = Math.min(position ?? before.position, yield* policies.count(org))
        const rules = yield* rulesOf(org)
        if (to !== before.position) yield* policies.move(org, id, before.position, to)
        yield* policies.update(org, id, toColumns({ ...toPolicy(before), ...settings }))
        yield* stepUpIfWeaker(user, rules)
        const policy = toPolicy(yield* found(org, id))
        yield* changed(user, "policy.updated", id, { fields: Object.keys(fields), ...auditedFacts(policy) })
        return policy
      }, db.transaction)

      const remove = Effect.fn("Policies.remove")(function*(user: UserPrincipal, id: string) {
        const org = user.org_id
        yield* heads.lock(org)
        const { name, position } = yield* found(org, id)
        const before = yield* rulesOf(org)
        yield* policies.remove(org, id, position)
        yield* stepUpIfWeaker(user, before)
        yield* changed(user, "policy.deleted", id, { name, position })
      }, db.transaction)

      /** The rule to replay, with the rules before it. */
      const replayed = Effect.fnUntraced(function*(org: OrgId, { policy_id, rule }: TestPolicyInput) {
        const rows = yield* policies.all(org)
        const earlier = (position: number, id: string) =>
          rows.filter((row) => row.enabled && row.id !== id && row.position < position).map((row) =>
            compileRule(toPolicy(row))
          )
        if (rule !== undefined) {
          const id = newId("pol")
          const { position, ...settings } = rule
          const draft = compileRule({ ...blank, ...settings, id, version: 1 })
          return { earlier: earlier(position ?? policiesMax + 1, id), rule: draft } satisfies ReplayedRule
        }
        const row = rows.find(({ id }) => id === policy_id)
        if (row === undefined) return yield* Effect.fail(notFound("policy"))
        return { earlier: earlier(row.position, row.id), rule: compileRule(toPolicy(row)) } satisfies ReplayedRule
      })

      const test = Effect.fn("Policies.test")(function*(user: UserPrincipal, input: TestPolicyInput) {
        const org = user.org_id
        if ((input.rule === undefined) === (input.policy_id === undefined)) {
          const either = ["rule", "policy_id"].map((path) => ({ path, message: "Send one of the two." }))
          return yield* Effect.fail(invalidRequest("Send either rule or policy_id.", either))
        }
        if (input.rule !== undefined) yield* checked(org, input.rule, "rule.")
        const from = input.from === undefined ? 0 : momentMillis(input.from)
        const to = input.to === undefined ? undefined : momentMillis(input.to)
        if (to !== undefined && from > to) return yield* Effect.fail(invalidField("to", "it is before from"))
        const subject = yield* replayed(org, input)
        const limit = input.limit ?? replayLimitDefault
        const tally = { checked: 0, matched: 0, errors: 0, would_block: 0, would_require_approval: 0 }
        const differences: Array<PolicyReplay["changed"][number]> = []
        let before: string | undefined
        let characters = 0
        while (tally.checked < limit && characters < replayCharactersMax) {
          const batch = yield* policies.past(org, { from, to }, before, Math.min(replayBatch, limit - tally.checked))
          for (const request of batch) {
            const verdict = replay(subject, request)
            tally.checked++
            characters += request.payload.length
            before = request.id
            if (verdict.kind === "decides") {
              tally.matched++
              if (verdict.erred) tally.errors++
              if (verdict.would === "blocked") tally.would_block++
              if (verdict.would === "approval_required") tally.would_require_approval++
              if (verdict.would !== undefined && differences.length < replayChangedMax) {
                differences.push({ request_id: request.id, status: request.status, would: verdict.would })
              }
            }
            if (characters >= replayCharactersMax) break
            // Lets other fibers run in between.
            yield* Effect.yieldNow
          }
          if (batch.length < replayBatch) break
        }
        return { ...tally, changed: differences }
      })

      /** The saved rule, with warnings. Runs after the transaction: it reads the whole catalog. */
      const withWarnings = Effect.fnUntraced(function*(org: OrgId, policy: Policy) {
        const services = [...(yield* catalog.snapshot(org)).values()].filter(({ enabled }) => enabled)
        const operations = services.flatMap(({ definition }) =>
          definition.operations.map(({ name, payload_schema }) => ({
            service: definition.name,
            operation: name,
            payload_schema
          }))
        )
        return { ...policy, warnings: policyWarnings(policy.when, operations) } satisfies SavedPolicy
      })

      return Policies.of({
        list: Effect.fn("Policies.list")(function*(user, query) {
          const [after] = (yield* decodeCursor(query.cursor, [/^\d{1,9}$/])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = (yield* policies.all(user.org_id)).filter(({ position }) => position > Number(after ?? 0))
          const page = toPage(rows, query.limit, ({ position }) => [position])
          return { data: page.data.map(toPolicy), next_cursor: page.next_cursor, as_of }
        }),
        get: Effect.fn("Policies.get")(function*(user, id) {
          return toPolicy(yield* found(user.org_id, id))
        }),
        create: (user, input) => Effect.flatMap(create(user, input), (policy) => withWarnings(user.org_id, policy)),
        update: (user, id, input) =>
          Effect.flatMap(update(user, id, input), (policy) => withWarnings(user.org_id, policy)),
        remove,
        test
      })
    })
  )
}

/** Defaults of a new rule. */
const blank = { enabled: true, reason: "" }

interface Settings {
  readonly name: string
  readonly enabled: boolean
  readonly when: string
  readonly then: Policy["then"]
  readonly required_approvals?: number | null
  readonly deciders?: Deciders | null
  readonly expires_in_seconds?: number | null
  readonly reason: string
}

const toColumns = (policy: Settings): PolicyColumns => ({
  name: policy.name,
  enabled: policy.enabled,
  condition: policy.when,
  action: policy.then,
  required_approvals: policy.required_approvals ?? null,
  deciders: policy.deciders === undefined || policy.deciders === null ? null : JSON.stringify(policy.deciders),
  expires_in_seconds: policy.expires_in_seconds ?? null,
  reason: policy.reason
})

const auditedFacts = (
  { created_at: _created, id: _id, updated_at: _updated, ...policy }: Policy
): Readonly<Record<string, unknown>> => policy
