/** The wallet, the agents' budgets for this month, and beside them the ledger, the payments, and the promo codes. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useCommands } from "../app/commands.ts"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspace, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Tabs } from "../components/tabs.tsx"
import { promoPages } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { moneyText as t } from "../text/money.ts"
import { AddFundsDialog } from "./add-funds-dialog.tsx"
import { BudgetsPanel } from "./budgets-panel.tsx"
import { LedgerPanel } from "./ledger-panel.tsx"
import styles from "./money-screen.module.css"
import { PaymentPanel } from "./payment-panel.tsx"
import { PaymentsPanel } from "./payments-panel.tsx"
import { PromoCodesPanel } from "./promo-codes-panel.tsx"
import { RedeemPanel } from "./redeem-panel.tsx"
import { SplitPanel } from "./split-panel.tsx"
import { useMoneySearch } from "./use-money-search.ts"
import { WalletPanel } from "./wallet-panel.tsx"

export const MoneyScreen = () => {
  const workspace = useWorkspaceId()
  const can = useCan()
  const mayAct = useMayAct()
  const { change, search: { act, payment } } = useMoneySearch()
  const mayTopUp = can("billing:write")
  const toppingUp = (open: boolean) => change({ act: open ? "top-up" : undefined }, true)
  const showPayment = (id: string | undefined) => change({ payment: id })
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
          {mayTopUp && payment !== undefined && (
            <PaymentPanel
              workspace={workspace}
              id={payment}
              onClose={() => showPayment(undefined)}
            />
          )}
          <WalletPanel workspace={workspace} />
          {can("members:read") && <SplitPanel workspace={workspace} />}
          {can("agents:read") && <BudgetsPanel workspace={workspace} />}
          {mayTopUp && <RedeemPanel workspace={workspace} />}
        </div>
        <Lists workspace={workspace} onShow={showPayment} />
      </div>
      {mayTopUp && act === "top-up" && (
        <AddFundsDialog
          workspace={workspace}
          onClose={() => toppingUp(false)}
          onLeave={(id) => change({ act: undefined, payment: id }, true)}
        />
      )}
    </Page>
  )
}

type View = "ledger" | "payments" | "codes"

interface ListsProps {
  readonly workspace: string
  readonly onShow: (payment: string) => void
}

const Lists = ({ onShow, workspace }: ListsProps) => {
  const can = useCan()
  const { change, search: { payment, view } } = useMoneySearch()
  // Outside the hub's first workspace the hub refuses the list.
  const mayHaveCodes = useWorkspace().role === "owner" && can("promo:write")
  const hasCodes = useInfiniteQuery({ ...promoPages(workspace), enabled: mayHaveCodes }).data !== undefined
  const views: ReadonlyArray<View> = [
    ...can("usage:read") ? ["ledger" as const] : [],
    ...can("billing:write") ? ["payments" as const] : [],
    ...hasCodes ? ["codes" as const] : []
  ]
  const current = views.find((each) => each === (view ?? "ledger")) ?? views[0]
  if (current === undefined) return null
  const list = current === "ledger"
    ? <LedgerPanel workspace={workspace} />
    : current === "payments"
    ? <PaymentsPanel workspace={workspace} selected={payment} onShow={onShow} />
    : <PromoCodesPanel workspace={workspace} />
  return (
    <div className={`min-h-0 min-w-0 ${styles.ledger}`}>
      {views.length === 1 ? list : (
        <Tabs
          fill
          label={t.ledger.views}
          value={current}
          onChange={(next) => change({ view: next === "ledger" ? undefined : next })}
          tabs={views.map((value) => ({ value, text: t[value].title }))}
        >
          {list}
        </Tabs>
      )}
    </div>
  )
}
