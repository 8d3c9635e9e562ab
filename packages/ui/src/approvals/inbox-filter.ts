/** The inbox's filters: in the address, for the hub, and on rows that were read before the hub answered. Pure. */
import type { Input } from "@countersign/hub-client/contract"
import { inAge } from "../listing/age.ts"
import { inRange as amountInRange } from "../listing/amount.ts"
import type { ApprovalRow } from "./inbox-rows.ts"
import { isCommand, operationOf } from "./words.ts"

export const inboxKinds = ["approval", "agent_request", "budget_request"] as const
export type InboxKind = (typeof inboxKinds)[number]

export interface InboxFilter {
  readonly kind?: InboxKind
  readonly workspace?: string
  readonly agent_id?: string
  /** `service.operation`, or `device:tool` for device commands. */
  readonly operation?: string
  readonly min_cents?: number
  readonly max_cents?: number
  readonly min_age_seconds?: number
  readonly max_age_seconds?: number
  /** Words to search for; the hub matches them. */
  readonly q?: string
}

export type ListQuery = NonNullable<Input<"approvals.list">["query"]>

export const filterNames = [
  "kind",
  "workspace",
  "agent_id",
  "operation",
  "min_cents",
  "max_cents",
  "min_age_seconds",
  "max_age_seconds",
  "q"
] as const satisfies ReadonlyArray<keyof InboxFilter>

/** The filters of an address without its other members, so that equal filters make equal keys. */
export const filterOf = (search: InboxFilter): InboxFilter =>
  Object.fromEntries(filterNames.flatMap((name) => search[name] === undefined ? [] : [[name, search[name]]]))

/**
 * The filter for rows, counts, and the export. A workspace that is not the person's is not sent but reported as
 * ignored.
 */
export const decodeFilter = (
  search: InboxFilter & { readonly ignored?: ReadonlyArray<string> },
  workspaces: ReadonlyArray<{ readonly id: string }>
): { readonly filter: InboxFilter; readonly ignored: ReadonlyArray<string> } => {
  const filter = filterOf(search)
  const { workspace, ...rest } = filter
  const ignored = search.ignored ?? []
  return workspace === undefined || workspaces.some(({ id }) => id === workspace)
    ? { filter, ignored }
    : { filter: rest, ignored: [...ignored, `workspace=${workspace}`] }
}

export const isNarrowed = (search: InboxFilter): boolean => filterNames.some((name) => search[name] !== undefined)

/** The number of set filters as the screen shows them: a range is one. */
export const countOfSet = (filter: InboxFilter): number =>
  new Set(
    filterNames.filter((name) => filter[name] !== undefined).map((name) => name.replace(/^(?:min|max)_/u, ""))
  ).size

const ofDevice = "device:"

/** The value of a row's operation in the operation filter. */
export const operationValue = (row: ApprovalRow): string =>
  isCommand(row) ? `${ofDevice}${row.operation ?? ""}` : operationOf(row)

/**
 * As `operationValue` writes it: the service, or an empty one for device commands, and the operation of at most 64
 * characters.
 */
export const operationText =
  /^(?:device:|([a-z][a-z0-9_-]{0,63})\.)(?=.{1,64}$)([a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)*)$/u

const operationQuery = (value: string): ListQuery => {
  const [, service, operation] = operationText.exec(value) ?? []
  return (service === undefined ? { kind: "device_command", operation } : { service, operation }) as ListQuery
}

export const showsApprovals = ({ kind }: InboxFilter): boolean => kind === undefined || kind === "approval"

/** The query for the hub's approvals. */
export const queryOf = ({ agent_id, kind: _kind, operation, workspace = "all", ...rest }: InboxFilter): ListQuery => ({
  workspace,
  ...agent_id === undefined ? {} : { agent_id: agent_id as ApprovalRow["agent"]["id"] },
  ...operation === undefined ? {} : operationQuery(operation),
  ...rest
})

export const decidedQuery = (filter: InboxFilter, sort: ListQuery["sort"]): ListQuery => ({
  ...queryOf(filter),
  status: ["approved", "rejected", "expired", "cancelled"],
  ...sort === undefined ? {} : { sort }
})

/**
 * Whether a row matches at a given time, ignoring the words of `q`: narrows the rows on screen before the hub answers.
 */
export const isWithin = (row: ApprovalRow, filter: InboxFilter, now: number): boolean =>
  (filter.workspace === undefined || row.org_id === filter.workspace) &&
  (filter.agent_id === undefined || row.agent.id === filter.agent_id) &&
  (filter.operation === undefined || operationValue(row) === filter.operation) &&
  amountInRange(row.cost_cents, filter) && inAge(now - Date.parse(row.requested_at), filter)
