/** Fleet figures in one line, each with its unit in words. */
import type { Row } from "@countersign/hub-client/contract"
import type { ReactNode } from "react"
import { hubClock } from "../hub/hub-time.ts"
import { Money } from "../patterns/money.tsx"
import { agentsText } from "../text/agents.ts"
import { figure } from "../text/catalogue.ts"
import styles from "./fleet-strip.module.css"
import { percentText } from "./percent-text.ts"

type Health = Row<"agents.fleetHealth">

const hourMillis = 3_600_000

export const FleetStrip = ({ alerts, fleet }: { readonly alerts: number; readonly fleet: ReadonlyArray<Health> }) => {
  const t = agentsText.fleet
  const sum = (of: (one: Health) => number) => fleet.reduce((total, one) => total + of(one), 0)
  const requests = sum(({ requests_24h }) => requests_24h)
  const failed = sum(({ error_rate_24h, requests_24h }) => Math.round(error_rate_24h * requests_24h))
  const frozen = sum((one) => (one.frozen ? 1 : 0))
  const pending = sum(({ pending_approvals }) => pending_approvals)
  const stale = sum(({ stale_keys }) => stale_keys)
  const held = sum(({ held_cents }) => held_cents)
  const seen = sum(({ last_seen_at }) =>
    last_seen_at !== undefined && hubClock.now() - Date.parse(last_seen_at) < hourMillis ? 1 : 0
  )
  const facts: ReadonlyArray<
    readonly [key: string, value: ReactNode, word: string, tone?: "stop" | "hold" | undefined]
  > = [
    ["agents", figure(fleet.length), t.agents(fleet.length)],
    ["seen", figure(seen), t.seen],
    ["frozen", figure(frozen), t.frozen, frozen > 0 ? "stop" : undefined],
    ["waiting", figure(pending), t.waiting(pending), pending > 0 ? "hold" : undefined],
    [
      "failed",
      percentText(requests === 0 ? 0 : failed / requests),
      t.failed(requests),
      failed > 0 ? "stop" : undefined
    ],
    ["stale", figure(stale), t.stale(stale), stale > 0 ? "hold" : undefined],
    ...(alerts > 0 ? [["alerts", figure(alerts), t.alerts(alerts), "hold"] as const] : []),
    ["spent", <Money key="money" cents={sum(({ spent_this_month_cents }) => spent_this_month_cents)} />, t.spent],
    ...(held > 0 ? [["held", <Money key="money" cents={held} />, t.held] as const] : [])
  ]
  return (
    <section aria-label={t.label} className={`flex-none border-b overflow-x-auto ${styles.strip}`} tabIndex={0}>
      <ul className={`flex gap-24 ${styles.facts}`}>
        {facts.map(([key, value, word, tone]) => (
          <li
            key={key}
            className={`flex items-baseline gap-4 type-note text-2 whitespace-nowrap ${styles.fact}`}
            data-tone={tone}
          >
            <span className={styles.value}>{value}</span> <span>{word}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
