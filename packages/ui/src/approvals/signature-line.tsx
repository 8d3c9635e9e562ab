/** The line that is signed: the agent's mark at its left; the persons' at its right, dotted until the hub has their names. */
import { Avatar } from "../components/avatar.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { sealText } from "../patterns/seal-ticks.ts"
import { approvalText } from "../text/approvals.ts"
import { useText } from "../text/catalogue.ts"
import styles from "./approval-foot.module.css"
import { type ApprovalRow, isWaiting } from "./inbox-rows.ts"
import { askerOf, mayDecide, nameOf, revealTexts } from "./words.ts"

export const SignatureLine = ({ approval }: { readonly approval: ApprovalRow }) => {
  const t = useText(approvalText)
  const { agent, decided_at, decided_by, decisions, payload_digest, requested_at, required_approvals, status } = approval
  const words = t.signature
  const digest = sealText(payload_digest)
  const voices = decisions.length > 0 || decided_by === undefined || decided_at === undefined
    ? decisions
    : [{ user: decided_by, decision: status === "approved" ? "approve" as const : "reject" as const, at: decided_at }]
  const dotted = isWaiting(approval) ? Math.max(0, required_approvals - voices.length) : 0
  return (
    <ul className={styles.signatures} aria-label={words.label}>
      <li className={styles.signature}>
        <span className={styles.signed}>
          <Avatar kind={askerOf(approval)} name={agent.name} size={16} />
          <RevealedText text={agent.name} texts={revealTexts(t)} line />
        </span>
        <span className={styles.signedAt}>{words.asks} <RelativeTime at={requested_at} now={hubClock.now} /></span>
      </li>
      {voices.map(({ at, decision, user }) => (
        <li key={user.id} className={styles.signature}>
          <span className={styles.signed}>
            <Avatar kind="person" name={nameOf(user, t)} size={16} />
            {decision === "approve" ? words.countersigned(nameOf(user, t)) : words.rejected(nameOf(user, t))}
          </span>
          <span className={styles.signedAt}><RelativeTime at={at} now={hubClock.now} /> <code>{digest}</code></span>
        </li>
      ))}
      {Array.from({ length: dotted }, (_, at) => (
        <li key={at} className={`${styles.signature} ${styles.dotted}`}>
          <span className={styles.signed} />
          <span className={styles.signedAt}>{at === 0 && mayDecide(approval, "approve") ? words.awaits : words.awaitsOther}</span>
        </li>
      ))}
      {!isWaiting(approval) && voices.length === 0 && (
        <li className={styles.signature}>
          <span className={styles.signed} />
          <span className={styles.signedAt}>{status === "expired" ? words.expired : words.cancelled}</span>
        </li>
      )}
    </ul>
  )
}
