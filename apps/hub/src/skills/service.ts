/**
 * Skills of agents: derived from bindings and grants, or proposed by the agent and accepted by a person. Spec: reference/skills.md
 * "Skill", "Skill proposals".
 */
import type { AgentPrincipal, Principal, UserPrincipal } from "@countersign/domain/auth"
import { alreadyDecided, type ApiError, conflict, fieldConflict, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId, type OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import {
  type CreateSkillProposalInput,
  customSkillsMax,
  type DecideSkillProposalInput,
  pendingProposalsMax,
  type Skill,
  type SkillKind,
  type SkillProposal,
  type SkillProposalStatus
} from "@countersign/domain/skills"
import { Context, Effect, Layer, Option } from "effect"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { namedFor } from "../auth/named.ts"
import { Rights } from "../auth/rights.ts"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { WorkflowsRepository } from "../workflows/repository.ts"
import { type ProposalRow, SkillsRepository } from "./repository.ts"
import { serviceSkills, workflowSkills } from "./rules.ts"

/** In the order of the list. */
const kinds: ReadonlyArray<SkillKind> = ["service", "workflow", "custom"]

export class Skills extends Context.Service<Skills, {
  readonly list: (principal: Principal, agent: AgentId, query: PageQuery) => Effect.Effect<PageOf<Skill>, ApiError>
  /** 409 `skill_derived` for a skill that a binding or a grant gives. */
  readonly remove: (user: UserPrincipal, agent: AgentId, id: string) => Effect.Effect<void, ApiError>
  readonly proposals: (
    principal: Principal,
    agent: AgentId,
    query: PageQuery & { readonly status?: SkillProposalStatus }
  ) => Effect.Effect<PageOf<SkillProposal>, ApiError>
  readonly proposal: (principal: Principal, agent: AgentId, id: string) => Effect.Effect<SkillProposal, ApiError>
  readonly propose: (
    principal: AgentPrincipal,
    agent: AgentId,
    input: CreateSkillProposalInput
  ) => Effect.Effect<SkillProposal, ApiError>
  /** Of racing decisions one succeeds; every other is 409 `conflict`. */
  readonly decide: (
    user: UserPrincipal,
    agent: AgentId,
    id: string,
    input: DecideSkillProposalInput
  ) => Effect.Effect<SkillProposal, ApiError>
}>()("@countersign/hub/skills/Skills") {
  static readonly layer = Layer.effect(
    Skills,
    Effect.gen(function*() {
      const repository = yield* SkillsRepository
      const workflows = yield* WorkflowsRepository
      const configuration = yield* Configuration
      const ownAgent = ownAgentIn(yield* AgentsRepository)
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db

      const found = Effect.fnUntraced(function*(org: OrgId, agent: AgentId, id: string) {
        const row = yield* repository.find(org, agent, id)
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("skill proposal"))
      })

      const derived = Effect.fnUntraced(function*(principal: Principal, agent: AgentId) {
        const { id } = yield* ownAgent(principal, agent)
        const current = yield* configuration.read(principal.org_id, id)
        if (current === undefined) return yield* Effect.fail(notFound("agent"))
        const ofServices = serviceSkills(id, [...current.agent.bindings.values()], (name) => {
          const service = current.org.services.get(name)
          return service === undefined ? undefined : {
            name,
            enabled: service.enabled,
            operations: [...service.operations.values()].map(({ definition }) => definition)
          }
        })
        return [...ofServices, ...workflowSkills(id, yield* workflows.grantedTo(principal.org_id, id))]
      })

      const list = Effect.fn("Skills.list")(function*(principal: Principal, agent: AgentId, query: PageQuery) {
        const [kind, after = ""] =
          (yield* decodeCursor(query.cursor, [/^(?:service|workflow|custom)$/, /^[a-z0-9_.-]{1,130}$/])) ??
            []
        const as_of = yield* audit.asOf(principal.org_id)
        const all = [
          ...yield* derived(principal, agent),
          ...(yield* repository.custom(principal.org_id, agent)).map(toSkill)
        ]
        // The kinds follow each other; custom skills descend by id, all others ascend.
        const rest = kind === undefined ? all : all.filter((skill) =>
          skill.kind === kind
            ? kind === "custom" ? skill.id < after : skill.id > after
            : kinds.indexOf(skill.kind) > kinds.indexOf(kind as SkillKind)
        )
        return { ...toPage(rest, query.limit, (skill) => [skill.kind, skill.id]), as_of }
      })

      const remove = Effect.fn("Skills.remove")(function*(caller: UserPrincipal, agent: AgentId, id: string) {
        const org = caller.org_id
        const user = yield* rights.hold(caller)
        const at = yield* heads.lock(org)
        yield* ownAgent(user, agent, "agents:write")
        if ((yield* derived(user, agent)).some((skill) => skill.id === id)) {
          return yield* Effect.fail(
            conflict(
              "skill_derived",
              id.startsWith("wfl_")
                ? "This skill comes from a grant; revoke the grant of the workflow instead."
                : "This skill comes from a binding; disable the operation in the binding instead."
            )
          )
        }
        const row = Option.filter(
          yield* repository.find(org, agent, id),
          ({ deleted_at, status }) => status === "accepted" && deleted_at === null
        )
        if (Option.isNone(row)) return yield* Effect.fail(notFound("skill"))
        yield* repository.remove(org, id, at)
        yield* audit.record(org, actorOf(user), {
          action: "skill.deleted",
          subject: { type: "skill", id },
          agent_id: agent,
          data: { name: row.value.name }
        })
      }, db.transaction)

      const propose = Effect.fn("Skills.propose")(
        function*(principal: AgentPrincipal, agent: AgentId, input: CreateSkillProposalInput) {
          const org = principal.org_id
          const at = yield* heads.lock(org)
          yield* ownAgent(principal, agent)
          if ((yield* repository.undecided(org, agent)) >= pendingProposalsMax) {
            return yield* Effect.fail(
              conflict(
                "limit_reached",
                `An agent can have ${pendingProposalsMax} undecided proposals; wait until people have decided some.`,
                { max: pendingProposalsMax }
              )
            )
          }
          const id = newId("skp")
          yield* repository.insert(org, {
            description: "",
            operations: [],
            rationale: "",
            ...input,
            id,
            agent_id: agent,
            created_at: at
          })
          yield* audit.record(org, actorOf(principal), {
            action: "skill.proposed",
            subject: { type: "skill", id },
            agent_id: agent,
            data: { name: input.name }
          })
          return toProposal(principal, yield* found(org, agent, id))
        },
        db.transaction
      )

      /** Why the proposal cannot become a skill now. */
      const refusal = Effect.fnUntraced(function*(org: OrgId, { agent_id, name }: ProposalRow) {
        const custom = yield* repository.custom(org, agent_id)
        if (custom.length >= customSkillsMax) {
          return conflict("limit_reached", `An agent can have ${customSkillsMax} custom skills; delete one first.`, {
            max: customSkillsMax
          })
        }
        return custom.some((skill) => skill.name.toLowerCase() === name.toLowerCase())
          ? fieldConflict("status", "The agent has a custom skill with this name; delete it first.")
          : undefined
      })

      const decide = Effect.fn("Skills.decide")(
        function*(caller: UserPrincipal, agent: AgentId, id: string, input: DecideSkillProposalInput) {
          const org = caller.org_id
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(org)
          yield* ownAgent(user, agent, "agents:write")
          const row = yield* found(org, agent, id)
          if (row.status !== "proposed") {
            const { decided_at, decided_by, status } = toProposal(user, row)
            return yield* Effect.fail(alreadyDecided("skill proposal", { status, decided_by, decided_at }))
          }
          const problem = input.status === "accepted" ? yield* refusal(org, row) : undefined
          if (problem !== undefined) return yield* Effect.fail(problem)
          yield* repository.decide(org, id, {
            status: input.status,
            comment: input.comment ?? null,
            by: user.user_id,
            at
          })
          yield* audit.record(org, actorOf(user), {
            action: `skill.${input.status}`,
            subject: { type: "skill", id },
            agent_id: agent,
            data: { name: row.name }
          })
          return toProposal(user, yield* found(org, agent, id))
        },
        db.transaction
      )

      return Skills.of({
        list,
        remove,
        propose,
        decide,
        proposals: Effect.fn("Skills.proposals")(function*(principal, agent, query) {
          const [before] = (yield* decodeCursor(query.cursor, [idPattern("skp")])) ?? []
          const as_of = yield* audit.asOf(principal.org_id)
          yield* ownAgent(principal, agent)
          const rows = yield* repository.list(principal.org_id, {
            agent,
            status: query.status,
            before,
            limit: query.limit ?? pageLimitDefault
          })
          const { data, next_cursor } = toPage(rows, query.limit, ({ id }) => [id])
          return { data: data.map((row) => toProposal(principal, row)), next_cursor, as_of }
        }),
        proposal: Effect.fn("Skills.proposal")(function*(principal, agent, id) {
          yield* ownAgent(principal, agent)
          return toProposal(principal, yield* found(principal.org_id, agent, id))
        })
      })
    })
  )
}

const toSkill = (row: ProposalRow): Skill => ({
  id: row.id,
  agent_id: row.agent_id,
  kind: "custom",
  name: row.name,
  description: row.description,
  call: { instructions: row.instructions },
  source: "proposal"
})

const toProposal = (principal: Principal, row: ProposalRow): SkillProposal => ({
  id: row.id,
  agent_id: row.agent_id,
  name: row.name,
  description: row.description,
  instructions: row.instructions,
  operations: row.operations,
  rationale: row.rationale,
  status: row.status,
  ...(row.decided_by === null ? {} : { decided_by: namedFor(principal, row.decided_by) }),
  ...(row.comment === null ? {} : { comment: row.comment }),
  created_at: row.created_at.toISOString(),
  ...(row.decided_at === null ? {} : { decided_at: row.decided_at.toISOString() })
})
