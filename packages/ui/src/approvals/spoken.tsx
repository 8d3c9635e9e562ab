/**
 * Screen reader announcements: the hub's answer at once, the last five minutes and the last minute once each, and
 * arrivals every five seconds.
 */
import { useEffect, useRef, useState } from "react"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { useTicking } from "../patterns/ticking.ts"
import { approvalText as t } from "../text/approvals.ts"
import { type ApprovalRow, isPending } from "./inbox-rows.ts"
import { type ApprovalText, isCommand, isStep, nameOf, votesOf } from "./words.ts"

const minuteMillis = 60_000
const arrivalsEveryMillis = 5_000

const answerOf = (approval: ApprovalRow, t: ApprovalText): string => {
  const name = nameOf(approval.decided_by, t)
  const given = votesOf(approval)
  return approval.status === "approved" && isCommand(approval)
    ? t.command.approved(name)
    : approval.status === "approved" && isStep(approval)
    ? t.step.approved(name)
    : approval.status === "approved"
    ? t.spoken.approved(formatMoney(approval.cost_cents), name)
    : approval.status === "rejected"
    ? t.spoken.rejected(name)
    : approval.status === "expired"
    ? t.spoken.expired
    : approval.status === "cancelled"
    ? t.spoken.cancelled
    : t.spoken.voice(given, approval.required_approvals)
}

export const SpokenApproval = ({ approval }: { readonly approval: ApprovalRow }) => {
  const state = `${approval.status} ${votesOf(approval)}`
  const first = useRef(state)
  const [changed, setChanged] = useState(false)
  useEffect(() => {
    if (state !== first.current) setChanged(true)
  }, [state])
  const minutes = useTicking(() => {
    const left = Date.parse(approval.expires_at) - hubClock.now()
    return !isPending(approval) || left <= 0
      ? ""
      : left <= minuteMillis
      ? "one"
      : left <= 5 * minuteMillis
      ? "five"
      : ""
  })
  return (
    <>
      <p className="sr-only" aria-live="assertive">{changed ? answerOf(approval, t) : ""}</p>
      <p className="sr-only" aria-live="polite">
        {minutes === "one" ? t.spoken.oneMinute : minutes === "five" ? t.spoken.fiveMinutes : ""}
      </p>
    </>
  )
}

/** Announces a decision whose detail was replaced by the next one. */
export const SpokenDecision = ({ decided }: { readonly decided: ApprovalRow | undefined }) => {
  return (
    <p className="sr-only" aria-live="assertive">
      {decided === undefined ? "" : <span key={decided.id}>{answerOf(decided, t)}</span>}
    </p>
  )
}

/** Announces the number of new rows when it grows, in batches. */
export const SpokenArrivals = ({ count }: { readonly count: number }) => {
  const [announced, setAnnounced] = useState(0)
  const latest = useRef(count)
  useEffect(() => {
    latest.current = count
  })
  const hasNew = count > announced
  useEffect(() => {
    if (!hasNew) return setAnnounced((before) => Math.min(before, count))
    const timer = setTimeout(() => setAnnounced(latest.current), arrivalsEveryMillis)
    return () => clearTimeout(timer)
  }, [count, hasNew])
  return <p className="sr-only" aria-live="polite">{announced > 0 ? t.arrived(announced) : ""}</p>
}
