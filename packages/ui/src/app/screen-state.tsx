/**
 * States that every list and detail shares: first load (rows after 200 ms), error without data, and empty. Data stays
 * fully visible during a refetch or an error; a line above then reports it.
 */
import { isHubError } from "@countersign/hub-client/error"
import type { ReactNode } from "react"
import { Button } from "../components/button.tsx"
import { EmptyState } from "../patterns/empty-state.tsx"
import { actText as acts } from "../text/acts.ts"
import { errorText as t } from "../text/errors.ts"
import { errorWords } from "./error-words.ts"
import { NothingHere, PartError } from "./screen-error.tsx"
import styles from "./screen-state.module.css"

export interface Reading {
  readonly data: unknown
  readonly error: unknown
  readonly isPending: boolean
  readonly isFetching: boolean
  readonly refetch: () => unknown
}

export interface ScreenStateProps {
  /** The result of `useQuery` or `useInfiniteQuery`. */
  readonly query: Reading
  readonly isEmpty?: boolean
  /** One sentence and one action. */
  readonly empty?: { readonly text: ReactNode; readonly action?: ReactNode; readonly detail?: ReactNode }
  /** Replaces the default of five ruled rows. */
  readonly skeleton?: ReactNode
  readonly children: ReactNode
}

export const ScreenState = ({ children, empty, isEmpty = false, query, skeleton }: ScreenStateProps) => {
  const again = () => void query.refetch()
  if (query.data === undefined && query.error !== null) {
    return isHubError(query.error) && query.error.status === 404
      ? <NothingHere />
      : <PartError error={query.error as Error} reset={again} />
  }
  if (query.isPending) {
    return <div className={styles.first} role="status" aria-label={acts.loading}>{skeleton ?? <Ruled />}</div>
  }
  return (
    <>
      {query.error !== null && (
        <div className={styles.old} role="status">
          <span>{errorWords(t, query.error)}</span>
          <Button size="small" variant="bare" onClick={again}>{t.retry}</Button>
        </div>
      )}
      {isEmpty && empty !== undefined
        ? <EmptyState action={empty.action} detail={empty.detail}>{empty.text}</EmptyState>
        : children}
    </>
  )
}

const Ruled = () => (
  <div className={styles.ruled} aria-hidden>
    <i />
    <i />
    <i />
    <i />
    <i />
  </div>
)
