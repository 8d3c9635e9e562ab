/** What failed, what was not changed, what to do now, and the id under which the hub knows of it. */
import type { ReactNode } from "react"
import { classNames } from "../components/class-names.ts"
import type { CopyTexts } from "../components/copy-button.tsx"
import { Id } from "../components/id.tsx"
import styles from "./error-view.module.css"
import { StatusGlyph } from "./status-badge.tsx"

export interface ErrorViewProps {
  /** "The approval could not be sent." */
  readonly failed: ReactNode
  /** "Nothing was decided and no money moved." */
  readonly unchanged?: ReactNode
  /** Why, in the hub's words or ours. */
  readonly reason?: ReactNode
  /** A button or several: try again, sign in, go back. */
  readonly actions?: ReactNode
  readonly requestId?: string | undefined
  readonly texts: { readonly requestId: string; readonly copy: CopyTexts }
  /** In a panel or beside a form, not as a page; it is spoken at once. */
  readonly inline?: boolean | undefined
  /** It stands in the place of a whole screen, so what failed is the page's heading. */
  readonly whole?: boolean | undefined
}

export const ErrorView = (
  { failed, unchanged, reason, actions, requestId, texts, inline = false, whole = false }: ErrorViewProps
) => {
  const Failed = whole ? "h1" : "p"
  return (
    <div className={classNames(styles.error, inline && styles.inline)} role="alert">
      <StatusGlyph look="failed" toned size={inline ? 14 : 18} />
      <div className={styles.words}>
        <Failed className={styles.failed}>{failed}</Failed>
        {unchanged !== undefined && <p>{unchanged}</p>}
        {reason !== undefined && <p className={styles.reason}>{reason}</p>}
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        {requestId !== undefined && (
          <p className={styles.request}>
            {texts.requestId} <Id value={requestId} whole texts={texts.copy} />
          </p>
        )}
      </div>
    </div>
  )
}
