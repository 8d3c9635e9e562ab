import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { csvFile } from "../platform/download.ts"
import { Usage } from "./service.ts"

const csvColumns = [
  "id",
  "service_request_id",
  "agent_id",
  "mode",
  "service",
  "operation",
  "cost_cents",
  "created_at"
] as const

export const UsageHttp = HttpApiBuilder.group(
  HubApi,
  "usage",
  Effect.fn(function*(handlers) {
    const usage = yield* Usage
    return handlers.handleAll({
      report: Effect.fnUntraced(function*({ query: { format, ...query } }) {
        const user = yield* CurrentUser
        return format === "csv"
          ? csvFile(`usage-${user.org_id}`, csvColumns, usage.records(user, query))
          : yield* usage.report(user, query)
      })
    })
  })
)
