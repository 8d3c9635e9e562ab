/**
 * Records the outcome of a running request: done at a cost, not done, or refused by the provider. The first settlement
 * is final.
 */
import { useState } from "react"
import { Problem } from "../app/problem.tsx"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { MoneyField } from "../components/money-field.tsx"
import { formatMoney } from "../components/money-text.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { TextArea } from "../components/text-area.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { actText as acts } from "../text/acts.ts"
import { requestsText } from "../text/requests.ts"
import { type RequestActProps, touchedByRequest } from "./cancel-dialog.tsx"

const commentMax = 2_000

const readJson = (text: string): { readonly value?: unknown; readonly wrong: boolean } => {
  if (text.trim() === "") return { wrong: false }
  try {
    return { value: JSON.parse(text) as unknown, wrong: false }
  } catch {
    return { wrong: true }
  }
}

export const SettleDialog = (
  { ceiling, id, onClose, workspace }: RequestActProps & { readonly ceiling: number }
) => {
  const t = requestsText.settleDialog
  const mayAct = useMayAct()
  const [fate, setFate] = useState<"executed" | "failed" | "blocked">("executed")
  const [cost, setCost] = useState<number | undefined>(ceiling)
  const [result, setResult] = useState("")
  const [comment, setComment] = useState("")
  const [tried, setTried] = useState(false)
  const settle = useAct("service_requests.settle", {
    workspace,
    touches: touchedByRequest,
    onDone: () => {
      onClose()
      showToast({ text: t.done })
    }
  })
  const done = fate === "executed"
  const parsed = readJson(result)
  const costWrong = done && (cost === undefined || cost > ceiling)
  const isReady = comment.trim() !== "" && !costWrong && !(done && parsed.wrong)
  const send = () => {
    setTried(true)
    if (!isReady || settle.isPending || !mayAct) return
    settle.mutate({
      params: { id },
      payload: {
        status: fate,
        comment: comment.trim(),
        ...done ? { cost_cents: cost ?? 0 } : {},
        ...done && parsed.value !== undefined ? { result: parsed.value } : {}
      }
    })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      held={settle.isPending}
      title={t.title}
      description={t.what}
      closeText={acts.close}
      footer={
        <>
          <Button onClick={onClose} disabled={settle.isPending}>{acts.cancel}</Button>
          <Button
            variant="primary"
            pending={settle.isPending}
            pendingText={acts.asking}
            disabled={!mayAct}
            onClick={send}
          >
            {done ? t.confirmExecuted(formatMoney(cost ?? 0)) : fate === "failed" ? t.confirmFailed : t.confirmBlocked}
          </Button>
        </>
      }
    >
      <form
        className="grid gap-16"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <RadioGroup
          label={t.fate}
          value={fate}
          onChange={setFate}
          options={[
            { value: "executed", text: t.executed, description: t.executedAbout },
            { value: "failed", text: t.failed, description: t.failedAbout },
            { value: "blocked", text: t.blocked, description: t.blockedAbout }
          ]}
        />
        {done && (
          <MoneyField
            label={t.cost}
            value={cost}
            onChange={setCost}
            invalidText={t.costWrong}
            description={t.costAbout(formatMoney(ceiling))}
            error={cost !== undefined && cost > ceiling
              ? t.tooMuch(formatMoney(ceiling))
              : tried && cost === undefined
              ? t.costWrong
              : undefined}
          />
        )}
        {done && (
          <TextArea
            label={t.result}
            aside={t.optional}
            mono
            rows={3}
            value={result}
            onChange={setResult}
            error={parsed.wrong && tried ? t.resultWrong : undefined}
          />
        )}
        <TextArea
          label={t.comment}
          description={t.commentAbout}
          required
          rows={2}
          maxLength={commentMax}
          value={comment}
          onChange={setComment}
          error={tried && comment.trim() === "" ? t.commentMissing : undefined}
        />
        {settle.error !== null && <Problem inline error={settle.error} failed={t.error} unchanged={t.unchanged} />}
      </form>
    </Dialog>
  )
}
