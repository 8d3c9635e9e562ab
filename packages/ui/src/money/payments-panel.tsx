/** Payments by card, newest first. */
import { MenuItem } from "../components/menu.tsx"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { type Payment, paymentPages } from "../hub/queries.ts"
import { copyText } from "../listing/copy-text.ts"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { RowMenu } from "../listing/row-menu.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { listingText as listing } from "../text/listing.ts"
import { moneyText } from "../text/money.ts"

interface PaymentsPanelProps {
  readonly workspace: string
  readonly selected: string | undefined
  readonly onShow: (payment: string) => void
}

export const PaymentsPanel = ({ onShow, selected, workspace }: PaymentsPanelProps) => {
  const t = moneyText.payments
  const held = useHeldRows<Payment>(paymentPages(workspace, {}))
  const columns: ReadonlyArray<Column<Payment>> = [
    {
      id: "time",
      head: t.columns.time,
      width: "136px",
      narrow: "underTrail",
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    },
    {
      id: "status",
      head: t.columns.status,
      width: "140px",
      narrow: "lead",
      cell: ({ status }) => <StatusBadge status={status}>{t.statuses[status]}</StatusBadge>
    },
    {
      id: "detail",
      head: t.columns.detail,
      width: "minmax(120px, 1fr)",
      narrow: "under",
      cell: ({ problem, reversed_cents, status, url }) =>
        problem !== undefined ? <span className="text-stop">{problem}</span> : reversed_cents !== undefined
          ? <span className="text-2">{t.reversed(formatMoney(reversed_cents))}</span>
          : status === "open" && url !== undefined
          ? <a href={url} target="_blank" rel="noreferrer" tabIndex={-1}>{t.continue}</a>
          : null
    },
    {
      id: "amount",
      head: t.columns.amount,
      width: "116px",
      end: true,
      narrow: "trail",
      cell: ({ amount_cents }) => <Money cents={amount_cents} end />
    }
  ]
  return (
    <HubTable
      endpoint="billing.list"
      workspace={workspace}
      held={held}
      label={t.list}
      columns={columns}
      selectedId={selected}
      onOpen={({ id }) => onShow(id)}
      rowMenu={({ amount_cents, id }) => (
        <RowMenu label={t.rowMenu(formatMoney(amount_cents))}>
          {() => (
            <>
              <MenuItem onSelect={() => onShow(id)}>{t.show}</MenuItem>
              <MenuItem onSelect={() => copyText(id)}>{listing.copyId}</MenuItem>
            </>
          )}
        </RowMenu>
      )}
      empty={{ text: t.empty }}
      noMatch={t.noMatch}
      onClear={undefined}
    />
  )
}
