/** The view and the filters of the screen in its address. A change keeps the rest. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"
import type { Changes } from "../listing/filters.tsx"

const from = "/w/$workspace/publications"

export const usePublicationsSearch = () => {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const change = useCallback(
    (changes: Changes, replace = false) =>
      void navigate({ search: (before) => ({ ...before, ...changes }) as typeof search, replace }),
    [navigate]
  )
  /** Another view starts without filters. */
  const show = useCallback(
    (view: "marketplace" | "published" | "review") => void navigate({ search: view === "marketplace" ? {} : { view } }),
    [navigate]
  )
  return { search, change, show }
}
