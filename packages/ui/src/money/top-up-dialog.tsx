/** Credits the wallet once: an intent keeps its key over all attempts. */
import { useQuery } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspace } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/money-field.tsx"
import { amountCentsMax, formatMoney } from "../components/money-text.ts"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { balanceQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { moneyText } from "../text/money.ts"
import { Phrase } from "../text/phrase.tsx"
import styles from "./money-screen.module.css"

const usual = [1_000, 5_000, 10_000, 50_000]
const noteMax = 500

export const TopUpDialog = ({ onClose, workspace }: { readonly workspace: string; readonly onClose: () => void }) => {
  const t = moneyText.topUp
  const { name } = useWorkspace()
  const balance = useQuery(balanceQuery(workspace)).data
  const [cents, setCents] = useState<number>()
  const [note, setNote] = useState("")
  const [tried, setTried] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const topUp = useAct("ledger.topUp", {
    workspace,
    keyed: true,
    touches: ["ledger", "audit"],
    onDone: ({ amount_cents, balance }) => {
      showToast({ text: t.done(formatMoney(amount_cents), formatMoney(balance.available_cents)) })
      onClose()
    }
  })
  const isAmount = cents !== undefined && cents >= 1
  const send = () => {
    setTried(true)
    if (isAmount) topUp.mutate({ payload: { amount_cents: cents, ...note.trim() === "" ? {} : { note: note.trim() } } })
  }
  return (
    <FormDialog
      title={t.title}
      description={<Phrase text={t.what} workspace={<strong>{name}</strong>} />}
      width="narrow"
      initialFocus={field}
      act={isAmount ? t.confirm(formatMoney(cents)) : t.confirmEmpty}
      call={topUp}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={send}
    >
      <MoneyField
        ref={field}
        label={t.amount}
        value={cents}
        onChange={setCents}
        invalidText={t.wrong}
        exceededText={t.tooMuch(formatMoney(amountCentsMax))}
        required
        error={cents === 0 ? t.tooLittle : tried && cents === undefined ? t.wrong : undefined}
        description={balance === undefined || !isAmount || topUp.error !== null
          ? undefined
          : t.after(formatMoney(balance.available_cents + cents))}
      />
      <div className={`flex flex-wrap gap-8 ${styles.usual}`}>
        {usual.map((amount) => (
          <Button key={amount} size="small" onClick={() => setCents(amount)}>{formatMoney(amount)}</Button>
        ))}
      </div>
      <TextField
        label={t.note}
        aside={t.optional}
        description={t.noteAbout}
        value={note}
        onChange={setNote}
        maxLength={noteMax}
      />
    </FormDialog>
  )
}
