/** Frames from a hub to a device over its WebSocket, and their parser. Spec: reference/devices.md "WebSocket". */
import { Result, Schema } from "effect"
import { Control, Lease, Outcome, Welcome } from "./device-protocol.ts"
import { CommandStatus, LeasedCommand } from "./devices.ts"
import { DeviceCommandId } from "./ids.ts"
import { isJsonObject, jsonDepthMax, parseStrict } from "./json.ts"

const { lease: _, ...command } = LeasedCommand.fields

const natural = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

/** `to` is the type of the refused frame. `command_id` is absent when the hub could not read it. */
export const ErrorFrame = Schema.Struct({
  type: Schema.Literal("error"),
  to: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(32))),
  command_id: Schema.optionalKey(DeviceCommandId),
  /** For a refused chunk of output. */
  seq: Schema.optionalKey(natural),
  error: Schema.Struct({
    code: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(64)),
    message: Schema.optionalKey(Schema.String),
    data: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
  })
})
export type ErrorFrame = typeof ErrorFrame.Type

const frames = {
  welcome: Welcome,
  command: Schema.Struct({ type: Schema.Literal("command"), command: Schema.Struct(command), lease: Lease }),
  acked: Schema.Struct({
    type: Schema.Literal("acked"),
    command_id: DeviceCommandId,
    status: CommandStatus,
    lease: Lease
  }),
  output_ack: Schema.Struct({ type: Schema.Literal("output_ack"), command_id: DeviceCommandId, next_seq: natural }),
  done: Schema.Struct({
    type: Schema.Literal("done"),
    command_id: DeviceCommandId,
    status: CommandStatus,
    outcome: Schema.optionalKey(Outcome)
  }),
  cancel: Schema.Struct({
    type: Schema.Literal("cancel"),
    command_id: DeviceCommandId,
    lost: Schema.optionalKey(Schema.Boolean)
  }),
  control: Schema.Struct({ type: Schema.Literal("control"), control: Control }),
  error: ErrorFrame
} as const

type FrameType = keyof typeof frames
export type HubFrame = { readonly [T in FrameType]: typeof frames[T]["Type"] }[FrameType]
/** Frames after the welcome. */
export type NextFrame = Exclude<HubFrame, { readonly type: "welcome" }>
/** A command as offered to its device. */
export type OfferedCommand = typeof frames.command.Type["command"]

const decoders = Object.fromEntries(
  Object.entries(frames).map(([type, frame]) => [type, Schema.decodeUnknownResult(frame as Schema.Decoder<HubFrame>)])
) as Readonly<Record<string, (frame: unknown) => Result.Result<HubFrame, Schema.SchemaError>>>

/** A frame nests an input two levels deeper than a request body does. */
const depthMax = jsonDepthMax + 8
const problemLengthMax = 300

/**
 * `unknown`: the type of a later hub, to be ignored. `problem` is one line, without content of the frame beyond the
 * schema's message.
 */
export type FrameRead = { readonly frame: HubFrame } | { readonly unknown: string } | { readonly problem: string }

const problem = (message: string): FrameRead => ({
  problem: (message.split("\n", 1)[0] ?? "").slice(0, problemLengthMax).toWellFormed()
})

const isControl = Schema.is(Control)
const withKnownControls = (welcome: { readonly [name: string]: unknown }): unknown => {
  const { controls } = welcome
  return Array.isArray(controls) ? { ...welcome, controls: controls.filter((control) => isControl(control)) } : welcome
}

/** Drops fields and controls of later hubs. */
export const readFrame = (value: unknown): FrameRead => {
  if (!isJsonObject(value)) return problem("the frame is not an object")
  const { type } = value
  if (typeof type !== "string") return problem("the frame has no type")
  if (!Object.hasOwn(decoders, type)) return { unknown: type.slice(0, 32).toWellFormed() }
  return Result.match(decoders[type]!(type === "welcome" ? withKnownControls(value) : value), {
    onSuccess: (frame): FrameRead => ({ frame }),
    onFailure: (error) => problem(`${type}: ${error.message}`)
  })
}

/** Allows NUL, which inputs of agents may contain. */
export const parseFrame = (text: string): FrameRead => {
  const parsed = parseStrict(text, { maxDepth: depthMax, nulAllowedUnder: "command" })
  return parsed.ok ? readFrame(parsed.value) : problem(`the frame is not acceptable JSON: ${parsed.message}`)
}
