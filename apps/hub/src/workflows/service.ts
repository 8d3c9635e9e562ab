/** Workflows: creation, changes, sharing, and deletion. Spec: reference/workflows.md "Workflow", "Sharing". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import {
  type CreateWorkflowInput,
  type ShareWorkflowInput,
  type UpdateWorkflowInput,
  type Workflow,
  workflowsMax,
  type WorkflowStatus,
  type WorkflowVisibility
} from "@countersign/domain/workflows"
import { Context, Effect, Layer } from "effect"
import { AgentsRepository } from "../agents/repository.ts"
import { usableTeamIn } from "../agents/usable-team.ts"
import { maySeeOfAgent } from "../auth/own.ts"
import { Rights } from "../auth/rights.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import type { PageOf, PageQuery } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { decodePlace, toSortedPage } from "../platform/keyset.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Publishing } from "../publishing/service.ts"
import { workflowIn } from "./access.ts"
import { LiveRuns } from "./live-runs.ts"
import { type GrantRow, type WorkflowRow, workflowSortTypes, WorkflowsRepository } from "./repository.ts"
import { mayChangeWorkflow, workflowReader } from "./rules.ts"

export interface WorkflowQuery extends PageQuery {
  readonly q?: string
  readonly status?: WorkflowStatus
  readonly visibility?: WorkflowVisibility
  readonly team_id?: string
  readonly agent_id?: AgentId
  readonly sort?: string
}

/** Edits of a workflow by people. */
const edits = ["workflow.created", "workflow.updated", "workflow.shared"]

export class Workflows extends Context.Service<Workflows, {
  readonly list: (user: UserPrincipal, query: WorkflowQuery) => Effect.Effect<PageOf<Workflow>, ApiError>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<Workflow, ApiError>
  readonly create: (user: UserPrincipal, input: CreateWorkflowInput) => Effect.Effect<Workflow, ApiError>
  /** Runs in the caller's transaction, under the workspace's lock. */
  readonly createIn: (
    user: UserPrincipal,
    input: CreateWorkflowInput,
    at: Date,
    origin?: Readonly<Record<string, unknown>>
  ) => Effect.Effect<Workflow["id"], ApiError>
  readonly update: (user: UserPrincipal, id: string, input: UpdateWorkflowInput) => Effect.Effect<Workflow, ApiError>
  readonly share: (user: UserPrincipal, id: string, input: ShareWorkflowInput) => Effect.Effect<Workflow, ApiError>
  /** 409 `run_active` while runs have not ended, unless `force`, which cancels them. */
  readonly remove: (user: UserPrincipal, id: string, force: boolean) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/workflows/Workflows") {
  static readonly layer = Layer.effect(
    Workflows,
    Effect.gen(function*() {
      const repository = yield* WorkflowsRepository
      const publishing = yield* Publishing
      const runs = yield* LiveRuns
      const usableTeam = usableTeamIn(yield* AgentsRepository, "share with it")
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const found = workflowIn(repository)

      const shown = Effect.fnUntraced(function*(user: UserPrincipal, row: WorkflowRow) {
        return toWorkflow(user, row, yield* repository.grants(user.org_id, [row.id]))
      })

      const createIn = Effect.fnUntraced(function*(
        user: UserPrincipal,
        input: CreateWorkflowInput,
        at: Date,
        origin: Readonly<Record<string, unknown>> = {}
      ) {
        const org = user.org_id
        const { description = "", max_cost_cents = null, name, team_id = null, visibility = "private" } = input
        if (team_id !== null) yield* usableTeam(user, team_id)
        if ((yield* repository.count(org)) >= workflowsMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A workspace can have ${workflowsMax} workflows; delete one first.`, {
              max: workflowsMax
            })
          )
        }
        const id = newId("wfl")
        const owner_user_id = user.user_id
        yield* repository.insert(
          org,
          { id, name, description, visibility, team_id, owner_user_id, max_cost_cents },
          at
        )
        yield* audit.record(org, actorOf(user), {
          action: "workflow.created",
          subject: { type: "workflow", id },
          data: { name, visibility, ...(team_id === null ? {} : { team_id }), ...origin }
        })
        return id
      })

      const create = Effect.fn("Workflows.create")(function*(caller: UserPrincipal, input: CreateWorkflowInput) {
        const user = yield* rights.hold(caller)
        const at = yield* heads.lock(user.org_id)
        const id = yield* createIn(user, input, at)
        return yield* shown(user, yield* found(user, id))
      }, db.transaction)

      /** The workflow to change, under the workspace's lock, at the expected version. */
      const changeable = Effect.fnUntraced(
        function*(caller: UserPrincipal, id: string, expected: number | undefined) {
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(user.org_id)
          const row = yield* found(user, id, { change: true })
          yield* expectVersion(audit, user.org_id)({
            noun: "workflow",
            expected,
            version: row.version,
            current: shown(user, row),
            subject: id,
            actions: edits
          })
          return { user, at, row }
        }
      )

      const update = Effect.fn("Workflows.update")(
        function*(caller: UserPrincipal, id: string, { expected_version, ...input }: UpdateWorkflowInput) {
          const { at, row, user } = yield* changeable(caller, id, expected_version)
          const org = user.org_id
          const fields = Object.keys(input)
          if (fields.length > 0) {
            const { max_cost_cents: cap, ...texts } = input
            yield* repository.update(
              org,
              id,
              { ...texts, ...(cap === undefined ? {} : { max_cost_cents: cap === null ? null : BigInt(cap) }) },
              at
            )
            yield* audit.record(org, actorOf(user), {
              action: "workflow.updated",
              subject: { type: "workflow", id },
              data: {
                fields,
                ...(cap === undefined ? {} : { max_cost_cents: { from: row.max_cost_cents, to: cap } })
              }
            })
          }
          return yield* shown(user, yield* found(user, id))
        },
        db.transaction
      )

      const share = Effect.fn("Workflows.share")(
        function*(caller: UserPrincipal, id: string, { expected_version, team_id, visibility }: ShareWorkflowInput) {
          const { at, row, user } = yield* changeable(caller, id, expected_version)
          const org = user.org_id
          if (team_id !== undefined) yield* usableTeam(user, team_id)
          const team = team_id ?? null
          if (row.visibility !== visibility || row.team_id !== team) {
            yield* repository.update(org, id, { visibility, team_id: team }, at)
            yield* audit.record(org, actorOf(user), {
              action: "workflow.shared",
              subject: { type: "workflow", id },
              data: {
                visibility: { from: row.visibility, to: visibility },
                ...(team === null ? {} : { team_id: team })
              }
            })
          }
          return yield* shown(user, yield* found(user, id))
        },
        db.transaction
      )

      const remove = Effect.fn("Workflows.remove")(function*(caller: UserPrincipal, id: string, force: boolean) {
        const { at, row, user } = yield* changeable(caller, id, undefined)
        const org = user.org_id
        const active = yield* runs.count(org, id)
        if (active > 0 && !force) {
          return yield* Effect.fail(
            conflict("run_active", "Runs of the workflow have not ended. Wait, or delete it with force=true.", {
              runs: active
            })
          )
        }
        if (active > 0) yield* runs.cancelAll(org, id, actorOf(user))
        yield* publishing.endWorkflow(user, id, at, "workflow_deleted")
        yield* repository.remove(org, id, at)
        yield* audit.record(org, actorOf(user), {
          action: "workflow.deleted",
          subject: { type: "workflow", id },
          data: { name: row.name, ...(active > 0 ? { cancelled_runs: active } : {}) }
        })
      }, db.transaction)

      return Workflows.of({
        create,
        createIn,
        update,
        share,
        remove,
        get: Effect.fn("Workflows.get")(function*(user, id) {
          return yield* shown(user, yield* found(user, id))
        }),
        list: Effect.fn("Workflows.list")(function*(user, query) {
          const { agent_id: agent, cursor, limit, q: text, sort = "-created_at", status, team_id: team, visibility } =
            query
          const org = user.org_id
          const field = sort.replace("-", "") as keyof typeof workflowSortTypes
          const after = yield* decodePlace(cursor, sort, workflowSortTypes[field], idPattern("wfl"))
          const as_of = yield* audit.asOf(org)
          const rows = yield* repository.list(org, {
            reader: workflowReader(user),
            text,
            status,
            visibility,
            team,
            agent,
            sort,
            after,
            limit: limit ?? pageLimitDefault
          })
          const { data, next_cursor } = toSortedPage(rows, limit, sort)
          const grants = yield* repository.grants(org, data.map(({ id }) => id))
          return {
            data: data.map((row) => toWorkflow(user, row, grants.filter(({ workflow_id }) => workflow_id === row.id))),
            next_cursor,
            as_of
          }
        })
      })
    })
  )
}

/** A person who does not change the workflow sees the agents that their lists show. */
const toWorkflow = (user: UserPrincipal, row: WorkflowRow, grants: ReadonlyArray<GrantRow>): Workflow => ({
  id: row.id,
  name: row.name,
  description: row.description,
  visibility: row.visibility,
  ...(row.team_id === null ? {} : { team_id: row.team_id }),
  owner_user_id: row.owner_user_id,
  ...(row.max_cost_cents === null ? {} : { max_cost_cents: row.max_cost_cents }),
  latest_version: row.latest_version,
  ...(row.latest_version_id === null ? {} : { latest_version_id: row.latest_version_id }),
  ...(row.live_version_id === null ? {} : { live_version_id: row.live_version_id }),
  ...(row.live_version === null ? {} : { live_version: row.live_version }),
  status: row.pending_request_id !== null
    ? "pending_review"
    : row.live_version_id !== null
    ? "published"
    : "draft",
  ...(row.pending_request_id === null || row.pending_version_id === null
    ? {}
    : { publish_request: { id: row.pending_request_id, version_id: row.pending_version_id } }),
  agents: grants
    .filter((grant) => mayChangeWorkflow(user, row) || maySeeOfAgent(user, "agent", grant))
    .map(({ agent_id, agent_name }) => ({ id: agent_id, name: agent_name })),
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})
