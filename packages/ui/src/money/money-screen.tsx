/** The wallet's balance, the agents' budgets for this month, and every transfer. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useRef, useState } from "react"
import { useCommands } from "../app/commands.ts"
import { FormDialog } from "../app/form.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspace, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/fields.tsx"
import { amountCentsMax, formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { balanceQuery, fleetPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { ChangedValue } from "../patterns/changed-value.tsx"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { Phrase } from "../text/catalogue.ts"
import { moneyText as t } from "../text/money.ts"
import { BudgetsPanel } from "./budgets-panel.tsx"
import { LedgerPanel } from "./ledger-panel.tsx"
import styles from "./money-screen.module.css"

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

/** The wallet in three figures, and whether it can be spent. */
const WalletPanel = ({ workspace }: { readonly workspace: string }) => {
  const words = t.wallet
  const balance = useQuery(balanceQuery(workspace))
  const { frozen } = useWorkspace()
  const fleet = useInfiniteQuery(fleetPages(workspace))
  const frozenAgents = rowsOf(fleet.data).filter((agent) => agent.frozen).length
  return (
    <Panel title={words.title}>
      <ScreenState query={balance}>
        {balance.data !== undefined && (
          <>
            <p className="flex flex-wrap items-baseline gap-8 mb-8">
              <ChangedValue value={balance.data.available_cents}>
                <Money cents={balance.data.available_cents} size="amount" />
              </ChangedValue>
              <span className="type-note text-3">{words.available}</span>
            </p>
            {balance.data.balance_cents === 0 && balance.data.held_cents === 0 && (
              <p className="type-note text-3">{words.empty}</p>
            )}
            <KeyValueList
              items={[
                { key: "balance", name: words.balance, value: <Money cents={balance.data.balance_cents} end /> },
                { key: "held", name: words.held, value: <Money cents={balance.data.held_cents} end /> },
                {
                  key: "state",
                  name: words.state,
                  value: (
                    <span className="block text-end">
                      {frozen
                        ? <Badge tone="hold">{words.frozen}</Badge>
                        : frozenAgents > 0
                        ? words.agentsFrozen(frozenAgents)
                        : words.runs}
                    </span>
                  )
                }
              ]}
            />
          </>
        )}
      </ScreenState>
    </Panel>
  )
}

const usual = [1_000, 5_000, 10_000, 50_000]
const noteMax = 500

/** Credits the wallet once: an intent keeps its key over all attempts. */
const TopUpDialog = ({ onClose, workspace }: { readonly workspace: string; readonly onClose: () => void }) => {
  const words = t.topUp
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
    done: ({ amount_cents, balance }) => words.done(formatMoney(amount_cents), formatMoney(balance.available_cents)),
    onDone: onClose
  })
  const isAmount = cents !== undefined && cents >= 1
  const send = () => {
    setTried(true)
    if (isAmount) topUp.mutate({ payload: { amount_cents: cents, ...note.trim() === "" ? {} : { note: note.trim() } } })
  }
  return (
    <FormDialog
      title={words.title}
      description={<Phrase text={words.what} workspace={<strong>{name}</strong>} />}
      width="narrow"
      initialFocus={field}
      act={isAmount ? words.confirm(formatMoney(cents)) : words.confirmEmpty}
      call={topUp}
      failed={words.failed}
      unchanged={words.unchanged}
      onClose={onClose}
      onSubmit={send}
    >
      <MoneyField
        ref={field}
        label={words.amount}
        value={cents}
        onChange={setCents}
        invalidText={words.wrong}
        exceededText={words.tooMuch(formatMoney(amountCentsMax))}
        required
        error={cents === 0 ? words.tooLittle : tried && cents === undefined ? words.wrong : undefined}
        description={balance === undefined || !isAmount || topUp.error !== null
          ? undefined
          : words.after(formatMoney(balance.available_cents + cents))}
      />
      <div className={`flex flex-wrap gap-8 ${styles.usual}`}>
        {usual.map((amount) => (
          <Button key={amount} size="small" onClick={() => setCents(amount)}>{formatMoney(amount)}</Button>
        ))}
      </div>
      <TextField
        label={words.note}
        aside={words.optional}
        description={words.noteAbout}
        value={note}
        onChange={setNote}
        maxLength={noteMax}
      />
    </FormDialog>
  )
}
