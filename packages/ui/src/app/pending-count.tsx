/** The number of pending decisions, beside or over Inbox; nothing for none. */
import { classNames } from "../components/class-names.ts"
import { pendingCountText, usePendingCount } from "./pending-approvals.ts"
import styles from "./pending-count.module.css"

export const PendingCount = ({ className }: { readonly className?: string | undefined }) => {
  const count = usePendingCount()
  return count === undefined || count.total === 0
    ? null
    : <Count text={pendingCountText(count.total)} label={count.label} className={className} />
}

export const Count = (
  { className, label, text }: { readonly text: string; readonly label: string; readonly className?: string | undefined }
) => <span role="img" className={classNames(styles.count, className)} aria-label={label}>{text}</span>
