/**
 * A decision on one approval, sent with the digest of the rendered payload. State and error are kept by the approval's
 * id, so that they reappear when the person returns to the row. Nothing is shown as decided before the hub confirms it.
 */
import type { Input, Output } from "@countersign/hub-client/contract"
import { type HubError, isHubError } from "@countersign/hub-client/error"
import { type QueryClient, useMutation, useMutationState, useQueryClient } from "@tanstack/react-query"
import { Undone, undoWindow } from "../app/undo-window.ts"
import { formatMoney } from "../components/money-text.ts"
import { approvalQuery, commandQuery, requestQuery } from "../hub/queries.ts"
import { hubOf } from "../hub/query-options.ts"
import { withStepUp } from "../hub/step-up.ts"
import { keyOfQuery, touch } from "../hub/touch.ts"
import { holds, withRow } from "../live/list-rows.ts"
import { approvalText } from "../text/approvals.ts"
import type { ApprovalRow } from "./inbox-rows.ts"
import { operationOf } from "./words.ts"

export type Remember = NonNullable<NonNullable<Input<"approvals.approve">["payload"]>["remember"]>

export interface Verdict {
  readonly decision: "approve" | "reject"
  readonly comment?: string
  readonly remember?: Remember
}

interface Answer {
  readonly approval: ApprovalRow
  readonly service_request?: Output<"service_requests.get"> | undefined
  readonly device_command?: Output<"device_commands.get"> | undefined
  /** Pending approvals that the new standing approval covers. */
  readonly applied?: Output<"approvals.approve">["applied"]
}

/** State and error are kept for this long after the row was closed. */
export const keptMillis = 600_000
const name = "decision"
export const keyOf = (id: string) => [name, id] as const

/** Stores the hub's answer in every query that shows the approval. A read in progress may be older. */
export const takeApproval = async (queries: QueryClient, approval: ApprovalRow): Promise<void> => {
  const { queryKey } = approvalQuery(approval.org_id, approval.id)
  await queries.cancelQueries({ queryKey, exact: true })
  queries.setQueryData(queryKey, approval)
  for (
    const query of queries.getQueryCache().findAll({
      predicate: (query) => keyOfQuery(query)?.[0] === "approvals.list"
    })
  ) {
    const data = query.state.data as Parameters<typeof withRow>[0]
    if (!holds(data, approval.id)) continue
    if (query.state.fetchStatus === "fetching") {
      void queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
    }
    queries.setQueryData(query.queryKey, withRow(data, approval))
  }
}

const decide = async (
  queries: QueryClient,
  approval: ApprovalRow,
  { comment, decision, remember }: Verdict
): Promise<Answer> => {
  const { id, org_id, payload_digest } = approval
  const hub = hubOf(queries)
  const payload = { payload_digest, ...comment === undefined || comment === "" ? {} : { comment } }
  const options = { workspace: org_id }
  if (decision === "reject") {
    return { approval: await hub.call("approvals.reject", { params: { id }, payload }, options) }
  }
  const grant = { ...payload, ...remember === undefined ? {} : { remember } }
  return hub.call("approvals.approve", { params: { id }, payload: grant }, options)
}

export interface DecisionState {
  readonly verdict: Verdict | undefined
  readonly isAsking: boolean
  readonly error: HubError | null
}

export interface Decision extends DecisionState {
  /** `onDone` is called with the hub's answer while the sending component is still mounted. */
  readonly send: (verdict: Verdict, onDone?: (answer: Answer) => void) => void
}

export const useDecision = (approval: ApprovalRow): Decision => {
  const t = approvalText.foot
  const queries = useQueryClient()
  const mutationKey = keyOf(approval.id)
  const { mutate } = useMutation<Answer, HubError, Verdict>({
    mutationKey,
    gcTime: keptMillis,
    mutationFn: async (verdict) => {
      const words = verdict.decision === "approve" ? t.approving : t.rejecting
      await undoWindow(words(formatMoney(approval.cost_cents), operationOf(approval)))
      return withStepUp(queries, () => decide(queries, approval, verdict))
    },
    onSuccess: async ({ approval, device_command, service_request }, { remember }) => {
      if (service_request !== undefined) {
        queries.setQueryData(requestQuery(approval.org_id, service_request.id).queryKey, service_request)
      }
      if (device_command !== undefined) {
        queries.setQueryData(commandQuery(approval.org_id, device_command.id).queryKey, device_command)
      }
      await takeApproval(queries, approval)
      // The decision also changes the remaining limits and the history of other approvals.
      void touch(queries, approval.org_id, [
        "approvals.counts",
        "approvals.get",
        ...remember === undefined ? [] : ["standing_approvals" as const],
        ...remember?.apply_to_pending === true ? ["approvals.list" as const] : []
      ])
    },
    // Any error means that the shown data may be stale.
    onError: (error) => {
      if (isHubError(error) && (error.status === 409 || error.status === 403 || error.isUncertain)) {
        void queries.invalidateQueries({ queryKey: approvalQuery(approval.org_id, approval.id).queryKey, exact: true })
      }
    }
  })
  const states = useMutationState({ filters: { mutationKey, exact: true }, select: ({ state }) => state })
  const last = states.at(-1)
  return {
    verdict: last?.variables as Verdict | undefined,
    isAsking: last?.status === "pending",
    error: last?.status === "error" && !(last.error instanceof Undone) ? last.error as HubError : null,
    // Further presses during a call are ignored.
    send: (verdict, onDone) => {
      if (last?.status !== "pending") mutate(verdict, onDone === undefined ? {} : { onSuccess: onDone })
    }
  }
}

/** Ids with a decision in progress. */
export const useAsking = (): ReadonlySet<string> =>
  new Set(useMutationState({
    filters: { mutationKey: [name], status: "pending" },
    select: ({ options }) => String(options.mutationKey?.[1])
  }))
