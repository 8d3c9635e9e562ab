/** The inbox's filters as the address has them, as the hub takes them, and on rows that were read before the hub answered. Pure. */
import type { Input } from "../hub/contract.ts"
import { inAge } from "../listing/age.ts"
import { inRange as amountInRange } from "../listing/amount.ts"
import type { ApprovalRow } from "./inbox-rows.ts"
import { isCommand, operationOf } from "./words.ts"

export interface InboxFilter {
  readonly workspace?: string
  readonly agent_id?: string
  /** `service.operation`, or `device:tool` for commands of devices. */
  readonly operation?: string
  readonly min_cents?: number
  readonly max_cents?: number
  readonly min_age_seconds?: number
  readonly max_age_seconds?: number
}

export type ListQuery = NonNullable<Input<"approvals.list">["query"]>

export const filterNames = [
  "workspace",
  "agent_id",
  "operation",
  "min_cents",
  "max_cents",
  "min_age_seconds",
  "max_age_seconds"
] as const satisfies ReadonlyArray<keyof InboxFilter>

/** The filters of an address, without what else it holds: equal filters are equal keys. */
export const filterOf = (search: InboxFilter): InboxFilter =>
  Object.fromEntries(filterNames.flatMap((name) => search[name] === undefined ? [] : [[name, search[name]]]))

export const isNarrowed = (search: InboxFilter): boolean => filterNames.some((name) => search[name] !== undefined)

const ofDevice = "device:"

/** What the filter of operations calls the operation of a row. */
export const operationValue = (row: ApprovalRow): string =>
  isCommand(row) ? `${ofDevice}${row.operation ?? ""}` : operationOf(row)

const idText = /^agt_[0-9a-hjkmnp-tv-z]{26}$/u
const operationText = /^(?:device:|([a-z][a-z0-9_-]{0,63})\.)([a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)*)$/u

const operationQuery = (value: string): ListQuery => {
  const [, service, operation] = operationText.exec(value) ?? []
  if (operation === undefined || operation.length > 64) return {}
  return (service === undefined ? { kind: "device_command", operation } : { service, operation }) as ListQuery
}

/** For the hub. A value that it would refuse, as a mistyped link may have, is left to `isWithin`, which finds nothing for it. */
export const queryOf = ({ agent_id, operation, workspace = "all", ...ranges }: InboxFilter): ListQuery => ({
  workspace,
  ...agent_id === undefined || !idText.test(agent_id) ? {} : { agent_id: agent_id as ApprovalRow["agent"]["id"] },
  ...operation === undefined ? {} : operationQuery(operation),
  ...ranges
})

/** Whether a row matches at a time: what is on screen is narrowed before the hub has answered. */
export const isWithin = (row: ApprovalRow, filter: InboxFilter, now: number): boolean =>
  (filter.workspace === undefined || row.org_id === filter.workspace) &&
  (filter.agent_id === undefined || row.agent.id === filter.agent_id) &&
  (filter.operation === undefined || operationValue(row) === filter.operation) &&
  amountInRange(row.cost_cents, filter) && inAge(now - Date.parse(row.requested_at), filter)
