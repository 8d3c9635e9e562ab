/** Replaces a screen that cannot be shown: an error with its request id and the next action, or "not found". */
import { isHubError } from "@countersign/hub-client/error"
import { useQueryClient, useQueryErrorResetBoundary } from "@tanstack/react-query"
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { Button } from "../components/button.tsx"
import { ErrorView } from "../patterns/error-view.tsx"
import { actText as acts } from "../text/acts.ts"
import { errorText as t } from "../text/errors.ts"
import { isMissingFile } from "./error-words.ts"
import { Link } from "./link.tsx"
import { Problem } from "./problem.tsx"
import styles from "./screen-error.module.css"

type Failed = Pick<ErrorComponentProps, "error" | "reset">

/** Replaces a whole screen. */
export const ScreenError = (failed: Failed) => (
  <main id="content" className="outline-none" tabIndex={-1}>
    <PartError {...failed} whole />
  </main>
)
export const NotFound = () =>
  <main id="content" className="outline-none" tabIndex={-1}>
    <NothingHere whole />
  </main>

/** Inside a screen. */
export const PartError = ({ error, reset, whole = false }: Failed & { readonly whole?: boolean }) => {
  const router = useRouter()
  const { reset: resetQueries } = useQueryErrorResetBoundary()
  useEffect(resetQueries, [resetQueries])
  const queries = useQueryClient()
  // The cached data may be the cause, so all of it is dropped and read again.
  const again = async () => {
    if (isMissingFile(error)) return location.reload()
    await queries.cancelQueries()
    queries.removeQueries({ type: "inactive" })
    void queries.resetQueries()
    reset()
    void router.invalidate()
  }
  return (
    <div className={styles.place}>
      <Problem
        error={error}
        whole={whole}
        failed={isHubError(error) ? t.title : t.stopped}
        actions={
          <Button variant="primary" onClick={() => void again()}>{isMissingFile(error) ? t.reload : t.retry}</Button>
        }
      />
    </div>
  )
}

export const NothingHere = ({ whole = false }: { readonly whole?: boolean }) => {
  return (
    <div className={styles.place}>
      <ErrorView
        whole={whole}
        failed={t.notFoundTitle}
        reason={t.notFound}
        actions={<Link to="/">{t.home}</Link>}
        texts={{ requestId: t.requestId, copy: acts.copying }}
      />
    </div>
  )
}
