import { Button } from "@countersign/ui/components/button.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { ApprovalRow } from "@countersign/ui/patterns/approval-row.tsx"
import { BudgetBar } from "@countersign/ui/patterns/budget-bar.tsx"
import { Clock } from "@countersign/ui/patterns/clock.tsx"
import { KeyValueList } from "@countersign/ui/patterns/key-value-list.tsx"
import { Money } from "@countersign/ui/patterns/money.tsx"
import { PayloadView, type PayloadViewMode } from "@countersign/ui/patterns/payload-view.tsx"
import { RelativeTime } from "@countersign/ui/patterns/relative-time.tsx"
import { Seal } from "@countersign/ui/patterns/seal.tsx"
import { useState } from "react"
import styles from "./gallery.module.css"
import { at, digests, hubNow, leftText, payload, payloadTexts, previousPayload, schema } from "./samples.ts"
import { Section } from "./section.tsx"

const rows = [
  { agent: "Scout", operation: "voice.call", cost: 4200, reason: "Costs more than its threshold of $5.00", minutes: 9 },
  {
    agent: "Bookkeeper",
    operation: "sheets.append",
    cost: 3,
    reason: "A rule wants each write to be seen",
    minutes: 2
  },
  {
    agent: "Night Watch with a very long name",
    operation: "images.render_panorama",
    cost: 124000,
    minutes: 60 * 30,
    reason: "Costs more than its threshold of $100.00, and the agent says that the customer asked for all of them"
  },
  {
    agent: "Researcher",
    operation: "search.web",
    cost: 36,
    reason: "6 of the same kind",
    minutes: 41,
    folded: "6 × search.web"
  }
]

const budgets = [
  {
    label: "voice.call, this month",
    cap: "$50.00",
    spent_cents: 1240,
    held_cents: 600,
    this_cents: 420,
    cap_cents: 5000,
    note: "$27.40 left after this",
    valueText: "$12.40 spent, $6.00 held, $4.20 this one, of $50.00"
  },
  {
    label: "Scout, this month",
    cap: "$100.00",
    spent_cents: 7200,
    held_cents: 1500,
    this_cents: 4200,
    cap_cents: 10_000,
    note: "$29.00 over the cap with this",
    valueText: "$72.00 spent, $15.00 held, $42.00 this one, over the cap of $100.00"
  },
  {
    label: "Workspace",
    cap: "$2,000.00",
    spent_cents: 31240,
    held_cents: 0,
    this_cents: 4200,
    cap_cents: 200_000,
    note: "$1,645.60 left after this",
    valueText: "$312.40 spent, $42.00 this one, of $2,000.00"
  }
]

export const DecisionSection = () => {
  const [view, setView] = useState<PayloadViewMode>("form")
  const [closed, setClosed] = useState(false)
  return (
    <Section id="decision" title="A decision">
      <div className={styles.columns}>
        <Panel title="Pending" flush className={styles.list}>
          {rows.map((row, index) => (
            <ApprovalRow
              key={row.agent}
              href="#decision"
              status="pending"
              agentName={row.agent}
              operation={row.operation}
              digest={digests[index] ?? ""}
              costCents={row.cost}
              reason={row.reason}
              folded={row.folded}
              selected={index === 0}
              time={<Clock until={at(row.minutes)} now={hubNow} text={leftText} />}
              texts={{ ...payloadTexts, seal: "Seal", status: "pending" }}
            />
          ))}
        </Panel>
        <div className={styles.stack}>
          <Money cents={4200} size="amount" />
          <div className={styles.line}>
            {digests.map((digest) => <Seal key={digest} digest={digest} label="Seal" />)}
          </div>
          <div className={styles.line}>
            <Seal digest={digests[0] ?? ""} label="Seal" closed={closed} />
            <Button size="small" onClick={() => setClosed(!closed)}>The hub answers</Button>
          </div>
          <div className={styles.stack}>
            {budgets.map((budget) => <BudgetBar key={budget.label} {...budget} />)}
          </div>
        </div>
      </div>
      <div className={styles.columns}>
        <PayloadView
          payload={payload}
          schema={schema}
          previous={previousPayload}
          previousNote="Against what Ada approved on 19 Nov, 10:12 CET"
          view={view}
          onView={setView}
          texts={payloadTexts}
        />
        <KeyValueList
          items={[
            { key: "agent", name: "Agent", value: "Scout" },
            {
              key: "asked",
              name: "Requested",
              value: <RelativeTime at={at(-4)} now={hubNow} timeZone="Europe/Zurich" />
            },
            {
              key: "last",
              name: "Last decided",
              value: <RelativeTime at={at(-60 * 24 * 3)} now={hubNow} timeZone="Europe/Zurich" />
            },
            { key: "price", name: "A token", value: <Money cents={0.2} /> },
            { key: "change", name: "Change", value: <Money cents={-4205} signed /> }
          ]}
        />
      </div>
    </Section>
  )
}
