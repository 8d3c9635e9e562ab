/** Workflows as JSON: exports, imports, and templates. Spec: reference/workflows.md "Export and import", "Templates that the hub ships". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, invalidField, notFound } from "@countersign/domain/errors"
import {
  type FromTemplateInput,
  type ImportedWorkflow,
  type WorkflowExport,
  workflowFormat,
  type WorkflowTemplates
} from "@countersign/domain/workflows"
import { Context, Effect, Layer, Option } from "effect"
import { Rights } from "../auth/rights.ts"
import { AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { workflowIn } from "./access.ts"
import { WorkflowReferences } from "./references.ts"
import { WorkflowsRepository } from "./repository.ts"
import { Workflows } from "./service.ts"
import { shippedTemplates } from "./templates.ts"
import { definitionOf, WorkflowVersionsRepository } from "./versions-repository.ts"
import { valid, WorkflowVersions } from "./versions.ts"

export class WorkflowExchange extends Context.Service<WorkflowExchange, {
  /** Of the given version, else the live one, else the newest. */
  readonly export: (
    user: UserPrincipal,
    workflow: string,
    version: string | undefined
  ) => Effect.Effect<WorkflowExport, ApiError>
  readonly import: (user: UserPrincipal, input: WorkflowExport) => Effect.Effect<ImportedWorkflow, ApiError>
  readonly templates: (user: UserPrincipal) => Effect.Effect<typeof WorkflowTemplates.Type>
  readonly fromTemplate: (user: UserPrincipal, input: FromTemplateInput) => Effect.Effect<ImportedWorkflow, ApiError>
}>()("@countersign/hub/workflows/WorkflowExchange") {
  static readonly layer = Layer.effect(
    WorkflowExchange,
    Effect.gen(function*() {
      const repository = yield* WorkflowsRepository
      const rows = yield* WorkflowVersionsRepository
      const workflows = yield* Workflows
      const versions = yield* WorkflowVersions
      const references = yield* WorkflowReferences
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const found = workflowIn(repository)

      const insert = Effect.fnUntraced(function*(
        caller: UserPrincipal,
        { definition, description = "", max_cost_cents, name }: Omit<WorkflowExport, "format">,
        origin: Readonly<Record<string, unknown>>
      ) {
        const user = yield* rights.hold(caller)
        const at = yield* heads.lock(user.org_id)
        const id = yield* workflows.createIn(
          user,
          { name, description, ...(max_cost_cents === undefined ? {} : { max_cost_cents }) },
          at,
          origin
        )
        if (definition !== undefined) yield* versions.insertIn(user, { id, latest_version: 0 }, definition, at)
        return yield* workflows.get(user, id)
      }, db.transaction)

      const withWarnings = Effect.fnUntraced(
        function*(
          user: UserPrincipal,
          source: Omit<WorkflowExport, "format">,
          origin: Readonly<Record<string, unknown>>
        ) {
          const { definition } = source
          const warnings = definition === undefined
            ? []
            : yield* references.warnings(user.org_id, definition, "definition.")
          const workflow = yield* insert(user, source, origin)
          return warnings.length === 0 ? workflow : { ...workflow, warnings }
        }
      )

      return WorkflowExchange.of({
        export: Effect.fn("WorkflowExchange.export")(function*(user, workflow, version) {
          const row = yield* found(user, workflow)
          const id = version ?? row.live_version_id ?? row.latest_version_id
          const exported = id === null ? undefined : yield* rows.find(user.org_id, workflow, id)
          if (exported !== undefined && Option.isNone(exported)) return yield* Effect.fail(notFound("version"))
          return {
            format: workflowFormat,
            name: row.name,
            description: row.description,
            ...(row.max_cost_cents === null ? {} : { max_cost_cents: row.max_cost_cents }),
            ...(exported === undefined ? {} : { definition: definitionOf(exported.value) })
          }
        }),
        import: Effect.fn("WorkflowExchange.import")(function*(user, { format, ...source }) {
          if (source.definition !== undefined) yield* valid(source.definition, "definition.")
          return yield* withWarnings(user, source, { source: format })
        }),
        templates: Effect.fn("WorkflowExchange.templates")(function*(user) {
          return { data: shippedTemplates(), next_cursor: null, as_of: yield* audit.asOf(user.org_id) }
        }),
        fromTemplate: Effect.fn("WorkflowExchange.fromTemplate")(function*(user, { name, template_id }) {
          const template = shippedTemplates().find(({ id }) => id === template_id)
          if (template === undefined) {
            return yield* Effect.fail(
              invalidField("template_id", "there is no such template; see GET /workflow-templates")
            )
          }
          const { definition, description, max_cost_cents, name: own } = template
          return yield* withWarnings(user, {
            name: name ?? own,
            description,
            definition,
            ...(max_cost_cents === undefined ? {} : { max_cost_cents })
          }, { template_id })
        })
      })
    })
  )
}
