import { type SyntheticEvent, useState } from "react"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/fields.tsx"
import { formatMoney } from "../components/money-text.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { startText } from "../text/start.ts"
import styles from "./start-screen.module.css"

const usualCents = 1_000

export const FundsStep = ({ onDone }: { readonly onDone: () => void }) => {
  const { funds: t, saving } = startText
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const [cents, setCents] = useState<number | undefined>(usualCents)
  const topUp = useAct("ledger.topUp", { workspace, keyed: true, touches: ["ledger"], onDone })
  const valid = cents !== undefined && cents > 0
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (valid && mayAct && !topUp.isPending) topUp.mutate({ payload: { amount_cents: cents } })
  }
  return (
    <>
      <p>{t.what}</p>
      <form className={styles.line} onSubmit={submit} noValidate>
        <MoneyField
          label={t.amount}
          className={styles.amount}
          required
          value={cents}
          onChange={setCents}
          invalidText={t.invalid}
          error={cents === 0 ? t.invalid : undefined}
        />
        <Button
          type="submit"
          variant="primary"
          disabled={!valid || !mayAct}
          pending={topUp.isPending}
          pendingText={saving}
        >
          {t.act(formatMoney(cents ?? 0))}
        </Button>
      </form>
      {topUp.error !== null && <Problem inline error={topUp.error} failed={t.failed} unchanged={t.unchanged} />}
    </>
  )
}
