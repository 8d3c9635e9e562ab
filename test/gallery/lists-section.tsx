import { Button } from "@countersign/ui/components/button.tsx"
import { IconButton } from "@countersign/ui/components/icon-button.tsx"
import { Id } from "@countersign/ui/components/id.tsx"
import { Menu, MenuItem } from "@countersign/ui/components/menu.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { type Column, DataTable } from "@countersign/ui/patterns/data-table.tsx"
import { EmptyState } from "@countersign/ui/patterns/empty-state.tsx"
import { FilterBar, FilterOptions, FilterText } from "@countersign/ui/patterns/filter-bar.tsx"
import { Money } from "@countersign/ui/patterns/money.tsx"
import { PipelineLine } from "@countersign/ui/patterns/pipeline-line.tsx"
import { RelativeTime } from "@countersign/ui/patterns/relative-time.tsx"
import { StatusBadge } from "@countersign/ui/patterns/status-badge.tsx"
import { TAccount } from "@countersign/ui/patterns/t-account.tsx"
import { Columns3, MoreHorizontal } from "lucide-react"
import { useMemo, useState } from "react"
import styles from "./gallery.module.css"
import { hubNow, type RequestSample, requestSample } from "./samples.ts"
import { Section } from "./section.tsx"

const columns: ReadonlyArray<Column<RequestSample>> = [
  {
    id: "status",
    head: "Status",
    width: "112px",
    narrow: "under",
    cell: (row) => (
      <StatusBadge status={row.status}>{row.status === "approval_required" ? "pending" : row.status}</StatusBadge>
    )
  },
  { id: "operation", head: "Operation", width: "minmax(120px, 1fr)", narrow: "lead", cell: (row) => row.operation },
  { id: "agent", head: "Agent", width: "minmax(100px, 1fr)", cell: (row) => row.agent },
  { id: "id", head: "Request", width: "140px", from: 800, cell: (row) => <Id value={row.id} /> },
  {
    id: "time",
    head: "When",
    width: "140px",
    narrow: "underTrail",
    cell: (row) => <RelativeTime at={row.created_at} now={hubNow} timeZone="Europe/Zurich" />
  },
  {
    id: "cost",
    head: "Cost",
    width: "96px",
    end: true,
    narrow: "trail",
    cell: (row) => <Money cents={row.cost_cents} />
  }
]

const statuses = ["executed", "blocked", "failed"].map((value) => ({ value, text: value }))

export const ListsSection = () => {
  const all = useMemo(() => Array.from({ length: 100_000 }, (_, index) => requestSample(index)), [])
  const [selected, setSelected] = useState(all[2]?.id)
  const [picked, setPicked] = useState<ReadonlyArray<string>>(["executed", "blocked"])
  const [query, setQuery] = useState("")
  const [loading, setLoading] = useState(true)
  return (
    <Section id="lists" title="Lists">
      <Panel flush>
        <FilterBar
          label="Filter requests"
          search={{ value: query, onChange: setQuery, label: "Search", keys: ["/"] }}
          filters={[
            {
              id: "status",
              name: "Status",
              value: picked.length === 0 ? undefined : picked.join(", "),
              editor: () => <FilterOptions options={statuses} picked={picked} onChange={setPicked} />
            },
            {
              id: "agent",
              name: "Agent",
              editor: (close) => <FilterText label="Agent" value="" applyText="Apply" onApply={close} />
            },
            { id: "service", name: "Service", editor: () => <p>voice, mail, search</p> }
          ]}
          onRemove={() => setPicked([])}
          onClear={() => setPicked([])}
          texts={{
            clear: "Clear",
            remove: (name) => `Remove the filter ${name}`,
            chip: (name, value) => `${name}: ${value}`
          }}
          aside={
            <>
              100,000 requests <IconButton label="Columns" icon={<Columns3 />} />
            </>
          }
        />
        <div className={styles.tall}>
          <DataTable
            label="Requests"
            columns={columns}
            rows={all}
            rowId={(row) => row.id}
            selectedId={selected}
            loading={loading}
            onOpen={(row) => {
              setSelected(row.id)
              setLoading(!loading)
            }}
            fresh={{ text: "3 new", onShow: () => undefined }}
            rowMenu={() => (
              <Menu align="end" trigger={<IconButton tabIndex={-1} label="More" icon={<MoreHorizontal />} />}>
                <MenuItem>Copy id</MenuItem>
              </Menu>
            )}
            texts={{ loading: "Loading requests", rowMenu: "More" }}
          />
        </div>
      </Panel>
      <Panel title="Filtered to nothing" flush>
        <DataTable
          fit
          label="Nothing"
          columns={columns}
          rows={[]}
          rowId={(row) => row.id}
          empty={<EmptyState action={<Button>Clear the filter</Button>}>No request has this filter.</EmptyState>}
          texts={{ loading: "Loading requests", rowMenu: "More" }}
        />
      </Panel>
      <div className={styles.columns}>
        <Panel title="Request">
          <PipelineLine
            label="What the request passed"
            texts={{ passed: "passed", decider: "current step", unreached: "not reached" }}
            steps={[
              {
                id: "received",
                name: "Received",
                state: "passed",
                fact: "by the key of Scout",
                duration: "1 ms",
                time: "14:02:11"
              },
              {
                id: "policy",
                name: "Policy",
                state: "passed",
                fact: "allowed by “voice in office hours”",
                duration: "2 ms",
                time: "14:02:11"
              },
              {
                id: "budget",
                name: "Budget",
                state: "passed",
                fact: "$3.20 of $50.00 used",
                duration: "1 ms",
                time: "14:02:11"
              },
              {
                id: "approval",
                name: "Approval",
                state: "decider",
                status: "approval_required",
                fact: "$42.00 is above the threshold of $5.00",
                duration: "4 min",
                time: "14:02:11"
              },
              { id: "executed", name: "Executed", state: "unreached" },
              { id: "settled", name: "Settled", state: "unreached" }
            ]}
          />
        </Panel>
        <Panel title="Ledger">
          <TAccount
            postings={[
              { id: "1", account: "Held for requests", cents: 4200 },
              { id: "2", account: "Wallet", cents: 100 },
              { id: "3", account: "Spent on voice", cents: -4100 },
              { id: "4", account: "Returned to the wallet", cents: -200 }
            ]}
            texts={{
              label: "Postings",
              debit: "Debit",
              credit: "Credit",
              total: "Total",
              difference: "Debits and credits sum to"
            }}
          />
        </Panel>
      </div>
    </Section>
  )
}
