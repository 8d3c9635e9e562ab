/** An agent request or budget request as a row of the inbox. */
import { createLink } from "@tanstack/react-router"
import { hubClock } from "../hub/hub-time.ts"
import { ApprovalRow as RowPattern } from "../patterns/approval-row.tsx"
import { Clock } from "../patterns/clock.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { approvalText } from "../text/approvals.ts"
import { inboxRequestText as t } from "../text/inbox-requests.ts"
import { changed, opening } from "./inbox-search.ts"
import { amountOf, type InboxRequest, isOpenRequest } from "./request-rows.ts"
import { aboutRequest, endedAt, requestStatusText, subjectOf } from "./request-words.ts"
import { leftText, revealTexts } from "./words.ts"

const RowLink = createLink(RowPattern)

export interface RequestRowProps {
  readonly of: InboxRequest
  readonly agentName: string | undefined
  readonly isOpen: boolean
  readonly isAsking: boolean
  readonly home: string
  readonly place: string | undefined
}

export const RequestRow = ({ agentName, home, isAsking, isOpen, of, place }: RequestRowProps) => {
  const reveal = revealTexts(approvalText)
  const { status } = of.request
  const expiry = of.type === "agent_request" ? of.request.expires_at : undefined
  return (
    <RowLink
      from="/w/$workspace/inbox"
      to="."
      search={changed(opening(of, home))}
      preload={false}
      status={status}
      agentName={agentName ?? t.unknownAgent}
      operation={<RevealedText text={subjectOf(of, t)} texts={reveal} line />}
      costCents={amountOf(of)}
      reason={aboutRequest(of, t)}
      selected={isOpen}
      place={place}
      time={isAsking
        ? approvalText.asking
        : isOpenRequest(of) && expiry !== undefined
        ? <Clock until={expiry} now={hubClock.now} text={leftText(approvalText)} />
        : (
          <RelativeTime
            at={isOpenRequest(of) ? of.request.created_at : endedAt(of) ?? of.request.created_at}
            now={hubClock.now}
          />
        )}
      texts={{ ...reveal, seal: approvalText.seal, status: requestStatusText(status, t) }}
    />
  )
}
