/** One entry of the log: actor, action, subject, changes, and its link in the chain, computed here. */
import { useQuery } from "@tanstack/react-query"
import { ChevronDown, ChevronUp, X } from "lucide-react"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { useKey } from "../app/keys.ts"
import { ScreenState } from "../app/screen-state.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Id } from "../components/id.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { auditEntry, auditHead, type AuditRow } from "../hub/queries.ts"
import { PlaceLink } from "../listing/place-link.tsx"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { PayloadView, type PayloadViewMode } from "../patterns/payload-view.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { auditText } from "../text/audit.ts"
import { figure } from "../text/catalogue.ts"
import { errorText as errors } from "../text/errors.ts"
import { payloadText as words } from "../text/payload.ts"
import { useAuditWords } from "./action-words.ts"
import { changeOf } from "./entry-changes.ts"
import { checkEntry, type EntryCheck } from "./entry-hash.ts"
import styles from "./entry-panel.module.css"

export interface EntryPanelProps {
  readonly seq: number
  /** Rows of the list: the entry is fetched only if it is not among them. */
  readonly held: ReadonlyArray<AuditRow>
  readonly workspace: string
  readonly onShow: (seq: number | undefined) => void
}

export const EntryPanel = ({ held, onShow, seq, workspace }: EntryPanelProps) => {
  const t = auditText.entry
  const known = held.find((row) => row.seq === seq)
  const read = useQuery({ ...auditEntry(workspace, seq), enabled: known === undefined })
  const head = useQuery(auditHead(workspace)).data?.data[0]?.seq
  const entry = known ?? read.data?.data[0]
  const panel = useRef<HTMLElement>(null)
  // On a narrow screen the panel is the page, so it takes the focus.
  useEffect(() => {
    if (matchMedia("(max-width: 1080px)").matches) panel.current?.focus()
  }, [])
  // The neighbors in the list; with filters their numbers may differ by more than one.
  const at = held.findIndex((row) => row.seq === seq)
  const newer = at < 0 ? (head !== undefined && seq < head ? seq + 1 : undefined) : held[at - 1]?.seq
  const older = at < 0 ? (seq > 1 ? seq - 1 : undefined) : held[at + 1]?.seq
  useKey("list.previous", () => newer !== undefined && onShow(newer))
  useKey("list.next", () => older !== undefined && onShow(older))
  return (
    <aside
      ref={panel}
      className={`flex flex-col min-h-0 bg-surface ${styles.panel}`}
      aria-label={t.title(figure(seq))}
      tabIndex={-1}
    >
      <header className={`flex flex-none items-center gap-4 border-b ${styles.head}`}>
        <h2 className="flex-1 type-control weight-strong">{t.title(figure(seq))}</h2>
        <IconButton
          label={t.newer}
          icon={<ChevronUp />}
          disabled={newer === undefined}
          onClick={() => onShow(newer)}
          keys={["K"]}
        />
        <IconButton
          label={t.older}
          icon={<ChevronDown />}
          disabled={older === undefined}
          onClick={() => onShow(older)}
          keys={["J"]}
        />
        <IconButton label={acts.close} icon={<X />} onClick={() => onShow(undefined)} keys={["Esc"]} />
      </header>
      <div className={`flex-1 min-h-0 type-body ${styles.body}`}>
        {entry !== undefined
          ? <EntryView entry={entry} workspace={workspace} />
          : (
            <ScreenState query={read}>
              <p className="type-note text-3">{errors.notFoundTitle}</p>
            </ScreenState>
          )}
      </div>
    </aside>
  )
}

const EntryView = ({ entry, workspace }: { readonly entry: AuditRow; readonly workspace: string }) => {
  const t = auditText
  const auditWords = useAuditWords()
  const { after, before, rest } = changeOf(entry.data)
  const hasChange = Object.keys(before).length > 0
  const hasRest = Object.keys(rest).length > 0
  const e = t.entry
  const items = [
    { key: "action", name: e.action, value: <Coded text={auditWords.action(entry.action)} code={entry.action} /> },
    { key: "time", name: e.time, value: <RelativeTime at={entry.created_at} now={hubClock.now} /> },
    {
      key: "actor",
      name: e.actor,
      value: (
        <span className="inline-flex items-baseline gap-8 max-w-full">
          <RevealedText line text={entry.actor.name === "" ? entry.actor.type : entry.actor.name} texts={words} />
          <span className="type-note text-3">
            {(t.actorTypes as Readonly<Record<string, string>>)[entry.actor.type] ?? entry.actor.type}
          </span>
        </span>
      )
    },
    entry.subject !== undefined &&
    { key: "subject", name: e.subject, value: <SubjectLink {...entry.subject} workspace={workspace} /> },
    entry.agent_id !== undefined && entry.agent_id !== entry.subject?.id &&
    { key: "agent", name: e.agent, value: <SubjectLink type="agent" id={entry.agent_id} workspace={workspace} /> },
    entry.outcome !== undefined &&
    { key: "outcome", name: e.outcome, value: <Coded text={auditWords.outcome(entry.outcome)} code={entry.outcome} /> },
    entry.reason_code !== undefined &&
    {
      key: "reason",
      name: e.reason,
      value: <Coded text={auditWords.outcome(entry.reason_code)} code={entry.reason_code} />
    },
    entry.cost_cents !== undefined && { key: "cost", name: e.cost, value: <Money cents={entry.cost_cents} /> },
    entry.ip !== undefined &&
    { key: "ip", name: e.ip, value: <span className="type-mono wrap-anywhere">{entry.ip}</span> },
    { key: "id", name: e.id, value: <Id value={entry.id} texts={acts.copying} /> }
  ].filter((item) => item !== false)
  return (
    <>
      <KeyValueList items={items} />
      {hasChange && (
        <section className="mt-16 pt-16 border-t">
          <h3 className="mb-8 type-control weight-strong">{e.changed}</h3>
          <Data value={after} previous={before} first="diff" label={e.changed} />
        </section>
      )}
      {(hasRest || !hasChange) && (
        <section className="mt-16 pt-16 border-t">
          <h3 className="mb-8 type-control weight-strong">{e.data}</h3>
          {hasRest ? <Data value={rest} first="form" label={e.data} /> : <p className="type-note text-3">{e.noData}</p>}
        </section>
      )}
      <section className="mt-16 pt-16 border-t">
        <h3 className="mb-8 type-control weight-strong">{e.chain}</h3>
        <KeyValueList
          items={[
            {
              key: "previous",
              name: e.previous,
              value: <Id value={entry.prev_hash} head={12} tail={6} texts={acts.copying} />
            },
            { key: "hash", name: e.hash, value: <Id value={entry.hash} head={12} tail={6} texts={acts.copying} /> }
          ]}
        />
        <HashCheck entry={entry} />
      </section>
    </>
  )
}

/** A text, with the code that filters, exports, and the API use. */
const Coded = ({ code, text }: { readonly code: string; readonly text: string }) => (
  <span className="inline-flex items-baseline gap-8 max-w-full">
    {text} <span className="type-mono wrap-anywhere">{code}</span>
  </span>
)

const Data = (
  { first, label, previous, value }: {
    readonly value: unknown
    readonly previous?: unknown
    readonly first: PayloadViewMode
    readonly label: string
  }
) => {
  const [view, setView] = useState<PayloadViewMode>(first)
  return <PayloadView payload={value} previous={previous} view={view} onView={setView} texts={{ ...words, label }} />
}

const HashCheck = ({ entry }: { readonly entry: AuditRow }) => {
  const t = auditText.entry
  const [check, setCheck] = useState<EntryCheck>("checking")
  useEffect(() => {
    let current = true
    setCheck("checking")
    void checkEntry(entry).then((found) => current && setCheck(found))
    return () => {
      current = false
    }
  }, [entry])
  const words = { checking: t.checking, holds: t.holds, broken: t.broken, uncheckable: t.uncheckable }[check]
  return (
    <p className={`flex items-center gap-8 mt-8 type-note text-2 ${styles.check}`} data-check={check} role="status">
      {check === "holds" && <StatusGlyph look="executed" toned size={14} />}
      {check === "broken" && <StatusGlyph look="failed" toned size={14} />}
      {words}
    </p>
  )
}

const paths: Readonly<Record<string, string>> = {
  service_request: "requests",
  approval: "approvals",
  agent: "agents",
  device: "devices",
  device_command: "devices/_/commands",
  delegated_task: "agents/_/tasks"
}

/** An entry's subject, as a link if this console has a screen for it. */
const SubjectLink = (
  { id, type, workspace }: { readonly type: string; readonly id: string; readonly workspace: string }
): ReactNode => {
  const path = Object.hasOwn(paths, type) ? paths[type] : undefined
  return path === undefined ? <Id value={id} /> : (
    <PlaceLink href={`/w/${workspace}/${path}/${id}`}>
      <Id value={id} />
    </PlaceLink>
  )
}
