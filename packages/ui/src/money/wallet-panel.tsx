/** The wallet in three figures, and whether it can be spent. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { Link } from "../app/link.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspace } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Panel } from "../components/panel.tsx"
import { balanceQuery, fleetPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { ChangedValue } from "../patterns/changed-value.tsx"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { Phrase } from "../text/catalogue.ts"
import { moneyText } from "../text/money.ts"

export const WalletPanel = ({ workspace }: { readonly workspace: string }) => {
  const t = moneyText.wallet
  const balance = useQuery(balanceQuery(workspace))
  const { frozen } = useWorkspace()
  const fleet = useInfiniteQuery(fleetPages(workspace))
  const frozenAgents = rowsOf(fleet.data).filter((agent) => agent.frozen).length
  const isBelow = balance.data !== undefined && balance.data.balance_cents < 0
  const settings = <Link to="/w/$workspace/settings/workspace" params={{ workspace }}>{t.settings}</Link>
  return (
    <Panel title={t.title}>
      <ScreenState query={balance}>
        {balance.data !== undefined && (
          <>
            <p className="flex flex-wrap items-baseline gap-8 mb-8">
              <ChangedValue value={balance.data.available_cents}>
                <Money cents={balance.data.available_cents} size="amount" />
              </ChangedValue>
              <span className="type-note text-3">{t.available}</span>
            </p>
            {balance.data.balance_cents === 0 && balance.data.held_cents === 0 && (
              <p className="type-note text-3">{t.empty}</p>
            )}
            {isBelow && <p className="type-body text-stop">{t.below}</p>}
            {isBelow && frozen && (
              <p className="mt-8 mb-8 type-body">
                <Phrase text={t.unfreeze} settings={settings} />
              </p>
            )}
            <KeyValueList
              items={[
                { key: "balance", name: t.balance, value: <Money cents={balance.data.balance_cents} end /> },
                { key: "held", name: t.held, value: <Money cents={balance.data.held_cents} end /> },
                {
                  key: "state",
                  name: t.state,
                  value: (
                    <span className="block text-end">
                      {frozen
                        ? <Badge tone="hold">{t.frozen}</Badge>
                        : frozenAgents > 0
                        ? t.agentsFrozen(frozenAgents)
                        : t.runs}
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
