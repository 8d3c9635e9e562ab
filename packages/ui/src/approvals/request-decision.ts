/**
 * A decision on an agent request or a budget request. State and error are kept by its id, as those of approvals are, so
 * that they reappear when the person returns to the row.
 */
import type { Input } from "@countersign/hub-client/contract"
import { type HubError, isHubError } from "@countersign/hub-client/error"
import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query"
import { Undone, undoWindow } from "../app/undo-window.ts"
import { agentRequestQuery, budgetRequestQuery } from "../hub/queries.ts"
import { hubOf } from "../hub/query-options.ts"
import { withStepUp } from "../hub/step-up.ts"
import { touch } from "../hub/touch.ts"
import { keptMillis, keyOf } from "./decision.ts"
import type { InboxPlace } from "./request-rows.ts"

export type RequestVerdict =
  & {
    /** Which of the two buttons. */
    readonly button: "first" | "second"
    /** While it can be undone, such as "Answering: Which color?". */
    readonly words: string
  }
  & (
    | { readonly type: "agent_request"; readonly payload: Input<"agent_requests.answer">["payload"] }
    | { readonly type: "budget_request"; readonly payload: Input<"budget_requests.decide">["payload"] }
  )

export interface RequestDecision {
  readonly verdict: RequestVerdict | undefined
  readonly isAsking: boolean
  readonly error: HubError | null
  /** `onDone` is called after the hub's answer while the sending component is still mounted. */
  readonly send: (verdict: RequestVerdict, onDone?: () => void) => void
}

export const useRequestDecision = ({ id, org_id }: InboxPlace): RequestDecision => {
  const queries = useQueryClient()
  const mutationKey = keyOf(id)
  const input = { params: { id } }
  const options = { workspace: org_id }
  const { mutate } = useMutation<void, HubError, RequestVerdict>({
    mutationKey,
    gcTime: keptMillis,
    mutationFn: async (verdict) => {
      await undoWindow(verdict.words)
      const hub = hubOf(queries)
      const [queryKey, request] = await withStepUp(queries, async () =>
        verdict.type === "agent_request"
          ? [
            agentRequestQuery(org_id, id).queryKey,
            await hub.call("agent_requests.answer", { ...input, payload: verdict.payload }, options)
          ] as const
          : [
            budgetRequestQuery(org_id, id).queryKey,
            await hub.call("budget_requests.decide", { ...input, payload: verdict.payload }, options)
          ] as const)
      await queries.cancelQueries({ queryKey, exact: true })
      queries.setQueryData(queryKey, request)
    },
    onSuccess: (_, { type }) => {
      void touch(queries, org_id, [
        "approvals.counts",
        ...type === "agent_request"
          ? ["agent_requests.list" as const]
          : ["budget_requests.list" as const, "budgets" as const, "agents" as const, "bindings" as const]
      ])
    },
    // Any error means that the shown data may be stale.
    onError: (error, { type }) => {
      if (isHubError(error) && (error.status === 409 || error.status === 403 || error.isUncertain)) {
        void touch(queries, org_id, [type === "agent_request" ? "agent_requests" : "budget_requests"])
      }
    }
  })
  const states = useMutationState({ filters: { mutationKey, exact: true }, select: ({ state }) => state })
  const last = states.at(-1)
  return {
    verdict: last?.variables as RequestVerdict | undefined,
    isAsking: last?.status === "pending",
    error: last?.status === "error" && !(last.error instanceof Undone) ? last.error as HubError : null,
    // Further presses during a call are ignored.
    send: (verdict, onDone) => {
      if (last?.status !== "pending") mutate(verdict, onDone === undefined ? {} : { onSuccess: onDone })
    }
  }
}
