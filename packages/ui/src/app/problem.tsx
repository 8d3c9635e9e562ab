/** Shows an error of a call: what failed, what did not change, the reason, the next action, and the request id. */
import { isHubError } from "@countersign/hub-client/error"
import type { ReactNode } from "react"
import { Button } from "../components/button.tsx"
import { ErrorView } from "../patterns/error-view.tsx"
import { actText as acts } from "../text/acts.ts"
import { errorText as t } from "../text/errors.ts"
import { errorWords } from "./error-words.ts"

export interface ProblemProps {
  readonly error: unknown
  /** "The limit was not changed." */
  readonly failed: ReactNode
  /** "No money moved." Omitted if the hub may have acted. */
  readonly unchanged?: ReactNode
  readonly onRetry?: (() => void) | undefined
  readonly actions?: ReactNode
  /** Beside a form or inside a panel. */
  readonly inline?: boolean
  /** Replaces a whole screen. */
  readonly whole?: boolean
}

export const Problem = (
  { actions, error, failed, inline = false, onRetry, unchanged, whole = false }: ProblemProps
) => {
  const hubError = isHubError(error) ? error : undefined
  const isUncertain = hubError?.isUncertain === true && unchanged !== undefined
  return (
    <ErrorView
      failed={isUncertain ? t.uncertainTitle : failed}
      unchanged={isUncertain ? t.uncertain : unchanged}
      reason={errorWords(t, error)}
      actions={actions ?? (onRetry === undefined ? undefined : <Button onClick={onRetry}>{t.retry}</Button>)}
      requestId={hubError?.requestId}
      texts={{ requestId: t.requestId, copy: acts.copying }}
      inline={inline}
      whole={whole}
    />
  )
}
