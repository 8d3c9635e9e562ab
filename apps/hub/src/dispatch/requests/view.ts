/**
 * A service request as the API returns it. One function writes it from the stored fields, so a replay has the same
 * bytes.
 */
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import type { WaitingFor } from "@countersign/domain/service-requests"
import type { SummaryField } from "@countersign/domain/summary"
import { shownOrigin } from "../../platform/filing.ts"
import { explained } from "../decision/blocks.ts"

/** ISO text of the last formatted second: most answers of a busy hub share it. */
let second = -1
let secondText = ""
export const isoTime = (millis: number): string => {
  const whole = Math.floor(millis / 1000)
  if (whole !== second) {
    second = whole
    secondText = new Date(whole * 1000).toISOString().slice(0, 20)
  }
  return `${secondText}${String(Math.floor(millis) % 1000).padStart(3, "0")}Z`
}

/** The kind of `waiting_for`, by `running_because` of the hold; null before its provider answered. */
const waitingKinds: Readonly<Record<string, WaitingFor["kind"]>> = {
  poll: "poll",
  callback: "callback",
  device: "device",
  unknown_fate: "settlement",
  scripted: "settlement"
}

/** The JSON text of `waiting_for`. `until` is its deadline in milliseconds. */
export const waitingText = (because: string | null, until: number | null): string => {
  const kind = waitingKinds[because ?? ""] ?? "provider"
  return `{"kind":"${kind}"${until === null ? "" : `,"until":"${isoTime(until)}"`}}`
}

/** The JSON text. Ids, names, and times contain nothing that JSON would escape. */
export const renderRequest = (facts: RequestFacts, summary?: ReadonlyArray<SummaryField>): string => {
  let text = `{"id":"${facts.id}","status":"${facts.status}","mode":"${facts.mode}","service":${
    JSON.stringify(facts.service)
  }`
  text += `,"operation":${
    JSON.stringify(facts.operation)
  },"cost_cents":${facts.cost_cents},"ceiling_cents":${facts.ceiling_cents}`
  if (facts.reported_cost_cents !== null) text += `,"reported_cost_cents":${facts.reported_cost_cents}`
  if (facts.reason_code !== null) text += `,"reason_code":${JSON.stringify(facts.reason_code)}`
  if (facts.approval_id !== null) text += `,"approval_id":"${facts.approval_id}"`
  if (facts.result !== null) text += `,"result":${facts.result}`
  if (facts.block !== null) {
    text += `,"block":${
      JSON.stringify(explained(JSON.parse(facts.block) as Record<string, unknown>, facts.reason_code, facts.agent_id))
    }`
  }
  if (facts.waiting_for !== null) text += `,"waiting_for":${facts.waiting_for}`
  if (facts.late_result !== null) text += `,"late_result":${facts.late_result}`
  const origin = shownOrigin(facts.origin)
  if (origin !== null) text += `,"origin":${origin}`
  if (summary !== undefined) text += `,"summary":${JSON.stringify(summary)}`
  text += `,"agent_id":"${facts.agent_id}","created_at":"${isoTime(facts.created_at)}"`
  if (facts.completed_at !== null) text += `,"completed_at":"${isoTime(facts.completed_at)}"`
  return `${text},"links":{"self":"/api/v1/service-requests/${facts.id}"}}`
}
