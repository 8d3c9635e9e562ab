/** The state of the screen in its address. A change keeps the rest. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"

const from = "/w/$workspace/money"

export const useMoneySearch = () => {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const change = useCallback(
    (changes: { readonly [K in keyof typeof search]?: (typeof search)[K] | undefined }, replace = false) =>
      void navigate({ search: (before) => ({ ...before, ...changes }) as typeof before, replace }),
    [navigate]
  )
  return { search, change }
}
