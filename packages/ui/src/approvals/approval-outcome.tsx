/** The outcome of a decision: followed until the request ends, so that an approved request is not lost from view. */
import { useQuery } from "@tanstack/react-query"
import { Link as RouterLink, useRouter } from "@tanstack/react-router"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { requestQuery } from "../hub/queries.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { statusLook } from "../patterns/status.ts"
import { approvalText } from "../text/approvals.ts"
import { Phrase } from "../text/catalogue.ts"
import styles from "./approval-foot.module.css"
import type { ApprovalRow } from "./inbox-rows.ts"
import { type ApprovalText, isStep, nameOf, revealTexts } from "./words.ts"

/** A fallback for a missed event of the end. */
const runningEveryMillis = 5_000

type Request = NonNullable<ReturnType<typeof useRequest>>
const isUnderWay = (status: string | undefined): boolean => status === "running" || status === "approval_required"

const useRequest = (org: string, id: string | undefined) =>
  useQuery({
    ...requestQuery(org, id ?? ""),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => isUnderWay(state.data?.status) ? runningEveryMillis : false
  }).data

const whyOf = (request: Request, t: ApprovalText): string => {
  const { result } = request
  const isFailure = request.status === "failed" && typeof result === "object" && result !== null
  const failure: { readonly code?: unknown; readonly detail?: unknown } = isFailure ? result : {}
  const code = request.block?.limit === "provider"
    ? "provider_refused"
    : request.reason_code ?? (typeof failure.code === "string" ? failure.code : "")
  const known = (t.outcome.reasons as Readonly<Record<string, string>>)[code]
  return known ?? (typeof failure.detail === "string" && failure.detail !== "" ? failure.detail : code)
}

const wordsOf = (request: Request, t: ApprovalText): string =>
  request.status === "executed"
    ? (request.mode === "test" ? t.outcome.executedTest : t.outcome.executed)
    : request.status === "failed"
    ? t.outcome.failed
    : request.status === "blocked"
    ? t.outcome.blocked
    : request.status === "running"
    ? t.outcome.running
    : t.outcome.waiting

export interface ApprovalOutcomeProps {
  readonly approval: ApprovalRow
  /** Opens the approval that an edit created in its place. */
  readonly onOpen: (id: string) => void
}

export const ApprovalOutcome = ({ approval, onOpen }: ApprovalOutcomeProps) => {
  const t = approvalText
  const { org_id, replaced_by, service_request_id, status } = approval
  const isOfRun = isStep(approval)
  const request = useRequest(org_id, status === "approved" ? service_request_id : replaced_by)
  const linked = request?.id ?? service_request_id
  const look = status === "approved" ? isOfRun ? "approved" : request?.status ?? "running" : status
  return (
    <div className={`flex gap-8 min-w-0 type-body ${styles.outcome}`}>
      <StatusGlyph look={statusLook(look)} toned size={16} />
      <div className={`grid gap-2 min-w-0 wrap-anywhere ${styles.outcomeWords}`}>
        <p>
          {replaced_by !== undefined
            ? t.outcome.replaced
            : isOfRun && (status === "approved" || status === "rejected")
            ? t.step[status === "approved" ? "continued" : "rejected"]
            : status === "approved"
            ? (request === undefined ? t.outcome.waiting : (
              <Phrase
                text={wordsOf(request, t)}
                sum={formatMoney(request.cost_cents)}
                why={<RevealedText text={whyOf(request, t)} texts={revealTexts(t)} />}
              />
            ))
            : status === "expired"
            ? <Phrase text={t.outcome.expired} time={<RelativeTime at={approval.expires_at} now={hubClock.now} />} />
            : status === "rejected"
            ? t.outcome.rejected
            : t.outcome.cancelled} {replaced_by !== undefined && request?.approval_id !== undefined && (
            <button
              type="button"
              className={styles.asLink}
              onClick={() => onOpen(request.approval_id!)}
            >
              {t.outcome.replacedOpen}
            </button>
          )}
          {linked !== undefined && <RequestLink org={org_id} id={linked} />}
          {isOfRun && (
            <RouterLink
              className={styles.asLink}
              to="/w/$workspace/workflow-runs/$id"
              params={{ workspace: org_id, id: approval.subject.id }}
            >
              {t.step.open}
            </RouterLink>
          )}
        </p>
        {approval.comment !== undefined && approval.comment !== "" && (
          <p className="text-2">
            {t.outcome.comment(nameOf(approval.decided_by, t))}:{" "}
            <RevealedText text={approval.comment} texts={revealTexts(t)} />
          </p>
        )}
      </div>
    </div>
  )
}

const RequestLink = ({ id, org }: { readonly id: string; readonly org: string }) => {
  const t = approvalText.outcome
  const { routesByPath } = useRouter()
  return "/w/$workspace/requests/$id" in routesByPath
    ? (
      <RouterLink className={styles.asLink} to="/w/$workspace/requests/$id" params={{ workspace: org, id }}>
        {t.request}
      </RouterLink>
    )
    : null
}
