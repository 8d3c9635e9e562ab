/** Outcomes and errors in the forms of the clients of the model door. Spec: reference/model-door.md "Outcomes". */
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, statusOf } from "@countersign/domain/errors"
import { explained } from "../dispatch/decision/blocks.ts"

export type Form = "openai" | "anthropic"

export interface DoorError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly error: {
    readonly message: string
    readonly type: string
    readonly code: string
    readonly param?: string
    readonly block?: unknown
    readonly approval?: { readonly id: string; readonly url: string }
  }
  readonly service_request_id?: string
}

/** The clients' own retries repeat 409 and 429: an outcome does not change by itself. */
const final = { "x-should-retry": "false" }

const moneyReasons: ReadonlySet<string> = new Set([
  "monthly_budget_exceeded",
  "agent_budget_exceeded",
  "insufficient_balance",
  "task_budget_exceeded",
  "run_budget_exceeded"
])

/** The provider's statuses that a client can act on. */
const providerStatuses: ReadonlySet<number> = new Set([400, 404, 413, 429])

const parsed = (text: string | null): Readonly<Record<string, unknown>> =>
  text === null ? {} : JSON.parse(text) as Readonly<Record<string, unknown>>

export const ofFacts = (facts: RequestFacts, approvalUrl: (id: string) => string): DoorError => {
  const { agent_id, approval_id, block, id, reason_code, result, status } = facts
  if (status === "blocked") {
    const code = reason_code ?? "policy_violation"
    const shown = explained({ ...parsed(block) }, reason_code, agent_id) as Readonly<Record<string, unknown>>
    const isMoney = moneyReasons.has(code)
    return {
      status: isMoney ? 402 : 403,
      headers: final,
      error: {
        message: typeof shown["message"] === "string" ? shown["message"] : `The request was blocked: ${code}.`,
        type: isMoney ? "insufficient_quota" : "forbidden",
        code,
        block: shown
      },
      service_request_id: id
    }
  }
  if (status === "approval_required" && approval_id !== null) {
    const url = approvalUrl(approval_id)
    return {
      status: 403,
      headers: final,
      error: {
        message:
          `A person must approve this call first: ${url}. Send the same call again after that; it is not charged twice.`,
        type: "forbidden",
        code: "approval_required",
        approval: { id: approval_id, url }
      },
      service_request_id: id
    }
  }
  if (status === "failed") {
    const { code, detail, provider_status, retry_after_seconds } = parsed(result)
    const known = typeof provider_status === "number" && providerStatuses.has(provider_status)
      ? provider_status
      : undefined
    return {
      status: code === "agent_disabled" ? 403 : known ?? 502,
      headers: {
        ...final,
        ...typeof retry_after_seconds === "number" ? { "retry-after": String(retry_after_seconds) } : {}
      },
      error: {
        message: typeof detail === "string" ? detail : "The call failed.",
        type: code === "agent_disabled" ? "forbidden" : known === 429 ? "rate_limit_error" : "upstream_error",
        code: typeof code === "string" ? code : "adapter_error"
      },
      service_request_id: id
    }
  }
  return {
    status: 504,
    headers: final,
    error: {
      message: `The call has not ended yet. GET /api/v1/service-requests/${id} shows its outcome.`,
      type: "api_error",
      code: "running"
    },
    service_request_id: id
  }
}

const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "forbidden",
  404: "not_found_error",
  409: "conflict",
  413: "request_too_large",
  415: "invalid_request_error",
  429: "rate_limit_error"
}

/** An error of the hub: a client may repeat 429 and 503, as everywhere. */
export const ofApiError = (error: ApiError): DoorError => {
  const status = statusOf(error)
  const { code, data, details, message } = error.error
  const path = details?.[0]?.path
  const retry = (data as { readonly retry_after_seconds?: number } | undefined)?.retry_after_seconds
  return {
    status,
    headers: {
      ...status === 429 || status === 503 ? {} : final,
      ...retry === undefined ? {} : { "retry-after": String(retry) }
    },
    error: {
      message,
      type: types[status] ?? "api_error",
      code,
      ...path === undefined || path === "" ? {} : { param: path }
    }
  }
}

export const bodyOf = (form: Form, { error, service_request_id }: DoorError, requestId: string): object => ({
  ...form === "anthropic" ? { type: "error" } : {},
  error: { ...error, request_id: requestId },
  request_id: requestId,
  ...service_request_id === undefined ? {} : { service_request_id }
})
