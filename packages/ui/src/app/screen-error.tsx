/** What stands where a screen cannot: an error with its request id and the next act, or that nothing is at an address. */
import { useQueryErrorResetBoundary } from "@tanstack/react-query"
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { Button } from "../components/button.tsx"
import { CopyButton } from "../components/copy-button.tsx"
import { isHubError } from "../hub/error.ts"
import { useText } from "../text/catalogue.ts"
import { actText } from "../text/acts.ts"
import { errorText } from "../text/errors.ts"
import { errorWords, isMissingFile } from "./error-words.ts"
import styles from "./screen-error.module.css"

export const ScreenError = ({ error, reset }: ErrorComponentProps) => {
  const t = useText(errorText)
  const acts = useText(actText)
  const router = useRouter()
  const { reset: resetQueries } = useQueryErrorResetBoundary()
  useEffect(resetQueries, [resetQueries])
  const again = () => {
    if (isMissingFile(error)) return location.reload()
    reset()
    void router.invalidate()
  }
  const words = errorWords(t, error)
  const requestId = isHubError(error) ? error.requestId : undefined
  return (
    <div className={styles.place} role="alert">
      <h1 className={styles.title}>{isHubError(error) ? t.title : words}</h1>
      {isHubError(error) && <p className={styles.words}>{words}</p>}
      <div className={styles.acts}>
        <Button variant="primary" onClick={again}>{isMissingFile(error) ? t.reload : t.retry}</Button>
      </div>
      {requestId !== undefined && (
        <p className={styles.request}>
          {t.requestId} <code>{requestId}</code> <CopyButton value={requestId} texts={acts.copying} iconOnly />
        </p>
      )}
    </div>
  )
}

export const NotFound = () => {
  const t = useText(errorText)
  return (
    <div className={styles.place}>
      <h1 className={styles.title}>{t.notFoundTitle}</h1>
      <p className={styles.words}>{t.notFound}</p>
      <a className={styles.home} href="/">{t.home}</a>
    </div>
  )
}
