/** The head of an agent request or budget request: status, kind, workspace, age, and the subject. */
import type { ReactNode } from "react"
import { useWorkspaces } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { Clock } from "../patterns/clock.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusBadge, StatusGlyph } from "../patterns/status-badge.tsx"
import { statusLook } from "../patterns/status.ts"
import { approvalText } from "../text/approvals.ts"
import { Phrase } from "../text/catalogue.ts"
import { inboxRequestText as t } from "../text/inbox-requests.ts"
import foot from "./approval-foot.module.css"
import styles from "./request-detail.module.css"
import { type InboxRequest, isOpenRequest } from "./request-rows.ts"
import { aboutRequest, deciderOf, endedAt, requestStatusText } from "./request-words.ts"
import { leftText, revealTexts } from "./words.ts"

export interface RequestHeadProps {
  readonly of: InboxRequest
  /** The status that the hub last reported, or `expired` after the expiry. */
  readonly status: string
  readonly badge?: string | undefined
  readonly sentence: ReactNode
  readonly children?: ReactNode
}

export const RequestHead = ({ badge, children, of, sentence, status }: RequestHeadProps) => {
  const workspaces = useWorkspaces()
  const place = workspaces.length > 1 ? workspaces.find(({ id }) => id === of.org_id)?.name : undefined
  const expiry = of.type === "agent_request" && isOpenRequest(of) ? of.request.expires_at : undefined
  return (
    <header className={styles.head}>
      <div className={styles.headLine}>
        <StatusBadge status={status}>{requestStatusText(status, t)}</StatusBadge>
        {badge !== undefined && <Badge>{badge}</Badge>}
        {place !== undefined && <span className="type-note text-2">{approvalText.sentence.inWorkspace(place)}</span>}
        <span className={styles.clock}>
          <span>
            <Phrase text={t.asked} time={<RelativeTime at={of.request.created_at} now={hubClock.now} />} />
          </span>
          {expiry !== undefined && (
            <span className={styles.left}>
              <Clock until={expiry} now={hubClock.now} text={leftText(approvalText)} />
            </span>
          )}
        </span>
      </div>
      <h2 className={styles.sentence} tabIndex={-1} data-detail-title>{sentence}</h2>
      {children}
    </header>
  )
}

/** How it ended, with the comment; in place of the buttons. */
export const RequestOutcome = ({ children, of }: { readonly of: InboxRequest; readonly children?: ReactNode }) => {
  const { comment, status } = of.request
  const at = endedAt(of)
  return (
    <div className={foot.outcome}>
      <StatusGlyph look={statusLook(status)} toned size={16} />
      <div className={styles.outcome}>
        <p>
          <Phrase
            text={t.decidedAt}
            what={aboutRequest(of, t)}
            time={at === undefined ? null : <RelativeTime at={at} now={hubClock.now} />}
          />
        </p>
        {children}
        {comment !== undefined && comment !== "" && (
          <p className="text-2">
            {t.comment(deciderOf(of, t))}: <RevealedText text={comment} texts={revealTexts(approvalText)} />
          </p>
        )}
      </div>
    </div>
  )
}
