/**
 * The `block` of a refused request: one sentence with the cause, and the next steps. Pure. Spec: reference/requests.md
 * "Block".
 */
import type { AgentId } from "@countersign/domain/ids"

type BlockJson = Readonly<Record<string, unknown>>

const approvalMessages: Readonly<Record<string, string>> = {
  approval_rejected: "A person rejected the request.",
  approval_expired: "The approval expired before it was decided.",
  approval_cancelled: "The request was canceled before it was decided.",
  approval_stale: "The maximum cost is now higher than the approved one. Send the request again to get a new approval."
}

const walletMessages: Readonly<Record<string, string>> = {
  team: "The team's pool has too little money for the request.",
  worker: "The owner's allocation in the team has too little money for the request."
}

const figureOf = (block: BlockJson, name: string): string => {
  const value = block[name]
  return typeof value === "number" ? ` of ${value}` : ""
}

const subjectOf = ({ scope }: BlockJson): string => {
  const { id } = (scope ?? {}) as { readonly id?: unknown }
  return typeof id === "string" ? id : "the operation"
}

const meantBy = (block: BlockJson): string => {
  const meant = block["did_you_mean"]
  return Array.isArray(meant) && meant.length > 0
    ? `Did you mean ${meant.join(" or ")}?`
    : "Check the names of the service and the operation."
}

const messageOf = (block: BlockJson, reason: string | null): string => {
  const limit = figureOf(block, "limit_cents")
  switch (block["limit"]) {
    case "binding":
      return block["unknown_operation"] === true
        ? `There is no operation ${subjectOf(block)}. ${meantBy(block)}`
        : `The agent is not connected to ${subjectOf(block)}, or the service is disabled. A person can change that.`
    case "frozen":
      // By a person, or by the hub after a payment was taken back.
      return "The spending of the " +
        ((block["scope"] as { readonly type?: unknown }).type === "agent" ? "agent" : "workspace") +
        " is frozen. The same request may pass once a person lifts the freeze."
    case "policy":
      return "A policy rule of the workspace blocks the request."
    case "operation_day_count":
      return `The operation's daily limit${figureOf(block, "limit_count")} requests is used up.`
    case "operation_month":
      return `The request would exceed the operation's monthly cap${limit} cents.`
    case "agent_month":
      return `The request would exceed the agent's monthly budget${limit} cents.`
    case "wallet":
      return walletMessages[(block["scope"] as { readonly type?: string }).type ?? ""] ??
        "The wallet has too little money for the request."
    case "task_budget":
      return `The request would exceed the budget${limit} cents of its task.`
    case "run_budget":
      return `The request would exceed the budget${limit} cents of its run.`
    case "provider":
      return "The provider refused the request by its own rules. Nothing was charged."
    default:
      return approvalMessages[reason ?? ""] ?? "The hub blocked the request."
  }
}

/** The call that resolves a block, below `/api/v1`; `undefined` where no call does. */
const hrefOf = (kind: string, { limit, scope }: BlockJson, agent: AgentId): string | undefined => {
  switch (kind) {
    case "budget_request":
      return "/budget-requests"
    case "top_up":
      return "/balance/top-up"
    case "binding":
      return `/agents/${agent}/services`
    case "ask":
      return "/agent-requests"
    case "change_request":
      return "/service-requests"
    case "wait": {
      const { id, type } = scope as { readonly id: string; readonly type: string }
      return limit !== "frozen" ? "/service-requests" : type === "agent" ? `/agents/${id}` : `/workspaces/${id}`
    }
  }
}

interface NextAction {
  readonly kind: string
  readonly href?: string
}

const withHref = (action: NextAction, block: BlockJson, agent: AgentId): NextAction => {
  const href = action.href === undefined ? hrefOf(action.kind, block, agent) : undefined
  return href === undefined ? action : { ...action, href: `/api/v1${href}` }
}

/**
 * Adds to a block of an agent's request the `message` and the address of its `next_action`, unless it has them.
 * `reason` is the request's `reason_code`.
 */
export const explained = (block: BlockJson, reason: string | null, agent: AgentId): BlockJson => {
  const { message, next_action, ...facts } = block
  return {
    ...facts,
    message: typeof message === "string" ? message : messageOf(block, reason),
    next_action: withHref(next_action as NextAction, block, agent)
  }
}

/**
 * The block, as JSON text, of a request whose approval was rejected, expired, or canceled; `undefined` for any other.
 */
export const approvalBlock = (
  operation: string,
  reason: string | null,
  comment: string | null
): string | undefined => {
  if (reason !== "approval_rejected" && reason !== "approval_expired" && reason !== "approval_cancelled") {
    return undefined
  }
  const kind = reason === "approval_rejected" ? "change_request" : reason === "approval_expired" ? "ask" : "none"
  return JSON.stringify({
    limit: "approval",
    scope: { type: "operation", id: operation },
    ...(comment === null || comment === "" ? {} : { comment }),
    next_action: { kind }
  })
}
