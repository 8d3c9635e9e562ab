/** Versions of workflows, their review, and the end of it. Spec: reference/workflows.md "Definition", "Publishing". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, type Detail, invalidRequest, notFound } from "@countersign/domain/errors"
import { newId, type OrgId, type WorkflowVersionId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type { PublishRequest } from "@countersign/domain/publishing"
import { problemsSentence } from "@countersign/domain/schema-problems"
import type { WorkflowDefinition } from "@countersign/domain/workflow-definition"
import { definitionProblems } from "@countersign/domain/workflow-problems"
import {
  type CreatedWorkflowVersion,
  type PublishWorkflowInput,
  type ValidDefinition,
  type WorkflowVersion,
  workflowVersionsMax
} from "@countersign/domain/workflows"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { Rights } from "../auth/rights.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, encodeCursor, type PageOf, type PageQuery } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Publishing } from "../publishing/service.ts"
import { workflowIn } from "./access.ts"
import { WorkflowReferences } from "./references.ts"
import { type WorkflowRow, WorkflowsRepository } from "./repository.ts"
import { toVersion, WorkflowVersionsRepository } from "./versions-repository.ts"

export class WorkflowVersions extends Context.Service<WorkflowVersions, {
  /** 400 with every fault and its path. Saves nothing. */
  readonly check: (
    user: UserPrincipal,
    workflow: string,
    definition: WorkflowDefinition
  ) => Effect.Effect<ValidDefinition, ApiError>
  readonly create: (
    user: UserPrincipal,
    workflow: string,
    definition: WorkflowDefinition
  ) => Effect.Effect<CreatedWorkflowVersion, ApiError>
  /** Of a checked definition; runs in the caller's transaction, under the workspace's lock. */
  readonly insertIn: (
    user: UserPrincipal,
    workflow: Pick<WorkflowRow, "id" | "latest_version">,
    definition: WorkflowDefinition,
    at: Date
  ) => Effect.Effect<WorkflowVersionId, ApiError>
  readonly list: (
    user: UserPrincipal,
    workflow: string,
    query: PageQuery
  ) => Effect.Effect<PageOf<WorkflowVersion>, ApiError>
  readonly get: (user: UserPrincipal, workflow: string, id: string) => Effect.Effect<WorkflowVersion, ApiError>
  /** A pending request of the workflow is withdrawn. */
  readonly publish: (
    user: UserPrincipal,
    workflow: string,
    id: string,
    input: PublishWorkflowInput
  ) => Effect.Effect<PublishRequest, ApiError>
  /** 409 without a live version. */
  readonly unpublish: (user: UserPrincipal, workflow: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/workflows/WorkflowVersions") {
  static readonly layer = Layer.effect(
    WorkflowVersions,
    Effect.gen(function*() {
      const workflows = yield* WorkflowsRepository
      const repository = yield* WorkflowVersionsRepository
      const references = yield* WorkflowReferences
      const publishing = yield* Publishing
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const found = workflowIn(workflows)

      const version = Effect.fnUntraced(function*(org: OrgId, workflow: string, id: string) {
        const row = yield* repository.find(org, workflow, id)
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("version"))
      })

      const check = Effect.fn("WorkflowVersions.check")(
        function*(user: UserPrincipal, workflow: string, definition: WorkflowDefinition) {
          yield* found(user, workflow, { change: true })
          yield* valid(definition)
          const warnings = yield* references.warnings(user.org_id, definition)
          return { valid: true, ...(warnings.length === 0 ? {} : { warnings }) } as const
        }
      )

      const insertIn = Effect.fnUntraced(function*(
        user: UserPrincipal,
        workflow: Pick<WorkflowRow, "id" | "latest_version">,
        definition: WorkflowDefinition,
        at: Date
      ) {
        const org = user.org_id
        if (workflow.latest_version >= workflowVersionsMax) {
          return yield* Effect.fail(
            conflict(
              "limit_reached",
              `A workflow can have ${workflowVersionsMax} versions. Export it, and import it as a new workflow.`,
              { max: workflowVersionsMax }
            )
          )
        }
        const id = newId("wfv")
        const number = workflow.latest_version + 1
        const digest = createHash("sha256").update(canonicalize(definition)).digest("hex")
        yield* repository.insert(org, {
          id,
          workflow_id: workflow.id,
          number,
          definition: JSON.stringify(definition),
          digest,
          created_by: user.user_id
        }, at)
        yield* audit.record(org, actorOf(user), {
          action: "workflow.version_created",
          subject: { type: "workflow", id: workflow.id },
          data: { version_id: id, number, digest }
        })
        return id
      })

      const insert = Effect.fnUntraced(
        function*(caller: UserPrincipal, workflow: string, definition: WorkflowDefinition) {
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(user.org_id)
          const row = yield* found(user, workflow, { change: true })
          const id = yield* insertIn(user, row, definition, at)
          return toVersion(yield* version(user.org_id, workflow, id))
        },
        db.transaction
      )

      const create = Effect.fn("WorkflowVersions.create")(
        function*(user: UserPrincipal, workflow: string, definition: WorkflowDefinition) {
          const { warnings } = yield* check(user, workflow, definition)
          const created = yield* insert(user, workflow, definition)
          return warnings === undefined ? created : { ...created, warnings }
        }
      )

      const publish = Effect.fn("WorkflowVersions.publish")(
        function*(caller: UserPrincipal, workflow: string, id: string, input: PublishWorkflowInput) {
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(user.org_id)
          const row = yield* found(user, workflow, { change: true })
          const { id: version_id } = yield* version(user.org_id, workflow, id)
          const ofTeam = input.scope === undefined && input.team_id === undefined && row.team_id !== null
          const { description, name } = row
          return yield* publishing.requestWorkflow(user, { id: row.id, version_id, name, description }, {
            scope: ofTeam ? "team" : "org",
            ...(ofTeam && row.team_id !== null ? { team_id: row.team_id } : {}),
            ...input
          }, at)
        },
        db.transaction
      )

      const unpublish = Effect.fn("WorkflowVersions.unpublish")(function*(caller: UserPrincipal, workflow: string) {
        const user = yield* rights.hold(caller)
        const at = yield* heads.lock(user.org_id)
        const row = yield* found(user, workflow, { change: true })
        if (row.live_version_id === null) {
          return yield* Effect.fail(conflict("conflict", "The workflow has no live version."))
        }
        yield* publishing.revokeWorkflow(user, row.id, at)
      }, db.transaction)

      return WorkflowVersions.of({
        check,
        create,
        insertIn,
        publish,
        unpublish,
        list: Effect.fn("WorkflowVersions.list")(function*(user, workflow, { cursor, limit = pageLimitDefault }) {
          const [before] = (yield* decodeCursor(cursor, [/^[1-9]\d{0,6}$/])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          yield* found(user, workflow)
          const rows = yield* repository.list(user.org_id, workflow, {
            before: before === undefined ? undefined : Number(before),
            limit
          })
          const last = rows.at(-1)?.number ?? 1
          return { data: rows.map(toVersion), next_cursor: last > 1 ? encodeCursor([last]) : null, as_of }
        }),
        get: Effect.fn("WorkflowVersions.get")(function*(user, workflow, id) {
          yield* found(user, workflow)
          return toVersion(yield* version(user.org_id, workflow, id))
        })
      })
    })
  )
}

/** 400 with every fault; paths begin with `at`. */
export const valid = (definition: WorkflowDefinition, at = ""): Effect.Effect<void, ApiError> => {
  const problems = definitionProblems(definition).map(({ message, path }): Detail => ({
    path: `${at}${path}`,
    message
  }))
  return problems.length === 0
    ? Effect.void
    : Effect.fail(invalidRequest(problemsSentence("The definition", problems), problems))
}
