/** Approves, and creates a standing approval for similar requests, with a preview over past and pending requests. */
import { useQuery } from "@tanstack/react-query"
import { type KeyboardEvent, useCallback, useId, useMemo, useRef, useState } from "react"
import { Problem } from "../app/problem.tsx"
import { UndoButton } from "../app/undo-notices.tsx"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { Dialog } from "../components/dialog.tsx"
import { MoneyField, NumberField } from "../components/fields.tsx"
import { formatMoney } from "../components/money-text.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { showToast } from "../components/toast.tsx"
import { ConditionEditor } from "../conditions/condition-editor.tsx"
import { knownFields } from "../conditions/condition-rows.ts"
import { useExpression, useRested } from "../conditions/use-expression.ts"
import { hubClock } from "../hub/hub-time.ts"
import { standingPreview } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { Money } from "../patterns/money.tsx"
import { PayloadForm } from "../patterns/payload-form.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { approvalText } from "../text/approvals.ts"
import { payloadText as payloadWords } from "../text/payload.ts"
import { rememberText } from "../text/remember.ts"
import { ApproveButton, confirmCaps, isConfirming, usePresses } from "./approve-button.tsx"
import type { Decision } from "./decision.ts"
import styles from "./dialogs.module.css"
import type { ApprovalRow } from "./inbox-rows.ts"
import { operationOf } from "./words.ts"

const lives = ["day", "week", "month", "quarter"] as const
type Life = (typeof lives)[number]
const lifeDays: Readonly<Record<Life, number>> = { day: 1, week: 7, month: 30, quarter: 90 }
const dayMillis = 86_400_000
/** Maximum uses of one standing approval, from the contract. */
const usesMax = 1_000_000
/** Maximum number of past requests in the preview. */
const triedShownMax = 12

export interface RememberDialogProps {
  readonly approval: ApprovalRow
  /** The schema of the operation's payload, if known. */
  readonly schema: unknown
  readonly decision: Decision
  readonly comment: string
  readonly onClose: () => void
}

export const RememberDialog = ({ approval, comment, decision, onClose, schema }: RememberDialogProps) => {
  const t = approvalText
  const words = rememberText
  const mayAct = useMayAct()
  const hintId = useId()
  const start = useRef<HTMLInputElement>(null)
  const [each, setEach] = useState<number | undefined>(approval.cost_cents)
  const [by, setBy] = useState<"uses" | "total">("uses")
  const [uses, setUses] = useState<number | undefined>(20)
  const [total, setTotal] = useState<number | undefined>(approval.cost_cents * 10)
  const [life, setLife] = useState<Life>("week")
  const [hint, setHint] = useState<string>()
  const [when, setWhen] = useState("")
  const [isIncomplete, setIncomplete] = useState(false)
  const [applies, setApplies] = useState(false)
  const fields = useMemo(() => knownFields(approval.payload, schema), [approval.payload, schema])
  const check = useCallback(
    async (text: string) => (await import("./standing-check.ts")).standingConditionProblem(text, schema),
    [schema]
  )
  const condition = useExpression(when, check)

  const limit = by === "uses"
    ? (uses === undefined ? undefined : { max_uses: uses })
    : total === undefined || total === 0
    ? undefined
    : { max_total_cents: total }
  const isConditionWrong = isIncomplete || condition.state === "wrong"
  const terms = each === undefined || each === 0 || limit === undefined || isConditionWrong
    ? undefined
    : { max_cost_cents: each, ...limit, ...when.trim() === "" ? {} : { when } }
  const sum = formatMoney(approval.cost_cents)
  const send = () => {
    if (terms === undefined || !mayAct) return
    const expires_at = new Date(hubClock.now() + lifeDays[life] * dayMillis).toISOString()
    const remember = { ...terms, expires_at, ...applies ? { apply_to_pending: true } : {} }
    decision.send({ decision: "approve", comment: comment.trim(), remember }, (answer) => {
      const applied = answer.applied
      const done = applied?.filter(({ status }) => status === "approved").length ?? 0
      showToast({ text: applied === undefined ? words.done : words.applied(done, applied.length) })
      onClose()
    })
  }
  const presses = usePresses(approval.payload_digest, approval.cost_cents, send)
  const isOff = terms === undefined || !mayAct || approval.status !== "pending"
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isConfirming(event) || isOff || decision.isAsking) return
    event.preventDefault()
    presses.press()
  }
  const refusal = decision.verdict?.remember !== undefined && !decision.isAsking ? decision.error : null
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      held={decision.isAsking}
      initialFocus={start}
      title={t.remember.title}
      description={words.what(approval.agent.name, operationOf(approval))}
      closeText={acts.close}
      footer={
        <>
          <UndoButton />
          <Button onClick={onClose} disabled={decision.isAsking}>{acts.cancel}</Button>
          <ApproveButton
            text={words.submit(sum)}
            againText={t.foot.again(sum)}
            isAgain={presses.isAgain}
            pending={decision.isAsking}
            disabled={isOff}
            keys={confirmCaps}
            describedBy={hintId}
            onPress={presses.press}
            onBareKey={() => setHint(t.foot.bareEnter(confirmCaps.join(" ")))}
          />
        </>
      }
    >
      <div className={styles.form} onKeyDown={onKeyDown}>
        {approval.policy_id !== undefined && <p className={`px-12 py-8 type-body ${styles.warning}`}>{words.byRule}</p>}
        <section className="grid gap-8 min-w-0" aria-label={words.request}>
          <h3 className="type-label text-2">{words.request}</h3>
          <div className={styles.payload} tabIndex={0}>
            <PayloadForm payload={approval.payload} schema={schema} texts={payloadWords} />
          </div>
        </section>
        <div className={`grid gap-16 ${styles.pair}`}>
          <MoneyField ref={start} label={words.each} value={each} onChange={setEach} invalidText={words.invalid} />
          <Select
            label={words.until}
            value={life}
            onChange={setLife}
            options={lives.map((value) => ({ value, text: words.lives[value] }))}
          />
        </div>
        <RadioGroup
          label={words.by}
          value={by}
          onChange={setBy}
          inline
          options={[{ value: "uses", text: words.byUses }, { value: "total", text: words.byTotal }]}
        />
        {by === "uses"
          ? (
            <NumberField
              label={words.uses}
              value={uses}
              onChange={setUses}
              min={1}
              max={usesMax}
              invalidText={words.usesInvalid}
            />
          )
          : <MoneyField label={words.total} value={total} onChange={setTotal} invalidText={words.invalid} />}
        <ConditionEditor
          label={words.when}
          value={when}
          onChange={setWhen}
          onIncomplete={setIncomplete}
          requestFields={noFields}
          payloadFields={fields}
          description={words.whenAbout}
          error={condition.state === "wrong" ? condition.message : undefined}
          range={condition.state === "wrong" ? condition.range : undefined}
        />
        <Trial approval={approval} terms={terms} applies={applies} onApplies={setApplies} />
        <p id={hintId} className={styles.hint} role="status">
          {terms === undefined ? (isConditionWrong ? words.neededCondition : words.needed) : hint}
        </p>
        {refusal !== null && <Problem inline error={refusal} failed={words.failed} unchanged={t.foot.unchanged} />}
      </div>
    </Dialog>
  )
}

/** The condition of a standing approval can use the payload only. */
const noFields: ReadonlyArray<never> = []

type Terms = {
  readonly max_cost_cents: number
  readonly max_uses?: number
  readonly max_total_cents?: number
  readonly when?: string
}

interface TrialProps {
  readonly approval: ApprovalRow
  readonly terms: Terms | undefined
  readonly applies: boolean
  readonly onApplies: (applies: boolean) => void
}

/** Shows which past and pending requests it covers. */
const Trial = ({ applies, approval, onApplies, terms }: TrialProps) => {
  const t = rememberText
  const { agent, id, mode, operation = "", org_id, service = "" } = approval
  const payload = useRested({
    agent_id: agent.id,
    service,
    operation,
    mode,
    approval_id: id,
    ...terms ?? { max_cost_cents: 1 }
  })
  const trial = useQuery({
    ...standingPreview(org_id, { payload }),
    enabled: terms !== undefined,
    placeholderData: (before) => before
  })
  const found = trial.data
  return (
    <div className={`grid gap-8 ${styles.trial}`}>
      <p className="type-body weight-label" role="status">
        {found === undefined
          ? (trial.error === null ? "" : t.previewFailed)
          : found.checked === 0
          ? t.previewNone
          : `${t.preview(found.covered, found.checked)} ${t.previewCost(formatMoney(found.covered_cents))}`}
        {found?.partial === true && ` ${t.previewPartial}`}
        {found !== undefined && found.errors > 0 && ` ${t.previewErrors(found.errors)}`}
      </p>
      {found !== undefined && found.pending.count > 0 && (
        <Checkbox
          label={t.apply(found.pending.count, formatMoney(found.pending.cost_cents))}
          description={t.applyAbout}
          checked={applies}
          onChange={onApplies}
        />
      )}
      {found !== undefined && found.checked > 0 && (
        <ol className={styles.tried} tabIndex={0} aria-label={t.previewList}>
          {found.requests.slice(0, triedShownMax).map((request) => (
            <li key={request.id} className={`grid items-center gap-8 type-note ${styles.triedRow}`}>
              <StatusGlyph look={request.covered ? "executed" : "waiting"} toned />
              <span>{request.covered ? t.covered : t.notCovered}</span>
              <span className="text-3">
                <RelativeTime at={request.created_at} now={hubClock.now} />
              </span>
              <Money cents={request.ceiling_cents} end />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

export default RememberDialog
