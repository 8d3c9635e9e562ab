/** The filters of the list of requests, in the order of their chips. */
import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useMemo } from "react"
import { useAgentChoices } from "../app/agent-choices.ts"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { allServices } from "../hub/queries.ts"
import { amountFilter } from "../listing/amount-filter.tsx"
import { type Changes, manyFilter, oneFilter, periodFilter } from "../listing/filters.tsx"
import type { Filter } from "../patterns/filter-bar.tsx"
import { listingText as list } from "../text/listing.ts"
import { requestsText as t } from "../text/requests.ts"
import { reasonChoices } from "./reason.ts"
import { requestStatuses } from "./routes.tsx"

const isStandingApproval = (text: string) => text.startsWith("sta_")
const isCode = (text: string) => /^[a-z_]{1,64}$/u.test(text)
const isName = (text: string) => /^[a-z][a-z0-9_.-]{0,63}$/u.test(text)

export const useRequestFilters = (change: (changes: Changes) => void): ReadonlyArray<Filter> => {
  const workspace = useWorkspaceId()
  const can = useCan()
  const filters = useSearch({ from: "/w/$workspace/requests" })
  const agents = useAgentChoices()
  const services = useQuery({ ...allServices(workspace), enabled: can("catalog:read") }).data
  const chosen = services?.find(({ name }) => name === filters.service)
  const operations = useMemo(
    () =>
      [
        ...new Set((chosen === undefined ? services ?? [] : [chosen]).flatMap((service) =>
          service.operations.map(({ name }) => name)
        ))
      ].sort(),
    [services, chosen]
  )
  return [
    manyFilter(
      "status",
      t.filters.status,
      filters.status ?? [],
      change,
      requestStatuses.map((value) => ({ value, text: t.statuses[value] })),
      list.several
    ),
    oneFilter(
      "agent_id",
      t.filters.agent_id,
      filters.agent_id,
      change,
      agents.map(({ id, name }) => ({ value: id, text: name })),
      { is: (text) => text.startsWith("agt_"), label: t.agentTyped }
    ),
    oneFilter(
      "service",
      t.filters.service,
      filters.service,
      change,
      services?.map(({ name, title }) => ({ value: name, text: name, detail: title })) ?? [],
      { is: isName, label: t.serviceTyped }
    ),
    oneFilter(
      "operation",
      t.filters.operation,
      filters.operation,
      change,
      operations.map((value) => ({ value, text: value })),
      { is: isName, label: t.operationTyped }
    ),
    oneFilter("reason_code", t.filters.reason_code, filters.reason_code, change, reasonChoices(t), {
      is: isCode,
      label: t.reasonTyped
    }),
    amountFilter(list, filters, change),
    oneFilter(
      "mode",
      t.filters.mode,
      filters.mode,
      change,
      (["live", "test"] as const).map((value) => ({ value, text: t.modes[value] }))
    ),
    oneFilter("standing_approval_id", t.filters.standing_approval_id, filters.standing_approval_id, change, [], {
      is: isStandingApproval,
      label: t.standingTyped
    }),
    periodFilter(list, filters, change)
  ]
}
