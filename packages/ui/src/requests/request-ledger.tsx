/** The ledger entries of a request: one transfer with both of its sides, which sum to zero. */
import { useCan } from "../app/session.ts"
import { Panel } from "../components/panel.tsx"
import { TAccount } from "../patterns/t-account.tsx"
import { requestsText } from "../text/requests.ts"
import type { Trace } from "./steps.tsx"

export const RequestLedger = ({ postings, request }: Pick<Trace, "postings" | "request">) => {
  const t = requestsText.ledger
  const can = useCan()
  const nothing = request.mode === "test"
    ? t.noneTest
    : request.status === "approval_required"
    ? t.pending
    : request.status === "running"
    ? t.open
    : request.cost_cents > 0 && !can("usage:read")
    ? t.forbidden
    : t.none
  return (
    <Panel title={t.title}>
      {postings.length === 0
        ? <p className="type-body text-2">{nothing}</p>
        // The entry that takes money is the debit; the pattern expects debits as positive amounts.
        : (
          <TAccount
            postings={postings.map(({ account, amount_cents, id }) => ({
              id,
              account: t.accounts[account.type],
              cents: -amount_cents
            }))}
            texts={t}
          />
        )}
    </Panel>
  )
}
