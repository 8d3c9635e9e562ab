/** The request that a firing makes. Pure. Spec: reference/schedules.md "Scheduled task". */
import type { FiringAction } from "@countersign/domain/scheduled-tasks"
import type { Action } from "./repository.ts"

/** The payload, or the input of the workflow. */
export const payloadOf = (action: FiringAction): Readonly<Record<string, unknown>> =>
  (action.type === "service_request" ? action.payload : action.input) ?? {}

/** The request of an action, with another payload or input than its own if one is given. */
export const requestOf = (action: FiringAction, payload = payloadOf(action)): Action =>
  action.type === "service_request"
    ? { service: action.service, operation: action.operation, payload: JSON.stringify(payload) }
    : {
      service: "workflow",
      operation: "run_workflow",
      payload: JSON.stringify({ workflow_id: action.workflow_id, input: payload })
    }

/** The path of the payload, or of the workflow's input, in a body. */
export const payloadPath = (action: FiringAction): string =>
  action.type === "service_request" ? "action.payload" : "action.input"
