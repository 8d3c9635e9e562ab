/** Adds funds by a payment at Stripe or by hand. Each intent keeps its key over all attempts, so it happens once. */
import { useQuery } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspace } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/fields.tsx"
import { amountCentsMax, formatMoney } from "../components/money-text.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { TextField } from "../components/text-field.tsx"
import { balanceQuery, firstPaymentQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { Phrase } from "../text/catalogue.ts"
import { moneyText } from "../text/money.ts"
import { checkoutCentsMax, checkoutCentsMin, leaveFor } from "./checkout.ts"
import styles from "./money-screen.module.css"

type Way = "card" | "hand"

const usual = [1_000, 5_000, 10_000, 50_000]
const noteMax = 500

interface AddFundsDialogProps {
  readonly workspace: string
  readonly onClose: () => void
  /** Stripe's page of a new payment is opening. */
  readonly onLeave: (payment: string) => void
}

export const AddFundsDialog = ({ onClose, onLeave, workspace }: AddFundsDialogProps) => {
  const t = moneyText.topUp
  const { name } = useWorkspace()
  const balance = useQuery(balanceQuery(workspace)).data
  const hasPaid = (useQuery(firstPaymentQuery(workspace)).data?.data.length ?? 0) > 0
  const [picked, setPicked] = useState<Way>()
  const way = picked ?? (hasPaid ? "card" : "hand")
  const [cents, setCents] = useState<number>()
  const [note, setNote] = useState("")
  const [tried, setTried] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const topUp = useAct("ledger.topUp", {
    workspace,
    keyed: true,
    touches: ["ledger", "audit"],
    done: ({ amount_cents, balance }) => t.done(formatMoney(amount_cents), formatMoney(balance.available_cents)),
    onDone: onClose
  })
  const checkout = useAct("billing.checkout", {
    workspace,
    keyed: true,
    touches: ["billing"],
    onDone: ({ id, url }) => {
      onLeave(id)
      if (url !== undefined) leaveFor(url)
    }
  })
  const isCard = way === "card"
  const call = isCard ? checkout : topUp
  const isAmount = cents !== undefined && cents >= 1 &&
    (!isCard || cents >= checkoutCentsMin && cents <= checkoutCentsMax)
  const limits = t.limits(formatMoney(checkoutCentsMin), formatMoney(checkoutCentsMax))
  const problem = cents === undefined
    ? tried ? t.wrong : undefined
    : isAmount
    ? undefined
    : isCard
    ? limits
    : t.tooLittle
  const send = () => {
    setTried(true)
    if (!isAmount) return
    if (isCard) checkout.mutate({ payload: { amount_cents: cents } })
    else topUp.mutate({ payload: { amount_cents: cents, ...note.trim() === "" ? {} : { note: note.trim() } } })
  }
  const unchanged = call.error?.code === "billing_not_configured"
    ? t.notConfigured
    : call.error?.code === "use_checkout"
    ? t.useCheckout
    : t.unchanged
  return (
    <FormDialog
      title={t.title}
      description={<Phrase text={t.what} workspace={<strong>{name}</strong>} />}
      width="narrow"
      initialFocus={field}
      act={isCard
        ? isAmount ? t.pay(formatMoney(cents)) : t.payEmpty
        : isAmount
        ? t.confirm(formatMoney(cents))
        : t.confirmEmpty}
      call={call}
      failed={isCard ? t.notPaid : t.failed}
      unchanged={unchanged}
      onClose={onClose}
      onSubmit={send}
    >
      <RadioGroup
        label={t.way}
        value={way}
        onChange={setPicked}
        options={(["card", "hand"] as const).map((value) => ({
          value,
          text: t.ways[value],
          description: t.aboutWays[value]
        }))}
      />
      <MoneyField
        ref={field}
        label={t.amount}
        value={cents}
        onChange={setCents}
        invalidText={t.wrong}
        exceededText={isCard ? limits : t.tooMuch(formatMoney(amountCentsMax))}
        required
        error={problem}
        description={isCard
          ? limits
          : balance === undefined || !isAmount || call.error !== null
          ? undefined
          : t.after(formatMoney(balance.available_cents + cents))}
      />
      <div className={`flex flex-wrap gap-8 ${styles.usual}`}>
        {usual.map((amount) => (
          <Button key={amount} size="small" onClick={() => setCents(amount)}>{formatMoney(amount)}</Button>
        ))}
      </div>
      {!isCard && (
        <TextField
          label={t.note}
          aside={t.optional}
          description={t.noteAbout}
          value={note}
          onChange={setNote}
          maxLength={noteMax}
        />
      )}
    </FormDialog>
  )
}
