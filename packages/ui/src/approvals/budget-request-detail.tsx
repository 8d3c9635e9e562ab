/** A budget request: amount, reason, the cap before and after, and the decision of a person. */
import { useQuery } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { ScreenState } from "../app/screen-state.tsx"
import { Avatar } from "../components/avatar.tsx"
import { MoneyField } from "../components/fields.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { agentQuery, budgetQuery, budgetRequestQuery } from "../hub/queries.ts"
import { BudgetBar } from "../patterns/budget-bar.tsx"
import { Money } from "../patterns/money.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { approvalText } from "../text/approvals.ts"
import { Phrase } from "../text/catalogue.ts"
import { inboxRequestText } from "../text/inbox-requests.ts"
import { useRequestDecision } from "./request-decision.ts"
import styles from "./request-detail.module.css"
import type { RequestDetailProps } from "./request-detail.tsx"
import { RequestFrame } from "./request-frame.tsx"
import { RequestHead, RequestOutcome } from "./request-head.tsx"
import { ofBudgetRequest } from "./request-layout.ts"
import { type BudgetRequest, type InboxRequest, isOpenRequest } from "./request-rows.ts"
import { type CapFigures, capOf, lateText, requestTitle, spokenEnd } from "./request-words.ts"
import { useSecondConfirmationLimit } from "./second-confirmation.ts"
import { useAgentNames } from "./use-inbox-requests.ts"
import { usePermissionForAgent, usePermissionIn } from "./use-permission-in.ts"
import { revealTexts } from "./words.ts"

export const BudgetRequestDetail = (props: RequestDetailProps) => {
  const { id, known, org } = props
  const reading = useQuery({
    ...budgetRequestQuery(org, id),
    ...known?.type === "budget_request" ? { placeholderData: known.request } : {}
  })
  return (
    <ScreenState query={reading}>
      {reading.data !== undefined && <Shown {...props} request={reading.data} />}
    </ScreenState>
  )
}

const Shown = (
  { beside, onDecidedByKey, org, request }: RequestDetailProps & { readonly request: BudgetRequest }
) => {
  const t = inboxRequestText.budget
  const of: InboxRequest = ofBudgetRequest(org)(request)
  const agent = useAgentNames([of])(of)
  const decision = useRequestDecision(of)
  const mayDecide = usePermissionForAgent(org, request.agent_id, "budgets:write")
  const mayRead = usePermissionIn(org, "budgets:read")
  const limit = useSecondConfirmationLimit()
  const { amount_cents, operation, period, reason, requested_amount_cents, requested_by, status } = request
  const [amount, setAmount] = useState<number | undefined>(amount_cents)
  const amountField = useRef<HTMLDivElement>(null)
  const isOpen = isOpenRequest(of)
  const budget = useQuery({ ...budgetQuery(org, request.agent_id), enabled: isOpen && mayRead }).data
  const bindings = useQuery({ ...agentQuery(org, request.agent_id), enabled: isOpen && operation !== undefined }).data
    ?.bindings
  const cap = budget === undefined ? undefined : capOf(budget, bindings ?? [], operation)
  const reveal = revealTexts(approvalText)
  const name = agent ?? inboxRequestText.unknownAgent
  const granted = amount ?? 0
  const sum = formatMoney(isOpen ? granted : amount_cents)
  const asked = formatMoney(requested_amount_cents ?? amount_cents)
  const problem = amount === undefined
    ? undefined
    : amount < 1
    ? t.tooLittle
    : amount > amount_cents
    ? t.tooMuch(formatMoney(amount_cents))
    : undefined
  const words = isOpen ? t.wants : t.wanted
  const sentence = operation === undefined
    ? period === "month" ? words.agentMonth : words.agentOnce
    : period === "month"
    ? words.operationMonth
    : words.operationOnce
  const send = (isApproval: boolean) => (comment: string, byKey: boolean) => {
    const remark = comment === "" ? {} : { comment }
    decision.send({
      type: "budget_request",
      button: isApproval ? "first" : "second",
      words: isApproval ? t.approving(sum, name) : t.rejecting(asked, name),
      payload: isApproval
        ? { status: "approved", ...granted === amount_cents ? {} : { amount_cents: granted }, ...remark }
        : { status: "rejected", ...remark }
    }, byKey ? onDecidedByKey : undefined)
  }
  return (
    <RequestFrame
      id={request.id}
      label={requestTitle(of, agent, inboxRequestText)}
      state={`${status} ${amount_cents}`}
      beside={beside}
      isOpen={isOpen}
      obstacle={mayDecide ? undefined : t.forbidden}
      missing={amount === undefined ? t.incomplete : problem}
      onMissing={() => amountField.current?.querySelector("input")?.focus()}
      first={{
        text: t.approve(sum),
        again: t.again(sum),
        cents: granted,
        againHint: limit === undefined ? undefined : t.againHint(formatMoney(limit)),
        send: send(true),
        failed: t.failedApprove
      }}
      second={{ text: t.reject, send: send(false), failed: t.failedReject }}
      unchanged={t.unchanged}
      decision={decision}
      late={decision.error === null ? undefined : lateText(of, decision.error, inboxRequestText)}
      spoken={spokenEnd(of, formatMoney(amount_cents), inboxRequestText)}
      outcome={
        <RequestOutcome of={of}>
          <p className="text-2">
            {status === "approved"
              ? (period === "month" ? t.outcome.month : t.outcome.once)(formatMoney(amount_cents))
              : status === "rejected"
              ? t.outcome.rejected
              : t.outcome.withdrawn}
          </p>
        </RequestOutcome>
      }
      head={
        <RequestHead
          of={of}
          status={status}
          sentence={
            <Phrase
              text={sentence}
              agent={
                <span>
                  <span className={styles.agent}>
                    <Avatar kind="agent" name={name} size={24} />
                  </span>
                  <RevealedText text={name} texts={reveal} />
                </span>
              }
              operation={<code className={styles.operation}>{operation}</code>}
            />
          }
        >
          <div className={styles.sum}>
            <Money cents={amount_cents} size="amount" />
            <p>
              {period === "month" ? t.month : t.once} {isOpen && t.approvesCap}{" "}
              {requested_amount_cents !== undefined && t.requested(asked)}{" "}
              {requested_by.type === "user" && inboxRequestText.requestedBy(requested_by.name)}
            </p>
          </div>
        </RequestHead>
      }
    >
      <div className={styles.columns} data-two={isOpen && mayRead || undefined}>
        <div className={styles.columns}>
          <Panel title={t.reason} level={3}>
            <div className={styles.text}>
              <RevealedText text={reason} texts={reveal} />
            </div>
          </Panel>
          {isOpen && mayDecide && (
            <div ref={amountField} className={styles.amount}>
              <MoneyField
                label={t.amount}
                description={t.amountAbout(asked)}
                value={amount}
                onChange={setAmount}
                invalidText={t.invalid}
                error={problem}
              />
            </div>
          )}
        </div>
        {isOpen && mayRead && (
          <Panel title={t.caps} level={3}>
            {budget !== undefined && (
              cap === undefined
                ? <p className="type-note text-2">{t.unknownCap}</p>
                : cap.cap_cents === null
                ? <p className="type-note text-2">{t.noCap}</p>
                : (
                  <div className={styles.bars}>
                    <CapBar label={t.now} figures={cap} cap={cap.cap_cents} />
                    <CapBar label={t.after(sum)} figures={cap} cap={cap.cap_cents + granted} />
                  </div>
                )
            )}
          </Panel>
        )}
      </div>
    </RequestFrame>
  )
}

const CapBar = (
  { cap, figures, label }: { readonly label: string; readonly figures: CapFigures; readonly cap: number }
) => {
  const t = inboxRequestText.budget
  const { held_cents, spent_cents } = figures
  const left = cap - spent_cents - held_cents
  return (
    <BudgetBar
      label={label}
      cap={formatMoney(cap)}
      cap_cents={cap}
      spent_cents={spent_cents}
      held_cents={held_cents}
      this_cents={0}
      note={(left < 0 ? t.over : t.left)(formatMoney(Math.abs(left)))}
      valueText={t.value(formatMoney(spent_cents), formatMoney(held_cents), formatMoney(cap))}
    />
  )
}
