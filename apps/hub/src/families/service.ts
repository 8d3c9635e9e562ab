/** Spawns and clones agents. Spec: reference/agents.md "Families". */
import type { CreatedAgent } from "@countersign/domain/agents"
import { agentNameMax } from "@countersign/domain/agents"
import type { AgentPrincipal, UserPrincipal } from "@countersign/domain/auth"
import { type BindingSettings, hasCaps } from "@countersign/domain/bindings"
import { type ApiError, conflict, type Detail, forbidden, notFound } from "@countersign/domain/errors"
import {
  agentDepthMax,
  type CloneInput,
  type SpawnedAgent,
  type SpawnEstimate,
  type SpawnInput,
  type SpawnRefusal
} from "@countersign/domain/families"
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { Context, Effect, Layer, Option } from "effect"
import { BindingsRepository } from "../agents/bindings-repository.ts"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { Agents } from "../agents/service.ts"
import { needs } from "../edge/access.ts"
import { MembersRepository } from "../members/repository.ts"
import { MemoryCopy } from "../memories/copy.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { FamiliesRepository } from "./repository.ts"
import { inherit } from "./rules.ts"

interface Verdict {
  readonly refusal?: SpawnRefusal
  readonly bindings: ReadonlyArray<BindingSettings>
  readonly excess: ReadonlyArray<Detail>
  /** What the parent has left; null: it has no cap. */
  readonly available: number | null
}

export class Families extends Context.Service<Families, {
  /**
   * Creates the child, its key, and its commitment in one transaction. Of concurrent spawns, those that fit pass. Call
   * it in a transaction.
   */
  readonly spawn: (agent: AgentPrincipal, input: SpawnInput) => Effect.Effect<SpawnedAgent, ApiError>
  readonly estimate: (agent: AgentPrincipal, input: SpawnInput) => Effect.Effect<SpawnEstimate, ApiError>
  readonly clone: (user: UserPrincipal, id: AgentId, input: CloneInput) => Effect.Effect<CreatedAgent, ApiError>
}>()("@countersign/hub/families/Families") {
  static readonly layer = Layer.effect(
    Families,
    Effect.gen(function*() {
      const families = yield* FamiliesRepository
      const agents = yield* AgentsRepository
      const ownAgent = ownAgentIn(agents)
      const existing = yield* Agents
      const bindings = yield* BindingsRepository
      const members = yield* MembersRepository
      const memories = yield* MemoryCopy
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db

      const bindingsOf = (org: OrgId, agent: AgentId) =>
        Effect.map(bindings.ofAgents(org, [agent]), (all) => all.get(agent) ?? [])

      const judge = Effect.fnUntraced(function*({ agent_id: id, org_id: org }: AgentPrincipal, input: SpawnInput) {
        const parent = yield* agents.find(org, id)
        if (Option.isNone(parent)) return yield* Effect.fail(notFound("agent"))
        const { depth, frozen, status } = parent.value
        const own = new Map((yield* bindingsOf(org, id)).map((binding) => [binding.service, binding]))
        const { available, threshold } = yield* families.room(org, id)
        const inherited = inherit(own, input.services, threshold)
        const cap = input.monthly_budget_cents
        const tooLarge = available !== null && (cap === null || (cap > 0 && cap > available))
        const refusal: SpawnRefusal | undefined = status !== "active"
          ? "agent_disabled"
          : frozen
          ? "spending_frozen"
          : depth >= agentDepthMax
          ? "spawn_depth_exceeded"
          : inherited.excess.length > 0
          ? "not_subset"
          : tooLarge
          ? "insufficient_budget"
          : undefined
        return { ...inherited, available, ...refusal === undefined ? {} : { refusal } } satisfies Verdict
      })

      const refused = ({ available, excess, refusal }: Verdict, input: SpawnInput): ApiError | undefined => {
        switch (refusal) {
          case undefined:
            return undefined
          case "agent_disabled":
            return conflict(refusal, "A paused or disabled agent cannot spawn. A person can set its status to active.")
          case "spending_frozen":
            return conflict(refusal, "This agent's spending is frozen. It can spawn when the freeze ends.")
          case "spawn_depth_exceeded":
            return conflict(refusal, `Agents are at most ${agentDepthMax} levels below a root agent.`, {
              depth_max: agentDepthMax
            })
          case "not_subset":
            return forbidden(
              problemsSentence("The child's access", excess),
              { fields: excess.map(({ path }) => path) },
              refusal
            )
          case "insufficient_budget":
            return conflict(
              refusal,
              input.monthly_budget_cents === null
                ? "A child of an agent with a budget needs a budget. Send monthly_budget_cents."
                : `The agent's budget has ${
                  Math.max(0, available ?? 0)
                } cents left. Lower monthly_budget_cents, or ask a person for a higher budget.`,
              { available_cents: Math.max(0, available ?? 0) }
            )
        }
      }

      const spawn = Effect.fn("Families.spawn")(function*(agent: AgentPrincipal, input: SpawnInput) {
        const org = agent.org_id
        const at = yield* heads.lock(org)
        const verdict = yield* judge(agent, input)
        const problem = refused(verdict, input)
        if (problem !== undefined) return yield* Effect.fail(problem)
        const id = newId("agt")
        yield* agents.insert(org, {
          id,
          name: input.name,
          kind: "standard",
          description: input.description ?? "",
          icon: null,
          category: null,
          personality: input.personality ?? null,
          voice_config: null,
          owner_user_id: null
        }, input.monthly_budget_cents)
        yield* families.adopt(org, id, agent.agent_id, input.ttl_seconds)
        if (!(yield* families.commit(org, id, agent.agent_id, at))) {
          return yield* Effect.die(`the budget of child ${id} did not fit after it was checked`)
        }
        for (const binding of verdict.bindings) yield* bindings.put(org, id, newId("bnd"), binding)
        const key = yield* existing.issueKey(org, id, agent.mode)
        const child = yield* existing.read(org, id)
        const budget = input.monthly_budget_cents === null ? {} : { monthly_budget_cents: input.monthly_budget_cents }
        const actor = actorOf(agent)
        yield* audit.record(org, actor, {
          action: "agent.created",
          subject: { type: "agent", id },
          agent_id: id,
          data: { name: input.name, key_id: key.id, mode: agent.mode, parent_agent_id: agent.agent_id, ...budget }
        })
        yield* audit.record(org, actor, {
          action: "child.spawned",
          subject: { type: "agent", id },
          agent_id: agent.agent_id,
          data: { name: input.name, ...budget, ...child.ends_at === undefined ? {} : { ends_at: child.ends_at } }
        })
        return { ...child, api_key: key.token }
      })

      const clone = Effect.fn("Families.clone")(function*(user: UserPrincipal, source: AgentId, input: CloneInput) {
        const org = user.org_id
        yield* needs(user, "agents:keys")
        yield* members.stays(org, user.user_id)
        const at = yield* heads.lock(org)
        const from = yield* ownAgent(user, source)
        const own = yield* bindingsOf(org, source)
        if (from.month_cap !== null || from.approval_threshold_cents !== null || own.some(hasCaps)) {
          yield* needs(user, "budgets:write")
        }
        const id = newId("agt")
        const suffix = " (copy)"
        const name = input.name ?? `${from.name.slice(0, agentNameMax - suffix.length)}${suffix}`
        yield* agents.insert(org, {
          id,
          name,
          kind: "standard",
          description: from.description,
          icon: from.icon,
          category: from.category,
          personality: from.personality,
          voice_config: from.voice_config,
          owner_user_id: user.user_id
        }, from.month_cap)
        yield* families.copyThreshold(org, id, source)
        for (const binding of own) yield* bindings.put(org, id, newId("bnd"), binding)
        const workflows = yield* families.copyGrants(org, id, source, user.user_id, at)
        const copied = input.include_memories === true ? yield* memories.copy(org, source, id, at) : undefined
        const key = yield* existing.issueKey(org, id, "live")
        const agent = yield* existing.read(org, id)
        yield* audit.record(org, actorOf(user), {
          action: "agent.created",
          subject: { type: "agent", id },
          agent_id: id,
          data: {
            name,
            key_id: key.id,
            mode: "live",
            cloned_from: source,
            ...workflows === 0 ? {} : { workflows },
            ...copied === undefined ? {} : { memories: copied },
            ...from.month_cap === null ? {} : { monthly_budget_cents: from.month_cap }
          }
        })
        return { ...agent, api_key: key.token }
      }, db.transaction)

      return Families.of({
        spawn,
        estimate: Effect.fn("Families.estimate")(function*(agent, input) {
          const { refusal } = yield* judge(agent, input)
          return {
            would_commit_cents: input.monthly_budget_cents ?? 0,
            passes: refusal === undefined,
            ...refusal === undefined ? {} : { code: refusal }
          }
        }),
        clone
      })
    })
  )
}
