/** Requests the password if the hub requires a stepped-up session: the shell registers a dialog here. */
import { isHubError } from "@countersign/hub-client/error"
import type { QueryClient } from "@tanstack/react-query"
import { useQueryClient } from "@tanstack/react-query"

/** Resolves true after a step-up, false if the person canceled. */
export type StepUp = () => Promise<boolean>

const askers = new WeakMap<QueryClient, StepUp>()

export const setStepUp = (queries: QueryClient, ask: StepUp): () => void => {
  askers.set(queries, ask)
  return () => void askers.delete(queries)
}

export const wantsStepUp = (error: unknown): boolean => isHubError(error) && error.code === "step_up_required"

/**
 * Makes the call, and repeats it after the person gave the password. The refused call changed nothing, so the action
 * happens once.
 */
export const withStepUp = async <A>(queries: QueryClient, call: () => Promise<A>): Promise<A> => {
  try {
    return await call()
  } catch (error) {
    if (!wantsStepUp(error) || await askers.get(queries)?.() !== true) throw error
    return call()
  }
}

/**
 * For callers that handle `step_up_required` themselves: a batch reports it for each row. `useAct` handles it alone.
 */
export const useStepUp = (): StepUp => {
  const queries = useQueryClient()
  return () => askers.get(queries)?.() ?? Promise.resolve(false)
}
