/** The hub in a component: for what acts (`useAct`); what reads takes `hubQuery` or `hubPages`. */
import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query"
import { type CallOptions, type HubClient, newIdempotencyKey } from "./client.ts"
import type { EndpointName, Input, Output } from "./contract.ts"
import type { HubError } from "./error.ts"
import { hubOf } from "./queries.ts"
import { withStepUp } from "./step-up.ts"
import { touch, type Touched } from "./touch.ts"

export const useHub = (): HubClient => hubOf(useQueryClient())

export interface ActOptions<E extends EndpointName> {
  readonly workspace: string | null
  /** Endpoints whose answers it changes: `["agents.list", "agents.get"]` or a whole group, `["agents"]`. Read again before it counts as done. */
  readonly touches?: ReadonlyArray<Touched>
  /** For sign-in, where 401 means a wrong password. */
  readonly anonymous?: boolean
  /** A key for each intent: only where the hub keeps them (top-up). A retry by the person after an error is the same intent. */
  readonly keyed?: boolean
  readonly onDone?: (answer: Output<E>, input: Input<E>) => void
}

/**
 * A call that changes something. Nothing is shown as done before the hub said so: there are no optimistic answers here.
 * The error is a `HubError`; `isUncertain` says that the hub may have acted. Where the hub wants the password, it is asked for and the call
 * made again.
 */
export const useAct = <E extends EndpointName>(
  endpoint: E,
  options: ActOptions<E>
): UseMutationResult<Output<E>, HubError, Input<E>> => {
  const queries = useQueryClient()
  const { anonymous = false, keyed = false, onDone, touches = [], workspace } = options
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
    ...onDone === undefined ? {} : { onSuccess: (answer: Output<E>, input: Input<E>) => onDone(answer, input) }
  })
}

/** Of intents that have no answer yet: the same input after an error is sent under the same key, so it cannot happen twice. */
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
