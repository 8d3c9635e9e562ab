/** Agent requests and budget requests of all workspaces of the person, as rows of the inbox (`request-rows.ts`). */
import { isHubError } from "@countersign/hub-client/error"
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { hubClock } from "../hub/hub-time.ts"
import {
  agentChoices,
  agentQuery,
  agentRequestChoices,
  agentRequestQuery,
  budgetRequestChoices,
  budgetRequestQuery,
  openAgentRequests,
  pendingBudgetRequests,
  pendingCountQuery
} from "../hub/queries.ts"
import {
  clearDecidedRequests,
  layOutRequests,
  leaveRequests,
  missingRequests,
  noRequests,
  ofAgentRequest,
  ofBudgetRequest,
  type RequestRows,
  takeInRequests,
  withoutRequest
} from "./request-layout.ts"
import { type InboxPlace, type InboxRequest, isOpenRequest } from "./request-rows.ts"
import { watchMillis } from "./use-inbox-rows.ts"
import { useLeaving } from "./use-leaving.ts"

interface Read {
  readonly rows: ReadonlyArray<InboxRequest>
  readonly isPending: boolean
}

/** A workspace whose list cannot be read has no rows here: its name in the counts already depends on the role. */
const together = (results: ReadonlyArray<UseQueryResult<ReadonlyArray<InboxRequest>>>): Read => ({
  rows: results.flatMap(({ data }) => data ?? []),
  isPending: results.some(({ isPending }) => isPending)
})

const noOrgs: ReadonlyArray<string> = []

/** The workspaces that have, or had since the screen opened, open requests; the screen's own if it may be read. */
const useOrgs = (home: string, canRead: boolean, counted: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [seen, setSeen] = useState(noOrgs)
  const names = [...new Set([...canRead ? [home] : [], ...seen, ...counted])].join(" ")
  useEffect(() => setSeen(names === "" ? noOrgs : names.split(" ")), [names])
  return useMemo(() => names === "" ? noOrgs : names.split(" "), [names])
}

const useOpenRequests = (): Read => {
  const home = useWorkspaceId()
  const can = useCan()
  const counts = useQuery(pendingCountQuery)
  const data = counts.data?.data ?? []
  const agentOrgs = useOrgs(
    home,
    can("approvals:read"),
    data.filter(({ agent_requests }) => agent_requests > 0).map(({ workspace }) => workspace)
  )
  const budgetOrgs = useOrgs(
    home,
    can("budgets:read"),
    data.filter(({ budget_requests }) => budget_requests > 0).map(({ workspace }) => workspace)
  )
  const agents = useQueries({
    queries: agentOrgs.map((org) => ({
      ...openAgentRequests(org),
      select: (rows: Parameters<typeof selectAgent>[1]) => selectAgent(org, rows)
    })),
    combine: together
  })
  const budgets = useQueries({
    queries: budgetOrgs.map((org) => ({
      ...pendingBudgetRequests(org),
      select: (rows: Parameters<typeof selectBudget>[1]) => selectBudget(org, rows)
    })),
    combine: together
  })
  return useMemo(
    () => ({
      rows: [...agents.rows, ...budgets.rows],
      isPending: counts.isPending || agents.isPending || budgets.isPending
    }),
    [agents, budgets, counts.isPending]
  )
}

const selectAgent = (org: string, rows: ReadonlyArray<Parameters<ReturnType<typeof ofAgentRequest>>[0]>) =>
  rows.map(ofAgentRequest(org))
const selectBudget = (org: string, rows: ReadonlyArray<Parameters<ReturnType<typeof ofBudgetRequest>>[0]>) =>
  rows.map(ofBudgetRequest(org))

/** Reads requests that left their lists until `gone` no longer names them: one read can be older than the decision. */
const useRequestsOneByOne = (gone: ReadonlyArray<InboxRequest>) => {
  const options = { staleTime: 0, refetchInterval: watchMillis }
  const agentRequests = gone.filter(({ type }) => type === "agent_request")
  const budgetRequests = gone.filter(({ type }) => type === "budget_request")
  const ofAgents = useQueries({
    queries: agentRequests.map(({ id, org_id }) => ({
      ...agentRequestQuery(org_id, id),
      ...options,
      select: ofAgentRequest(org_id)
    })),
    combine: (results) => readAndLost(agentRequests, results)
  })
  const ofBudgets = useQueries({
    queries: budgetRequests.map(({ id, org_id }) => ({
      ...budgetRequestQuery(org_id, id),
      ...options,
      select: ofBudgetRequest(org_id)
    })),
    combine: (results) => readAndLost(budgetRequests, results)
  })
  return useMemo(
    () => ({ rows: [...ofAgents.rows, ...ofBudgets.rows], lost: [...ofAgents.lost, ...ofBudgets.lost] }),
    [ofAgents, ofBudgets]
  )
}

const readAndLost = (
  requests: ReadonlyArray<InboxRequest>,
  results: ReadonlyArray<UseQueryResult<InboxRequest>>
) => ({
  rows: results.flatMap(({ data }) => data ?? []),
  /** The ids of those that the person can no longer read. */
  lost: requests.flatMap(({ id }, at) => isLost(results[at]?.error) ? id : [])
})

const isLost = (error: unknown): boolean => isHubError(error) && (error.status === 403 || error.status === 404)

export const useInboxRequests = (open: string | undefined) => {
  const { isPending, rows: read } = useOpenRequests()
  const [held, setHeld] = useState<RequestRows>()

  useEffect(() => {
    if (isPending) return
    setHeld((before) =>
      before === undefined || before.rows.length === 0
        ? layOutRequests(read, hubClock.now())
        : takeInRequests(before, read)
    )
  }, [isPending, read])

  const change = (next: (before: RequestRows) => RequestRows) =>
    setHeld((before) => before === undefined ? before : next(before))

  const gone = isPending || held === undefined ? [] : missingRequests(held, read)
  const { lost, rows: left } = useRequestsOneByOne(gone)
  useEffect(() => {
    if (left.length > 0 || lost.length > 0) {
      change((before) => lost.reduce(withoutRequest, takeInRequests(before, left)))
    }
  }, [left, lost])

  const keep = useLeaving(open, (ids) => change((before) => leaveRequests(before, ids)))

  return {
    held: held ?? noRequests,
    isPending: held === undefined,
    keep,
    clearDecided: () => change((before) => clearDecidedRequests(before, open)),
    /** Lays the rows out again. */
    lay: () => change((before) => layOutRequests(before.rows, hubClock.now()))
  }
}

/** The decided requests among the newest of each workspace. */
export const useDecidedRequests = (orgs: ReadonlyArray<string>, enabled: boolean): Read => {
  const agents = useQueries({
    queries: orgs.map((org) => ({
      ...agentRequestChoices(org),
      enabled,
      select: ({ data }: { readonly data: Parameters<typeof selectAgent>[1] }) => selectAgent(org, data)
    })),
    combine: together
  })
  const budgets = useQueries({
    queries: orgs.map((org) => ({
      ...budgetRequestChoices(org),
      enabled,
      select: ({ data }: { readonly data: Parameters<typeof selectBudget>[1] }) => selectBudget(org, data)
    })),
    combine: together
  })
  return useMemo(
    () => ({
      rows: [...agents.rows, ...budgets.rows].filter((each) => !isOpenRequest(each)),
      isPending: agents.isPending || budgets.isPending
    }),
    [agents, budgets]
  )
}

/** Agents read by their id; beyond that, and without the permission, the id replaces the name. */
const singleAgentsMax = 20

/** The names of the rows' agents; undefined while they load. */
export const useAgentNames = (rows: ReadonlyArray<InboxRequest>): (of: InboxRequest) => string | undefined => {
  const own = new Map<string, string>(
    rows.flatMap(({ org_id, request }) =>
      "requested_by" in request && request.requested_by.type === "agent" && request.requested_by.id === request.agent_id
        ? [[`${org_id} ${request.agent_id}`, request.requested_by.name] as const]
        : []
    )
  )
  const orgs = [
    ...new Set(
      rows.filter(({ org_id, request }) => !own.has(`${org_id} ${request.agent_id}`)).map(({ org_id }) => org_id)
    )
  ]
  const lists = useQueries({ queries: orgs.map((org) => agentChoices(org)) })
  const listed = new Map<string, string>(
    lists.flatMap(({ data }, at) => data?.data.map(({ id, name }) => [`${orgs[at]} ${id}`, name] as const) ?? [])
  )
  const areListed = lists.every(({ isPending }) => !isPending)
  const others = [
    ...new Map(
      rows.map(({ org_id, request }) => [`${org_id} ${request.agent_id}`, { id: request.agent_id, org_id }] as const)
    )
  ].filter(([key]) => areListed && !own.has(key) && !listed.has(key)).slice(0, singleAgentsMax)
  const singles = useQueries({
    queries: others.map(([, { id, org_id }]: readonly [string, InboxPlace]) => agentQuery(org_id, id))
  })
  const single = new Map<string, string>(
    others.flatMap(([key], at) => {
      const agent = singles[at]?.data
      return agent === undefined ? [] : [[key, agent.name] as const]
    })
  )
  return ({ org_id, request }) => {
    const key = `${org_id} ${request.agent_id}`
    return own.get(key) ?? listed.get(key) ?? single.get(key)
  }
}
