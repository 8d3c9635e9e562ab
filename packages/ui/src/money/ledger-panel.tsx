/** Both entries of every transfer, newest first. */
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "../app/link.tsx"
import { useCan } from "../app/session.ts"
import { Id } from "../components/id.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { allTeams, ledgerPages, type LedgerRow, memberChoices } from "../hub/queries.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { PlaceLink } from "../listing/place-link.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { memberName } from "../patterns/member-name.ts"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { moneyText } from "../text/money.ts"
import { accountTypes } from "./routes.tsx"
import { useMoneySearch } from "./use-money-search.ts"

/** Whether a transfer between a wallet and a smaller one moved money down, to the smaller one. */
const isDown = ({ account, amount_cents, cause }: LedgerRow): boolean =>
  (account.type === (cause.type === "team_budget" ? "org" : "team")) === (amount_cents < 0)

export const LedgerPanel = ({ workspace }: { readonly workspace: string }) => {
  const t = moneyText.ledger
  const { change, search: { account } } = useMoneySearch()
  const can = useCan()
  const held = useHeldRows<LedgerRow>(ledgerPages(workspace, account === undefined ? {} : { account }))
  const mayName = can("members:read")
  const teams = useQuery({ ...allTeams(workspace), enabled: mayName }).data ?? []
  const members = useQuery({ ...memberChoices(workspace), enabled: mayName }).data?.data ?? []
  const names = new Map<string, string>([
    ...teams.map(({ id, name }) => [id, t.pool(name)] as const),
    ...members.map((member) => [member.user_id, t.allocation(memberName(member))] as const)
  ])
  const clear = () => change({ account: undefined })
  const accountName = ({ id, type }: LedgerRow["account"]): ReactNode => {
    const name = names.get(id) ?? (type === "team" || type === "worker" ? <Id value={id} /> : t.accounts[type])
    return type === "team" && names.has(id)
      ? <PlaceLink quiet href={`/w/${workspace}/teams/${id}`}>{name}</PlaceLink>
      : type === "worker"
      ? (
        <Link quiet to="/w/$workspace/money" params={{ workspace }} search={{ account: id }} tabIndex={-1}>
          {name}
        </Link>
      )
      : name
  }
  const cause = (row: LedgerRow): ReactNode => {
    const { id, type } = row.cause
    if (type === "service_request") {
      return (
        <Link to="/w/$workspace/requests/$id" params={{ workspace, id }} tabIndex={-1}>
          {t.causes.service_request} <Id value={id.slice(-8)} />
        </Link>
      )
    }
    if ((type === "payment" || type === "payment_reversal") && can("billing:write")) {
      return (
        <Link
          to="/w/$workspace/money"
          params={{ workspace }}
          search={{ view: "payments", payment: id }}
          tabIndex={-1}
        >
          {t.causes[type]}
        </Link>
      )
    }
    if (type === "team_budget" || type === "worker_budget") return t.moves[type][isDown(row) ? "down" : "up"]
    return (t.causes as Readonly<Record<string, string>>)[type] ?? type
  }
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
      cell: ({ account }) => accountName(account)
    },
    {
      id: "cause",
      head: t.columns.cause,
      width: "minmax(150px, 1.2fr)",
      narrow: "under",
      cell: (row) => (
        <span className="inline-flex items-baseline gap-8 min-w-0">
          {cause(row)}
          {row.note !== undefined && <span className="text-2">{row.note}</span>}
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
  const choices = [
    ...accountTypes.map((value) => ({ value: value as string, text: t.accounts[value] })),
    ...account !== undefined && names.has(account) ? [{ value: account, text: names.get(account) ?? "" }] : []
  ]
  const filter = oneFilter("account", t.account, account, change, choices)
  return (
    <section className="flex flex-col h-full min-h-0 min-w-0" aria-label={t.title}>
      <FilterLine filters={[filter]} change={change} clear={clear} aside={t.note} />
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
