/** The number of pending approvals, beside or over Inbox; nothing for none. */
import { classNames } from "../components/class-names.ts"
import { shellText as t } from "../text/shell.ts"
import { pendingCountText, usePendingCount } from "./pending-approvals.ts"
import styles from "./pending-count.module.css"

export const PendingCount = ({ className }: { readonly className?: string | undefined }) => {
  const count = usePendingCount()
  return count === undefined || count === 0
    ? null
    : <Count text={pendingCountText(count)} label={t.waiting(count)} className={className} />
}

export const Count = (
  { className, label, text }: { readonly text: string; readonly label: string; readonly className?: string | undefined }
) => <span role="img" className={classNames(styles.count, className)} aria-label={label}>{text}</span>
