/**
 * Reads the open agent requests and pending budget requests of one hub, in all workspaces of the person, with the names
 * of their agents and whether the person may decide them.
 */
import type { Permission } from "@countersign/domain/auth"
import type { HubError } from "@countersign/hub-client/error"
import { Effect } from "effect"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import type { ConnectionsShape } from "../hub/port.ts"
import { rowsMax } from "./hub-waiting.ts"
import { agentNameIn, isOpen, type PendingRequest, requestRowOf } from "./request-row.ts"
import type { RowOptions, WaitingRow } from "./row.ts"

const pageRows = 200
const readsAtOnce = 4
/** Agents that one list reads per workspace, those of the newest requests first; the others have no name in their rows. */
export const agentsMax = 100

export interface RequestFeed {
  readonly list: Effect.Effect<{ readonly rows: ReadonlyArray<WaitingRow>; readonly more: boolean }, HubError>
  /** Undefined: the request is no longer pending, or not visible to this person. */
  readonly read: (
    kind: PendingRequest["kind"],
    id: string,
    workspace: string
  ) => Effect.Effect<WaitingRow | undefined, HubError>
}

interface Pages<A> {
  readonly data: ReadonlyArray<A>
  readonly more: boolean
}

/** Pages until `rowsMax` rows are read. */
const allPages = Effect.fnUntraced(function*<A>(
  page: (
    query: { readonly limit: number; readonly cursor?: string }
  ) => Effect.Effect<{ readonly data: ReadonlyArray<A>; readonly next_cursor: string | null }, HubError>
): Effect.fn.Return<Pages<A>, HubError> {
  const data: Array<A> = []
  let cursor: string | undefined
  do {
    const next: { readonly data: ReadonlyArray<A>; readonly next_cursor: string | null } = yield* page({
      limit: pageRows,
      ...(cursor === undefined ? {} : { cursor })
    })
    data.push(...next.data)
    cursor = next.next_cursor ?? undefined
  } while (cursor !== undefined && data.length < rowsMax)
  return { data, more: cursor !== undefined }
})

/** The permission that a decision needs. The lead of the agent's team has both in the team. */
const needs = { agent_request: "approvals:decide", budget_request: "budgets:write" } as const satisfies Readonly<
  Record<PendingRequest["kind"], Permission>
>

/** Undefined when the role does not permit the call, or the object is gone. */
export const ifVisible = <A>(read: Effect.Effect<A, HubError>): Effect.Effect<A | undefined, HubError> =>
  read.pipe(
    Effect.catch((error) => error.status === 404 || error.status === 403 ? Effect.undefined : Effect.fail(error))
  )

export const requestFeedOf = (
  { aheadMillis, call }: Pick<ConnectionsShape, "aheadMillis" | "call">,
  profile: ProfileId,
  options: Pick<RowOptions, "withPayload">
): RequestFeed => {
  /** Whether the person may decide a request of an agent of this team. */
  const rightsIn = Effect.fnUntraced(function*(workspace: string, requests: ReadonlyArray<PendingRequest>) {
    const { permissions } = yield* call(profile, "auth.me", {}, { workspace })
    const isWhole = (kind: PendingRequest["kind"]) => permissions.includes(needs[kind])
    const teams = requests.every(({ kind }) => isWhole(kind))
      ? undefined
      : yield* ifVisible(allPages((query) => call(profile, "teams.list", { query }, { workspace })))
    return {
      isWhole,
      mayDecide: (kind: PendingRequest["kind"], team: string | undefined): boolean =>
        isWhole(kind) ||
        (team !== undefined && teams?.data.some(({ id, role }) => id === team && role === "lead") === true)
    }
  })

  const rowsIn = Effect.fnUntraced(function*(workspace: string, requests: ReadonlyArray<PendingRequest>) {
    if (requests.length === 0) return []
    const { isWhole, mayDecide } = yield* rightsIn(workspace, requests)
    const needed = requests
      .filter((each) => agentNameIn(each) === undefined || !isWhole(each.kind))
      .sort((a, b) => Date.parse(b.request.created_at) - Date.parse(a.request.created_at))
    const ids = [...new Set(needed.map(({ request }) => request.agent_id))].slice(0, agentsMax)
    const agents = new Map(
      yield* Effect.forEach(
        ids,
        (id) =>
          Effect.map(
            ifVisible(call(profile, "agents.get", { params: { id } }, { workspace })),
            (agent) => [id, agent] as const
          ),
        { concurrency: readsAtOnce }
      )
    )
    return requests.map((each) => {
      const agent = agents.get(each.request.agent_id)
      return requestRowOf(each, {
        ...options,
        workspace,
        aheadMillis: aheadMillis(profile),
        agentName: agentNameIn(each) ?? agent?.name,
        mine: mayDecide(each.kind, agent?.team_id)
      })
    })
  })

  const agentRequests = (workspace: string) =>
    ifVisible(
      allPages((query) => call(profile, "agent_requests.list", { query: { ...query, status: "open" } }, { workspace }))
    )
  const budgetRequests = (workspace: string) =>
    ifVisible(
      allPages((query) =>
        call(profile, "budget_requests.list", { query: { ...query, status: "pending" } }, { workspace })
      )
    )

  return {
    list: Effect.gen(function*() {
      const { data } = yield* call(profile, "approvals.counts", { query: {} })
      const parts = yield* Effect.forEach(
        data.filter(({ agent_requests, budget_requests }) => agent_requests > 0 || budget_requests > 0),
        Effect.fnUntraced(function*({ agent_requests, budget_requests, workspace }) {
          const agents = agent_requests > 0 ? yield* agentRequests(workspace) : undefined
          const budgets = budget_requests > 0 ? yield* budgetRequests(workspace) : undefined
          const rows = yield* ifVisible(rowsIn(workspace, [
            ...agents?.data.map((request) => ({ kind: "agent_request", request }) as const) ?? [],
            ...budgets?.data.map((request) => ({ kind: "budget_request", request }) as const) ?? []
          ]))
          return { rows: rows ?? [], more: agents?.more === true || budgets?.more === true }
        })
      )
      return { rows: parts.flatMap(({ rows }) => rows), more: parts.some(({ more }) => more) }
    }),
    read: (kind, id, workspace) =>
      ifVisible(Effect.gen(function*() {
        const input = { params: { id } }
        const found: PendingRequest = kind === "agent_request"
          ? { kind, request: yield* call(profile, "agent_requests.get", input, { workspace }) }
          : { kind, request: yield* call(profile, "budget_requests.get", input, { workspace }) }
        return isOpen(found) ? (yield* rowsIn(workspace, [found]))[0] : undefined
      }))
  }
}
