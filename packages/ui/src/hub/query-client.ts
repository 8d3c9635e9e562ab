/** The one QueryClient of the console and what is the same for all queries. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import type { HubClient } from "./client.ts"
import { isHubError } from "./error.ts"
import { bindHub } from "./queries.ts"

/** Events keep what is shown fresh; this is for what has none, and is read again when its screen is opened after so long. */
export const staleMillis = 30_000

export interface QueryClientOptions {
  readonly hub: HubClient
  /** A 401 of any call but sign-in: the session is over. */
  readonly onSignedOut: () => void
}

export const makeQueryClient = ({ hub, onSignedOut }: QueryClientOptions): QueryClient => {
  const onError = (error: unknown) => {
    if (isHubError(error) && error.status === 401) onSignedOut()
  }
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        if (mutation.meta?.["anonymous"] !== true) onError(error)
      }
    }),
    defaultOptions: {
      // The client retries; a second layer would multiply. The connection's own store says whether there is one, not the browser's guess.
      queries: {
        retry: false,
        staleTime: staleMillis,
        gcTime: 300_000,
        networkMode: "always",
        refetchOnReconnect: false
      },
      mutations: { retry: false, networkMode: "always" }
    }
  })
  bindHub(queries, hub)
  return queries
}
