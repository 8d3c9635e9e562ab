/** Filters above rows that extend to the edges of a `flush` page. */
import type { ReactNode } from "react"

export const ListFrame = ({ children, filters }: { readonly filters: ReactNode; readonly children: ReactNode }) => (
  <div className="flex flex-col h-full min-h-0">
    <div className="flex-none border-b">{filters}</div>
    <div className="flex-1 min-h-0">{children}</div>
  </div>
)
