/** What asks for the password when the hub wants a stepped-up session: the shell puts a dialog here. */
import type { QueryClient } from "@tanstack/react-query"
import { useQueryClient } from "@tanstack/react-query"
import { isHubError } from "./error.ts"

/** Resolves true when the session was lifted, false when the person went back. */
export type StepUp = () => Promise<boolean>

const askers = new WeakMap<QueryClient, StepUp>()

export const setStepUp = (queries: QueryClient, ask: StepUp): () => void => {
  askers.set(queries, ask)
  return () => void askers.delete(queries)
}

export const wantsStepUp = (error: unknown): boolean => isHubError(error) && error.code === "step_up_required"

/** The call, and once more when the password was given. A refusal changed nothing, so the second call is no second act. */
export const withStepUp = async <A>(queries: QueryClient, call: () => Promise<A>): Promise<A> => {
  try {
    return await call()
  } catch (error) {
    if (!wantsStepUp(error) || await askers.get(queries)?.() !== true) throw error
    return call()
  }
}

/** For what asks by itself: a batch whose rows say `step_up_required` one by one. `useAct` does it alone. */
export const useStepUp = (): StepUp => {
  const queries = useQueryClient()
  return () => askers.get(queries)?.() ?? Promise.resolve(false)
}
