/**
 * Devices: people's computers and servers that run commands for operators and agents. Spec: reference/devices.md
 * "Device", "Device states".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnyAccess, ChecksOwn, DeviceAccess, PublicAccess, Requires, StaysOpen, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import {
  Ack,
  AppVersion,
  BootId,
  CommandError,
  Control,
  Done,
  Heartbeat,
  HeartbeatAnswer,
  Lease,
  Outcome,
  Output,
  OutputAnswer,
  Progress,
  runningMax,
  waitSecondsMax
} from "./device-protocol.ts"
import { Tool, toolsMax } from "./device-tools.ts"
import { AgentId, ApprovalId, DeviceCommandId, DeviceId, DeviceSessionId, ServiceRequestId, UserId } from "./ids.ts"
import { IntegerInQuery, Page, PageQuery } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { Label, Prose } from "./text.ts"

export const deviceNameMax = 100
export const labelsMax = 32
export const deviceAgentsMax = 500
/** Per workspace, without revoked ones. */
export const devicesMax = 10_000
export const pairingMinutes = 10

export const timeoutSecondsDefault = 30
/** The device's own rules may allow more. */
export const timeoutSecondsMax = 600
export const timeoutSecondsRuleMax = 21_600
export const queueSecondsDefault = 900
export const queueSecondsMax = 86_400
/** Queued commands of one session. */
export const queuedMax = 1_000

export const DeviceState = Schema.Literals(["pending", "active", "draining", "paused", "revoked"])
export type DeviceState = typeof DeviceState.Type
export const Presence = Schema.Literals(["online", "late", "offline", "never"])
export type Presence = typeof Presence.Type

const Tools = Schema.Array(Tool).check(Schema.isMaxLength(toolsMax), Schema.isUnique())
const DeviceLabel = Schema.String.check(
  matching(
    /^[a-z0-9][a-z0-9._-]{0,62}$/u,
    "lower-case letters, digits, dots, _ and -, beginning with a letter or a digit, at most 63 characters"
  )
).annotate({
  description: "Lower case letters, digits, dots, underscores and hyphens, at most 63"
})
export const DeviceAgents = Schema.Union([
  Schema.Literal("*"),
  Schema.Array(AgentId).check(Schema.isMaxLength(deviceAgentsMax), Schema.isUnique())
])
export type DeviceAgents = typeof DeviceAgents.Type

export const DeviceSession = Schema.Struct({
  id: DeviceSessionId,
  device_id: DeviceId,
  status: Schema.Literals(["online", "offline", "ended"]),
  working_directory: Schema.optionalKey(Schema.String),
  roots: Schema.Array(Schema.String),
  started_at: Schema.String,
  last_heard_at: Schema.String
}).annotate({ identifier: "DeviceSession" })
export type DeviceSession = typeof DeviceSession.Type

export const Device = Schema.Struct({
  id: DeviceId,
  name: Schema.String,
  platform: Schema.String,
  arch: Schema.String,
  app_version: Schema.String,
  state: DeviceState,
  paused_by: Schema.optionalKey(Schema.Literals(["hub", "device"])),
  presence: Presence,
  update_required: Schema.Boolean,
  /** The tools that the device offers. */
  capabilities: Schema.Array(Tool),
  /** The tools that it may run. */
  granted: Schema.Array(Tool),
  /** The agents that may use it. */
  agents: DeviceAgents,
  labels: Schema.Array(Schema.String),
  /** SHA-256 of its public key, if it has one. */
  fingerprint: Schema.optionalKey(Schema.String),
  owner_user_id: UserId,
  session: Schema.optionalKey(DeviceSession),
  /** The number of its running commands. */
  running: Schema.Int,
  load: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite)),
  last_heard_at: Schema.optionalKey(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "Device" })
export type Device = typeof Device.Type

const offer = {
  name: Label(deviceNameMax),
  platform: Label(32),
  arch: Label(32),
  app_version: AppVersion,
  capabilities: Tools.check(Schema.isMinLength(1)),
  /** Ed25519, 32 bytes in base64 or base64url. */
  public_key: Schema.optionalKey(
    Schema.String.check(matching(/^[A-Za-z0-9+/_-]{43}=?$/u, "an Ed25519 public key in base64"))
  )
}
export const DeviceInput = Schema.Struct(offer).annotate({ identifier: "DeviceInput" })
export type DeviceInput = typeof DeviceInput.Type

export const RegisteredDevice = Schema.Struct({
  ...Device.fields,
  /** Shown only once. */
  device_key: Schema.String
}).annotate({ identifier: "RegisteredDevice" })
export type RegisteredDevice = typeof RegisteredDevice.Type

export const DevicePatch = Schema.Struct({
  name: Schema.optionalKey(Label(deviceNameMax)),
  granted: Schema.optionalKey(Tools),
  agents: Schema.optionalKey(DeviceAgents),
  labels: Schema.optionalKey(Schema.Array(DeviceLabel).check(Schema.isMaxLength(labelsMax), Schema.isUnique())),
  state: Schema.optionalKey(Schema.Literals(["active", "draining", "paused", "revoked"]))
}).annotate({ identifier: "DevicePatch" })
export type DevicePatch = typeof DevicePatch.Type

export const PairingStarted = Schema.Struct({
  /** `XXXX-XXXX`, for a person to type or compare. */
  code: Schema.String,
  /** The device's own secret: its holder gets the key. */
  pairing_secret: Schema.String,
  expires_at: Schema.String
}).annotate({ identifier: "PairingStarted" })
export type PairingStarted = typeof PairingStarted.Type

export const PairingProgress = Schema.Struct({
  status: Schema.Literals(["waiting", "confirmed", "rejected"]),
  device_id: Schema.optionalKey(DeviceId),
  /** Only once, to the holder of the secret. */
  device_key: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "PairingProgress" })
export type PairingProgress = typeof PairingProgress.Type

export const Pairing = Schema.Struct({
  code: Schema.String,
  name: Schema.String,
  platform: Schema.String,
  arch: Schema.String,
  app_version: Schema.String,
  address: Schema.String,
  fingerprint: Schema.optionalKey(Schema.String),
  capabilities: Schema.Array(Tool),
  created_at: Schema.String,
  expires_at: Schema.String
}).annotate({ identifier: "Pairing" })
export type Pairing = typeof Pairing.Type

export const ConfirmPairing = Schema.Struct({
  granted: Tools.check(Schema.isMinLength(1)),
  agents: Schema.optionalKey(DeviceAgents),
  name: Schema.optionalKey(Label(deviceNameMax))
}).annotate({ identifier: "ConfirmPairing" })
export type ConfirmPairing = typeof ConfirmPairing.Type

const Path = Schema.String.check(
  Schema.isNonEmpty(),
  Schema.isMaxLength(4_096),
  matching(/^[^\0]+$/u, "a path without the character NUL")
)

export const SessionPatch = Schema.Struct({
  status: Schema.optionalKey(Schema.Literal("ended")),
  working_directory: Schema.optionalKey(Path)
}).annotate({ identifier: "DeviceSessionPatch" })
export type SessionPatch = typeof SessionPatch.Type

export const CommandStatus = Schema.Literals([
  "queued",
  "leased",
  "awaiting_consent",
  "running",
  "done",
  "cancelled",
  "expired"
])
export type CommandStatus = typeof CommandStatus.Type

const RemovedAfterDays = Schema.optionalKey(Schema.Int.annotate({
  description:
    "Present once the workspace removed input, plan, result, artifacts, and output: the days that it kept them"
}))

export const Command = Schema.Struct({
  id: DeviceCommandId,
  session_id: DeviceSessionId,
  device_id: DeviceId,
  tool: Tool,
  /** Absent after its removal. */
  input: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  working_directory: Schema.optionalKey(Schema.String),
  requested_by: Schema.Struct({ type: Schema.String, id: Schema.String, name: Schema.String }),
  agent: Schema.optionalKey(Schema.Struct({ id: AgentId, name: Schema.String })),
  reason: Schema.optionalKey(Schema.String),
  service_request_id: Schema.optionalKey(ServiceRequestId),
  status: CommandStatus,
  outcome: Schema.optionalKey(Outcome),
  exit_code: Schema.optionalKey(Schema.Int),
  /** Also the reason for an expiry: `not_acknowledged`, `queue_timeout`, `session_ended`, `device_revoked`. */
  error: Schema.optionalKey(CommandError),
  result: Schema.optionalKey(Schema.Json),
  artifacts: Schema.optionalKey(Schema.Array(Schema.Json)),
  timeout_seconds: Schema.Int,
  plan_digest: Schema.optionalKey(Schema.String),
  /** The approval of kind `device_command`, when the device requires one through the hub. */
  approval_id: Schema.optionalKey(ApprovalId),
  queued_at: Schema.String,
  started_at: Schema.optionalKey(Schema.String),
  done_at: Schema.optionalKey(Schema.String),
  /** Its lease has run out without a report. */
  lost: Schema.Boolean,
  cancel_requested_at: Schema.optionalKey(Schema.String),
  /** Canceled by the hub without a confirmation from the device. */
  unconfirmed: Schema.optionalKey(Schema.Boolean),
  output_bytes: Schema.Int,
  dropped_bytes: Schema.Int,
  /** The device's report after the hub had closed the command: it changes nothing. */
  late_result: Schema.optionalKey(Schema.Json),
  removed_after_days: RemovedAfterDays
}).annotate({ identifier: "DeviceCommand" })
export type Command = typeof Command.Type

export const CommandInput = Schema.Struct({
  tool: Tool,
  input: Schema.Record(Schema.String, Schema.Json),
  /** In a root that the device opened; default: the session's own. */
  working_directory: Schema.optionalKey(Path),
  reason: Schema.optionalKey(Prose(2_000)),
  timeout_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: timeoutSecondsRuleMax }))
  ),
  queue_seconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: queueSecondsMax }))),
  idempotency_key: Schema.optionalKey(
    Schema.String.check(matching(/^[\x20-\x7e]{1,255}$/u, "1 to 255 printable ASCII characters"))
  )
}).annotate({ identifier: "NewDeviceCommand" })
export type CommandInput = typeof CommandInput.Type

/** A command as sent to its device. */
export const LeasedCommand = Schema.Struct({
  id: DeviceCommandId,
  tool: Tool,
  input: Schema.Record(Schema.String, Schema.Json),
  working_directory: Schema.optionalKey(Schema.String),
  requested_by: Command.fields.requested_by,
  agent: Command.fields.agent,
  reason: Command.fields.reason,
  service_request_id: Command.fields.service_request_id,
  /** More than 600 only if the device's own rules allow it; a device shortens a longer timeout. */
  timeout_seconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: timeoutSecondsRuleMax })),
  queue_until: Schema.String,
  lease: Lease
}).annotate({ identifier: "LeasedDeviceCommand" })
export type LeasedCommand = typeof LeasedCommand.Type

export const LeasedCommands = Schema.Struct({ data: Schema.Array(LeasedCommand), controls: Schema.Array(Control) })
  .annotate({
    identifier: "LeasedDeviceCommands"
  })
export type LeasedCommands = typeof LeasedCommands.Type

export const Acked = Schema.Struct({ status: CommandStatus, lease: Lease, controls: Schema.Array(Control) }).annotate({
  identifier: "AckedDeviceCommand"
})
export type Acked = typeof Acked.Type

/** The command's current state; for one that had ended before, its final state. */
export const Ended = Schema.Struct({ ...Command.fields, controls: Schema.Array(Control) }).annotate({
  identifier: "EndedDeviceCommand"
})
export type Ended = typeof Ended.Type

export const OutputChunk = Schema.Struct({
  seq: Schema.Int,
  stream: Schema.Literals(["stdout", "stderr"]),
  data: Schema.String,
  encoding: Schema.Literals(["utf8", "base64"]),
  /** In bytes of its stream; a gap before it is output that was dropped. */
  offset: Schema.Int,
  created_at: Schema.String
}).annotate({ identifier: "DeviceOutputChunk" })
export type OutputChunk = typeof OutputChunk.Type

export const OutputPage = Schema.Struct({
  data: Schema.Array(OutputChunk),
  /** Send it as `after_seq` for the next page; `null` when this page ends the output of an ended command. */
  next_seq: Schema.NullOr(Schema.Int),
  output_bytes: Schema.Int,
  dropped_bytes: Schema.Int,
  status: CommandStatus,
  removed_after_days: RemovedAfterDays
}).annotate({ identifier: "DeviceOutputPage" })
export type OutputPage = typeof OutputPage.Type

const wait = Schema.optionalKey(IntegerInQuery(0, waitSecondsMax))
const device = { id: DeviceId }
const session = { id: DeviceSessionId }
const command = { id: DeviceCommandId }
const code = { code: Schema.String.check(Schema.isMaxLength(32)) }

export class DevicesGroup extends HttpApiGroup.make("devices").add(
  HttpApiEndpoint.post("register", "/devices", { payload: DeviceInput, success: Created(RegisteredDevice) })
    .middleware(UserAccess).annotate(Requires, "devices:write").annotate(
      OpenApi.Description,
      "The device is pending and nothing is granted. Its key is shown once."
    ),
  HttpApiEndpoint.get("list", "/devices", {
    query: {
      ...PageQuery,
      state: Schema.optionalKey(DeviceState),
      q: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200)))
    },
    success: Page(Device)
  }).middleware(AnyAccess).annotate(Requires, "devices:read").annotate(
    OpenApi.Description,
    "Newest first. An agent key sees the devices that it can use. Revoked devices are listed only with " +
      "`state=revoked`."
  ),
  HttpApiEndpoint.get("get", "/devices/:id", { params: device, success: Device })
    .middleware(AnyAccess).annotate(Requires, "devices:read"),
  HttpApiEndpoint.patch("update", "/devices/:id", { params: device, payload: DevicePatch, success: Device })
    .middleware(UserAccess).annotate(Requires, "devices:write").annotate(
      OpenApi.Description,
      "Granting `shell.run` requires `devices:grant_shell`. `revoked` is permanent: key, session, and commands " +
        "end with it."
    ),
  HttpApiEndpoint.delete("remove", "/devices/:id", { params: device, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "devices:write").annotate(
      OpenApi.Description,
      "Revokes the device; its commands remain readable."
    ),
  HttpApiEndpoint.post("heartbeat", "/devices/:id/heartbeat", {
    params: device,
    payload: Heartbeat,
    success: HeartbeatAnswer
  })
    .middleware(DeviceAccess).annotate(Requires, "devices:write").annotate(
      OpenApi.Description,
      "Keeps the session and its leases alive, and never leases. If a newer start of the device has taken over, " +
        "the response is 409 `superseded`."
    )
) {}

export class DevicePairingGroup extends HttpApiGroup.make("device_pairing").add(
  HttpApiEndpoint.post("start", "/devices/pair", {
    payload: DeviceInput,
    success: PairingStarted.pipe(HttpApiSchema.status(201))
  })
    .middleware(PublicAccess).annotate(
      OpenApi.Description,
      `Starts a pairing: a code, valid for ${pairingMinutes} minutes, that an operator confirms. At most five a minute from one address.`
    ),
  HttpApiEndpoint.get("current", "/devices/pair/current", { query: { wait }, success: PairingProgress })
    .middleware(PublicAccess).annotate(ChecksOwn, "pairing secret").annotate(
      OpenApi.Description,
      "`Authorization: Bearer <pairing_secret>`. Waits up to `wait` seconds for a decision. The key is answered exactly once."
    ),
  HttpApiEndpoint.get("get", "/devices/pair/:code", { params: code, success: Pairing })
    .middleware(UserAccess).annotate(Requires, "devices:write").annotate(
      OpenApi.Description,
      "After ten wrong codes within a minute every code is 429 for this person. A used or expired code is 410."
    ),
  HttpApiEndpoint.post("confirm", "/devices/pair/:code/confirm", {
    params: code,
    payload: ConfirmPairing,
    success: Device
  })
    .middleware(UserAccess).annotate(Requires, "devices:write"),
  HttpApiEndpoint.post("reject", "/devices/pair/:code/reject", { params: code, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "devices:write")
) {}

export class DeviceSessionsGroup extends HttpApiGroup.make("device_sessions").add(
  HttpApiEndpoint.get("list", "/devices/sessions", {
    query: {
      ...PageQuery,
      device_id: Schema.optionalKey(DeviceId),
      status: Schema.optionalKey(Schema.Literals(["online", "offline", "ended"]))
    },
    success: Page(DeviceSession)
  }).middleware(UserAccess).annotate(Requires, "devices:read"),
  HttpApiEndpoint.get("get", "/devices/sessions/:id", { params: session, success: DeviceSession })
    .middleware(DeviceAccess).annotate(Requires, "devices:read"),
  HttpApiEndpoint.patch("update", "/devices/sessions/:id", {
    params: session,
    payload: SessionPatch,
    success: DeviceSession
  })
    .middleware(DeviceAccess).annotate(Requires, "devices:write"),
  HttpApiEndpoint.post("queue", "/devices/sessions/:id/commands", {
    params: session,
    payload: CommandInput,
    success: Created(Command)
  })
    .middleware(UserAccess).annotate(Requires, "devices:write").annotate(
      OpenApi.Description,
      "For people. Agents use the service `device` instead. A tool that is not granted is 403 `not_granted`."
    ),
  HttpApiEndpoint.get("commands", "/devices/sessions/:id/commands", {
    params: session,
    query: {
      ...PageQuery,
      status: Schema.optionalKey(CommandStatus),
      wait,
      max: Schema.optionalKey(IntegerInQuery(1, runningMax)),
      boot_id: Schema.optionalKey(BootId)
    },
    success: [Page(Command), LeasedCommands]
  }).middleware(DeviceAccess).annotate(Requires, "devices:read").annotate(
    OpenApi.Description,
    "For a person, lists commands, newest first. For a device, leases at most `max` commands, waiting up to " +
      "`wait` seconds. 409 `socket_active` if a socket delivers commands, also if it opens while this call waits; " +
      "409 `superseded` if a newer start has replaced `boot_id`."
  )
) {}

export class DeviceCommandsGroup extends HttpApiGroup.make("device_commands").add(
  HttpApiEndpoint.get("get", "/devices/commands/:id", { params: command, success: Command })
    .middleware(DeviceAccess).annotate(Requires, "devices:read"),
  HttpApiEndpoint.get("readOutput", "/devices/commands/:id/output", {
    params: command,
    query: { after_seq: Schema.optionalKey(IntegerInQuery(-1, 2_147_483_647)), limit: PageQuery.limit },
    success: [OutputPage, Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))]
  }).middleware(DeviceAccess).annotate(Requires, "devices:read").annotate(StaysOpen, true).annotate(
    OpenApi.Description,
    "JSON pages, or live with `Accept: text/event-stream`: `event: output` for each chunk, `event: command` at " +
      "its end."
  ),
  HttpApiEndpoint.post("ack", "/devices/commands/:id/ack", { params: command, payload: Ack, success: Acked })
    .middleware(DeviceAccess).annotate(Requires, "devices:write").annotate(
      OpenApi.Description,
      "The device must not start the command before it receives 200."
    ),
  HttpApiEndpoint.post("state", "/devices/commands/:id/state", { params: command, payload: Progress, success: Acked })
    .middleware(DeviceAccess).annotate(Requires, "devices:write"),
  HttpApiEndpoint.post("output", "/devices/commands/:id/output", {
    params: command,
    payload: Output,
    success: OutputAnswer
  })
    .middleware(DeviceAccess).annotate(Requires, "devices:write").annotate(
      OpenApi.Description,
      "Repeating an identical chunk is 200; a gap is 409 `seq_gap` with `data.next_seq`."
    ),
  HttpApiEndpoint.post("done", "/devices/commands/:id/done", { params: command, payload: Done, success: Ended })
    .middleware(DeviceAccess).annotate(Requires, "devices:write").annotate(
      OpenApi.Description,
      "For a command that has ended, returns the stored outcome, whatever the lease."
    ),
  HttpApiEndpoint.post("cancel", "/devices/commands/:id/cancel", { params: command, success: Command })
    .middleware(UserAccess).annotate(Requires, "devices:write")
) {}
