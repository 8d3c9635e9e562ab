/** One service of an agent: one line for each operation. */
import type { Output } from "@countersign/hub-client/contract"
import { Ellipsis } from "lucide-react"
import { type ReactNode, useState } from "react"
import type { BudgetAlert } from "../app/budget-alerts.ts"
import { useLeadsTeam } from "../app/led-teams.ts"
import { Link } from "../app/link.tsx"
import { Problem } from "../app/problem.tsx"
import { useCan, useWorkspace } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { TestRequestDialog } from "../catalog/test-request-dialog.tsx"
import { Badge } from "../components/badge.tsx"
import { classNames } from "../components/class-names.ts"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { formatMoney } from "../components/money-text.ts"
import type { ServiceRow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { budgetSegments } from "../patterns/budget-segments.ts"
import { Money } from "../patterns/money.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { agentsText } from "../text/agents.ts"
import { figure } from "../text/catalogue.ts"
import { AlertMark } from "./alert-mark.tsx"
import { BindDialog } from "./bind-dialog.tsx"
import styles from "./bindings-panel.module.css"
import { CapCell } from "./cap-cell.tsx"
import { type Binding, type CapName, capOf, covers, operationsOf, settingsOf } from "./caps.ts"

export interface BindingSectionProps {
  readonly agent: Output<"agents.get">
  readonly binding: Binding
  /** The service in the catalog; undefined while it loads or if it no longer exists. */
  readonly service: ServiceRow | undefined
  readonly isGone: boolean
  /** Budget alerts of this service's operations. */
  readonly alerts: ReadonlyArray<BudgetAlert>
  readonly mayChange: boolean
}

export const BindingSection = ({ agent, alerts, binding, isGone, mayChange, service }: BindingSectionProps) => {
  const t = agentsText.bindings
  const { approval_threshold_cents: standing, id: workspace } = useWorkspace()
  const can = useCan()
  const mayAct = useMayAct()
  const [choosing, setChoosing] = useState(false)
  const [testing, setTesting] = useState(false)
  const touches = ["agents", "bindings", "budgets"] as const
  const disable = useAct("bindings.disable", {
    workspace,
    touches,
    done: t.disabledDone(binding.service)
  })
  // Enabling changes one field, so a version conflict is retried automatically.
  const enable = useEdit({
    endpoint: "bindings.put",
    loaded: binding,
    draftOf: ({ enabled }) => ({ enabled }),
    fields: () => [],
    input: (base, draft) => ({ params: { id: agent.id }, payload: { ...settingsOf(base), ...draft } }),
    workspace,
    touches,
    done: t.enabledDone(binding.service)
  })
  const params = { id: agent.id }
  const leads = useLeadsTeam()
  const mayCap = mayChange && (can("budgets:write") || leads(agent.team_id))
  const operations = operationsOf(
    binding,
    service?.operations.map(({ name }) => name)
  )
  const error = disable.error ?? enable.error

  const row = (operation: string | undefined) => {
    const covered = operation === undefined || covers(binding, operation)
    const usage = operation !== undefined && Object.hasOwn(binding.operations_usage, operation)
      ? binding.operations_usage[operation]
      : undefined
    const name = operation ?? t.each
    const alertsFor = (limit: BudgetAlert["limit"]) =>
      alerts.filter((alert) => alert.operation === operation && alert.limit === limit)
    const cell = (cap: CapName, kind: "money" | "count", label: string, none: string) => (
      <CapCell
        agent={agent.id}
        binding={binding}
        operation={operation}
        cap={cap}
        kind={kind}
        label={label}
        none={none}
        mayChange={mayCap && covered && !isGone}
      />
    )
    const place = (head: string, content: ReactNode, end = true) => (
      <td data-label={head} className={end ? styles.end : undefined}>
        {content}
      </td>
    )
    return (
      <tr key={operation ?? "*"} className={classNames(operation === undefined && "text-2", !covered && styles.off)}>
        <th scope="row" className={styles.operation}>
          {operation === undefined ? <span title={t.eachAbout}>{t.each}</span> : (
            <>
              <span className="type-mono">{operation}</span>
              {!covered && <Badge>{t.notCovered}</Badge>}
            </>
          )}
        </th>
        {place(
          t.columns.used,
          operation === undefined ? null : (
            <UsedCell
              usage={usage}
              cap={capOf(binding, operation, "monthly_cap_cents").value}
              mark={<AlertMark here alerts={alertsFor("operation_month")} />}
            />
          ),
          false
        )}
        {place(t.columns.cap, cell("monthly_cap_cents", "money", t.editCap(name), t.noCap))}
        {place(
          t.columns.today,
          operation === undefined ? null : (
            <span className="inline-flex flex-wrap items-center gap-2 gap-x-8">
              <AlertMark here alerts={alertsFor("operation_day_count")} />
              {figure(usage?.used_today ?? 0)}
            </span>
          )
        )}
        {place(t.columns.limit, cell("daily_request_limit", "count", t.editLimit(name), t.noLimit))}
        {place(
          t.columns.threshold,
          cell(
            "approval_threshold_cents",
            "money",
            t.editThreshold(name),
            formatMoney(agent.approval_threshold_cents ?? standing)
          )
        )}
      </tr>
    )
  }

  return (
    <tbody aria-label={binding.service}>
      <tr className={styles.service}>
        <th colSpan={6} scope="rowgroup">
          <div className={`flex flex-wrap items-center gap-2 gap-x-8 ${styles.head}`}>
            {isGone
              ? (
                binding.service
              )
              : (
                <Link quiet to="/w/$workspace/catalog/$service" params={{ workspace, service: binding.service }}>
                  {binding.service}
                </Link>
              )}
            <span className="type-note text-3">
              {binding.operations[0] === "*" ? t.all : t.some(binding.operations.length)}
            </span>
            {!binding.enabled && <Badge glyph={<StatusGlyph look="expired" />}>{t.disabled}</Badge>}
            {!binding.enabled && <span className="type-note text-3">{t.off}</span>}
            {isGone && <Badge tone="stop">{t.gone}</Badge>}
            {mayChange && (
              <span className="ms-auto">
                <Menu align="end" trigger={<IconButton label={t.menu(binding.service)} icon={<Ellipsis />} />}>
                  <MenuItem disabled={!mayAct || isGone} onSelect={() => setChoosing(true)}>
                    {t.operations}
                  </MenuItem>
                  <MenuItem disabled={!mayAct || service === undefined} onSelect={() => setTesting(true)}>
                    {t.test}
                  </MenuItem>
                  {binding.enabled
                    ? (
                      <MenuItem
                        danger
                        disabled={!mayAct}
                        onSelect={() => disable.mutate({ params: { ...params, service: binding.service } })}
                      >
                        {t.disable}
                      </MenuItem>
                    )
                    : (
                      <MenuItem
                        disabled={!mayAct || isGone}
                        onSelect={() => enable.save({ enabled: true })}
                      >
                        {t.enable}
                      </MenuItem>
                    )}
                </Menu>
              </span>
            )}
          </div>
          {error !== null && (
            <div className={styles.problem}>
              <Problem inline error={error} failed={t.failed} unchanged={t.unchanged} />
            </div>
          )}
          {choosing && service !== undefined && (
            <BindDialog
              agent={agent}
              services={[service]}
              binding={binding}
              onClose={() => setChoosing(false)}
            />
          )}
          {testing && service !== undefined && (
            <TestRequestDialog
              service={service}
              agents={[agent]}
              onClose={() => setTesting(false)}
            />
          )}
        </th>
      </tr>
      {row(undefined)}
      {operations.map(row)}
    </tbody>
  )
}

interface UsedCellProps {
  readonly usage: { readonly spent_this_month_cents: number; readonly held_cents: number } | undefined
  readonly cap: number | undefined
  /** The alert mark if a level was passed. */
  readonly mark?: ReactNode
}

/** An operation's use in this month: the sum, a thin bar against its cap, and the held amount. */
const UsedCell = ({ cap, mark, usage }: UsedCellProps) => {
  const t = agentsText.bindings
  const spent_cents = usage?.spent_this_month_cents ?? 0
  const held_cents = usage?.held_cents ?? 0
  const bar = cap === undefined ? undefined : budgetSegments({ spent_cents, held_cents, this_cents: 0, cap_cents: cap })
  return (
    <span className="inline-flex flex-wrap items-center gap-2 gap-x-8">
      <Money cents={spent_cents} />
      {bar !== undefined && (
        <span
          className={styles.bar}
          aria-hidden
          data-over={bar.left_cents < 0 || (bar.left_cents === 0 && spent_cents > 0) || undefined}
        >
          <span className={styles.barSpent} style={{ inlineSize: `${bar.spent}%` }} />
          <span className={styles.barHeld} style={{ inlineSize: `${bar.held}%` }} />
        </span>
      )}
      {mark}
      {held_cents > 0 && <span className="type-note text-3">{t.held(formatMoney(held_cents))}</span>}
    </span>
  )
}
