/** The QueryClient of the console, with the defaults of all queries. */
import type { HubClient } from "@countersign/hub-client/client"
import { isHubError } from "@countersign/hub-client/error"
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { bindHub } from "./query-options.ts"

/** Events keep visible data fresh; data without events is read again when its screen opens after this time. */
export const staleMillis = 30_000

export interface QueryClientOptions {
  readonly hub: HubClient
  /** A 401 of any call except sign-in: the session has ended. */
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
      // The client retries; a second layer would multiply the attempts. The connection's store decides whether there is
      // a connection, not the browser's guess.
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
