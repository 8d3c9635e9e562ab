/** The outcome of a decision on a device command: followed until the command ends. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "../app/link.tsx"
import { isFinal, stateOf } from "../devices/command-words.ts"
import { hubClock } from "../hub/hub-time.ts"
import { type Command, commandQuery } from "../hub/queries.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { approvalText as t } from "../text/approvals.ts"
import { Phrase } from "../text/catalogue.ts"
import { commandsText as commands } from "../text/commands.ts"
import { plansText } from "../text/plans.ts"
import styles from "./approval-foot.module.css"
import type { ApprovalRow } from "./inbox-rows.ts"
import { nameOf, revealTexts } from "./words.ts"

/** A fallback for a missed event of the end. */
const runningEveryMillis = 5_000

export const CommandOutcome = ({ approval }: { readonly approval: ApprovalRow }) => {
  const plans = plansText.outcome
  const { org_id, status, subject } = approval
  const command = useQuery({
    ...commandQuery(org_id, subject.id),
    refetchInterval: ({ state }) =>
      status === "approved" && state.data !== undefined && !isFinal(state.data) ? runningEveryMillis : false
  }).data
  const state = command === undefined ? undefined : stateOf(commands, command)
  const look = status === "approved" ? (state?.look ?? "running") : status === "rejected" ? "blocked" : "expired"
  return (
    <div className={`flex gap-8 min-w-0 type-body ${styles.outcome}`}>
      <StatusGlyph look={look} toned size={16} />
      <div className={`grid gap-2 min-w-0 wrap-anywhere ${styles.outcomeWords}`}>
        <p>
          {status === "approved"
            ? <Approved command={command} outcome={state?.text ?? ""} words={plans} />
            : status === "expired"
            ? <Phrase text={t.command.expired} time={<RelativeTime at={approval.expires_at} now={hubClock.now} />} />
            : status === "rejected"
            ? (
              t.command.rejected
            )
            : (
              t.command.cancelled
            )} {command !== undefined && (
            <Link
              className={styles.asLink ?? ""}
              to="/w/$workspace/devices/$id/commands/$commandId"
              params={{ workspace: org_id, id: command.device_id, commandId: command.id }}
            >
              {t.command.open}
            </Link>
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

interface ApprovedProps {
  readonly command: Command | undefined
  readonly outcome: string
  readonly words: typeof plansText.outcome
}

const Approved = ({ command, outcome, words }: ApprovedProps) => {
  if (command === undefined || command.status === "awaiting_consent" || command.status === "leased") return words.taking
  if (command.status === "running") return words.running
  return command.outcome === "succeeded"
    ? words.succeeded
    : <Phrase text={words.ended} outcome={outcome.toLowerCase()} />
}

export default CommandOutcome
