/** The first decision: agent, action, amount, remaining limits, and the payload's seal. */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Problem } from "../app/problem.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { approvalQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { Money } from "../patterns/money.tsx"
import { PayloadView, type PayloadViewMode } from "../patterns/payload-view.tsx"
import { Seal } from "../patterns/seal.tsx"
import { Phrase } from "../text/catalogue.ts"
import { payloadText as words } from "../text/payload.ts"
import { startText } from "../text/start.ts"
import { PendingNote, TheLine } from "./request-step.tsx"
import styles from "./start-screen.module.css"

export interface ApproveStepProps {
  readonly agent: { readonly id: string; readonly name: string }
  readonly command: (key: string) => string
  /** The newest approval, pending or decided. */
  readonly approval: string | undefined
  readonly isDone: boolean
  /** An earlier approval expired without a decision. */
  readonly hasLapsed: boolean
}

export const ApproveStep = ({ agent, approval, command, hasLapsed, isDone }: ApproveStepProps) => {
  const { approve: t } = startText
  const workspace = useWorkspaceId()
  const { data } = useQuery({
    ...approvalQuery(workspace, approval ?? ""),
    enabled: approval !== undefined
  })
  if (data !== undefined) return <Decision approval={data} />
  return isDone ? null : (
    <>
      <p>{hasLapsed ? t.expired : t.what}</p>
      <TheLine agent={agent.id} command={command} />
      <PendingNote text={t.waiting(agent.name)} />
    </>
  )
}

const Decision = ({ approval }: { readonly approval: Output<"approvals.get"> }) => {
  const { approve: t, saving } = startText
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const can = useCan()
  const touches = ["approvals", "service_requests", "ledger", "agents"] as const
  const approve = useAct("approvals.approve", { workspace, touches })
  const reject = useAct("approvals.reject", { workspace, touches })
  const [view, setView] = useState<PayloadViewMode>("form")
  const isPending = approve.isPending || reject.isPending
  const isUndecided = approval.status === "pending"
  const { agent, cost_cents, operation = "", payload_digest, remaining, service = "", threshold_cents } = approval
  const left = remaining.wallet_cents - cost_cents
  const allowed = (decision: string) =>
    approval.allowed_decisions.find((each) => each.decision === decision)?.allowed !== false
  const input = { params: { id: approval.id }, payload: { payload_digest } }
  const sum = formatMoney(cost_cents)
  return (
    <section className="grid gap-8 w-full p-16 border rounded-panel bg-surface" aria-label={t.act(sum)}>
      <p className={styles.sentence}>
        <Phrase text={t.wants} agent={<b>{agent.name}</b>} operation={<code>{`${service}.${operation}`}</code>} />
      </p>
      <Money cents={cost_cents} size="amount" />
      <p className="text-2">{t.reason(formatMoney(threshold_cents))}</p>
      {isUndecided && (
        <p className="text-2">{left < 0 ? t.over : <Phrase text={t.left} left={<Money cents={left} />} />}</p>
      )}
      {approval.payload !== undefined && (
        <PayloadView payload={approval.payload} view={view} onView={setView} texts={{ ...words, label: t.payload }} />
      )}
      <div className="flex flex-wrap items-center justify-between gap-12 gap-x-24 pt-8">
        <Seal digest={payload_digest} closed={approval.status === "approved"} label={t.seal} />
        {isUndecided && can("approvals:decide") && (
          <div className="flex flex-wrap gap-24">
            <Button
              variant="danger"
              disabled={!mayAct || isPending || !allowed("reject")}
              onClick={() => reject.mutate(input)}
            >
              {t.reject}
            </Button>
            <Button
              variant="primary"
              disabled={!mayAct || reject.isPending || !allowed("approve")}
              pending={approve.isPending}
              pendingText={saving}
              onClick={() => approve.mutate(input)}
            >
              {t.act(sum)}
            </Button>
          </div>
        )}
      </div>
      {isUndecided && !mayAct && <p role="status">{t.offline}</p>}
      {isUndecided && !can("approvals:decide") && <p>{t.forbidden}</p>}
      {(approve.error ?? reject.error) !== null && (
        <Problem inline error={approve.error ?? reject.error} failed={t.failed} unchanged={t.unchanged} />
      )}
    </section>
  )
}
