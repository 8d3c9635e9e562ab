/** The approval of a call in its place in the chat: its seal, what is left after it, and the decision or who can make it. */
import { useQuery } from "@tanstack/react-query"
import { useId, useState } from "react"
import { Link } from "../app/link.tsx"
import { Problem } from "../app/problem.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { ApproveButton, confirmCaps, usePresses } from "../approvals/approve-button.tsx"
import { useDecision } from "../approvals/decision.ts"
import { type ApprovalRow, isPending } from "../approvals/inbox-rows.ts"
import { denialOf, listOf, mayDecide, nameOf } from "../approvals/words.ts"
import { Button } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { TextField } from "../components/text-field.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { approvalQuery } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { Seal } from "../patterns/seal.tsx"
import { approvalText } from "../text/approvals.ts"
import { Phrase } from "../text/catalogue.ts"
import { chatText } from "../text/chat.ts"
import styles from "./chat.module.css"

/** What the tightest limit has left after this call; undefined in test mode. */
const leftAfter = ({ cost_cents, mode, remaining }: ApprovalRow): number | undefined =>
  mode === "test"
    ? undefined
    : Math.min(
      remaining.wallet_cents,
      remaining.agent_month_cents ?? Number.POSITIVE_INFINITY,
      remaining.operation_month_cents ?? Number.POSITIVE_INFINITY
    ) - cost_cents

/** The controls disappear with the decision: their focus goes to the thread, not to the start of the page. */
const handFocusOn = (controls: HTMLElement | null) => () => {
  if (controls?.contains(document.activeElement) === true) {
    controls.closest<HTMLElement>("[role=region]")?.focus({ preventScroll: true })
  }
}

export const PendingCall = ({ approvalId }: { readonly approvalId: string }) => {
  const t = chatText.pending
  const mayRead = useCan()("approvals:read")
  const workspace = useWorkspaceId()
  const approval = useQuery({ ...approvalQuery(workspace, approvalId), enabled: mayRead })
  if (!mayRead || approval.isError && approval.data === undefined) {
    return <p className="type-note text-2">{t.unreadable}</p>
  }
  return approval.data === undefined
    ? <p className="type-note text-2" role="status">{t.loading}</p>
    : <Deciding approval={approval.data} />
}

const Deciding = ({ approval }: { readonly approval: ApprovalRow }) => {
  const t = chatText.pending
  const words = approvalText.foot
  const id = useId()
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const decision = useDecision(approval)
  const [comment, setComment] = useState("")
  const [hint, setHint] = useState<string>()
  const canApprove = mayDecide(approval, "approve")
  const canReject = mayDecide(approval, "reject")
  const sum = formatMoney(approval.cost_cents)
  const presses = usePresses(
    `${approval.id} ${approval.status}`,
    approval.cost_cents,
    () => decision.send({ decision: "approve", comment })
  )
  const left = leftAfter(approval)
  const isAsking = (which: "approve" | "reject") => decision.isAsking && decision.verdict?.decision === which
  const isOpen = isPending(approval)
  return (
    <div className={styles.pending} role="group" aria-label={t.label}>
      <div className="flex flex-wrap items-center gap-8 gap-x-16">
        <Seal digest={approval.payload_digest} label={approvalText.seal} closed={approval.status === "approved"} />
        <span className="type-lead weight-strong tabular-nums">{sum}</span>
        {isOpen && left !== undefined && (
          <span className={left < 0 ? "type-note text-stop" : "type-note text-2"}>
            {left < 0 ? t.over(formatMoney(-left)) : t.left(formatMoney(left))}
          </span>
        )}
        {isOpen && (
          <span className="type-note text-2">
            <Phrase text={t.expires} time={<RelativeTime at={approval.expires_at} now={hubClock.now} />} />
          </span>
        )}
        <span className="ms-auto type-note">
          <Link to="/w/$workspace/approvals/$id" params={{ workspace, id: approval.id }}>{t.open}</Link>
        </span>
      </div>
      {!isOpen && <p className="type-note text-2" role="status">{outcomeOf(approval)}</p>}
      {isOpen && !canApprove && <Who approval={approval} />}
      {isOpen && (canApprove || canReject) && (
        <div className={styles.decide} ref={handFocusOn}>
          <TextField
            className={styles.comment}
            label={t.comment}
            labelHidden
            placeholder={words.commentHint}
            maxLength={2_000}
            value={comment}
            onChange={setComment}
          />
          <div className={styles.verdicts}>
            <Button
              variant="danger"
              pending={isAsking("reject")}
              pendingText={words.askingHub}
              disabled={!mayAct || !canReject || isAsking("approve")}
              onClick={() => decision.send({ decision: "reject", comment })}
            >
              {words.reject}
            </Button>
            <ApproveButton
              text={words.approve(sum)}
              againText={words.again(sum)}
              isAgain={presses.isAgain}
              pending={isAsking("approve")}
              disabled={!mayAct || !canApprove || isAsking("reject")}
              describedBy={`${id}-hint`}
              onPress={presses.press}
              onBareKey={() => setHint(words.bareEnter(confirmCaps.join(" ")))}
            />
          </div>
          <p id={`${id}-hint`} className="col-span-full type-note text-2" role="status">
            {hint ?? (denialOf(approval) === "step_up_required" ? words.password : "")}
          </p>
        </div>
      )}
      {decision.error !== null && !decision.isAsking && (
        <Problem
          inline
          error={decision.error}
          failed={decision.verdict?.decision === "reject" ? words.failedReject : words.failedApprove}
          unchanged={words.unchanged}
        />
      )}
    </div>
  )
}

const Who = ({ approval }: { readonly approval: ApprovalRow }) => {
  const t = chatText.pending
  const denial = denialOf(approval)
  const known = (approvalText.denied as Readonly<Record<string, string | ((names: string) => string)>>)[denial ?? ""]
  const names = approval.deciders.filter(({ can }) => can).map(({ user }) => nameOf(user, approvalText))
  return (
    <p className="type-note text-2">
      {typeof known === "string" && `${known} `}
      {names.length === 0 ? t.nobody : t.who(listOf(names.slice(0, 4), approvalText))}
    </p>
  )
}

const outcomeOf = (approval: ApprovalRow): string => {
  const t = chatText.pending.decided
  const name = nameOf(approval.decided_by, approvalText)
  return approval.status === "approved"
    ? t.approved(name)
    : approval.status === "rejected"
    ? t.rejected(name)
    : approval.status === "expired"
    ? t.expired
    : t.cancelled
}
