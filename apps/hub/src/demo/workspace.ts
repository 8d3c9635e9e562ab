/**
 * The workspace `Demo`: a hub with content before anybody has set it up. It is created in one transaction, except for
 * its history, which goes through dispatch like every request; the next start continues an interrupted one. Spec:
 * reference/accounts.md "Demo workspace".
 */
import { answered } from "@countersign/domain/dispatch-outcomes"
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import { dayOf } from "@countersign/domain/time"
import { Clock, Effect, Option } from "effect"
import { resolve } from "node:path"
import { BindingsRepository } from "../agents/bindings-repository.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { SetupTokensRepository } from "../auth/repository.ts"
import { CatalogRepository } from "../catalog/repository.ts"
import { readShippedServices } from "../catalog/shipped.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { LedgerRepository } from "../ledger/repository.ts"
import { AuditLog, type Entry, hubActor } from "../platform/audit-log.ts"
import { Database, Db, singleConnection } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { PoliciesRepository } from "../policies/repository.ts"
import { WorkspacesRepository } from "../workspaces/repository.ts"
import { type DemoAgent, demoAgents, demoFundsCents, demoName, demoPolicy, demoRequests } from "./content.ts"
import { DemoRepository } from "./repository.ts"
import { configurationChanged, type DemoKey, giveKey, rotateDemoKey } from "./rotation.ts"

export const demoCatalogDir = resolve(import.meta.dirname, "../../../../resources/demo")

/**
 * First key of the advisory lock of the hub that creates it: it ends with its connection, so a killed hub blocks no
 * other.
 */
const demoLockClass = 4781

const makeAgent = Effect.fnUntraced(function*(org: OrgId, agent: DemoAgent) {
  const agents = yield* AgentsRepository
  const bindings = yield* BindingsRepository
  const audit = yield* AuditLog
  const id = newId("agt")
  const { category, description, icon, monthlyBudgetCents, name } = agent
  const unset = { personality: null, voice_config: null, owner_user_id: null }
  yield* agents.insert(org, { id, name, kind: "standard", description, icon, category, ...unset }, monthlyBudgetCents)
  const key = yield* giveKey(org, id)
  yield* audit.record(org, hubActor, {
    action: "agent.created",
    subject: { type: "agent", id },
    agent_id: id,
    data: { name, key_id: key.id, mode: "live", monthly_budget_cents: monthlyBudgetCents }
  })
  for (const settings of agent.bindings) {
    yield* bindings.put(org, id, newId("bnd"), settings)
    yield* audit.record(org, hubActor, {
      action: "binding.put",
      subject: { type: "agent", id },
      agent_id: id,
      data: { new: true, ...settings }
    })
  }
  return { id, name, token: key.token }
})

/**
 * Creates the workspace with everything that its history needs, in a transaction; none when the hub is not empty and
 * the setting does not ask for it.
 */
const makeWorkspace = Effect.fnUntraced(function*(asked: boolean) {
  const demo = yield* DemoRepository
  const setup = yield* SetupTokensRepository
  const workspaces = yield* WorkspacesRepository
  const heads = yield* OrgHeads
  const ledger = yield* LedgerRepository
  const catalog = yield* CatalogRepository
  const policies = yield* PoliciesRepository
  const audit = yield* AuditLog
  // The first owner joins every existing workspace: either this one exists by then, or its creation sees the owner.
  yield* setup.lock
  if (!asked && (yield* demo.anyWorkspace)) return Option.none<DemoKey>()
  const org = yield* workspaces.createOrg(demoName)
  yield* heads.lock(org)
  const record = (entry: Entry) => audit.record(org, hubActor, entry)
  yield* record({ action: "workspace.created", subject: { type: "org", id: org }, data: { name: demoName } })
  const person = yield* demo.firstPerson
  if (Option.isSome(person)) {
    yield* workspaces.addMember(org, person.value, "owner")
    yield* record({ action: "member.added", subject: { type: "user", id: person.value }, data: { role: "owner" } })
  }

  const transfer = newId("led")
  const note = "Demo funds, not real money."
  yield* ledger.credit(org, { id: transfer, cents: demoFundsCents, causeType: "top_up", causeId: hubActor.id, note })
  yield* record({
    action: "balance.topped_up",
    subject: { type: "movement", id: transfer },
    data: { amount_cents: demoFundsCents, balance_cents: demoFundsCents, note }
  })
  for (const service of readShippedServices(demoCatalogDir).values()) {
    yield* catalog.insert(org, service.name, JSON.stringify(service), true)
    const operations = service.operations.map(({ name }) => name)
    yield* record({
      action: "service.created",
      subject: { type: "service", id: service.name },
      data: { operations, enabled: true }
    })
  }
  const policy = newId("pol")
  const { name, reason = "", then, when } = demoPolicy
  yield* policies.insert(org, policy, 1, {
    name,
    enabled: true,
    condition: when,
    action: then,
    required_approvals: null,
    deciders: null,
    expires_in_seconds: null,
    reason
  })
  yield* record({
    action: "policy.created",
    subject: { type: "policy", id: policy },
    data: { name, position: 1, when, then }
  })
  yield* heads.bumpRules(org)
  const first = yield* makeAgent(org, demoAgents.scout)
  yield* makeAgent(org, demoAgents.concierge)
  yield* demo.insert(org, first.id)
  yield* configurationChanged(org)
  return Option.some<DemoKey>({ agentName: first.name, apiKey: first.token })
})

/** Each request has its own idempotency key, so that continuing a history repeats none of it. */
const writeHistory = Effect.fnUntraced(function*(org: OrgId) {
  const demo = yield* DemoRepository
  const dispatch = yield* Dispatch
  const now = yield* Clock.currentTimeMillis
  const agents = new Map((yield* demo.agents(org)).map(({ id, name }): [string, AgentId] => [name, id]))
  for (const [index, request] of demoRequests((ahead) => dayOf(now + ahead * 86_400_000)).entries()) {
    const { name } = demoAgents[request.agent]
    const agent = agents.get(name)
    if (agent === undefined) continue
    const { operation, payload, service } = request
    const actor = { type: "agent", id: agent, name } as const
    yield* answered(
      dispatch.submit({ mode: "live", org, agent, actor, service, operation, payload, key: `demo-${index + 1}` })
    ).pipe(
      Effect.catchCause((cause) => Effect.logWarning("a request of the demo history could not be created", cause))
    )
  }
  yield* demo.markHistorySent(org)
})

/**
 * Ensures that an empty hub, or any hub that was `asked` for it, has the workspace. Returns the key of an agent to try
 * only in the start that created it, or that continued an interrupted creation before anybody saw the key.
 */
export const ensureDemo = Effect.fn("Demo.ensure")(function*({ asked }: { readonly asked: boolean }) {
  const demo = yield* DemoRepository
  const db = yield* Db
  const nothingToDo = Effect.map(
    Effect.all([demo.find, demo.anyWorkspace]),
    ([found, any]) => Option.match(found, { onSome: ({ finished }) => finished, onNone: () => any && !asked })
  )
  if (yield* nothingToDo) return Option.none<DemoKey>()
  return yield* Effect.gen(function*() {
    const { target } = yield* Database
    const connection = yield* Effect.orDie(singleConnection(target, "countersign-demo"))
    yield* Effect.orDie(connection`select pg_advisory_lock(${demoLockClass}, 0)`)
    if (yield* nothingToDo) return Option.none<DemoKey>()
    const begun = yield* demo.find
    const key = yield* Option.isSome(begun) ? rotateDemoKey : db.transaction(makeWorkspace(asked))
    const made = yield* demo.find
    if (Option.isNone(made)) return Option.none<DemoKey>()
    yield* writeHistory(made.value.org_id)
    yield* demo.finish
    return key
  }).pipe(Effect.scoped)
})
