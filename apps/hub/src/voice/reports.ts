/** What Telnyx's events and Twilio's status callbacks say about a call. Pure. Spec: reference/services.md "Voice calls". */
import { isServiceRequestId, type ServiceRequestId } from "@countersign/domain/ids"
import { Option, Schema } from "effect"
import { refText } from "../providers/async.ts"

export interface CallReport {
  /** The provider's id of the call. */
  readonly ref: string
  /** Our request, which Telnyx repeats in each event of the call. */
  readonly request: ServiceRequestId | undefined
  readonly end: CallEnd | undefined
}

export interface CallEnd {
  readonly status: "executed" | "failed"
  /** The provider's word for the end. */
  readonly cause: string
  readonly seconds: number | undefined
}

const failedStatuses: ReadonlySet<string> = new Set(["busy", "no-answer", "failed", "canceled", "cancelled"])

/** A status in the words of Twilio; the others are those of a call in progress. */
const endOf = (status: string, cause: string, seconds: number | undefined): CallEnd | undefined =>
  status === "completed"
    ? { status: "executed", cause, seconds }
    : failedStatuses.has(status)
    ? { status: "failed", cause, seconds: undefined }
    : undefined

/** https://developers.telnyx.com/docs/voice/programmable-voice/hangup-causes */
const hangups: Readonly<Record<string, string>> = {
  normal_clearing: "completed",
  time_limit: "completed",
  user_busy: "busy",
  timeout: "no-answer",
  no_answer: "no-answer",
  no_user_response: "no-answer",
  originator_cancel: "canceled"
}

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
const Event = Schema.Struct({
  data: Schema.Struct({
    event_type: Text,
    call_control_id: Schema.optionalKey(Schema.Unknown),
    status: Text,
    payload: Schema.optionalKey(Schema.NullOr(Schema.Struct({
      call_control_id: Schema.optionalKey(Schema.Unknown),
      client_state: Text,
      status: Text,
      hangup_cause: Text,
      start_time: Text,
      end_time: Text,
      call_duration_secs: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
      duration_secs: Schema.optionalKey(Schema.NullOr(Schema.Finite))
    })))
  })
})
const readEvent = Schema.decodeUnknownOption(Event)

const secondsBetween = (start: string | null | undefined, end: string | null | undefined): number | undefined => {
  const seconds = (Date.parse(end ?? "") - Date.parse(start ?? "")) / 1_000
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : undefined
}

const requestOf = (clientState: string | null | undefined): ServiceRequestId | undefined => {
  const text = Buffer.from(clientState ?? "", "base64").toString("latin1")
  return isServiceRequestId(text) ? text : undefined
}

/** The state that `requestOf` reads. */
export const clientStateOf = (request: ServiceRequestId): string => Buffer.from(request).toString("base64")

/** Undefined for an event without a call. */
export const telnyxReportOf = (document: unknown): CallReport | undefined => {
  const data = Option.getOrUndefined(readEvent(document))?.data
  const payload = data?.payload ?? undefined
  const ref = refText(payload?.call_control_id ?? data?.call_control_id)
  if (data === undefined || ref === undefined) return undefined
  const cause = payload?.hangup_cause ?? undefined
  const isHangup = data.event_type === "call.hangup"
  const stated = payload?.status ?? data.status ?? ""
  const status = isHangup && cause !== undefined ? hangups[cause] ?? "failed" : stated
  const seconds = payload?.call_duration_secs ?? payload?.duration_secs ??
    secondsBetween(payload?.start_time, payload?.end_time)
  return {
    ref,
    request: requestOf(payload?.client_state),
    end: endOf(status, cause ?? status, seconds) ??
      (isHangup ? endOf("failed", cause ?? "hangup", undefined) : undefined)
  }
}

/** Undefined for a callback without a call. */
export const twilioReportOf = (form: URLSearchParams): CallReport | undefined => {
  const ref = refText(form.get("CallSid") ?? undefined)
  if (ref === undefined) return undefined
  const status = form.get("CallStatus") ?? ""
  const duration = form.get("CallDuration") ?? ""
  return {
    ref,
    request: undefined,
    end: endOf(status, status, /^\d{1,6}$/.test(duration) ? Number(duration) : undefined)
  }
}
