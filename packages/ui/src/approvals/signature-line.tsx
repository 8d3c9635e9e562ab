/** The signatures of an approval: the agent's, one for each vote, and a dotted place for each missing vote. */
import { Avatar } from "../components/avatar.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { sealText } from "../patterns/seal-ticks.ts"
import { approvalText as t } from "../text/approvals.ts"
import styles from "./approval-foot.module.css"
import { type ApprovalRow, isPending } from "./inbox-rows.ts"
import { askerOf, mayDecide, nameOf, revealTexts, votesOf } from "./words.ts"

export const SignatureLine = ({ approval }: { readonly approval: ApprovalRow }) => {
  const { agent, decided_at, decided_by, decisions, payload_digest, requested_at, required_approvals, status } =
    approval
  const words = t.signature
  const digest = sealText(payload_digest)
  const votes = decisions.length > 0 || decided_by === undefined || decided_at === undefined
    ? decisions
    : [{
      user: decided_by,
      decision: status === "approved" ? "approve" as const : "reject" as const,
      counts: true,
      at: decided_at
    }]
  const dotted = isPending(approval) ? Math.max(0, required_approvals - votesOf(approval)) : 0
  return (
    <ul className="flex flex-wrap gap-4 gap-x-24" aria-label={words.label}>
      <li className={styles.signature}>
        <span className={styles.signed}>
          <Avatar kind={askerOf(approval)} name={agent.name} size={16} />
          <RevealedText text={agent.name} texts={revealTexts(t)} line />
        </span>
        <span className={styles.signedAt}>
          {words.asks} <RelativeTime at={requested_at} now={hubClock.now} />
        </span>
      </li>
      {votes.map(({ at, counts, decision, user }) => (
        <li key={user.id} className={styles.signature}>
          <span className={styles.signed}>
            <Avatar kind="person" name={nameOf(user, t)} size={16} />
            {decision === "approve" ? words.countersigned(nameOf(user, t)) : words.rejected(nameOf(user, t))}
          </span>
          <span className={styles.signedAt}>
            <RelativeTime at={at} now={hubClock.now} /> {counts === false ? words.lapsed : <code>{digest}</code>}
          </span>
        </li>
      ))}
      {Array.from({ length: dotted }, (_, at) => (
        <li key={at} className={`${styles.signature} ${styles.dotted}`}>
          <span className={styles.signed} />
          <span className={styles.signedAt}>
            {at === 0 && mayDecide(approval, "approve") ? words.awaits : words.awaitsOther}
          </span>
        </li>
      ))}
      {!isPending(approval) && votes.length === 0 && (
        <li className={styles.signature}>
          <span className={styles.signed} />
          <span className={styles.signedAt}>{status === "expired" ? words.expired : words.cancelled}</span>
        </li>
      )}
    </ul>
  )
}
