/** Reads the next page of a list. */
import type { ReactNode } from "react"
import { Button } from "../components/button.tsx"

export interface MoreButtonProps {
  readonly pages: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
  readonly children: ReactNode
}

/** Nothing when the list is whole. */
export const MoreButton = ({ children, pages }: MoreButtonProps) =>
  pages.hasNextPage && (
    <Button
      size="small"
      pending={pages.isFetchingNextPage}
      onClick={() => void pages.fetchNextPage()}
    >
      {children}
    </Button>
  )
