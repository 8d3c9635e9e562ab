import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WorkflowExchange } from "./exchange.ts"
import { WorkflowGrants } from "./grants.ts"
import { Workflows } from "./service.ts"
import { WorkflowVersions } from "./versions.ts"

export const WorkflowsHttp = HttpApiBuilder.group(
  HubApi,
  "workflows",
  Effect.fn(function*(handlers) {
    const workflows = yield* Workflows
    const versions = yield* WorkflowVersions
    const grants = yield* WorkflowGrants
    const exchange = yield* WorkflowExchange
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => workflows.list(user, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) => workflows.create(user, payload)).pipe(
          Effect.map((workflow) => created(`/workflows/${workflow.id}`, workflow))
        ),
      import: ({ payload }) =>
        CurrentUser.use((user) => exchange.import(user, payload)).pipe(
          Effect.map((workflow) => created(`/workflows/${workflow.id}`, workflow))
        ),
      fromTemplate: ({ payload }) =>
        CurrentUser.use((user) => exchange.fromTemplate(user, payload)).pipe(
          Effect.map((workflow) => created(`/workflows/${workflow.id}`, workflow))
        ),
      templates: () => CurrentUser.use((user) => exchange.templates(user)),
      get: ({ params }) => CurrentUser.use((user) => workflows.get(user, params.id)),
      update: ({ params, payload }) => CurrentUser.use((user) => workflows.update(user, params.id, payload)),
      remove: ({ params, query }) =>
        CurrentUser.use((user) => workflows.remove(user, params.id, query.force === "true")),
      createVersion: ({ params, payload, query }) =>
        query.dry_run === "true"
          ? CurrentUser.use((user) => versions.check(user, params.id, payload))
          : CurrentUser.use((user) => versions.create(user, params.id, payload)).pipe(
            Effect.map((version) => created(`/workflows/${params.id}/versions/${version.id}`, version))
          ),
      listVersions: ({ params, query }) => CurrentUser.use((user) => versions.list(user, params.id, query)),
      getVersion: ({ params }) => CurrentUser.use((user) => versions.get(user, params.id, params.versionId)),
      publish: ({ params, payload }) =>
        CurrentUser.use((user) => versions.publish(user, params.id, params.versionId, payload ?? {})).pipe(
          Effect.map((request) => created(`/publish-requests/${request.id}`, request))
        ),
      unpublish: ({ params }) =>
        CurrentUser.use((user) => Effect.andThen(versions.unpublish(user, params.id), workflows.get(user, params.id))),
      grant: ({ params, payload }) =>
        CurrentUser.use((user) => grants.grant(user, params.id, payload.agent_id)).pipe(
          Effect.map(({ grant, isNew }) => isNew ? created(`/workflows/${params.id}`, grant) : grant)
        ),
      revoke: ({ params, query }) => CurrentUser.use((user) => grants.revoke(user, params.id, query.agent_id)),
      share: ({ params, payload }) => CurrentUser.use((user) => workflows.share(user, params.id, payload)),
      export: ({ params, query }) => CurrentUser.use((user) => exchange.export(user, params.id, query.version_id))
    })
  })
)
