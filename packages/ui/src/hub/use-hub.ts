/** The hub in a component: `useAct` for changes; reads use the queries of `queries.ts`. */
import { newIdempotencyKey } from "@countersign/domain/idempotency-key"
import type { CallOptions, HubClient } from "@countersign/hub-client/client"
import type { EndpointName, Input, Output } from "@countersign/hub-client/contract"
import type { HubError } from "@countersign/hub-client/error"
import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query"
import { showToast } from "../components/toast.tsx"
import { hubOf } from "./query-options.ts"
import { withStepUp } from "./step-up.ts"
import { touch, type Touched } from "./touch.ts"

export const useHub = (): HubClient => hubOf(useQueryClient())

export interface ActOptions<E extends EndpointName> {
  readonly workspace: string | null
  /**
   * Endpoints whose answers it changes: `["agents.list", "agents.get"]` or a whole group, `["agents"]`. They are
   * refetched before the call counts as done.
   */
  readonly touches?: ReadonlyArray<Touched>
  /** For sign-in, where a 401 means a wrong password. */
  readonly anonymous?: boolean
  /**
   * A key for each intent, only for calls whose keys the hub keeps (top-up). A person's retry after an error is the
   * same intent.
   */
  readonly keyed?: boolean
  /** The toast after the call. */
  readonly done?: string | ((answer: Output<E>) => string)
  readonly onDone?: (answer: Output<E>, input: Input<E>) => void
}

/**
 * A call that changes something. There are no optimistic updates: nothing is shown as done before the hub confirms it.
 * The error is a `HubError`; `isUncertain` means that the hub may have acted. If the hub requires the password, the
 * person enters it and the call is repeated.
 */
export const useAct = <E extends EndpointName>(
  endpoint: E,
  options: ActOptions<E>
): UseMutationResult<Output<E>, HubError, Input<E>> => {
  const queries = useQueryClient()
  const { anonymous = false, done, keyed = false, onDone, touches = [], workspace } = options
  return useMutation<Output<E>, HubError, Input<E>>({
    meta: { anonymous },
    mutationFn: async (input) => {
      const call: CallOptions = {
        workspace: workspace ?? undefined,
        ...keyed ? { idempotencyKey: keyOf(endpoint, workspace, input) } : {}
      }
      const answer = await withStepUp(queries, () => hubOf(queries).call(endpoint, input, call))
      forgetKey(endpoint, workspace, input)
      await touch(queries, workspace, touches)
      return answer
    },
    onSuccess: (answer, input) => {
      if (done !== undefined) showToast({ text: typeof done === "string" ? done : done(answer) })
      return onDone?.(answer, input)
    }
  })
}

/**
 * Keys of intents without an answer: the same input after an error is sent under the same key, so that it cannot happen
 * twice.
 */
const openKeys = new Map<string, string>()
const intentOf = (endpoint: string, workspace: string | null, input: unknown): string =>
  JSON.stringify([endpoint, workspace, input])

const keyOf = (endpoint: string, workspace: string | null, input: unknown): string => {
  const intent = intentOf(endpoint, workspace, input)
  const key = openKeys.get(intent) ?? newIdempotencyKey()
  openKeys.set(intent, key)
  return key
}

const forgetKey = (endpoint: string, workspace: string | null, input: unknown): void => {
  openKeys.delete(intentOf(endpoint, workspace, input))
}
