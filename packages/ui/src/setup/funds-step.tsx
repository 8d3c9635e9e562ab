import { useState } from "react"
import { FormFrame, FormProblem, FormSubmit } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { MoneyField } from "../components/fields.tsx"
import { formatMoney } from "../components/money-text.ts"
import { useAct } from "../hub/use-hub.ts"
import { startText } from "../text/start.ts"
import styles from "./start-screen.module.css"

const usualCents = 1_000

export const FundsStep = ({ onDone }: { readonly onDone: () => void }) => {
  const { funds: t, saving } = startText
  const workspace = useWorkspaceId()
  const [cents, setCents] = useState<number | undefined>(usualCents)
  const topUp = useAct("ledger.topUp", { workspace, keyed: true, touches: ["ledger"], onDone })
  const valid = cents !== undefined && cents > 0
  return (
    <>
      <p>{t.what}</p>
      <FormFrame
        className="grid gap-16 w-full"
        call={topUp}
        failed={t.failed}
        unchanged={t.unchanged}
        disabled={!valid}
        onSubmit={() => {
          if (valid) topUp.mutate({ payload: { amount_cents: cents } })
        }}
      >
        <div className={styles.line}>
          <MoneyField
            label={t.amount}
            className={styles.amount}
            required
            value={cents}
            onChange={setCents}
            invalidText={t.invalid}
            error={cents === 0 ? t.invalid : undefined}
          />
          <FormSubmit variant="primary" act={t.act(formatMoney(cents ?? 0))} pendingText={saving} />
        </div>
        <FormProblem />
      </FormFrame>
    </>
  )
}
