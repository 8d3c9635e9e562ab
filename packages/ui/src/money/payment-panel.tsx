/**
 * One payment, as Stripe's page returns to it: paid as soon as Stripe reports the payment to the hub, by an event and
 * without polling.
 */
import { isHubError } from "@countersign/hub-client/error"
import { useQuery } from "@tanstack/react-query"
import { ScreenState } from "../app/screen-state.tsx"
import { Button } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { type Payment, paymentQuery } from "../hub/queries.ts"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { moneyText } from "../text/money.ts"
import { ContinuePayment } from "./continue-payment.tsx"

interface PaymentPanelProps {
  readonly workspace: string
  readonly id: string
  readonly onClose: () => void
}

export const PaymentPanel = ({ id, onClose, workspace }: PaymentPanelProps) => {
  const t = moneyText.payment
  const payment = useQuery(paymentQuery(workspace, id))
  const { data, error } = payment
  const isGone = isHubError(error) && error.status === 404
  return (
    <Panel
      title={data === undefined ? t.loading : t.title(formatMoney(data.amount_cents))}
      actions={<Button size="small" variant="bare" onClick={onClose}>{t.close}</Button>}
    >
      {isGone ? <p className="type-body text-2">{t.gone}</p> : (
        <ScreenState query={payment}>
          {data !== undefined && (
            <div className="grid gap-12 justify-items-start" role="status">
              <StatusBadge status={data.status}>{moneyText.payments.statuses[data.status]}</StatusBadge>
              <p className="type-body text-2">{words(data)}</p>
              {data.problem !== undefined && <p className="type-body text-stop">{data.problem}</p>}
              {data.status === "open" && data.url !== undefined && (
                <>
                  <p className="type-body text-2">{t.unpaid}</p>
                  <ContinuePayment url={data.url} primary />
                  <p className="type-note text-3">{t.here}</p>
                </>
              )}
            </div>
          )}
        </ScreenState>
      )}
    </Panel>
  )
}

const words = ({ reversed_cents, status }: Payment): string => {
  const t = moneyText.payment
  return status === "paid" && reversed_cents !== undefined ? t.reversed(formatMoney(reversed_cents)) : t[status]
}
