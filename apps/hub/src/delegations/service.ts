/** Delegated tasks. Spec: reference/agents.md "Delegated tasks". */
import type { AgentPrincipal, Principal } from "@countersign/domain/auth"
import {
  type DelegatedTask,
  type DelegateInput,
  isEnded,
  type Reattached,
  type TaskEvent,
  type TaskStatus,
  type UpdateTaskInput
} from "@countersign/domain/delegated-tasks"
import { type ApiError, conflict, forbidden, invalidField, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId, type OrgId, withPrefix } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { momentMillis } from "@countersign/domain/time"
import { Context, Effect, Layer, Option } from "effect"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { maySeeOfAgent, ownerFilter, teamsToSee } from "../auth/own.ts"
import { Catalog } from "../catalog/service.ts"
import { needs } from "../edge/access.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { TaskEnding } from "./ending.ts"
import { DelegationsRepository, type EventRow, type TaskFilter, type TaskRow } from "./repository.ts"
import { transition } from "./rules.ts"

const taskIdPattern = idPattern("dlg")

export interface TaskQuery extends PageQuery {
  readonly status?: TaskStatus
}

/** Events with the position after the last of them; `done`: the task has ended, and none will follow. */
export interface TaskEvents {
  readonly events: ReadonlyArray<TaskEvent>
  readonly position: number
  readonly done: boolean
}

export class DelegatedTasks extends Context.Service<DelegatedTasks, {
  /** Tasks of both sides of an agent that the caller sees. */
  readonly list: (
    principal: Principal,
    agent: AgentId,
    query: TaskQuery
  ) => Effect.Effect<PageOf<DelegatedTask>, ApiError>
  /** Tasks of the workspace that the caller sees. */
  readonly listAll: (
    principal: Principal,
    query: TaskQuery & { readonly agent_id?: AgentId }
  ) => Effect.Effect<PageOf<DelegatedTask>, ApiError>
  readonly get: (principal: Principal, id: string) => Effect.Effect<DelegatedTask, ApiError>
  /** The task, its limits, and its commitment in one transaction; call it in one. `id`: the task's, minted before. */
  readonly create: (
    principal: Principal,
    agent: AgentId,
    input: DelegateInput,
    id?: string
  ) => Effect.Effect<DelegatedTask, ApiError>
  /** Of concurrent changes that end a task, one wins; the others are 409 `invalid_transition`. */
  readonly update: (
    agent: AgentPrincipal,
    own: string,
    id: string,
    input: UpdateTaskInput
  ) => Effect.Effect<DelegatedTask, ApiError>
  readonly reattach: (
    agent: AgentPrincipal,
    own: string,
    id: string,
    after: string | undefined
  ) => Effect.Effect<Reattached, ApiError>
  /** The position of an event; 0 without one, and 400 for an event that is none of this task. */
  readonly position: (principal: Principal, id: string, event: string | undefined) => Effect.Effect<number, ApiError>
  readonly events: (principal: Principal, id: string, after: number) => Effect.Effect<TaskEvents, ApiError>
}>()("@countersign/hub/delegations/DelegatedTasks") {
  static readonly layer = Layer.effect(
    DelegatedTasks,
    Effect.gen(function*() {
      const tasks = yield* DelegationsRepository
      const agents = yield* AgentsRepository
      const catalog = yield* Catalog
      const ending = yield* TaskEnding
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db

      const ownAgent = ownAgentIn(agents)
      const seen = Effect.fnUntraced(function*(principal: Principal, id: string) {
        const found = Option.filter(
          yield* tasks.find(principal.org_id, id),
          (task) =>
            principal.kind === "agent"
              ? task.mode === principal.mode &&
                (task.from_agent_id === principal.agent_id || task.to_agent_id === principal.agent_id)
              : maySeeOfAgent(principal, "delegated_task", {
                owner_user_id: task.from_owner,
                team_id: task.from_team
              }) ||
                maySeeOfAgent(principal, "delegated_task", { owner_user_id: task.to_owner, team_id: task.to_team })
        )
        return Option.isSome(found) ? found.value : yield* Effect.fail(notFound("delegated task"))
      })
      /** A task of the calling agent, on either side. */
      const ownTask = Effect.fnUntraced(function*(agent: AgentPrincipal, own: string, id: string) {
        if (own !== agent.agent_id) return yield* Effect.fail(notFound("agent"))
        return yield* seen(agent, id)
      })
      const current = (org: OrgId, id: string) =>
        Effect.flatMap(
          tasks.find(org, id),
          (found) => Option.isSome(found) ? Effect.succeed(found.value) : Effect.die(`no task ${id}`)
        )

      const create = Effect.fn("DelegatedTasks.create")(
        function*(principal: Principal, from: string, input: DelegateInput, id: string = newId("dlg")) {
          const org = principal.org_id
          if (principal.kind === "user") yield* needs(principal, "budgets:write")
          const deadline = input.deadline_at === undefined ? undefined : momentMillis(input.deadline_at)
          if (deadline !== undefined && !Number.isFinite(deadline)) {
            return yield* Effect.fail(invalidField("deadline_at", "expected an RFC 3339 time"))
          }
          const at = yield* heads.lock(org)
          const parent = yield* ownAgent(principal, from)
          if (deadline !== undefined && deadline <= at.getTime()) {
            return yield* Effect.fail(invalidField("deadline_at", "expected a time in the future"))
          }
          if (parent.status !== "active") {
            return yield* Effect.fail(
              conflict(
                "agent_disabled",
                "A paused or disabled agent cannot delegate. A person can set its status to active."
              )
            )
          }
          if (parent.frozen) {
            return yield* Effect.fail(
              conflict("spending_frozen", "This agent's spending is frozen. It can delegate when the freeze ends.")
            )
          }
          const child = yield* agents.find(org, input.to_agent_id)
          if (Option.isNone(child)) return yield* Effect.fail(notFound("agent"))
          const isChild = child.value.parent_agent_id === parent.id
          if (
            child.value.id === parent.id ||
            !(isChild || (yield* tasks.isShared(org, input.to_agent_id, parent.team_id)))
          ) {
            return yield* Effect.fail(
              forbidden(
                "An agent delegates to its own children, and to agents that are published to the workspace or to its team."
              )
            )
          }
          const services = yield* catalog.snapshot(org)
          const unknown = input.services.findIndex((service) => !services.has(service))
          if (unknown >= 0) {
            return yield* Effect.fail(
              invalidField(`services.${unknown}`, "there is no such service in this workspace")
            )
          }
          const fits = yield* tasks.insert(org, {
            id,
            mode: principal.kind === "agent" ? principal.mode : "live",
            from: parent.id,
            to: input.to_agent_id,
            goal: input.goal,
            input: input.input === undefined ? null : JSON.stringify(input.input),
            services: input.services,
            budgetCents: input.budget_cents,
            deadline: deadline === undefined ? null : new Date(deadline),
            at
          })
          if (!fits) {
            return yield* Effect.fail(
              conflict(
                "insufficient_budget",
                "The agent's budget has too little left for this task. Lower budget_cents, or ask a person for a higher budget."
              )
            )
          }
          const task = yield* current(org, id)
          yield* ending.record(task, actorOf(principal), {
            action: "created",
            data: {
              status: task.status,
              from_agent_id: parent.id,
              to_agent_id: input.to_agent_id,
              budget_cents: input.budget_cents,
              services: input.services
            }
          })
          return toTask(task)
        }
      )

      const update = Effect.fn("DelegatedTasks.update")(
        function*(agent: AgentPrincipal, own: string, id: string, { error, result, status }: UpdateTaskInput) {
          if (result !== undefined && status !== "completed") {
            return yield* Effect.fail(invalidField("result", "allowed only with the status completed"))
          }
          if (error !== undefined && status !== "failed") {
            return yield* Effect.fail(invalidField("error", "allowed only with the status failed"))
          }
          const org = agent.org_id
          const at = yield* heads.lock(org)
          const task = yield* ownTask(agent, own, id)
          switch (transition(task.from_agent_id === agent.agent_id ? "from" : "to", task.status, status)) {
            case "forbidden":
              return yield* Effect.fail(
                forbidden(
                  status === "cancelled"
                    ? "Only the agent that delegated the task cancels it. Set failed with an error instead."
                    : "Only the agent that works on the task sets this status. Set cancelled to stop the task."
                )
              )
            case "invalid":
              return yield* Effect.fail(
                conflict("invalid_transition", `A task that is ${task.status} cannot become ${status}.`, {
                  status: task.status
                })
              )
            case "allowed":
          }
          if (status === "completed" || status === "failed" || status === "cancelled") {
            const end = {
              status,
              ...(result === undefined ? {} : { result: JSON.stringify(result) }),
              ...(error === undefined ? {} : { error: JSON.stringify(error) })
            }
            yield* ending.end(task, end, actorOf(agent), at)
          } else {
            yield* tasks.start(org, id, at)
            yield* ending.record(task, actorOf(agent), { action: "updated", data: { status } })
          }
          return toTask(yield* current(org, id))
        },
        db.transaction
      )

      const positionIn = Effect.fnUntraced(function*(task: TaskRow, event: string | undefined, path: string) {
        if (event === undefined) return 0
        const found = idPattern("evt").test(event)
          ? yield* tasks.position(task, withPrefix("aud", event))
          : Option.none<number>()
        return Option.isSome(found)
          ? found.value
          : yield* Effect.fail(invalidField(path, "expected the id of an event of this task"))
      })

      const pageOf = Effect.fnUntraced(function*(
        principal: Principal,
        query: TaskQuery,
        of: Pick<TaskFilter, "agent" | "owner" | "teams">
      ) {
        const org = principal.org_id
        const [before] = (yield* decodeCursor(query.cursor, [taskIdPattern])) ?? []
        const as_of = yield* audit.asOf(org)
        const rows = yield* tasks.list(org, {
          ...of,
          mode: principal.kind === "agent" ? principal.mode : undefined,
          status: query.status,
          before,
          limit: query.limit ?? pageLimitDefault
        })
        const page = toPage(rows, query.limit, ({ id }) => [id])
        return { data: page.data.map(toTask), next_cursor: page.next_cursor, as_of }
      })

      return DelegatedTasks.of({
        list: Effect.fn("DelegatedTasks.list")(function*(principal, agent, query) {
          yield* ownAgent(principal, agent)
          return yield* pageOf(principal, query, { agent, owner: undefined, teams: [] })
        }),
        listAll: Effect.fn("DelegatedTasks.listAll")(function*(principal, { agent_id, ...query }) {
          if (principal.kind === "user") {
            return yield* pageOf(principal, query, {
              agent: agent_id,
              owner: ownerFilter(principal),
              teams: teamsToSee(principal, "delegated_task")
            })
          }
          if (agent_id !== undefined && agent_id !== principal.agent_id) {
            return { data: [], next_cursor: null, as_of: yield* audit.asOf(principal.org_id) }
          }
          return yield* pageOf(principal, query, { agent: principal.agent_id, owner: undefined, teams: [] })
        }),
        get: Effect.fn("DelegatedTasks.get")((principal, id) => Effect.map(seen(principal, id), toTask)),
        create,
        update,
        reattach: Effect.fn("DelegatedTasks.reattach")(function*(agent, own, id, after) {
          const task = yield* ownTask(agent, own, id)
          if (task.from_agent_id !== agent.agent_id) {
            return yield* Effect.fail(forbidden("Only the agent that delegated the task reattaches to it."))
          }
          const events = yield* tasks.events(task, yield* positionIn(task, after, "after"))
          return { task: toTask(yield* current(agent.org_id, id)), events: events.map(toEvent(task)) }
        }),
        position: Effect.fn("DelegatedTasks.position")(function*(principal, id, event) {
          return yield* positionIn(yield* seen(principal, id), event, "last-event-id")
        }),
        events: Effect.fnUntraced(function*(principal, id, after) {
          const task = yield* seen(principal, id)
          const rows = yield* tasks.events(task, after)
          return {
            events: rows.map(toEvent(task)),
            position: rows.at(-1)?.seq ?? after,
            done: isEnded(task.status)
          }
        })
      })
    })
  )
}

const parsed = (text: string): NonNullable<DelegatedTask["input"]> => JSON.parse(text)

const toEvent = (task: TaskRow) => (row: EventRow): TaskEvent => ({
  id: withPrefix("evt", row.id),
  type: "delegated_task.updated",
  task_id: task.id,
  status: row.status,
  created_at: row.created_at.toISOString()
})

const toTask = (row: TaskRow): DelegatedTask => ({
  id: row.id,
  from_agent_id: row.from_agent_id,
  to_agent_id: row.to_agent_id,
  from_agent_name: row.from_name,
  to_agent_name: row.to_name,
  goal: row.goal,
  ...(row.input === null ? {} : { input: parsed(row.input) }),
  services: row.services,
  budget_cents: row.budget_cents,
  spent_cents: row.spent_cents,
  held_cents: row.held_cents,
  status: row.status,
  ...(row.result === null ? {} : { result: parsed(row.result) }),
  ...(row.error === null ? {} : { error: JSON.parse(row.error) as NonNullable<DelegatedTask["error"]> }),
  ...(row.deadline_at === null ? {} : { deadline_at: row.deadline_at.toISOString() }),
  created_at: row.created_at.toISOString(),
  ...(row.started_at === null ? {} : { started_at: row.started_at.toISOString() }),
  ...(row.ended_at === null ? {} : { ended_at: row.ended_at.toISOString() })
})
