/** Both entries of every transfer, newest first. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Link } from "../app/link.tsx"
import { Id } from "../components/id.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { ledgerPages, type LedgerRow } from "../hub/queries.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { moneyText } from "../text/money.ts"
import styles from "./money-screen.module.css"
import { accountTypes } from "./routes.tsx"

const from = "/w/$workspace/money"

export const LedgerPanel = ({ workspace }: { readonly workspace: string }) => {
  const t = moneyText.ledger
  const { account } = useSearch({ from })
  const navigate = useNavigate({ from })
  const held = useHeldRows<LedgerRow>(ledgerPages(workspace, account === undefined ? {} : { account }))
  const clear = () => void navigate({ search: {} })
  const columns: ReadonlyArray<Column<LedgerRow>> = [
    {
      id: "time",
      head: t.columns.time,
      width: "136px",
      narrow: "underTrail",
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    },
    {
      id: "account",
      head: t.columns.account,
      width: "minmax(88px, 0.8fr)",
      narrow: "lead",
      cell: ({ account }) => t.accounts[account.type]
    },
    {
      id: "cause",
      head: t.columns.cause,
      width: "minmax(150px, 1.2fr)",
      narrow: "under",
      cell: ({ cause, note }) => (
        <span className="inline-flex items-baseline gap-8 min-w-0">
          {cause.type === "service_request"
            ? (
              <Link to="/w/$workspace/requests/$id" params={{ workspace, id: cause.id }} tabIndex={-1}>
                {t.causes.service_request} <Id value={cause.id.slice(-8)} />
              </Link>
            )
            : (t.causes as Readonly<Record<string, string>>)[cause.type] ?? cause.type}
          {note !== undefined && <span className="text-2">{note}</span>}
        </span>
      )
    },
    {
      id: "amount",
      head: t.columns.amount,
      width: "116px",
      end: true,
      narrow: "trail",
      cell: ({ amount_cents }) => <Money cents={amount_cents} signed end />
    },
    {
      id: "after",
      head: t.columns.after,
      width: "124px",
      end: true,
      from: 620,
      cell: ({ balance_after_cents }) => (
        <span className="text-2">
          <Money cents={balance_after_cents} end />
        </span>
      )
    }
  ]
  const choices = accountTypes.map((value) => ({ value, text: t.accounts[value] }))
  return (
    <section className={`flex flex-col min-h-0 min-w-0 ${styles.ledger}`} aria-label={t.title}>
      <FilterLine
        filters={[oneFilter("account", t.account, account, (changes) =>
          void navigate({ search: changes as { account?: typeof account } }), choices)]}
        change={(changes) =>
          void navigate({ search: changes as { account?: typeof account } })}
        clear={clear}
        aside={t.note}
      />
      <div className="flex-1 min-h-0 border-t">
        <HubTable
          endpoint="ledger.list"
          workspace={workspace}
          held={held}
          label={t.list}
          columns={columns}
          empty={{ text: t.empty }}
          noMatch={t.noMatch}
          onClear={account === undefined ? undefined : clear}
        />
      </div>
    </section>
  )
}
