/** An error: what failed, what did not change, the next action, and the hub's request id. */
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
  /** The reason, in the hub's words or ours. */
  readonly reason?: ReactNode
  /** One or more buttons: try again, sign in, go back. */
  readonly actions?: ReactNode
  readonly requestId?: string | undefined
  readonly texts: { readonly requestId: string; readonly copy: CopyTexts }
  /** In a panel or beside a form, not as a page; announced at once. */
  readonly inline?: boolean | undefined
  /** It replaces a whole screen, so its title is the page's heading. */
  readonly whole?: boolean | undefined
}

export const ErrorView = (
  { failed, unchanged, reason, actions, requestId, texts, inline = false, whole = false }: ErrorViewProps
) => {
  const Failed = whole ? "h1" : "p"
  return (
    <div className={classNames(styles.error, inline && styles.inline)} role="alert">
      <StatusGlyph look="failed" toned size={inline ? 14 : 18} />
      <div className="grid gap-4 min-w-0 wrap-anywhere">
        <Failed className={styles.failed}>{failed}</Failed>
        {unchanged !== undefined && <p>{unchanged}</p>}
        {reason !== undefined && <p className="text-2">{reason}</p>}
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        {requestId !== undefined && (
          <p className="type-note text-3">
            {texts.requestId} <Id value={requestId} whole texts={texts.copy} />
          </p>
        )}
      </div>
    </div>
  )
}
