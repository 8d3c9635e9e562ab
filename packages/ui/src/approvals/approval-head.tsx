/** The head of an approval: agent, action, amount, reason for the approval, and expiry. */
import { Link as RouterLink } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Avatar } from "../components/avatar.tsx"
import { Badge } from "../components/badge.tsx"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { Clock } from "../patterns/clock.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { approvalText as t } from "../text/approvals.ts"
import { Phrase } from "../text/catalogue.ts"
import styles from "./approval-detail.module.css"
import { type ApprovalRow, isPending } from "./inbox-rows.ts"
import { askerOf, isCall, isCommand, isStep, leftText, operationOf, revealTexts, statusText } from "./words.ts"

export interface ApprovalHeadProps {
  readonly approval: ApprovalRow
  /** The status that the hub last reported, or `expired` after the expiry. */
  readonly status: string
  /** Shown if the person belongs to several workspaces. */
  readonly workspaceName: string | undefined
  /** Rendered at the end of the first line. */
  readonly actions: ReactNode
}

export const ApprovalHead = ({ actions, approval, status, workspaceName }: ApprovalHeadProps) => {
  const reveal = revealTexts(t)
  const { agent, cost_cents, device, expires_at, policy_id, requested_at, threshold_cents } = approval
  const words = isCommand(approval) ? t.command : isStep(approval) ? t.step : t.sentence
  const over = cost_cents - threshold_cents
  const threshold = formatMoney(threshold_cents)
  return (
    <header className={`grid gap-8 ${styles.head}`}>
      <div className={`flex items-center gap-8 ${styles.headLine}`}>
        <StatusBadge status={status}>{statusText(status, t)}</StatusBadge>
        {approval.mode === "test" && <Badge>{t.testMode}</Badge>}
        {workspaceName !== undefined && (
          <span className="type-note text-2">{t.sentence.inWorkspace(workspaceName)}</span>
        )}
        <span className="flex gap-4 ms-auto">{actions}</span>
      </div>
      <h2 className={`type-title tracking-large wrap-anywhere ${styles.sentence}`} tabIndex={-1} data-detail-title>
        <Phrase
          text={isPending(approval) ? words.wants : words.wanted}
          agent={
            <span className={styles.agent}>
              <Avatar kind={askerOf(approval)} name={agent.name} size={24} />
              <RevealedText text={agent.name} texts={reveal} />
            </span>
          }
          operation={<code className={`weight-label wrap-anywhere ${styles.operation}`}>{operationOf(approval)}</code>}
          device={device !== undefined && (
            <RouterLink
              className={styles.device}
              to="/w/$workspace/devices/$id"
              params={{ workspace: approval.org_id, id: device.id }}
            >
              <RevealedText text={device.name} texts={reveal} />
            </RouterLink>
          )}
        />
      </h2>
      <div className={`grid items-center gap-4 gap-x-24 ${styles.sum}`} data-free={!isCall(approval) || undefined}>
        {isCall(approval) && (
          <span className={styles.amount}>
            <Money cents={cost_cents} size="amount" />
          </span>
        )}
        <p className={`type-body text-2 ${styles.threshold}`}>
          {isCommand(approval) ? t.command.free : isStep(approval) ? t.step.free : over > 0
            ? (policy_id === undefined ? t.threshold.above : t.threshold.both)(formatMoney(over), threshold)
            : t.threshold.rule(threshold)} {isCall(approval) && (approval.mode === "test" ? t.testHint : t.ceiling)}
        </p>
        <p className={`grid ${styles.clock}`}>
          {isPending(approval) && (
            <span className={`type-lead tabular-nums weight-strong ${styles.left}`}>
              <Clock until={expires_at} now={hubClock.now} text={leftText(t)} />
            </span>
          )}
          <span className={styles.requested}>
            <Phrase text={t.requested} time={<RelativeTime at={requested_at} now={hubClock.now} />} />
          </span>
        </p>
      </div>
    </header>
  )
}
