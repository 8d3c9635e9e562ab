/** Redeems a promo code: its amount is added to the wallet once. */
import { useState } from "react"
import { Form } from "../app/form.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { useAct } from "../hub/use-hub.ts"
import { moneyText } from "../text/money.ts"
import styles from "./money-screen.module.css"

const codeMax = 64

export const RedeemPanel = ({ workspace }: { readonly workspace: string }) => {
  const t = moneyText.redeem
  const [code, setCode] = useState("")
  const [tried, setTried] = useState(false)
  const redeem = useAct("promo.redeem", {
    workspace,
    keyed: true,
    touches: ["ledger", "audit", "promo"],
    done: ({ amount_cents, balance }) => t.done(formatMoney(amount_cents), formatMoney(balance.available_cents)),
    onDone: () => {
      setCode("")
      setTried(false)
    }
  })
  const submit = () => {
    setTried(true)
    if (code.trim() !== "") redeem.mutate({ payload: { code: code.trim() } })
  }
  return (
    <Panel title={t.title}>
      <Form
        className={`grid gap-12 justify-items-start ${styles.redeem}`}
        label={t.title}
        call={redeem}
        act={t.act}
        failed={t.failed}
        unchanged={t.unchanged}
        onSubmit={submit}
      >
        <TextField
          label={t.code}
          value={code}
          onChange={(next) => {
            setCode(next)
            if (redeem.error !== null) redeem.reset()
          }}
          maxLength={codeMax}
          mono
          path="code"
          error={tried && code.trim() === "" ? t.needed : undefined}
        />
      </Form>
    </Panel>
  )
}
