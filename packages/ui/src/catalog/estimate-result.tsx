/** The estimate, in the order of every decision: action, amount, reason, and remaining limits. */
import type { Output } from "@countersign/hub-client/contract"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { reasonOf } from "../requests/reason.ts"
import { catalogText } from "../text/catalog.ts"
import { figure } from "../text/catalogue.ts"
import { requestsText as requests } from "../text/requests.ts"
import styles from "./try-panel.module.css"

export interface EstimateResultProps {
  readonly estimate: Output<"service_requests.estimate">
  /** Shown if the estimate is for another payload than the one beside it. */
  readonly stale: string | undefined
}

export const EstimateResult = ({ estimate, stale }: EstimateResultProps) => {
  const t = catalogText.tryIt
  const { ceiling_cents, cost_cents, remaining, status } = estimate
  const why = reasonOf(requests, estimate)
  return (
    <section className={styles.outcome} aria-label={t.result}>
      <h3 className="mb-8 type-label text-3">{t.result}</h3>
      <div className="flex flex-wrap items-center gap-8 mb-8 type-body">
        <StatusBadge status={status}>{requests.statuses[status]}</StatusBadge>
        <span>{status === "failed" ? t.failedStatus : t[status]}</span>
      </div>
      {stale !== undefined && <p className={styles.stale}>{stale}</p>}
      <KeyValueList
        items={[
          ...(why === "" ? [] : [{ key: "why", name: t.why, value: why }]),
          { key: "ceiling", name: t.ceiling, value: <Money cents={ceiling_cents} end /> },
          { key: "cost", name: t.cost, value: <Money cents={cost_cents} end /> }
        ]}
      />
      {remaining !== undefined && (
        <>
          <h4 className="mt-16 type-label text-3">{t.remaining}</h4>
          <KeyValueList
            items={[
              ...(remaining.operation_month_cents === undefined
                ? []
                : [{
                  key: "month",
                  name: t.operationMonth,
                  value: <Money cents={remaining.operation_month_cents} end />
                }]),
              ...(remaining.operation_day_count === undefined
                ? []
                : [{ key: "day", name: t.operationDay, value: figure(remaining.operation_day_count) }]),
              ...(remaining.agent_month_cents === undefined
                ? []
                : [{ key: "agent", name: t.agentMonth, value: <Money cents={remaining.agent_month_cents} end /> }]),
              { key: "wallet", name: t.wallet, value: <Money cents={remaining.wallet_cents} end /> }
            ]}
          />
        </>
      )}
    </section>
  )
}
