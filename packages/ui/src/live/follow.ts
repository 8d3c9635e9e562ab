/**
 * Applies events to cached data. An event has the new version of an object, not its content, so the object is read
 * again: rows that a list has are replaced in place, and other objects are counted as arrivals (`arrivals.ts`).
 */
import type { EventType } from "@countersign/domain/events"
import type { Input, ListName, Output } from "@countersign/hub-client/contract"
import type { ReceivedEvent } from "@countersign/hub-client/received-event"
import type { Query, QueryClient } from "@tanstack/react-query"
import { hubOf } from "../hub/query-options.ts"
import { keyOfQuery, reaches, touch, type Touched } from "../hub/touch.ts"
import type { Arrivals } from "./arrivals.ts"
import { type Held, holds, type Item, withRow } from "./list-rows.ts"

/** Endpoints that return one object by its id, in the shape of a row of the list beside them. */
type OneName =
  | "approvals.get"
  | "service_requests.get"
  | "agents.get"
  | "standing_approvals.get"
  | "devices.get"
  | "device_commands.get"
  | "delegated_tasks.get"
  | "workflow_runs.get"

interface Reach {
  /** Rows that are replaced in place. */
  readonly rows?: {
    readonly one: OneName
    readonly list: ListName
    /**
     * For a list within one object: the field of the row that names the object. Rows of other objects are no arrivals
     * there.
     */
    readonly within?: string
    /** The path's parameter of the id, unless it is `id`. */
    readonly param?: string
  }
  /** Aggregates: refetched if visible, at most every two seconds. */
  readonly touches: ReadonlyArray<Touched>
  /** Lists that get a new row. */
  readonly news: ReadonlyArray<ListName>
}

const approvals: Reach = {
  rows: { one: "approvals.get", list: "approvals.list" },
  touches: ["approvals.counts", "approvals.get", "traces"],
  news: ["audit.list"]
}

export const reachOf: Readonly<Record<EventType, Reach>> = {
  "approval.created": approvals,
  "approval.updated": approvals,
  "approval.decided": approvals,
  "approval.expired": approvals,
  "service_request.updated": {
    rows: { one: "service_requests.get", list: "service_requests.list" },
    // Every request changes the limits of an open approval.
    touches: [
      "usage",
      "agents.fleetHealth",
      "agents.get",
      "approvals.get",
      "budgets.get",
      "traces",
      "delegated_tasks.get"
    ],
    news: ["audit.list"]
  },
  "agent.updated": {
    rows: { one: "agents.get", list: "agents.list" },
    touches: ["agents.fleetHealth", "bindings", "budgets", "skills"],
    news: ["audit.list", "activity.list"]
  },
  "balance.changed": {
    touches: ["ledger.balance", "teams.budget", "teams.members", "approvals.get"],
    news: ["ledger.list"]
  },
  "standing_approval.updated": {
    rows: { one: "standing_approvals.get", list: "standing_approvals.list" },
    touches: [],
    news: ["audit.list"]
  },
  // A freeze, a role, a team, or a policy changes which controls are offered.
  "workspace.updated": {
    touches: [
      "workspaces",
      "members",
      "teams",
      "invites",
      "policies",
      "webhook_endpoints",
      "notice_channels",
      "auth.me",
      "approvals.get",
      "budgets.alerts"
    ],
    news: ["audit.list"]
  },
  "catalog.updated": { touches: ["services", "mcp_tools", "secrets", "bindings"], news: ["audit.list"] },
  "app.updated": { touches: ["apps"], news: ["audit.list"] },
  "knowledge.updated": {
    touches: [
      "knowledge.listCollections",
      "knowledge.getCollection",
      "knowledge.listDocuments",
      "knowledge.getDocument"
    ],
    news: ["audit.list"]
  },
  "budget_request.updated": {
    touches: ["budget_requests", "approvals.counts", "budgets", "agents"],
    news: ["audit.list"]
  },
  "payment.updated": { touches: ["ledger.balance", "billing"], news: ["audit.list"] },
  "budget.alert": { touches: ["budgets", "usage"], news: ["audit.list"] },
  "agent_request.created": { touches: ["agent_requests", "approvals.counts"], news: ["audit.list"] },
  "publish_request.updated": { touches: ["publishing"], news: ["audit.list"] },
  "agent_request.updated": { touches: ["agent_requests", "approvals.counts"], news: ["audit.list"] },
  "delegated_task.updated": {
    rows: { one: "delegated_tasks.get", list: "delegated_tasks.listAll", param: "taskId" },
    touches: ["delegated_tasks.list", "budgets", "agents.get"],
    news: ["audit.list", "activity.list"]
  },
  "device.updated": {
    rows: { one: "devices.get", list: "devices.list" },
    touches: ["device_sessions.list", "device_sessions.get"],
    news: ["audit.list"]
  },
  "device_command.updated": {
    rows: { one: "device_commands.get", list: "device_sessions.commands", within: "session_id" },
    touches: ["devices.list", "devices.get"],
    news: ["audit.list"]
  },
  "workflow.updated": { touches: ["workflows", "skills"], news: ["audit.list"] },
  "schedule.updated": { touches: ["scheduled_tasks"], news: ["audit.list"] },
  "trigger.updated": { touches: ["triggers"], news: ["audit.list"] },
  "chat.updated": { touches: ["chat.list", "chat.get"], news: ["audit.list"] },
  "run.updated": {
    rows: { one: "workflow_runs.get", list: "workflow_runs.list", param: "runId" },
    touches: [],
    news: ["audit.list"]
  }
}

/** With more changed rows than this in one batch, the whole list is refetched. */
export const rowsOneByOneMax = 12

const listsOf = (queries: QueryClient, list: ListName, workspace: string | null): ReadonlyArray<Query> =>
  queries.getQueryCache().findAll({ predicate: (query) => reaches(keyOfQuery(query), workspace, [list]) })

/** A level of a family, or the assistant: an agent is in few of these lists. */
const isLevel = (query: Query): boolean => {
  const filters = keyOfQuery(query)?.[2].query
  return filters?.["parent_agent_id"] !== undefined || filters?.["kind"] !== undefined
}

/**
 * Reads one object and replaces it wherever it is shown. A list with an object that no longer exists is refetched. An
 * object in no list is an arrival for the visible lists that it belongs to.
 */
const refresh = async (
  queries: QueryClient,
  arrivals: Arrivals,
  { list, one, param = "id", within }: NonNullable<Reach["rows"]>,
  workspace: string,
  id: string
): Promise<void> => {
  const detail = queries.getQueryCache().findAll({
    predicate: (query) => {
      const key = keyOfQuery(query)
      return reaches(key, workspace, [one]) && key[2].params?.[param] === id
    }
  })
  const lists = listsOf(queries, list, workspace)
  const holding = lists.filter((query) => holds(query.state.data as Held, id))
  const asking = within === undefined ? [] : lists.filter((query) => query.isActive() && !holding.includes(query))
  await Promise.all(detail.map((query) => queries.invalidateQueries({ queryKey: query.queryKey, exact: true })))
  if (holding.length === 0 && asking.length === 0) return
  try {
    const read = detail.find((query) =>
      query.isActive() && query.state.status === "success" && !query.state.isInvalidated
    )?.state.data
    const row =
      (read ?? await hubOf(queries).call(one, { params: { [param]: id } } as Input<OneName>, { workspace })) as
        & Output<OneName>
        & Item
    const thing = within === undefined ? undefined : (row as unknown as Readonly<Record<string, unknown>>)[within]
    if (asking.some((query) => keyOfQuery(query)?.[2].params?.["id"] === thing)) arrivals.add(list, workspace, id)
    for (const query of holding) {
      // A read in progress may be older than this row.
      if (query.state.fetchStatus === "fetching") {
        void queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
      }
      queries.setQueryData(query.queryKey, (data: Held) => withRow(data, row))
    }
  } catch {
    await Promise.all(holding.map((query) => queries.invalidateQueries({ queryKey: query.queryKey, exact: true })))
  }
}

export interface FollowOptions {
  readonly queries: QueryClient
  readonly arrivals: Arrivals
  /** Refetches that may wait. */
  readonly touchSoon: (workspace: string, touched: ReadonlyArray<Touched>) => void
}

/** Applies a batch of events. Resolves when visible data has been refetched. */
export const follow = async (
  { arrivals, queries, touchSoon }: FollowOptions,
  events: ReadonlyArray<ReceivedEvent>
): Promise<void> => {
  const changed = new Map<
    string,
    { readonly rows: NonNullable<Reach["rows"]>; readonly workspace: string; readonly id: string }
  >()
  for (const { subject, type, version, workspace = "" } of events) {
    const reach = (reachOf as Readonly<Record<string, Reach | undefined>>)[type]
    if (reach === undefined) continue
    if (reach.touches.length > 0) touchSoon(workspace, reach.touches)
    for (const list of reach.news) arrivals.add(list, workspace, String(version))
    if (reach.rows === undefined) continue
    const lists = reach.rows.within === undefined ? listsOf(queries, reach.rows.list, workspace) : []
    const whole = lists.filter((query) => !isLevel(query))
    const isHeld = (query: Query) => holds(query.state.data as Held, subject.id)
    if (lists.length > 0 && !(whole.length > 0 ? whole.every(isHeld) : lists.some(isHeld)) && isNew(type)) {
      arrivals.add(reach.rows.list, workspace, subject.id)
    }
    changed.set(`${reach.rows.one} ${subject.id}`, { rows: reach.rows, workspace, id: subject.id })
  }
  if (changed.size > rowsOneByOneMax) {
    const lists = new Map([...changed.values()].map((each) => [`${each.workspace} ${each.rows.list}`, each]))
    await Promise.all(
      [...lists.values()].map(({ rows, workspace }) => touch(queries, workspace, [rows.list, rows.one]))
    )
  } else {
    await Promise.all(
      [...changed.values()].map(({ id, rows, workspace }) => refresh(queries, arrivals, rows, workspace, id))
    )
  }
}

/** An object missing from a list may be further down in it, so only possibly new objects are arrivals. */
const isNew = (type: string): boolean => !["approval.updated", "approval.decided", "approval.expired"].includes(type)
