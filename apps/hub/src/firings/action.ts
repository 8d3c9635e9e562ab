/** The request that a firing makes. Pure. Spec: reference/schedules.md "Scheduled task". */
import type { FiringAction } from "@countersign/domain/scheduled-tasks"
import type { Action } from "./repository.ts"

/** The payload, or the input of the workflow. */
export const payloadOf = (action: FiringAction): Readonly<Record<string, unknown>> =>
  (action.type === "service_request" ? action.payload : action.input) ?? {}

/**
 * The request of an action, with another payload or input than its own if one is given. `depth`: how many runs have
 * caused it over HTTP.
 */
export const requestOf = (action: FiringAction, payload = payloadOf(action), depth = 0): Action => {
  const counted = depth === 0 ? {} : { depth }
  if (action.type === "workflow") {
    return {
      service: "workflow",
      operation: "run_workflow",
      payload: JSON.stringify({ workflow_id: action.workflow_id, input: payload, ...counted })
    }
  }
  const { operation, service } = action
  // Only webhooks pass the number on.
  const isWebhook = service === "webhook" && operation === "send"
  return { service, operation, payload: JSON.stringify(isWebhook ? { ...payload, ...counted } : payload) }
}

/** The path of the payload, or of the workflow's input, in a body. */
export const payloadPath = (action: FiringAction): string =>
  action.type === "service_request" ? "action.payload" : "action.input"
