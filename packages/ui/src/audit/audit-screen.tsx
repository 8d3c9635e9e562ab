/** The audit log of a workspace: newest first, filtered by the address, with the open entry beside it. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { useCommands } from "../app/commands.ts"
import { useKey } from "../app/keys.ts"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { Menu, MenuItem, MenuSection } from "../components/menu.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentChoices, allServices, auditPages, type AuditRow, memberChoices } from "../hub/queries.ts"
import { amountFilter, amountMembers } from "../listing/amount-filter.tsx"
import { ColumnsMenu } from "../listing/columns-menu.tsx"
import { useColumns } from "../listing/columns.ts"
import { copyText } from "../listing/copy-text.ts"
import { downloadHref } from "../listing/download.ts"
import {
  type Changes,
  FilterLine,
  oneFilter,
  operationFilter,
  operationMembers,
  periodFilter,
  periodMembers
} from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { ListFrame } from "../listing/list-frame.tsx"
import { untilMoment } from "../listing/period.ts"
import { RowMenu } from "../listing/row-menu.tsx"
import { ViewsMenu } from "../listing/views-menu.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { memberName } from "../patterns/member-name.ts"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { auditText as t } from "../text/audit.ts"
import { figure } from "../text/catalogue.ts"
import { listingText as list } from "../text/listing.ts"
import { useAuditWords } from "./action-words.ts"
import styles from "./audit-screen.module.css"
import { EntryPanel } from "./entry-panel.tsx"
import { VerifyDialog } from "./verify-log.tsx"

const from = "/w/$workspace/audit"

/** Subjects whose actions are filtered together. */
const nouns = [
  ["service_request.*", "requests"],
  ["approval.*", "approvals"],
  ["standing_approval.*", "standing"],
  ["agent.*", "agents"],
  ["binding.*", "bindings"],
  ["key.*", "keys"],
  ["budget.*", "budgets"],
  ["balance.*", "money"],
  ["policy.*", "policies"],
  ["service.*", "services"],
  ["secret.*", "secrets"],
  ["member.*", "members"],
  ["token.*", "tokens"],
  ["session.*", "sessions"],
  ["workspace.*", "workspace"],
  ["view.*", "views"]
] as const

/** Outcomes of requests and approvals, and the most common reasons; any other code can be typed. */
const outcomes = [
  "executed",
  "blocked",
  "failed",
  "running",
  "approval_required",
  "approved",
  "rejected",
  "expired",
  "cancelled",
  "policy_violation",
  "insufficient_balance",
  "agent_budget_exceeded",
  "monthly_budget_exceeded",
  "daily_limit_exceeded",
  "spending_frozen",
  "adapter_error",
  "fate_unknown"
] as const

export const AuditScreen = () => {
  const words = useAuditWords()
  const workspace = useWorkspaceId()
  const can = useCan()
  const { entry, hide, ignored, ...filters } = useSearch({ from })
  const navigate = useNavigate({ from })
  const [verifying, setVerifying] = useState(false)
  const held = useHeldRows<AuditRow>(auditPages(workspace, untilMoment(filters)))
  const agents = useQuery({ ...agentChoices(workspace), enabled: can("agents:read") }).data?.data
  const members = useQuery({ ...memberChoices(workspace), enabled: can("members:read") }).data?.data

  const services = useQuery({ ...allServices(workspace), enabled: can("catalog:read") }).data

  const change = (changes: Changes, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes } as typeof filters), replace })
  const clear = () =>
    void navigate({ search: { ...entry === undefined ? {} : { entry }, ...hide === undefined ? {} : { hide } } })
  const show = (seq: number | undefined) => change({ entry: seq }, entry !== undefined && seq !== undefined)
  const isFiltered = Object.keys(filters).length > 0

  useKey("everywhere.back", () => show(undefined), { when: entry !== undefined })
  useCommands([{ id: "audit.verify", text: t.verify.title, run: () => setVerifying(true) }])

  const actors = useMemo(() => [
    ...members?.map((member) => ({
      value: member.user_id as string,
      text: memberName(member),
      detail: t.actorTypes.user
    })) ?? [],
    ...agents?.map(({ id, name }) => ({ value: id as string, text: name, detail: t.actorTypes.agent })) ?? []
  ], [members, agents])

  const columns: ReadonlyArray<Column<AuditRow>> = [
    {
      id: "seq",
      head: t.columns.seq,
      width: "72px",
      end: true,
      from: 860,
      cell: ({ seq }) => <span className="text-2">{figure(seq)}</span>
    },
    {
      id: "time",
      head: t.columns.time,
      width: "148px",
      narrow: "underTrail",
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    },
    {
      id: "action",
      head: t.columns.action,
      width: "minmax(230px, 1.5fr)",
      narrow: "lead",
      cell: ({ action }) => <span title={action}>{words.action(action)}</span>
    },
    {
      id: "actor",
      head: t.columns.actor,
      width: "minmax(110px, 1fr)",
      narrow: "under",
      cell: ({ actor }) => actor.name === "" ? actor.type : actor.name
    },
    {
      id: "subject",
      head: t.columns.subject,
      width: "minmax(120px, 1fr)",
      from: 620,
      cell: ({ subject }) => subject === undefined ? null : <Id value={subject.id} />
    },
    {
      id: "outcome",
      head: t.columns.outcome,
      width: "minmax(100px, 0.8fr)",
      from: 980,
      cell: ({ outcome, reason_code }) => (
        <span className="text-2" title={reason_code ?? outcome}>{words.outcome(reason_code ?? outcome)}</span>
      )
    },
    {
      id: "cost",
      head: t.columns.cost,
      width: "96px",
      end: true,
      narrow: "trail",
      from: 700,
      cell: ({ cost_cents }) => cost_cents === undefined ? t.noCost : <Money cents={cost_cents} end />
    }
  ]
  const choice = useColumns("audit", columns, "action", hide, (next) => change({ hide: next }, true))
  const menu = ({ action, actor, agent_id, data, id, outcome, reason_code, seq, subject }: AuditRow) => {
    const { operation, service } = data
    const named = typeof service === "string" && typeof operation === "string" ? { service, operation } : undefined
    return (
      <RowMenu label={list.rowMenuOf(t.entry.title(figure(seq)))}>
        {() => (
          <>
            <MenuItem onSelect={() => show(seq)}>{t.menu.open}</MenuItem>
            <MenuItem onSelect={() => change({ action })}>{t.menu.action}</MenuItem>
            <MenuItem onSelect={() => change({ actor_id: actor.id })}>{t.menu.actor}</MenuItem>
            {agent_id !== undefined && <MenuItem onSelect={() => change({ agent_id })}>{t.menu.agent}</MenuItem>}
            {named !== undefined && <MenuItem onSelect={() => change(named)}>{t.menu.operation}</MenuItem>}
            {(reason_code ?? outcome) !== undefined && (
              <MenuItem onSelect={() => change({ outcome: reason_code ?? outcome })}>{t.menu.outcome}</MenuItem>
            )}
            {subject !== undefined && (
              <MenuItem onSelect={() => change({ subject_id: subject.id })}>{t.menu.subject}</MenuItem>
            )}
            <MenuItem onSelect={() => copyText(id)}>{t.menu.copy}</MenuItem>
          </>
        )}
      </RowMenu>
    )
  }
  const any = { is: (text: string) => text.length <= 128 }
  const actions = [
    ...nouns.map(([value, name]) => ({ value: value as string, text: t.actions[name] })),
    ...filters.action === undefined || nouns.some(([value]) => value === filters.action)
      ? []
      : [{ value: filters.action, text: words.action(filters.action) }]
  ]
  const options = [
    oneFilter("action", t.filters.action, filters.action, change, actions, { ...any, label: t.actionTyped }),
    oneFilter("actor_id", t.filters.actor_id, filters.actor_id, change, actors, {
      is: (text) => /^[a-z]{3}_/u.test(text),
      label: t.actorTyped
    }),
    oneFilter(
      "agent_id",
      t.filters.agent_id,
      filters.agent_id,
      change,
      agents?.map(({ id, name }) => ({ value: id, text: name })) ?? [],
      { is: (text) => text.startsWith("agt_"), label: t.agentTyped }
    ),
    oneFilter("subject_id", t.filters.subject_id, filters.subject_id, change, [], { ...any, label: t.subjectTyped }),
    operationFilter(t.filters.operation, filters, change, services ?? [], t.operationTyped),
    oneFilter(
      "outcome",
      t.filters.outcome,
      filters.outcome,
      change,
      outcomes.map((value) => ({ value, text: words.outcome(value) })),
      { ...any, label: t.outcomeTyped }
    ),
    amountFilter(list, filters, change),
    periodFilter(list, filters, change)
  ]
  const file = (format: "csv" | "jsonl") =>
    downloadHref("audit.export", workspace, { query: { ...untilMoment(filters), format } })
  return (
    <Page
      title={t.title}
      layout="flush"
      busy={held.pages.isFetching}
      action={
        <>
          <Menu align="end" trigger={<Button size="small">{t.export.act}</Button>}>
            <MenuSection label={isFiltered ? t.export.filtered : t.export.whole}>
              <MenuItem render={<a href={file("jsonl")} download />}>{t.export.jsonl}</MenuItem>
              <MenuItem render={<a href={file("csv")} download />}>{t.export.csv}</MenuItem>
            </MenuSection>
          </Menu>
          <Button size="small" variant="primary" onClick={() => setVerifying(true)}>{t.verify.act}</Button>
        </>
      }
    >
      <div className={`grid grid-cols-1 h-full min-h-0 ${styles.split}`} data-open={entry !== undefined || undefined}>
        <div className={`h-full min-h-0 min-w-0 ${styles.list}`}>
          <ListFrame
            filters={
              <FilterLine
                filters={options}
                members={{ ...periodMembers, ...amountMembers, ...operationMembers }}
                change={change}
                clear={clear}
                search={{ value: filters.q, label: t.search }}
                ignored={ignored}
                folds
                aside={
                  <>
                    <ColumnsMenu choice={choice} />
                    <ViewsMenu
                      screen="audit"
                      search={filters}
                      hide={choice.hide}
                      onOpen={(search) =>
                        void navigate({
                          search: { ...search as typeof filters, ...entry === undefined ? {} : { entry } }
                        })}
                    />
                  </>
                }
              />
            }
          >
            <HubTable
              endpoint="audit.list"
              workspace={workspace}
              held={held}
              label={t.list}
              columns={choice.columns}
              selectedId={held.rows.find(({ seq }) => seq === entry)?.id}
              onOpen={({ seq }) => show(seq)}
              isKeyed={entry === undefined}
              rowMenu={menu}
              empty={{ text: t.empty }}
              noMatch={t.noMatch}
              onClear={isFiltered ? clear : undefined}
            />
          </ListFrame>
        </div>
        {entry !== undefined && (
          <EntryPanel key={entry} seq={entry} held={held.rows} workspace={workspace} onShow={show} />
        )}
      </div>
      <VerifyDialog workspace={workspace} open={verifying} onOpenChange={setVerifying} onOpenEntry={show} />
    </Page>
  )
}
