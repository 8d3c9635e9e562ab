/** Scheduled tasks of a workspace. Spec: reference/schedules.md "Scheduled task", "Overlap", "Failures". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId, type OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import {
  type CreateScheduledTaskInput,
  type ScheduledTask,
  type ScheduleRun,
  type ScheduleRunStatus,
  schedulesMax,
  type ScheduleStatus,
  type UpdateScheduledTaskInput
} from "@countersign/domain/scheduled-tasks"
import { Context, Effect, Layer, Option } from "effect"
import { maySeeOf, ownerFilter } from "../auth/own.ts"
import { Rights } from "../auth/rights.ts"
import { FiringAgents } from "../firings/agent.ts"
import { FiringsRepository } from "../firings/repository.ts"
import { Firings } from "../firings/service.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Owner } from "../platform/owner.ts"
import { ClaimsRepository } from "./claims-repository.ts"
import { firingAt, unsentOf } from "./firing.ts"
import { type ScheduleChange, type ScheduleRow, SchedulesRepository } from "./repository.ts"
import { checkedTiming, nextColumns } from "./rules.ts"
import { makeRunViews, type RunViews } from "./run-views.ts"
import { toScheduledTask } from "./view.ts"

const scheduleIdPattern = idPattern("sch")
const runIdPattern = idPattern("srn")

/** Audit actions that raise a schedule's version. */
const edits = ["schedule.updated", "schedule.paused", "schedule.resumed"]

export interface ScheduleQuery extends PageQuery {
  readonly agent_id?: AgentId
  readonly status?: ScheduleStatus
}

export interface RunQuery extends PageQuery {
  readonly status?: ScheduleRunStatus
}

export class ScheduledTasks extends Context.Service<ScheduledTasks, {
  readonly list: (user: UserPrincipal, query: ScheduleQuery) => Effect.Effect<PageOf<ScheduledTask>, ApiError>
  readonly create: (user: UserPrincipal, input: CreateScheduledTaskInput) => Effect.Effect<ScheduledTask, ApiError>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<ScheduledTask, ApiError>
  /** The next due time is computed from now. */
  readonly update: (
    user: UserPrincipal,
    id: string,
    input: UpdateScheduledTaskInput
  ) => Effect.Effect<ScheduledTask, ApiError>
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
  readonly listRuns: (user: UserPrincipal, id: string, query: RunQuery) => Effect.Effect<PageOf<ScheduleRun>, ApiError>
  /** Fires now, obeying `overlap`. Runs in the caller's transaction if there is one. */
  readonly run: (user: UserPrincipal, id: string) => Effect.Effect<ScheduleRun, ApiError>
  readonly setStatus: (
    user: UserPrincipal,
    id: string,
    status: ScheduleStatus
  ) => Effect.Effect<ScheduledTask, ApiError>
}>()("@countersign/hub/schedules/ScheduledTasks") {
  static readonly layer = Layer.effect(
    ScheduledTasks,
    Effect.gen(function*() {
      const schedules = yield* SchedulesRepository
      const claims = yield* ClaimsRepository
      const firingRows = yield* FiringsRepository
      const views: RunViews = yield* makeRunViews
      const firings = yield* Firings
      const agents = yield* FiringAgents
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const owner = yield* Owner
      const audit = yield* AuditLog
      const db = yield* Db

      /** A scheduled task, not the schedule of a trigger, of an agent that the person sees. */
      const find = Effect.fnUntraced(function*(user: UserPrincipal, id: string) {
        const row = Option.filter(
          yield* schedules.find(user.org_id, id),
          ({ owner_user_id, trigger_id }) => trigger_id === null && maySeeOf(user, owner_user_id)
        )
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("scheduled task"))
      })
      const shown = (org: OrgId, rows: ReadonlyArray<ScheduleRow>) =>
        Effect.map(
          Effect.flatMap(firingRows.latest(org, rows.map(({ id }) => id)), (latest) => views.ofEach(org, latest)),
          (runs) => rows.map((row) => toScheduledTask(row, runs.get(row.id)))
        )
      const current = Effect.fnUntraced(function*(user: UserPrincipal, id: string) {
        const [task] = yield* shown(user.org_id, [yield* find(user, id)])
        return task ?? (yield* Effect.die(`schedule ${id} is gone`))
      })
      const record = (
        user: UserPrincipal,
        { agent_id, id }: { readonly id: string; readonly agent_id: AgentId },
        action: string,
        data: Readonly<Record<string, unknown>>
      ) =>
        audit.record(user.org_id, actorOf(user), {
          action: `schedule.${action}`,
          subject: { type: "schedule", id },
          agent_id,
          data
        })

      const create = Effect.fn("ScheduledTasks.create")(
        function*(caller: UserPrincipal, input: CreateScheduledTaskInput) {
          const org = caller.org_id
          yield* agents.checkAction(org, input.action, false)
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(org)
          yield* agents.check(user, input.agent_id, "schedules:write")
          const id = newId("sch")
          const { action, agent_id, catch_up = "once", cron, enabled = true, name, overlap = "skip" } = input
          const { jitter_seconds = 0, timezone = "UTC" } = input
          const timing = yield* checkedTiming(id, { cron, timezone, jitter_seconds })
          if ((yield* schedules.count(org)) >= schedulesMax) {
            return yield* Effect.fail(conflict(
              "limit_reached",
              `A workspace can have ${schedulesMax} schedules, with those of triggers; delete one first.`,
              { max: schedulesMax }
            ))
          }
          yield* schedules.insert(org, id, null, {
            agent_id,
            name,
            action: JSON.stringify(action),
            cron,
            timezone,
            catch_up,
            overlap,
            jitter_seconds,
            status: enabled ? "active" : "paused",
            paused_by: enabled ? null : "person",
            failures: 0,
            ...(enabled ? nextColumns(timing, at.getTime()) : { due_at: null, fire_at: null })
          }, at)
          yield* record(user, { id, agent_id }, "created", { name, cron, timezone })
          return yield* current(user, id)
        },
        db.transaction
      )

      const update = Effect.fn("ScheduledTasks.update")(
        function*(caller: UserPrincipal, id: string, { expected_version, ...input }: UpdateScheduledTaskInput) {
          const org = caller.org_id
          if (input.action !== undefined) yield* agents.checkAction(org, input.action, false)
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(org)
          const before = yield* find(user, id)
          yield* agents.check(user, before.agent_id, "schedules:write")
          if (input.agent_id !== undefined) yield* agents.check(user, input.agent_id, "schedules:write")
          yield* expectVersion(audit, org)({
            noun: "scheduled task",
            expected: expected_version,
            version: before.version,
            current: current(user, id),
            subject: id,
            actions: edits
          })
          if (Object.keys(input).length === 0) return yield* current(user, id)
          const { action, ...rest } = input
          const timing = yield* checkedTiming(id, {
            cron: input.cron ?? before.cron,
            timezone: input.timezone ?? before.timezone,
            jitter_seconds: input.jitter_seconds ?? before.jitter_seconds
          })
          const change: Partial<ScheduleChange> = {
            ...rest,
            ...(action === undefined ? {} : { action: JSON.stringify(action) }),
            ...(before.status === "active" ? nextColumns(timing, at.getTime()) : {})
          }
          yield* schedules.update(org, id, change, at)
          yield* record(user, { id, agent_id: input.agent_id ?? before.agent_id }, "updated", {
            fields: Object.keys(input),
            ...(input.name === undefined ? {} : { name: { from: before.name, to: input.name } }),
            ...(input.cron === undefined ? {} : { cron: { from: before.cron, to: input.cron } })
          })
          return yield* current(user, id)
        },
        db.transaction
      )

      const remove = Effect.fn("ScheduledTasks.remove")(function*(caller: UserPrincipal, id: string) {
        const org = caller.org_id
        const user = yield* rights.hold(caller)
        const at = yield* heads.lock(org)
        const row = yield* find(user, id)
        yield* agents.check(user, row.agent_id, "schedules:write")
        yield* schedules.skipQueued([id])
        yield* schedules.remove(org, id, at)
        yield* record(user, row, "deleted", { name: row.name })
      }, db.transaction)

      const run = Effect.fn("ScheduledTasks.run")(function*(caller: UserPrincipal, id: string) {
        const org = caller.org_id
        const user = yield* rights.hold(caller)
        const at = yield* heads.lock(org)
        const row = yield* find(user, id)
        yield* agents.check(user, row.agent_id, "schedules:write")
        const schedule = yield* claims.one(org, id)
        if (schedule === undefined) return yield* Effect.fail(notFound("scheduled task"))
        const firing = firingAt(schedule, { due: at, now: at, manual: true }, owner.num())
        yield* firings.store([firing])
        yield* record(user, row, "run", { run_id: firing.id, status: firing.status })
        const unsent = unsentOf(schedule, firing)
        if (unsent !== undefined) yield* db.afterCommit(firings.start([unsent]))
        const stored = yield* firingRows.find(org, firing.id)
        return Option.isSome(stored)
          ? yield* views.one(org, stored.value)
          : yield* Effect.die(`run ${firing.id} was not stored`)
      }, db.transaction)

      const setStatus = Effect.fn("ScheduledTasks.setStatus")(
        function*(caller: UserPrincipal, id: string, status: ScheduleStatus) {
          const org = caller.org_id
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(org)
          const row = yield* find(user, id)
          yield* agents.check(user, row.agent_id, "schedules:write")
          if (row.status === status) return yield* current(user, id)
          if (status === "paused") {
            yield* schedules.update(org, id, { status, paused_by: "person", due_at: null, fire_at: null }, at)
            yield* schedules.skipQueued([id])
          } else {
            const timing = yield* checkedTiming(id, row)
            yield* schedules.update(org, id, {
              status,
              paused_by: null,
              failures: 0,
              ...nextColumns(timing, at.getTime())
            }, at)
          }
          yield* record(user, row, status === "paused" ? "paused" : "resumed", { reason: "person" })
          return yield* current(user, id)
        },
        db.transaction
      )

      return ScheduledTasks.of({
        create,
        update,
        remove,
        run,
        setStatus,
        get: current,
        list: Effect.fn("ScheduledTasks.list")(function*(user, query) {
          const org = user.org_id
          const [before] = (yield* decodeCursor(query.cursor, [scheduleIdPattern])) ?? []
          const as_of = yield* audit.asOf(org)
          const rows = yield* schedules.list(org, {
            agent: query.agent_id,
            owner: ownerFilter(user),
            status: query.status,
            before,
            limit: query.limit ?? pageLimitDefault
          })
          const { data, next_cursor } = toPage(rows, query.limit, ({ id }) => [id])
          return { data: yield* shown(org, data), next_cursor, as_of }
        }),
        listRuns: Effect.fn("ScheduledTasks.listRuns")(function*(user, id, query) {
          const org = user.org_id
          const [before] = (yield* decodeCursor(query.cursor, [runIdPattern])) ?? []
          yield* find(user, id)
          const as_of = yield* audit.asOf(org)
          const rows = yield* firingRows.list(org, {
            schedule: id,
            trigger: undefined,
            status: query.status,
            before,
            limit: query.limit ?? pageLimitDefault
          })
          const { data, next_cursor } = toPage(rows, query.limit, (row) => [row.id])
          return { data: yield* views.all(org, data), next_cursor, as_of }
        })
      })
    })
  )
}
