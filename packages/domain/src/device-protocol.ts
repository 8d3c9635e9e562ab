/**
 * The messages between a device and its hub, over HTTP and in WebSocket frames alike. Protocol 1. Spec:
 * reference/devices.md "WebSocket", "Long poll".
 */
import { Schema } from "effect"
import { DevicePlan } from "./device-plan.ts"
import { Tool, toolsMax } from "./device-tools.ts"
import { DeviceCommandId, DeviceSessionId } from "./ids.ts"
import { matching } from "./pattern.ts"

export const protocolVersion = 1
export const minAppVersion = "0.1.0"

export const heartbeatSeconds = 15
/** Since its last message. */
export const lateSeconds = 20
export const offlineSeconds = 45
/** After this many days without a message, a device must be confirmed again. */
export const unseenDaysMax = 14
/** A session ends after this many hours offline. */
export const sessionOfflineHours = 24

export const leaseMillis = 30_000
/** An offer that is not acknowledged in this time is repeated, up to `offersMax` offers in all. */
export const ackSeconds = 15
export const offersMax = 3
/** A command is lost when its lease runs out; it is closed this many seconds later. */
export const lostSeconds = 300
/** A starting hub adds this to open leases. */
export const startGraceSeconds = 60
/** The time for a person's decision on a command, within the command's time in the queue. */
export const consentSeconds = 300
/**
 * After this time without an answer to a cancel, counted from the request and from the end of the lease, the hub
 * cancels.
 */
export const cancelSeconds = 60
/**
 * A connected device must end a command this long after its timeout, or after a cancel; otherwise the hub closes it.
 * Programs get 10 s to stop, and the last 4 MiB of output must arrive.
 */
export const overdueSeconds = 300
/** From the acknowledgement to the start: the time for consent and for the longest possible command before it. */
export const startSecondsMax = 21_600 + consentSeconds

/** Commands that one device may hold at once. */
export const runningMax = 4
export const frameBytesMax = 1 << 20
export const chunkBytesMax = 64 * 1024
/** The first and the last bytes of a command's output are kept. */
export const headBytesMax = 1 << 20
export const tailBytesMax = 3 << 20
export const resultLengthMax = 512 * 1024

/**
 * `replaced`: another socket of the same boot delivers, or this one was silent for too long; an active device
 * reconnects.
 */
export const closeCodes = { superseded: 4001, revoked: 4003, protocol: 4406, restart: 1012, replaced: 1000 } as const

export const waitSecondsMax = 60

const word = (maximum: number) =>
  Schema.String.check(
    Schema.isNonEmpty(),
    Schema.isMaxLength(maximum),
    matching(/^[\x21-\x7e]+$/u, "printable ASCII characters without spaces")
  )
export const InstanceId = word(128)
export const BootId = word(128)
export const AppVersion = Schema.String.check(
  Schema.isNonEmpty(),
  Schema.isMaxLength(64),
  matching(/^[\x21-\x7e]+$/u, "printable ASCII characters without spaces")
)

const natural = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
export const LeaseNumber = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 }))

const Path = Schema.String.check(
  Schema.isNonEmpty(),
  Schema.isMaxLength(4_096),
  matching(/^[^\0]+$/u, "a path without the character NUL")
)

export const Running = Schema.Struct({
  command_id: DeviceCommandId,
  lease: LeaseNumber,
  last_seq: Schema.optionalKey(natural)
})
export type Running = typeof Running.Type

/** A device's report of itself; omitted fields keep their last value. */
const report = {
  app_version: Schema.optionalKey(AppVersion),
  instance_id: Schema.optionalKey(InstanceId),
  boot_id: Schema.optionalKey(BootId),
  status: Schema.optionalKey(Schema.Literals(["online", "draining", "paused"])),
  /** Load of the machine: busy processors, used memory; shown, and never used in a decision. */
  load: Schema.optionalKey(
    Schema.Record(Schema.String.check(Schema.isMaxLength(64)), Schema.Finite).check(Schema.isMaxProperties(16))
  ),
  running: Schema.optionalKey(Schema.Array(Running).check(Schema.isMaxLength(64))),
  /** Directories that the owner opened. */
  roots: Schema.optionalKey(Schema.Array(Path).check(Schema.isMaxLength(64))),
  working_directory: Schema.optionalKey(Path),
  /** A larger surface needs a new grant; the existing grants remain. */
  capabilities: Schema.optionalKey(Schema.Array(Tool).check(Schema.isMaxLength(toolsMax), Schema.isUnique())),
  /** Limited by the device's own rules; may exceed 600. */
  timeout_seconds_max: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 21_600 })))
}

export const Heartbeat = Schema.Struct({ session_id: Schema.optionalKey(DeviceSessionId), ...report }).annotate({
  identifier: "DeviceHeartbeat"
})
export type Heartbeat = typeof Heartbeat.Type

const PlanDigest = Schema.String.check(matching(/^[0-9a-f]{64}$/u, "64 lower-case hexadecimal digits"))

export const Control = Schema.Struct({
  type: Schema.Literals(["cancel", "consent", "drain", "pause", "resume", "revoke"]),
  command_id: Schema.optionalKey(DeviceCommandId),
  /** For `consent`: a person's decision on the plan with this digest. No decision in time counts as denied. */
  decision: Schema.optionalKey(Schema.Literals(["approved", "denied"])),
  plan_digest: Schema.optionalKey(PlanDigest)
}).annotate({ identifier: "DeviceControl" })
export type Control = typeof Control.Type

const standing = {
  session_id: DeviceSessionId,
  interval_seconds: Schema.Int,
  /** Of the reported commands: those that continue, and those that the device must kill. */
  kept: Schema.Array(DeviceCommandId),
  lost: Schema.Array(DeviceCommandId),
  server_time: Schema.String,
  min_app_version: Schema.String
}

export const HeartbeatAnswer = Schema.Struct({
  ...standing,
  /** Commands pending for the device. A heartbeat never leases. */
  waiting: Schema.Array(DeviceCommandId),
  controls: Schema.Array(Control)
}).annotate({ identifier: "DeviceHeartbeatAnswer" })
export type HeartbeatAnswer = typeof HeartbeatAnswer.Type

export const Lease = Schema.Struct({ number: LeaseNumber, ttl_ms: Schema.Int, expires_at: Schema.String }).annotate({
  identifier: "DeviceLease"
})
export type Lease = typeof Lease.Type

export const Ack = Schema.Struct({ lease: LeaseNumber }).annotate({ identifier: "DeviceAck" })
export const Progress = Schema.Struct({
  lease: LeaseNumber,
  state: Schema.Literals(["awaiting_consent", "running"]),
  plan_digest: Schema.optionalKey(PlanDigest),
  /**
   * With `awaiting_consent`: the hub requires an approval bound to the plan's digest. Without it the device asks on its
   * own screen.
   */
  plan: Schema.optionalKey(DevicePlan)
}).annotate({ identifier: "DeviceProgress" })
export type Progress = typeof Progress.Type

/** The length of the largest chunk in base64. */
const chunkLengthMax = Math.ceil(chunkBytesMax / 3) * 4

export const Output = Schema.Struct({
  lease: LeaseNumber,
  /** From 0, one sequence over both streams. */
  seq: natural.check(Schema.isLessThanOrEqualTo(2_147_483_646)),
  stream: Schema.Literals(["stdout", "stderr"]),
  data: Schema.String.check(Schema.isMaxLength(chunkLengthMax)),
  encoding: Schema.optionalKey(Schema.Literals(["utf8", "base64"])),
  /** Offset in its stream, in bytes, including omitted ones. Absent: the current end of the stream. */
  offset: Schema.optionalKey(natural)
}).annotate({ identifier: "DeviceOutput" })
export type Output = typeof Output.Type

export const OutputAnswer = Schema.Struct({ next_seq: Schema.Int, controls: Schema.Array(Control) }).annotate({
  identifier: "DeviceOutputAnswer"
})
export type OutputAnswer = typeof OutputAnswer.Type

export const Outcome = Schema.Literals(["succeeded", "failed", "denied", "timed_out", "interrupted", "cancelled"])
export type Outcome = typeof Outcome.Type

export const CommandError = Schema.Struct({
  code: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(64)),
  message: Schema.String.check(Schema.isMaxLength(2_048))
}).annotate({ identifier: "DeviceCommandError" })
export type CommandError = typeof CommandError.Type

export const Done = Schema.Struct({
  lease: LeaseNumber,
  outcome: Outcome,
  exit_code: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: -2_147_483_648, maximum: 2_147_483_647 })))
  ),
  result: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(CommandError),
  artifacts: Schema.optionalKey(Schema.Array(Schema.Json).check(Schema.isMaxLength(64)))
}).annotate({ identifier: "DeviceDone" })
export type Done = typeof Done.Type

/** Frames from a device over its socket. */
export const DeviceFrame = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("hello"),
    min_protocol: natural,
    max_protocol: natural,
    tools: Schema.optionalKey(Schema.Array(Tool).check(Schema.isMaxLength(toolsMax), Schema.isUnique())),
    ...report
  }),
  Schema.Struct({ type: Schema.Literal("heartbeat"), ...Heartbeat.fields }),
  Schema.Struct({ type: Schema.Literal("ack"), command_id: DeviceCommandId, ...Ack.fields }),
  Schema.Struct({ type: Schema.Literal("state"), command_id: DeviceCommandId, ...Progress.fields }),
  Schema.Struct({ type: Schema.Literal("output"), command_id: DeviceCommandId, ...Output.fields }),
  Schema.Struct({ type: Schema.Literal("done"), command_id: DeviceCommandId, ...Done.fields })
])
export type DeviceFrame = typeof DeviceFrame.Type

export const Welcome = Schema.Struct({
  type: Schema.Literal("welcome"),
  protocol: Schema.Int,
  ...standing,
  lease_ms: Schema.Int,
  limits: Schema.Struct({ frame_bytes: Schema.Int, chunk_bytes: Schema.Int, running: Schema.Int }),
  controls: Schema.Array(Control)
})
export type Welcome = typeof Welcome.Type
