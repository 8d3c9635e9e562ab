/** The wallet's balance, the agents' budgets for this month, and every transfer. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCommands } from "../app/commands.ts"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { useMayAct } from "../live/connection.ts"
import { moneyText as t } from "../text/money.ts"
import { BudgetsPanel } from "./budgets-panel.tsx"
import { LedgerPanel } from "./ledger-panel.tsx"
import styles from "./money-screen.module.css"
import { TopUpDialog } from "./top-up-dialog.tsx"
import { WalletPanel } from "./wallet-panel.tsx"

const from = "/w/$workspace/money"

export const MoneyScreen = () => {
  const workspace = useWorkspaceId()
  const can = useCan()
  const mayAct = useMayAct()
  const { act, account } = useSearch({ from })
  const navigate = useNavigate({ from })
  const mayTopUp = can("billing:write")
  const toppingUp = (open: boolean) =>
    void navigate({
      search: { ...account === undefined ? {} : { account }, ...open ? { act: "top-up" as const } : {} },
      replace: true
    })
  useCommands(mayTopUp ? [{ id: "money.topUp", text: t.topUp.title, run: () => toppingUp(true) }] : [])
  return (
    <Page
      title={t.title}
      layout="flush"
      action={mayTopUp
        ? (
          <Button size="small" variant="primary" disabled={!mayAct} onClick={() => toppingUp(true)}>
            {t.topUp.act}
          </Button>
        )
        : undefined}
    >
      <div className={`grid h-full min-h-0 ${styles.screen}`}>
        <div className={`grid gap-16 ${styles.side}`}>
          <WalletPanel workspace={workspace} />
          {can("agents:read") && <BudgetsPanel workspace={workspace} />}
        </div>
        {can("usage:read") && <LedgerPanel workspace={workspace} />}
      </div>
      {mayTopUp && act === "top-up" && <TopUpDialog workspace={workspace} onClose={() => toppingUp(false)} />}
    </Page>
  )
}
