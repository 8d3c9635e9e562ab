/** A request as the result of a tool call. Pure. Spec: reference/mcp.md "Results". */
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import type { ApiError } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { renderRequest } from "../dispatch/requests/view.ts"

/** Longest wait of the tool `wait`, in seconds: clients give up after a minute. */
export const waitSecondsMax = 50
/** How long a repeated call waits after its person opened the approval, in milliseconds. */
export const repeatedWaitMillis = 25_000
/** Tools in one page of the list. */
export const toolsPageSize = 100
/** How long a client may use its copy of the list, in milliseconds. */
export const toolsTtlMillis = 60_000
export const progressMillis = 5_000
/** Tools that `find_tools` returns. */
export const foundToolsMax = 10

/** Every tool's: the outcome is part of the answer, because blocked and pending requests are answers too. */
export const outputSchema = {
  type: "object" as const,
  properties: {
    status: { type: "string", enum: ["executed", "blocked", "approval_required", "failed", "running"] },
    service_request_id: { type: "string" },
    cost_cents: { type: "integer", description: "Debited so far." },
    reason_code: { type: "string" },
    approval: {
      type: "object",
      properties: { id: { type: "string" }, url: { type: "string", description: "Where people decide." } },
      required: ["id", "url"]
    },
    result: { description: "The provider's answer, or the code and detail of a failure." },
    block: { type: "object", description: "Which limit or rule refused the request, and what to do next." },
    waiting_for: { type: "object" }
  },
  required: ["status", "service_request_id", "cost_cents"]
}

export interface ToolAnswer {
  readonly [name: string]: unknown
  readonly status: RequestFacts["status"]
  readonly service_request_id: string
  readonly cost_cents: number
}

/** A person's address for the approval of a request. */
export const approvalUrl = (origin: string, org: OrgId, approval: string): string =>
  `${origin}/w/${org}/approvals/${approval}`

export const isPending = ({ status }: Pick<RequestFacts, "status">): boolean =>
  status === "approval_required" || status === "running"

export const answerOf = (facts: RequestFacts, origin: string, org: OrgId): ToolAnswer => {
  const shown = JSON.parse(renderRequest(facts)) as Readonly<Record<string, unknown>>
  const pick = (...names: ReadonlyArray<string>) =>
    Object.fromEntries(names.filter((name) => shown[name] !== undefined).map((name) => [name, shown[name]]))
  return {
    status: facts.status,
    service_request_id: facts.id,
    cost_cents: facts.cost_cents,
    ...pick("reason_code"),
    ...facts.status === "approval_required" && facts.approval_id !== null
      ? { approval: { id: facts.approval_id, url: approvalUrl(origin, org, facts.approval_id) } }
      : {},
    ...pick("result", "block", "waiting_for")
  }
}

/** What a client that cannot show a pending request gives to its model. */
export const pendingText = (answer: ToolAnswer): string =>
  answer.status === "approval_required"
    ? `A person must approve this request: ${
      (answer["approval"] as { readonly url: string } | undefined)?.url ?? ""
    } Then call the tool wait with service_request_id ${answer.service_request_id}.`
    : `The request is running. Call the tool wait with service_request_id ${answer.service_request_id}.`

export interface CallResult {
  readonly [name: string]: unknown
  readonly content: Array<{ type: "text"; text: string }>
  readonly structuredContent?: ToolAnswer
  readonly isError?: boolean
}

/** The answer as JSON text and structured; blocked and failed requests are errors of the tool. */
export const callResult = (answer: ToolAnswer): CallResult => ({
  content: [
    { type: "text", text: JSON.stringify(answer) },
    ...isPending(answer) ? [{ type: "text" as const, text: pendingText(answer) }] : []
  ],
  structuredContent: answer,
  ...answer.status === "blocked" || answer.status === "failed" ? { isError: true } : {}
})

/** A call that became no request, such as one with invalid arguments. */
export const refusedResult = ({ error }: ApiError): CallResult => ({
  content: [{ type: "text", text: JSON.stringify({ error }) }],
  isError: true
})

/** A request as a task of the extension `io.modelcontextprotocol/tasks`: its id is the request's. */
export const taskOf = (facts: RequestFacts, answer: ToolAnswer) => {
  const isCancelled = facts.reason_code === "approval_cancelled" ||
    facts.status === "failed" && (answer["result"] as { readonly code?: string } | undefined)?.code === "cancelled"
  const created = new Date(facts.created_at).toISOString()
  return {
    taskId: facts.id,
    status: isPending(facts) ? "working" : isCancelled ? "cancelled" : "completed",
    ...isPending(facts) ? { statusMessage: pendingText(answer) } : {},
    createdAt: created,
    lastUpdatedAt: facts.completed_at === null ? created : new Date(facts.completed_at).toISOString(),
    ttlMs: null,
    pollIntervalMs: 2_000,
    ...isPending(facts) || isCancelled ? {} : { result: callResult(answer) }
  }
}
