/** Rows of devices, and their form on the wire. */
import type { ApprovalStatus } from "@countersign/domain/approvals"
import { type Lease, leaseMillis, minAppVersion, type Outcome } from "@countersign/domain/device-protocol"
import type { Tool } from "@countersign/domain/device-tools"
import type {
  Command,
  CommandStatus,
  Device,
  DeviceSession,
  DeviceState,
  LeasedCommand,
  Presence
} from "@countersign/domain/devices"
import type {
  AgentId,
  ApprovalId,
  DeviceCommandId,
  DeviceId,
  DeviceSessionId,
  OrgId,
  ServiceRequestId,
  UserId
} from "@countersign/domain/ids"
import { createHash } from "node:crypto"

/** A device's report of itself, beyond its columns. */
export interface Report {
  readonly load?: Readonly<Record<string, number>>
  readonly timeout_seconds_max?: number
}

export interface DeviceRow {
  readonly id: DeviceId
  readonly org_id: OrgId
  readonly owner_user_id: UserId
  readonly name: string
  readonly platform: string
  readonly arch: string
  readonly app_version: string
  readonly capabilities: ReadonlyArray<Tool>
  readonly granted: ReadonlyArray<Tool>
  /** null: all. */
  readonly agents: ReadonlyArray<AgentId> | null
  readonly labels: ReadonlyArray<string>
  readonly public_key: string | null
  readonly state: DeviceState
  readonly state_by: "hub" | "device"
  /** Activated by the hub, and the device has not yet confirmed that it resumed. */
  readonly resuming: boolean
  readonly instance_id: string | null
  readonly boot_id: string | null
  readonly epoch: number
  readonly heard_at: Date | null
  /** The id of the delivering socket, while it is healthy. */
  readonly socket: string | null
  readonly presence: Presence
  readonly presence_told: Presence
  /** Unseen and unconfirmed for too long. */
  readonly stale: boolean
  readonly report: string
  readonly running: number
  readonly created_at: Date
  readonly s_id: DeviceSessionId | null
  readonly s_working_directory: string | null
  readonly s_roots: ReadonlyArray<string> | null
  readonly s_started_at: Date | null
  readonly s_heard_at: Date | null
  readonly s_status: "online" | "offline" | null
}

export interface SessionRow {
  readonly id: DeviceSessionId
  readonly org_id: OrgId
  readonly device_id: DeviceId
  readonly owner_user_id: UserId
  readonly working_directory: string | null
  readonly roots: ReadonlyArray<string>
  readonly status: "online" | "offline" | "ended"
  readonly started_at: Date
  readonly heard_at: Date
}

export interface CommandRow {
  readonly id: DeviceCommandId
  readonly org_id: OrgId
  readonly session_id: DeviceSessionId
  readonly device_id: DeviceId
  readonly tool: Tool
  readonly input: string
  readonly working_directory: string | null
  readonly requested_by_type: string
  readonly requested_by_id: string
  readonly requested_by_name: string
  readonly reason: string | null
  readonly service_request_id: ServiceRequestId | null
  readonly status: CommandStatus
  readonly outcome: Outcome | null
  readonly exit_code: number | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly result: string | null
  readonly artifacts: string | null
  readonly late_result: string | null
  readonly unconfirmed: boolean
  readonly timeout_seconds: number
  readonly plan_digest: string | null
  /** The approval for this command, if one was requested. */
  readonly approval_id: ApprovalId | null
  readonly consent: ApprovalStatus | null
  readonly queued_at: Date
  readonly queue_until: Date
  readonly started_at: Date | null
  readonly done_at: Date | null
  readonly cancel_requested_at: Date | null
  readonly lease_number: number
  readonly acked_at: Date | null
  readonly lease_until: Date | null
  readonly lost: boolean
  /** Offered, and not acknowledged in time. */
  readonly unanswered: boolean
  readonly next_seq: number
  readonly stdout_bytes: number
  readonly stderr_bytes: number
  readonly dropped_bytes: number
  readonly removed_after_days: number | null
}

/** The fingerprint of an Ed25519 key: SHA-256 in hex, in pairs for comparison by people. */
export const fingerprintOf = (publicKey: string): string =>
  createHash("sha256").update(Buffer.from(publicKey, "base64url")).digest("hex").match(/../g)?.join(":") ?? ""

const at = (date: Date | null): string => date?.toISOString() ?? ""

export const toSession = (row: SessionRow): DeviceSession => ({
  id: row.id,
  device_id: row.device_id,
  status: row.status,
  ...(row.working_directory === null ? {} : { working_directory: row.working_directory }),
  roots: row.roots,
  started_at: at(row.started_at),
  last_heard_at: at(row.heard_at)
})

const sessionOf = (row: DeviceRow): DeviceSession | undefined =>
  row.s_id === null || row.s_status === null ? undefined : {
    id: row.s_id,
    device_id: row.id,
    status: row.s_status,
    ...(row.s_working_directory === null ? {} : { working_directory: row.s_working_directory }),
    roots: row.s_roots ?? [],
    started_at: at(row.s_started_at),
    last_heard_at: at(row.s_heard_at)
  }

const parts = (version: string): ReadonlyArray<number> =>
  version.split("-", 1)[0]!.split(".").map((part) => Number.parseInt(part, 10) || 0)

/** Whether a version is older than the oldest app that this hub supports. */
export const isOutdated = (version: string, least = minAppVersion): boolean => {
  const [own, wanted] = [parts(version), parts(least)]
  for (let index = 0; index < wanted.length; index++) {
    const difference = (own[index] ?? 0) - wanted[index]!
    if (difference !== 0) return difference < 0
  }
  return false
}

export const reportOf = (row: Pick<DeviceRow, "report">): Report => JSON.parse(row.report) as Report

export const toDevice = (row: DeviceRow): Device => {
  const session = sessionOf(row)
  const { load } = reportOf(row)
  return {
    id: row.id,
    name: row.name,
    platform: row.platform,
    arch: row.arch,
    app_version: row.app_version,
    state: row.state,
    ...(row.state === "paused" ? { paused_by: row.state_by } : {}),
    presence: row.presence,
    update_required: isOutdated(row.app_version),
    capabilities: row.capabilities,
    granted: row.granted,
    agents: row.agents ?? "*",
    labels: row.labels,
    ...(row.public_key === null ? {} : { fingerprint: fingerprintOf(row.public_key) }),
    owner_user_id: row.owner_user_id,
    ...(session === undefined ? {} : { session }),
    running: row.running,
    ...(load === undefined ? {} : { load }),
    ...(row.heard_at === null ? {} : { last_heard_at: at(row.heard_at) }),
    created_at: at(row.created_at)
  }
}

export const isFinal = (status: CommandStatus): boolean =>
  status === "done" || status === "cancelled" || status === "expired"

type Who = Pick<Command, "requested_by" | "agent" | "reason" | "service_request_id">

const whoOf = (row: CommandRow): Who => ({
  requested_by: { type: row.requested_by_type, id: row.requested_by_id, name: row.requested_by_name },
  ...(row.requested_by_type === "agent"
    ? { agent: { id: row.requested_by_id as AgentId, name: row.requested_by_name } }
    : {}),
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.service_request_id === null ? {} : { service_request_id: row.service_request_id })
})

const inputOf = (row: CommandRow): LeasedCommand["input"] => JSON.parse(row.input) as LeasedCommand["input"]

export const toCommand = (row: CommandRow): Command => ({
  id: row.id,
  session_id: row.session_id,
  device_id: row.device_id,
  tool: row.tool,
  ...(row.removed_after_days === null ? { input: inputOf(row) } : { removed_after_days: row.removed_after_days }),
  ...(row.working_directory === null ? {} : { working_directory: row.working_directory }),
  ...whoOf(row),
  status: row.status,
  ...(row.outcome === null ? {} : { outcome: row.outcome }),
  ...(row.exit_code === null ? {} : { exit_code: row.exit_code }),
  ...(row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message ?? "" } }),
  ...(row.result === null ? {} : { result: JSON.parse(row.result) as NonNullable<Command["result"]> }),
  ...(row.artifacts === null ? {} : { artifacts: JSON.parse(row.artifacts) as NonNullable<Command["artifacts"]> }),
  timeout_seconds: row.timeout_seconds,
  ...(row.plan_digest === null ? {} : { plan_digest: row.plan_digest }),
  ...(row.approval_id === null ? {} : { approval_id: row.approval_id }),
  queued_at: at(row.queued_at),
  ...(row.started_at === null ? {} : { started_at: at(row.started_at) }),
  ...(row.done_at === null ? {} : { done_at: at(row.done_at) }),
  lost: row.lost,
  ...(row.cancel_requested_at === null ? {} : { cancel_requested_at: at(row.cancel_requested_at) }),
  ...(row.unconfirmed ? { unconfirmed: true } : {}),
  output_bytes: row.stdout_bytes + row.stderr_bytes,
  dropped_bytes: row.dropped_bytes,
  ...(row.late_result === null ? {} : { late_result: JSON.parse(row.late_result) as NonNullable<Command["result"]> })
})

export const leaseOf = (row: CommandRow): Lease => ({
  number: row.lease_number,
  ttl_ms: leaseMillis,
  expires_at: at(row.lease_until)
})

export const toLeased = (row: CommandRow): LeasedCommand => ({
  id: row.id,
  tool: row.tool,
  input: inputOf(row),
  ...(row.working_directory === null ? {} : { working_directory: row.working_directory }),
  ...whoOf(row),
  timeout_seconds: row.timeout_seconds,
  queue_until: at(row.queue_until),
  lease: leaseOf(row)
})
