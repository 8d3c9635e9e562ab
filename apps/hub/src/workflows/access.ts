/** The workflow of an address below `/workflows/:id`. */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, forbidden, notFound } from "@countersign/domain/errors"
import { Effect, Option } from "effect"
import type { WorkflowRow, WorkflowsRepository } from "./repository.ts"
import { mayChangeWorkflow, maySeeWorkflow } from "./rules.ts"

/** A workflow that the person sees; 404 otherwise. With `change`: 403 unless the person may change it. */
export const workflowIn = (workflows: WorkflowsRepository["Service"]) =>
  Effect.fnUntraced(function*(
    user: UserPrincipal,
    id: string,
    options: { readonly change?: boolean } = {}
  ): Effect.fn.Return<WorkflowRow, ApiError> {
    const row = Option.filter(yield* workflows.find(user.org_id, id), (workflow) => maySeeWorkflow(user, workflow))
    if (Option.isNone(row)) return yield* Effect.fail(notFound("workflow"))
    if (options.change === true && !mayChangeWorkflow(user, row.value)) {
      return yield* Effect.fail(
        forbidden("Only the owner of the workflow, or an owner or admin of the workspace, can change it.", {
          permission: "workflows:write"
        })
      )
    }
    return row.value
  })
