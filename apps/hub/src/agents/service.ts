/** Creates, changes, and deletes agents, and issues their keys. Spec: reference/agents.md "Agent", "Agent keys". */
import type {
  Agent,
  AgentHealth,
  AgentKind,
  AgentSort,
  AgentStatus,
  CreateAgentInput,
  CreatedAgent,
  RotateKeyInput,
  TransferAgentInput,
  UpdateAgentInput
} from "@countersign/domain/agents"
import type { Mode, Principal, UserPrincipal } from "@countersign/domain/auth"
import type { Binding } from "@countersign/domain/bindings"
import { mintCredential } from "@countersign/domain/credentials"
import { type ApiError, conflict, forbidden, invalidField, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, type KeyId, newId, type OrgId } from "@countersign/domain/ids"
import { mayOwn } from "@countersign/domain/members"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer, Option } from "effect"
import { credentialHash } from "../auth/hash.ts"
import { mayActOnAgent, needsOnAgent, ownerFilter, seesOwnOnly, teamFilter } from "../auth/own.ts"
import { needsInTeam } from "../edge/access.ts"
import { MembersRepository } from "../members/repository.ts"
import { type Actor, actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { decodePlace, toSortedPage } from "../platform/keyset.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { BindingsRepository, type OperationFigures, type StoredBinding } from "./bindings-repository.ts"
import { ownAgentIn } from "./own-agent.ts"
import { type AgentChange, type AgentRow, agentSortTypes, AgentsRepository } from "./repository.ts"
import { freezesAlone } from "./rules.ts"
import { usableTeamIn } from "./usable-team.ts"

const agentIdPattern = idPattern("agt")

/** Audit actions that raise an agent's version. */
export const agentEdits = ["agent.updated", "agent.budget_set"]

/** The approvals service that the deletion of an agent needs. */
export class PendingApprovals extends Context.Service<PendingApprovals, {
  /**
   * Cancels the pending approvals of an agent; their requests become `blocked`, `approval_cancelled`, each with its
   * settlement and audit entry. Runs in the caller's transaction, under the workspace's lock. Returns the number of
   * cancelled approvals.
   */
  readonly cancelOfAgent: (org: OrgId, agentId: AgentId, actor: Actor) => Effect.Effect<number>
}>()("@countersign/hub/agents/PendingApprovals") {}

/** The delegated tasks that the deletion of an agent ends. */
export class AgentTasks extends Context.Service<AgentTasks, {
  /** Ends the open tasks of an agent on either side, under the workspace's lock. Returns their number. */
  readonly endOfAgent: (org: OrgId, agentId: AgentId, actor: Actor, at: Date) => Effect.Effect<number>
}>()("@countersign/hub/agents/AgentTasks") {}

/** The schedules and triggers that end with an agent. */
export class AgentFirings extends Context.Service<AgentFirings, {
  /** Deletes them, under the workspace's lock. Returns their number. */
  readonly endOfAgent: (org: OrgId, agentId: AgentId, actor: Actor, at: Date) => Effect.Effect<number>
}>()("@countersign/hub/agents/AgentFirings") {}

export interface AgentQuery extends PageQuery {
  readonly status?: AgentStatus
  readonly q?: string
  readonly team_id?: string
  readonly kind?: AgentKind
  /** The id of an agent, or `none`. */
  readonly parent_agent_id?: string
  readonly sort?: AgentSort
}

export interface IssuedKey {
  readonly id: KeyId
  readonly hint: string
  /** Shown only once. */
  readonly token: string
}

export class Agents extends Context.Service<Agents, {
  /** Leaves out agents of chats; a member sees their own agents, and those that are shared with them. */
  readonly list: (user: UserPrincipal, query: AgentQuery) => Effect.Effect<PageOf<Agent>, ApiError>
  readonly get: (principal: Principal, id: AgentId) => Effect.Effect<Agent, ApiError>
  readonly create: (user: UserPrincipal, input: CreateAgentInput) => Effect.Effect<CreatedAgent, ApiError>
  readonly update: (user: UserPrincipal, id: AgentId, input: UpdateAgentInput) => Effect.Effect<Agent, ApiError>
  /**
   * Deletes the agent and ends its keys and approvals in one transaction. 409 `agent_protected` for agents that a chat
   * or the product owns.
   */
  readonly remove: (user: UserPrincipal, id: AgentId) => Effect.Effect<void, ApiError>
  /**
   * Of two concurrent rotations the key of the later one remains; the other's key ends at once, or with its grace
   * period.
   */
  readonly rotateKey: (
    user: UserPrincipal,
    id: AgentId,
    input: RotateKeyInput
  ) => Effect.Effect<{ readonly api_key: string; readonly key_hint: string }, ApiError>
  /** Gives the agent to another team or person; the wallet that pays for it may change. */
  readonly transfer: (user: UserPrincipal, id: AgentId, input: TransferAgentInput) => Effect.Effect<Agent, ApiError>
  /** Without a check of rights, for the answer to a creation. */
  readonly read: (org: OrgId, id: AgentId) => Effect.Effect<Agent>
  /** Adds a key. Call it in the transaction that creates the agent. */
  readonly issueKey: (org: OrgId, id: AgentId, mode: Mode) => Effect.Effect<IssuedKey>
  /**
   * Ends an agent with its keys, approvals, and its place in its family; does nothing for one that has ended. Call it
   * under the workspace's lock.
   */
  readonly end: (org: OrgId, id: AgentId, actor: Actor, reason?: "time_to_live") => Effect.Effect<void>
  readonly fleetHealth: (
    user: UserPrincipal,
    query: PageQuery
  ) => Effect.Effect<PageOf<AgentHealth>, ApiError>
}>()("@countersign/hub/agents/Agents") {
  static readonly layer = Layer.effect(
    Agents,
    Effect.gen(function*() {
      const agents = yield* AgentsRepository
      const bindings = yield* BindingsRepository
      const members = yield* MembersRepository
      const approvals = yield* PendingApprovals
      const schedules = yield* AgentFirings
      const tasks = yield* AgentTasks
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db
      const ownAgent = ownAgentIn(agents)
      const usableTeam = usableTeamIn(agents, "add agents to it")

      const withBindings = Effect.fnUntraced(function*(org: OrgId, rows: ReadonlyArray<AgentRow>) {
        const ids = rows.map(({ id }) => id)
        const settings = yield* bindings.ofAgents(org, ids)
        const figures = Map.groupBy(yield* bindings.figuresOf(org, ids, "live"), ({ agent_id }) => agent_id)
        return rows.map((row) => toAgent(row, toBindings(settings.get(row.id) ?? [], figures.get(row.id) ?? [])))
      })
      /** Also an agent that a publication shares with the person: it can be read, not changed. */
      const get = Effect.fn("Agents.get")(function*(principal: Principal, id: AgentId) {
        const teams = principal.kind === "user" ? teamFilter(principal) : undefined
        const isShared = teams !== undefined && (yield* agents.isShared(principal.org_id, id, teams))
        if (!isShared) return yield* current(principal, id)
        const [agent] = yield* withBindings(principal.org_id, Option.toArray(yield* agents.find(principal.org_id, id)))
        return agent ?? (yield* Effect.fail(notFound("agent")))
      })
      const current = Effect.fnUntraced(function*(principal: Principal, id: AgentId) {
        const [agent] = yield* withBindings(principal.org_id, [yield* ownAgent(principal, id)])
        return agent!
      })
      const changed = (org: OrgId) => db.afterCommit(Effect.sync(() => signals.config(org)))

      const read = Effect.fnUntraced(function*(org: OrgId, id: AgentId) {
        const [agent] = yield* withBindings(org, Option.toArray(yield* agents.find(org, id)))
        return agent ?? (yield* Effect.die(`no agent ${id} in workspace ${org}`))
      })

      const giveKey = Effect.fnUntraced(function*(org: OrgId, agent: AgentId, mode: Mode) {
        const { hint, token } = mintCredential(`agent_key_${mode}`)
        const id = newId("key")
        yield* agents.insertKey(org, agent, { id, mode, hint, hash: credentialHash(token) })
        return { id, hint, token }
      })

      const create = Effect.fn("Agents.create")(function*(user: UserPrincipal, input: CreateAgentInput) {
        const kind = input.kind ?? "standard"
        if (kind === "yupi" && user.role !== "owner" && user.role !== "admin") {
          return yield* Effect.fail(forbidden("Only an owner or an admin can create the workspace's assistant."))
        }
        const org = user.org_id
        const id = newId("agt")
        yield* needsInTeam(user, "agents:write", input.team_id)
        if (input.monthly_budget_cents !== undefined) yield* needsInTeam(user, "budgets:write", input.team_id)
        yield* members.stays(org, user.user_id)
        yield* heads.lock(org)
        if (input.team_id !== undefined) yield* usableTeam(user, input.team_id)
        if (kind === "yupi" && Option.isSome(yield* agents.assistant(org))) {
          return yield* Effect.fail(conflict("conflict", "The workspace already has its assistant."))
        }
        yield* agents.insert(org, {
          id,
          name: input.name,
          kind,
          description: input.description ?? "",
          icon: input.icon ?? null,
          category: input.category ?? null,
          personality: input.personality ?? null,
          voice_config: jsonText(input.voiceConfig),
          owner_user_id: user.user_id,
          team_id: input.team_id ?? null
        }, input.monthly_budget_cents ?? null)
        const mode = input.mode ?? "live"
        const key = yield* giveKey(org, id, mode)
        const agent = yield* current(user, id)
        yield* audit.record(org, actorOf(user), {
          action: "agent.created",
          subject: { type: "agent", id },
          agent_id: id,
          data: {
            name: input.name,
            ...(kind === "standard" ? {} : { kind }),
            key_id: key.id,
            mode,
            ...(input.team_id === undefined ? {} : { team_id: input.team_id }),
            ...(input.monthly_budget_cents === undefined ? {} : { monthly_budget_cents: input.monthly_budget_cents })
          }
        })
        yield* changed(org)
        return { ...agent, api_key: key.token }
      }, db.transaction)

      const update = Effect.fn("Agents.update")(function*(user: UserPrincipal, id: AgentId, input: UpdateAgentInput) {
        const org = user.org_id
        const { expected_version: expected, ...fields } = input
        yield* heads.lock(org)
        const before = yield* ownAgent(user, id)
        if (!(freezesAlone(fields) && mayActOnAgent(user, "approvals:decide", before))) {
          yield* needsOnAgent(user, "agents:write", before)
        }
        yield* expectVersion(audit, org)({
          noun: "agent",
          expected,
          version: before.edit_version,
          current: current(user, id),
          subject: id,
          actions: agentEdits
        })
        const change: AgentChange = {
          ...pick(input, ["name", "description", "status", "frozen", "icon", "category", "personality"]),
          ...(input.voiceConfig === undefined ? {} : { voice_config: jsonText(input.voiceConfig) })
        }
        if (Object.keys(change).length === 0) return yield* current(user, id)
        yield* agents.update(org, id, change)
        if (input.frozen !== undefined || input.status !== undefined) yield* agents.bumpDelegates(org, id)
        const agent = yield* current(user, id)
        yield* audit.record(org, actorOf(user), {
          action: "agent.updated",
          subject: { type: "agent", id },
          agent_id: id,
          data: {
            fields: Object.keys(fields),
            ...(input.name === undefined ? {} : { name: { from: before.name, to: input.name } }),
            ...(input.status === undefined ? {} : { status: { from: before.status, to: input.status } }),
            ...(input.frozen === undefined ? {} : { frozen: { from: before.frozen, to: input.frozen } })
          }
        })
        yield* changed(org)
        return agent
      }, db.transaction)

      const end = Effect.fn("Agents.end")(function*(org: OrgId, id: AgentId, actor: Actor, reason?: "time_to_live") {
        const at = yield* heads.lock(org)
        const found = yield* agents.find(org, id)
        if (Option.isNone(found)) return
        const { name, parent_agent_id: parent } = found.value
        yield* agents.remove(org, id)
        yield* agents.endKeys(org, id, undefined, 0)
        const ended = yield* tasks.endOfAgent(org, id, actor, at)
        const firings = yield* schedules.endOfAgent(org, id, actor, at)
        const children = yield* agents.leaveFamily(org, id, at)
        const cancelled = yield* approvals.cancelOfAgent(org, id, actor)
        for (const request of yield* agents.withdrawBudgetRequests(org, id, at)) {
          yield* audit.record(org, actor, {
            action: "budget_request.withdrawn",
            subject: { type: "budget_request", id: request },
            agent_id: id,
            data: { reason: "agent_deleted" }
          })
        }
        const why = reason === undefined ? {} : { reason }
        yield* audit.record(org, actor, {
          action: "agent.deleted",
          subject: { type: "agent", id },
          agent_id: id,
          data: {
            name,
            cancelled_approvals: cancelled,
            released_children: children,
            ...(ended === 0 ? {} : { ended_tasks: ended }),
            ...(firings === 0 ? {} : { ended_schedules: firings }),
            ...why
          }
        })
        if (parent !== null) {
          yield* audit.record(org, actor, {
            action: "child.ended",
            subject: { type: "agent", id },
            agent_id: parent,
            data: { name, ...why }
          })
        }
        yield* changed(org)
      })

      const remove = Effect.fn("Agents.remove")(function*(user: UserPrincipal, id: AgentId) {
        const org = user.org_id
        yield* heads.lock(org)
        const agent = yield* ownAgent(user, id, "agents:write")
        if (agent.kind !== "standard") {
          const advice = `An agent of kind ${agent.kind} cannot be deleted; disable it instead.`
          return yield* Effect.fail(conflict("agent_protected", advice, { kind: agent.kind }))
        }
        yield* end(org, id, actorOf(user))
      }, db.transaction)

      const rotateKey = Effect.fn("Agents.rotateKey")(
        function*(user: UserPrincipal, id: AgentId, input: RotateKeyInput) {
          const org = user.org_id
          const mode = input.mode ?? "live"
          const graceSeconds = input.grace_seconds ?? 0
          yield* members.stays(org, user.user_id)
          yield* heads.lock(org)
          yield* ownAgent(user, id, "agents:keys")
          yield* agents.endKeys(org, id, mode, graceSeconds)
          const key = yield* giveKey(org, id, mode)
          yield* agents.bump(org, id)
          yield* audit.record(org, actorOf(user), {
            action: "agent.key_rotated",
            subject: { type: "agent", id },
            agent_id: id,
            data: { key_id: key.id, mode, grace_seconds: graceSeconds }
          })
          yield* changed(org)
          return { api_key: key.token, key_hint: key.hint }
        },
        db.transaction
      )

      const transfer = Effect.fn("Agents.transfer")(
        function*(user: UserPrincipal, id: AgentId, input: TransferAgentInput) {
          const { owner_user_id: owner, team_id: team } = input
          if (owner === undefined && team === undefined) {
            return yield* Effect.fail(invalidField("team_id", "the body needs team_id or owner_user_id"))
          }
          // Memberships are locked in order of id, as removals lock them.
          const roleOf = (id: string) => Effect.map(members.roleOf(user.org_id, id), (role) => ({ role }))
          const early = owner !== undefined && owner < user.user_id ? yield* roleOf(owner) : undefined
          yield* members.stays(user.org_id, user.user_id)
          const { role } = early ?? (owner === undefined ? { role: undefined } : yield* roleOf(owner))
          const org = user.org_id
          yield* heads.lock(org)
          const before = yield* ownAgent(user, id, "agents:write")
          if (team !== undefined && team !== null) yield* usableTeam(user, team)
          if (owner !== undefined && (role === undefined || !mayOwn(role))) {
            const problem = role === undefined
              ? "there is no such person in this workspace"
              : `a person with the role ${role} cannot own agents`
            return yield* Effect.fail(invalidField("owner_user_id", problem))
          }
          // A lead acts only inside of the team.
          const isOnlyLead = !user.permissions.has("agents:write") ||
            (seesOwnOnly(user.role) && before.owner_user_id !== user.user_id)
          if (isOnlyLead && team !== undefined && team !== before.team_id) {
            return yield* Effect.fail(forbidden("A lead cannot move another person's agent out of the team."))
          }
          if (owner !== undefined && owner !== before.owner_user_id) {
            if (isOnlyLead && owner === user.user_id) {
              return yield* Effect.fail(forbidden("A lead cannot become the owner of another person's agent."))
            }
            // In a team, the allocation of the new owner pays from then on, or the pool.
            const place = team === undefined ? before.team_id : team
            if (place !== null) yield* needsInTeam(user, "budgets:write", place)
          }
          const change = {
            ...(team === undefined || team === before.team_id ? {} : { team_id: team }),
            ...(owner === undefined || owner === before.owner_user_id ? {} : { owner_user_id: owner })
          }
          if (Object.keys(change).length === 0) return yield* current(user, id)
          yield* agents.update(org, id, change)
          yield* agents.bumpDelegates(org, id)
          yield* audit.record(org, actorOf(user), {
            action: "agent.transferred",
            subject: { type: "agent", id },
            agent_id: id,
            data: Object.fromEntries(
              Object.entries(change).map(([name, to]) => [name, { from: before[name as keyof typeof change], to }])
            )
          })
          yield* changed(org)
          // A member who gives an agent away may not see it any more.
          const [row] = yield* withBindings(org, Option.toArray(yield* agents.find(org, id)))
          return row!
        },
        db.transaction
      )

      return Agents.of({
        list: Effect.fn("Agents.list")(function*(user, query) {
          const { cursor, sort } = query
          const org = user.org_id
          const filter = {
            owner: ownerFilter(user),
            inTeams: teamFilter(user),
            status: query.status,
            kind: query.kind,
            team: query.team_id,
            parent: query.parent_agent_id === "none" ? null : query.parent_agent_id,
            text: query.q,
            limit: query.limit ?? pageLimitDefault
          }
          const page = sort === undefined
            ? Effect.gen(function*() {
              const [before] = (yield* decodeCursor(cursor, [agentIdPattern])) ?? []
              const as_of = yield* audit.asOf(org)
              return { as_of, ...toPage(yield* agents.list(org, { ...filter, before }), query.limit, ({ id }) => [id]) }
            })
            : Effect.gen(function*() {
              const type = agentSortTypes[sort.replace("-", "") as keyof typeof agentSortTypes]
              const after = yield* decodePlace(cursor, sort, type, agentIdPattern)
              const as_of = yield* audit.asOf(org)
              return {
                as_of,
                ...toSortedPage(yield* agents.listSorted(org, { ...filter, sort, after }), query.limit, sort)
              }
            })
          const { as_of, data, next_cursor } = yield* page
          return { data: yield* withBindings(org, data), next_cursor, as_of }
        }),
        get,
        create,
        update,
        remove,
        rotateKey,
        transfer,
        read,
        issueKey: giveKey,
        end,
        fleetHealth: Effect.fn("Agents.fleetHealth")(function*(user, query) {
          const org = user.org_id
          const [before] = (yield* decodeCursor(query.cursor, [agentIdPattern])) ?? []
          const as_of = yield* audit.asOf(org)
          const rows = yield* agents.health(org, {
            owner: ownerFilter(user),
            inTeams: teamFilter(user),
            before,
            limit: query.limit ?? pageLimitDefault
          })
          const page = toPage(rows, query.limit, ({ id }) => [id])
          const data = page.data.map((row): AgentHealth => ({
            agent_id: row.id,
            name: row.name,
            status: row.status,
            frozen: row.frozen,
            ...(row.last_seen_at === null ? {} : { last_seen_at: row.last_seen_at.toISOString() }),
            requests_24h: row.requests,
            error_rate_24h: row.requests === 0 ? 0 : Math.round(row.failed / row.requests * 10_000) / 10_000,
            ...(row.month_cap === null ? {} : { monthly_budget_cents: row.month_cap }),
            spent_this_month_cents: row.month_used,
            held_cents: row.month_held,
            pending_approvals: row.pending_approvals,
            stale_keys: row.stale_keys
          }))
          return { data, next_cursor: page.next_cursor, as_of }
        })
      })
    })
  )
}

const jsonText = (value: unknown): string | null => value === undefined || value === null ? null : JSON.stringify(value)

const pick = <A extends object, K extends keyof A>(from: A, names: ReadonlyArray<K>): Pick<A, K> =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])) as Pick<A, K>

/** Bindings as the API returns them, with the usage of their operations. */
export const toBindings = (
  settings: ReadonlyArray<StoredBinding>,
  figures: ReadonlyArray<OperationFigures>
): ReadonlyArray<Binding> =>
  settings.map((binding) => ({
    ...binding,
    operations_usage: Object.fromEntries(
      figures.filter(({ service }) => service === binding.service).map((figure) => [figure.operation, {
        spent_this_month_cents: figure.month_used,
        held_cents: figure.month_held,
        used_today: figure.day_used
      }])
    )
  }))

const toAgent = (row: AgentRow, bindings: ReadonlyArray<Binding>): Agent => ({
  id: row.id,
  name: row.name,
  description: row.description,
  kind: row.kind,
  status: row.status,
  frozen: row.frozen,
  icon: row.icon,
  category: row.category,
  personality: row.personality,
  voiceConfig: row.voice_config === null ? null : JSON.parse(row.voice_config),
  ...(row.parent_agent_id === null ? {} : { parent_agent_id: row.parent_agent_id }),
  depth: row.depth,
  ...(row.team_id === null ? {} : { team_id: row.team_id }),
  owner_user_id: row.owner_user_id,
  ...(row.month_cap === null ? {} : { monthly_budget_cents: row.month_cap }),
  ...(row.approval_threshold_cents === null ? {} : { approval_threshold_cents: row.approval_threshold_cents }),
  spent_this_month_cents: row.month_used,
  held_cents: row.month_held,
  committed_cents: row.committed,
  child_count: row.children,
  key_hint: row.key_hint,
  mode_keys: { live: row.live_key, test: row.test_key },
  bindings,
  ...(row.last_seen_at === null ? {} : { last_seen_at: row.last_seen_at.toISOString() }),
  ...(row.ends_at === null ? {} : { ends_at: row.ends_at.toISOString() }),
  version: row.edit_version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})
