/**
 * Records the outcome of a running request: done at a cost, not done, or refused by the provider. The first settlement
 * is final.
 */
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { MoneyField, TextArea } from "../components/fields.tsx"
import { formatMoney } from "../components/money-text.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { useAct } from "../hub/use-hub.ts"
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
  const [fate, setFate] = useState<"executed" | "failed" | "blocked">("executed")
  const [cost, setCost] = useState<number | undefined>(ceiling)
  const [result, setResult] = useState("")
  const [comment, setComment] = useState("")
  const [tried, setTried] = useState(false)
  const settle = useAct("service_requests.settle", {
    workspace,
    touches: touchedByRequest,
    done: t.done,
    onDone: onClose
  })
  const done = fate === "executed"
  const parsed = readJson(result)
  const costWrong = done && (cost === undefined || cost > ceiling)
  const isReady = comment.trim() !== "" && !costWrong && !(done && parsed.wrong)
  const send = () => {
    setTried(true)
    if (!isReady) return
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
    <FormDialog
      title={t.title}
      description={t.what}
      act={done ? t.confirmExecuted(formatMoney(cost ?? 0)) : fate === "failed" ? t.confirmFailed : t.confirmBlocked}
      call={settle}
      failed={t.error}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={send}
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
    </FormDialog>
  )
}
