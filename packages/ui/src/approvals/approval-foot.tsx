/**
 * Seal, comment, Reject, and Approve, fixed at the lower edge so that live updates do not move them. A decision names
 * the id and the digest of the rendered payload.
 */
import { type KeyboardEvent, type Ref, type RefObject, Suspense, useId, useState } from "react"
import { useIsHeld, useKeyCaps } from "../app/keys.ts"
import { Problem } from "../app/problem.tsx"
import { Avatar } from "../components/avatar.tsx"
import { Button } from "../components/button.tsx"
import { lazyPart } from "../components/lazy-part.ts"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { useMayAct } from "../live/connection.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { sealText } from "../patterns/seal-ticks.ts"
import { Seal } from "../patterns/seal.tsx"
import { approvalText as t } from "../text/approvals.ts"
import styles from "./approval-foot.module.css"
import { ApprovalOutcome } from "./approval-outcome.tsx"
import { ApproveButton, confirmCaps, isConfirming, type Presses } from "./approve-button.tsx"
import { CommentField } from "./comment-field.tsx"
import type { Decision } from "./decision.ts"
import { type ApprovalRow, isPending } from "./inbox-rows.ts"
import { useSecondConfirmationLimit } from "./second-confirmation.ts"
import {
  type ApprovalText,
  askerOf,
  denialOf,
  isCommand,
  isStep,
  listOf,
  mayDecide,
  nameOf,
  personOf,
  revealTexts,
  votesOf
} from "./words.ts"

const CommandOutcome = lazyPart(() => import("./command-outcome.tsx"))

export interface ApprovalFootProps {
  readonly ref?: Ref<HTMLElement>
  readonly approval: ApprovalRow
  readonly decision: Decision
  readonly presses: Presses
  /** Expired by the hub's clock; the hub has not reported it yet. */
  readonly isOver: boolean
  /** How far the payload was scrolled into view. Undefined until it is rendered. */
  readonly readTo: "start" | "end" | undefined
  readonly keysLive: boolean
  readonly comment: string
  readonly onComment: (text: string) => void
  readonly commentField: RefObject<HTMLInputElement | null>
  /** Reject was chosen by key: Enter in the comment sends it. */
  readonly isRejecting: boolean
  readonly onRejecting: (rejecting: boolean) => void
  readonly onReject: (byKey: boolean) => void
  readonly onOpen: (id: string) => void
  readonly hint: string | undefined
  readonly onHint: (hint: string) => void
  readonly me: string
}

/** Maximum number of other approvers that are named. */
const othersMax = 4

/** The obstacle or the requirement of a decision, as a sentence. Undefined if there is none. */
const obstacleTo = (
  approval: ApprovalRow,
  { isOver, mayAct, me, readTo }: { readonly mayAct: boolean } & Pick<ApprovalFootProps, "isOver" | "me" | "readTo">,
  t: ApprovalText
): string | undefined => {
  if (isOver) return t.foot.over
  if (!mayAct) return t.foot.offline
  if (readTo === "start" && mayDecide(approval, "approve")) {
    return isCommand(approval)
      ? t.foot.scrollPlan
      : t.foot.scroll
  }
  const denial = denialOf(approval)
  if (denial === undefined) return undefined
  if (denial === "step_up_required") return t.foot.password
  const message = (t.denied as Readonly<Record<string, string | ((names: string) => string)>>)[denial]
  const words = typeof message === "string" ? message : t.denied.other
  const others = approval.deciders.filter(({ can, user }) => can && user.id !== me).map(({ user }) => nameOf(user, t))
  return denial === "separation_of_duties" && others.length > 0
    ? `${words} ${t.denied.separationOthers(listOf(others.slice(0, othersMax), t))}`
    : words
}

export const ApprovalFoot = (props: ApprovalFootProps) => {
  const { approval, decision, onOpen, ref } = props
  return (
    <footer ref={ref} className={`grid gap-8 border-t ${styles.foot}`} aria-label={t.foot.label}>
      {isPending(approval) ? <Deciding {...props} /> : (
        <div className={`flex items-start gap-16 ${styles.decided}`}>
          <Seal digest={approval.payload_digest} label={t.seal} closed={approval.status === "approved"} />
          {isCommand(approval)
            ? (
              <Suspense>
                <CommandOutcome approval={approval} />
              </Suspense>
            )
            : <ApprovalOutcome approval={approval} onOpen={onOpen} />}
        </div>
      )}
      <Late approval={approval} decision={decision} />
      <SignatureLine approval={approval} />
    </footer>
  )
}

const Deciding = ({
  approval,
  comment,
  commentField,
  decision,
  hint,
  isOver,
  isRejecting,
  keysLive,
  me,
  onComment,
  onHint,
  onReject,
  onRejecting,
  presses,
  readTo
}: ApprovalFootProps) => {
  const mayAct = useMayAct()
  const limit = useSecondConfirmationLimit()
  const approveCaps = useKeyCaps("decide.approve")
  const rejectCaps = useKeyCaps("decide.reject")
  const isHeld = useIsHeld("decide.approve")
  const id = useId()
  const [typing, setTyping] = useState(false)
  const sum = formatMoney(approval.cost_cents)
  const obstacle = obstacleTo(approval, { isOver, mayAct, me, readTo }, t)
  const isOff = !mayAct || isOver
  const canApprove = readTo === "end" && mayDecide(approval, "approve")
  const canReject = mayDecide(approval, "reject")
  const hintText = hint ?? (presses.isAgain && limit !== undefined ? t.foot.againHint(formatMoney(limit)) : obstacle)
  const isAsking = (which: "approve" | "reject") => decision.isAsking && decision.verdict?.decision === which

  const onCommentKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation()
      onRejecting(false)
      commentField.current?.blur()
    } else if (isConfirming(event) && canApprove && !isOff && !decision.isAsking) {
      event.preventDefault()
      presses.press(true)
    }
  }

  return (
    <form
      className={`grid items-center gap-4 gap-x-16 ${styles.deciding}`}
      data-typing={typing || undefined}
      onSubmit={(event) => {
        event.preventDefault()
        // Enter in the comment only confirms a rejection that a shortcut started.
        if (isRejecting && canReject && !isOff && !decision.isAsking) onReject(true)
      }}
    >
      <span className="inline-flex">
        <Seal digest={approval.payload_digest} label={t.seal} />
      </span>
      <CommentField
        ref={commentField}
        className={styles.comment}
        labelHidden
        placeholder={isRejecting ? t.foot.whyHint : isCommand(approval) ? t.command.commentHint : t.foot.commentHint}
        value={comment}
        disabled={!canApprove && !canReject}
        onChange={onComment}
        onKeyDown={onCommentKey}
        onFocus={() => setTyping(true)}
        onBlur={() => {
          setTyping(false)
          onRejecting(false)
        }}
      />
      <div className={`flex gap-24 ${styles.buttons}`}>
        <Button
          variant="danger"
          keys={rejectCaps}
          className={styles.reject}
          data-keys={keysLive ? undefined : "rest"}
          data-armed={isRejecting || undefined}
          pending={isAsking("reject")}
          pendingText={t.foot.askingHub}
          disabled={isOff || !canReject || isAsking("approve")}
          onPointerDown={(event) => event.preventDefault()}
          // A click with detail 0 has no pointer: it is Enter or Space on the button.
          onClick={({ detail }) => onReject(detail === 0)}
        >
          {t.foot.reject}
        </Button>
        <ApproveButton
          text={isCommand(approval) ? t.command.approve : isStep(approval) ? t.step.approve : t.foot.approve(sum)}
          againText={isCommand(approval) ? t.command.approve : isStep(approval) ? t.step.approve : t.foot.again(sum)}
          isAgain={presses.isAgain}
          keys={approveCaps}
          keysLive={keysLive}
          isHeld={isHeld}
          pending={isAsking("approve")}
          disabled={isOff || !canApprove || isAsking("reject")}
          describedBy={`${id}-way`}
          onPress={presses.press}
          onBareKey={() => onHint(t.foot.bareEnter(confirmCaps.join(" ")))}
        />
      </div>
      <p id={`${id}-way`} className={`col-span-full type-note text-2 ${styles.way}`} role="status">{hintText}</p>
      {decision.error !== null && !isAnswered(decision.error.code) && !decision.isAsking && (
        <div className="col-span-full">
          <Problem
            inline
            error={decision.error}
            failed={decision.verdict?.decision === "reject" ? t.foot.failedReject : t.foot.failedApprove}
            unchanged={isCommand(approval)
              ? t.command.unchanged
              : isStep(approval)
              ? t.step.unchanged
              : t.foot.unchanged}
          />
        </div>
      )}
    </form>
  )
}

/** Errors that the approval itself explains after a refetch, and a canceled password dialog. */
const isAnswered = (code: string): boolean =>
  ["approval_not_pending", "digest_mismatch", "already_approved", "step_up_required"].includes(code)

/** The message for a decision that another person made first. */
const Late = ({ approval, decision: { error } }: Pick<ApprovalFootProps, "approval" | "decision">) => {
  if (error === null) return null
  const name = nameOf(personOf(error.data["decided_by"]) ?? approval.decided_by, t)
  const status = String(error.data["status"] ?? approval.status)
  const words = error.code === "digest_mismatch"
    ? t.late.digest
    : error.code === "already_approved"
    ? t.late.voice
    : error.code !== "approval_not_pending"
    ? undefined
    : status === "approved"
    ? t.late.approved(name)
    : status === "rejected"
    ? t.late.rejected(name)
    : status === "expired"
    ? t.late.expired
    : t.late.cancelled
  return words === undefined
    ? null
    : <p className={`px-12 py-8 type-body text-1 ${styles.late}`} role="alert">{words}</p>
}

/** The signatures of an approval: the agent's, one for each vote, and a dotted place for each missing vote. */
const SignatureLine = ({ approval }: { readonly approval: ApprovalRow }) => {
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
