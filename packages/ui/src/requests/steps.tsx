/**
 * The fixed steps of the pipeline with the result of each. The figures of a step that stopped the request are of that
 * moment, all others are current.
 */
import type { Output } from "@countersign/hub-client/contract"
import type { ReactNode } from "react"
import { Link } from "../app/link.tsx"
import { votesOf } from "../approvals/words.ts"
import { formatMoney } from "../components/money-text.ts"
import { durationText } from "../listing/duration.ts"
import { PlaceLink } from "../listing/place-link.tsx"
import { clockText } from "../patterns/moment-text.ts"
import { PipelineLine, type PipelineStep } from "../patterns/pipeline-line.tsx"
import { figure, Phrase } from "../text/catalogue.ts"
import { requestsText as t } from "../text/requests.ts"
import { detailOf, failureOf, isRefusal, isUnknown } from "./reason.ts"

export type Trace = Output<"traces.get">
type Facts = typeof t.facts

const isStopped = (trace: Trace, limit: string) => trace.request.block?.limit === limit

const moneyFact = (t: Facts, trace: Trace, limit: "operation_month" | "agent_month") => {
  const { block } = trace.request
  if (block !== undefined && isStopped(trace, limit)) {
    return t.moneyThen(
      formatMoney(block.spent_cents ?? 0),
      formatMoney(block.held_cents ?? 0),
      formatMoney(block.limit_cents ?? 0)
    )
  }
  const now = trace.limits[limit]
  return now === undefined ? t.noLimit : t.moneyNow(formatMoney(now.spent_cents), formatMoney(now.cap_cents))
}

const dayFact = (t: Facts, trace: Trace) => {
  const { block } = trace.request
  if (block !== undefined && isStopped(trace, "operation_day_count")) {
    return t.dayThen(figure(block.used_count ?? 0), figure(block.limit_count ?? 0))
  }
  const now = trace.limits.operation_day
  return now === undefined ? t.noLimit : t.dayNow(figure(now.used_count), figure(now.limit_count))
}

const walletFact = (t: Facts, trace: Trace) => {
  const { block } = trace.request
  if (block !== undefined && isStopped(trace, "wallet")) {
    return t.walletThen(
      formatMoney(Math.max(0, (block.limit_cents ?? 0) - (block.spent_cents ?? 0) - (block.held_cents ?? 0)))
    )
  }
  return t.walletNow(formatMoney(trace.limits.wallet.balance_cents - trace.limits.wallet.held_cents))
}

/** Its row in the list of standing approvals; for an ended one, the requests that it approved. */
const StandingLink = ({ standing: { created_by, ended, id }, t, workspace }: StandingLinkProps) => {
  const text = t.standingBy(created_by.name === "" ? created_by.email : created_by.name)
  return ended
    ? <Link to="/w/$workspace/requests" params={{ workspace }} search={{ standing_approval_id: id }}>{text}</Link>
    : <Link to="/w/$workspace/standing" params={{ workspace }} search={{ q: id }}>{text}</Link>
}

interface StandingLinkProps {
  readonly standing: NonNullable<Trace["standing_approval"]>
  readonly t: Facts
  readonly workspace: string
}

const approvalFact = (t: Facts, trace: Trace, workspace: string): ReactNode => {
  const { approval, entries, request, standing_approval: standing } = trace
  if (standing !== undefined && (approval === undefined || approval.status === "approved")) {
    return (
      <Phrase
        text={request.approval_id === undefined ? t.standing : t.standingLater}
        standing={<StandingLink {...{ standing, t, workspace }} />}
      />
    )
  }
  const by = approval?.decided_by?.name || approval?.decided_by?.email
  if (request.approval_id === undefined) {
    return entries.some(({ data }) => typeof data["standing_approval_id"] === "string")
      ? t.standingUnknown
      : t.nobodyAsked
  }
  if (request.reason_code === "approval_stale") return t.stale
  if (approval === undefined) return request.status === "approval_required" ? t.waitsFor(1) : ""
  switch (approval.status) {
    case "pending":
      return (
        <>
          {t.waitsFor(approval.required_approvals - votesOf(approval))}
          {" · "}
          <PlaceLink href={`/w/${workspace}/approvals/${approval.id}`}>{t.openApproval}</PlaceLink>
        </>
      )
    case "approved":
      return by === undefined ? t.approved : t.approvedBy(by)
    case "rejected":
      return by === undefined ? t.rejected : t.rejectedBy(by)
    case "expired":
      return t.expired
    default:
      return t.takenBack
  }
}

const executionFact = (t: Facts, { entries, request }: Trace): string => {
  const code = failureOf(request.result)
  const settler = entries.find(({ data }) => typeof data["settled_by"] === "string")
  if (settler !== undefined) return t.settledBy(settler.actor.name)
  if (request.status === "running") return request.waiting_for?.kind === "settlement" ? t.unknownFate : t.running
  if (request.status === "executed") return t.answered
  if (isRefusal(request)) return t.providerRefused
  if (code === "cancelled") return t.cancelled
  return isUnknown(request) ? t.unknownFate : code === "interrupted" ? t.notSent : t.providerFailed
}

const settlementFact = (t: Facts, { entries, request }: Trace): string => {
  if (request.reported_cost_cents !== undefined) {
    return t.overCeiling(formatMoney(request.reported_cost_cents), formatMoney(request.cost_cents))
  }
  if (entries.some(({ data }) => data["price_unreadable"] === true)) {
    return t.priceUnreadable(formatMoney(request.cost_cents))
  }
  if (request.cost_cents === 0) return t.nothingDebited
  const rest = request.ceiling_cents - request.cost_cents
  return rest > 0
    ? t.debitedAndReleased(formatMoney(request.cost_cents), formatMoney(rest))
    : t.debited(formatMoney(request.cost_cents))
}

const factOf = (t: Facts, trace: Trace, step: Trace["steps"][number], workspace: string): ReactNode => {
  const { approval, request } = trace
  const operation = `${request.service}.${request.operation}`
  const decided = step.state === "decided"
  switch (step.step) {
    case "credential":
      return request.origin?.replaces === undefined
        ? request.origin !== undefined ? t.testedByPerson : request.mode === "live" ? t.liveKey : t.testKey
        : (
          <Phrase
            text={t.replaced}
            request={
              <Link to="/w/$workspace/requests/$id" params={{ workspace, id: request.origin.replaces }}>
                {request.origin.replaces.slice(-6)}
              </Link>
            }
          />
        )
    case "idempotency":
      return t.noRepeat
    case "agent":
      return decided ? t.notActive : t.active
    case "payload":
      return decided ? detailOf(request.result) ?? t.unfit : t.fits(formatMoney(request.ceiling_cents))
    case "binding":
      return decided ? t.notBound(operation) : t.bound(operation)
    case "freeze":
      return decided ? request.block?.scope.type === "agent" ? t.frozenAgent : t.frozenAll : t.noFreeze
    case "policy":
      return decided ? t.ruleStops : approval?.policy_id === undefined ? t.noRule : t.ruleAsks
    case "daily_count":
      return dayFact(t, trace)
    case "operation_month":
      return moneyFact(t, trace, "operation_month")
    case "agent_month":
      return moneyFact(t, trace, "agent_month")
    case "wallet":
      return walletFact(t, trace)
    case "approval":
      return approvalFact(t, trace, workspace)
    case "execution":
      return executionFact(t, trace)
    case "settlement":
      return settlementFact(t, trace)
  }
}

/** The duration of the steps that take time: the wait for a person, and the provider's work. */
const tookOf = ({ approval, request }: Trace, step: Trace["steps"][number], now: number): number | undefined => {
  const began = approval?.decided_at ?? request.created_at
  if (step.step === "approval" && approval !== undefined) {
    return (approval.decided_at !== undefined
      ? Date.parse(approval.decided_at)
      : step.state === "open"
      ? now
      : Number.NaN) - Date.parse(approval.requested_at)
  }
  if (step.step !== "execution" || step.state === "unreached" || step.state === "skipped") return undefined
  return (request.completed_at === undefined ? now : Date.parse(request.completed_at)) - Date.parse(began)
}

/** `now`: the hub's time in milliseconds. */
export const RequestSteps = (
  { now, trace, workspace }: { readonly trace: Trace; readonly workspace: string; readonly now: number }
) => {
  let shown = ""
  const steps = trace.steps.map((step): PipelineStep => {
    const reached = step.state !== "unreached"
    const took = tookOf(trace, step, now)
    // Shown if it differs from the time above it, and for steps that take time.
    const time = step.at === undefined ? "" : clockText(Date.parse(step.at))
    const shownTime = time === shown && took === undefined && step.state !== "decided" ? "" : time
    if (time !== "") shown = time
    return {
      id: step.step,
      name: t.steps[step.step],
      state: step.state === "passed" || step.state === "skipped"
        ? "passed"
        : step.state === "unreached"
        ? "unreached"
        : "decider",
      status: step.step === "approval" && step.state === "decided"
        ? trace.approval?.status ?? trace.request.status
        : trace.request.status,
      fact: reached ? factOf(t.facts, trace, step, workspace) : undefined,
      duration: took === undefined || Number.isNaN(took) ? undefined : durationText(took),
      time: step.at === undefined || shownTime === "" ? undefined : <time dateTime={step.at}>{shownTime}</time>
    }
  })
  return <PipelineLine label={t.way} steps={steps} texts={t.stepState} />
}
