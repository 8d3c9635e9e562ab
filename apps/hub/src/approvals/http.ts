import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import type { ServiceRequest } from "@countersign/domain/service-requests"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { renderRequest } from "../dispatch/requests/view.ts"
import { csvFile } from "../platform/download.ts"
import { ApprovalBatch } from "./batch.ts"
import { csvColumns } from "./export.ts"
import { ApprovalInbox } from "./inbox.ts"
import { Approvals } from "./service.ts"

const shown = (facts: RequestFacts) => JSON.parse(renderRequest(facts)) as ServiceRequest

export const ApprovalsHttp = HttpApiBuilder.group(
  HubApi,
  "approvals",
  Effect.fn(function*(handlers) {
    const approvals = yield* Approvals
    const batch = yield* ApprovalBatch
    const inbox = yield* ApprovalInbox
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentUser, (user) => inbox.list(user, query)),
      export: Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
        return csvFile(`approvals-${query.workspace ?? user.org_id}`, csvColumns, yield* inbox.rows(user, query))
      }),
      counts: ({ query }) => Effect.flatMap(CurrentUser, (user) => inbox.counts(user, query.workspace)),
      get: ({ params }) => Effect.flatMap(CurrentPrincipal, (principal) => approvals.get(principal, params.id)),
      approve: Effect.fnUntraced(function*({ params, payload }) {
        const { service_request, ...rest } = yield* approvals.approve(yield* CurrentUser, params.id, payload ?? {})
        return { ...rest, ...(service_request === undefined ? {} : { service_request: shown(service_request) }) }
      }),
      reject: ({ params, payload }) =>
        Effect.flatMap(CurrentUser, (user) => approvals.reject(user, params.id, payload ?? {})),
      decide: ({ payload }) => Effect.flatMap(CurrentUser, (user) => batch.decide(user, payload)),
      edit: Effect.fnUntraced(function*({ params, payload }) {
        const { answer, approval } = yield* approvals.edit(yield* CurrentUser, params.id, payload)
        return { approval, service_request: shown(answer.facts) }
      })
    })
  })
)
