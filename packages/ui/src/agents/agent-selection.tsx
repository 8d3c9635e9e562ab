/** The selection in the agent list, to pause or resume several agents at once. */
import { type KeyboardEvent, Suspense, useState } from "react"
import { boundKeys, currentKeySettings } from "../app/keymap.ts"
import { useKey } from "../app/keys.ts"
import { PendingOverlay } from "../app/pending-overlay.ts"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { lazyPart } from "../components/lazy-part.ts"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { agentsText } from "../text/agents.ts"
import type { Agent } from "./agent-columns.tsx"
import styles from "./agents-screen.module.css"
import { type BulkStatus, changesTo } from "./bulk.ts"

const BulkDialog = lazyPart(() => import("./bulk-dialog.tsx"))

export interface AgentSelection {
  /** The selected rows that are still in the list. */
  readonly chosen: ReadonlyArray<Agent>
  readonly column: Column<Agent>
  readonly onRowKey: (agent: Agent, event: KeyboardEvent) => boolean
  readonly deselect: (ids: ReadonlyArray<string>) => void
}

export const useAgentSelection = (rows: ReadonlyArray<Agent>, isOffered: boolean): AgentSelection => {
  const t = agentsText.bulk
  // The table handles this key on its focused row; this call only adds it to the list of keys.
  useKey("list.select", () => {}, { when: false, listed: isOffered ? "mounted" : "active" })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const chosen = rows.filter(({ id }) => selected.has(id))
  const toggle = (ids: ReadonlyArray<string>, isOn: boolean) =>
    setSelected((before) =>
      isOn ? new Set([...before, ...ids]) : new Set([...before].filter((id) => !ids.includes(id)))
    )
  const isAll = rows.length > 0 && chosen.length === rows.length
  return {
    chosen,
    column: {
      id: "select",
      width: "24px",
      narrow: "select",
      head: (
        <Checkbox
          label={t.selectAll}
          labelHidden
          checked={isAll}
          partly={chosen.length > 0}
          onChange={(isOn) => toggle(rows.map(({ id }) => id), isOn)}
        />
      ),
      cell: ({ id, name }) => (
        <Checkbox
          label={t.select(name)}
          labelHidden
          checked={selected.has(id)}
          onChange={(isOn) => toggle([id], isOn)}
        />
      )
    },
    onRowKey: ({ id }, { key }) => {
      if (key !== boundKeys("list.select", currentKeySettings())) return false
      toggle([id], !selected.has(id))
      return true
    },
    deselect: (ids) => toggle(ids, false)
  }
}

export const AgentSelectionBar = ({ selection: { chosen, deselect } }: { readonly selection: AgentSelection }) => {
  const t = agentsText.bulk
  const mayAct = useMayAct()
  // A snapshot of the selected rows: later updates do not change the confirmation.
  const [asked, setAsked] = useState<{ readonly to: BulkStatus; readonly agents: ReadonlyArray<Agent> }>()
  return (
    <>
      {chosen.length > 0 && (
        <div className={styles.selection} role="region" aria-label={t.bar(chosen.length)}>
          <span className={`flex-1 type-label ${styles.selectionCount}`}>{t.bar(chosen.length)}</span>
          <Button size="small" variant="bare" onClick={() => deselect(chosen.map(({ id }) => id))}>{t.clear}</Button>
          {(["active", "paused"] as const).map((to) => (
            <Button
              key={to}
              size="small"
              disabled={!mayAct || !chosen.some((agent) => changesTo(agent, to))}
              onClick={() => setAsked({ to, agents: chosen })}
            >
              {t[to].act}
            </Button>
          ))}
        </div>
      )}
      {asked !== undefined && (
        <Suspense fallback={<PendingOverlay onCancel={() => setAsked(undefined)} />}>
          <BulkDialog agents={asked.agents} to={asked.to} onClose={() => setAsked(undefined)} onDone={deselect} />
        </Suspense>
      )}
    </>
  )
}
