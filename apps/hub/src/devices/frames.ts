/**
 * Reads frames of devices, and describes a refused frame in its error frame. Spec: reference/devices.md "WebSocket".
 */
import { DeviceFrame, protocolVersion } from "@countersign/domain/device-protocol"
import { type ApiError, invalidRequest } from "@countersign/domain/errors"
import { DeviceCommandId } from "@countersign/domain/ids"
import { isJsonObject, parseStrict } from "@countersign/domain/json"
import { Result, Schema } from "effect"

const typeLengthMax = 32

const decode = Schema.decodeUnknownResult(DeviceFrame, { onExcessProperty: "error" })
const isCommandId = Schema.is(DeviceCommandId)
const strictText = new TextDecoder("utf-8", { fatal: true })
const lenientText = new TextDecoder("utf-8")

export const parseDeviceFrame = (frame: string | Uint8Array): Result.Result<DeviceFrame, ApiError> => {
  try {
    const parsed = parseStrict(typeof frame === "string" ? frame : strictText.decode(frame))
    if (!parsed.ok) return Result.fail(invalidRequest(`The frame is not valid JSON: ${parsed.message}`))
    return Result.mapError(
      decode(parsed.value),
      (error) =>
        invalidRequest(`The frame does not match protocol ${protocolVersion}: ${error.message.split("\n", 1)[0] ?? ""}`)
    )
  } catch {
    return Result.fail(invalidRequest("The frame is not UTF-8."))
  }
}

/** Identifies the frame in an error, so that the device can settle the command. */
export const aboutFrame = (frame: DeviceFrame): Readonly<Record<string, unknown>> => ({
  to: frame.type,
  ..."command_id" in frame ? { command_id: frame.command_id } : {},
  ...frame.type === "output" ? { seq: frame.seq } : {}
})

/** The same for a frame that could not be parsed, as far as it is readable. */
export const aboutRefused = (frame: string | Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const read: unknown = JSON.parse(typeof frame === "string" ? frame : lenientText.decode(frame))
    if (!isJsonObject(read)) return {}
    const { command_id: command, seq, type } = read
    return {
      ...typeof type === "string" && type.length <= typeLengthMax ? { to: type.toWellFormed() } : {},
      ...isCommandId(command) ? { command_id: command } : {},
      ...Number.isSafeInteger(seq) && Number(seq) >= 0 ? { seq } : {}
    }
  } catch {
    return {}
  }
}

/** A fault of the hub: the same code as HTTP status 500. The device sends the frame again. */
export const internalError = {
  code: "internal_error",
  message: "The hub could not process this frame. Send it again."
} as const
