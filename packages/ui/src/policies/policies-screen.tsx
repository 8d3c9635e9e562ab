/** The policies of a workspace in the order of their evaluation: enable, move, and test on a sample. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { ArrowDown, ArrowUp, Plus } from "lucide-react"
import { useCommands } from "../app/commands.ts"
import { ButtonLink, Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { IconButton } from "../components/icon-button.tsx"
import { Panel } from "../components/panel.tsx"
import { Switch } from "../components/switch.tsx"
import { policiesQuery, type Policy } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { figure } from "../text/catalogue.ts"
import { policiesText as t } from "../text/policies.ts"
import { ActionBadge } from "./action-badge.tsx"
import styles from "./policies-screen.module.css"
import { SamplePanel } from "./sample-panel.tsx"

export const PoliciesScreen = () => {
  const mayRead = useCan()("workspace:write")
  return mayRead ? <Policies /> : (
    <Page title={t.title}>
      <EmptyState>{t.forbidden}</EmptyState>
    </Page>
  )
}

const Policies = () => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const policies = useQuery(policiesQuery(workspace))
  const rows = policies.data?.data ?? []
  useCommands([
    {
      id: "policies.new",
      text: t.add,
      run: () => void navigate({ to: "/w/$workspace/policies/new", params: { workspace } })
    }
  ])
  const move = useAct("policies.update", {
    workspace,
    touches: ["policies"],
    done: ({ name, position }) => t.moved(name, position)
  })
  const add = (
    <ButtonLink variant="primary" icon={<Plus />} to="/w/$workspace/policies/new" params={{ workspace }}>
      {t.add}
    </ButtonLink>
  )
  return (
    <Page title={t.title} guide="rules" busy={policies.isFetching} action={add}>
      <div className={`grid gap-16 ${styles.screen}`}>
        <p className="max-w-reading type-body text-2">{t.about}</p>
        <ScreenState query={policies} isEmpty={rows.length === 0} empty={{ text: t.empty, action: add }}>
          {move.error !== null && <Problem inline error={move.error} failed={t.failed} unchanged={t.unchanged} />}
          <ol className="border rounded-panel bg-surface" aria-label={t.list} aria-busy={move.isPending || undefined}>
            {rows.map((policy, at) => (
              <RuleRow
                key={policy.id}
                policy={policy}
                onMove={move.isPending
                  ? undefined
                  : (position) => move.mutate({ params: { id: policy.id }, payload: { position } })}
                isFirst={at === 0}
                isLast={at === rows.length - 1}
              />
            ))}
          </ol>
          <Panel title={t.checkTitle}>
            <SamplePanel rules={rows} />
          </Panel>
        </ScreenState>
      </div>
    </Page>
  )
}

interface RuleRowProps {
  readonly policy: Policy
  /** Undefined during another move. */
  readonly onMove: ((position: number) => void) | undefined
  readonly isFirst: boolean
  readonly isLast: boolean
}

const RuleRow = ({ isFirst, isLast, onMove, policy }: RuleRowProps) => {
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const toggle = useAct("policies.update", {
    workspace,
    touches: ["policies"],
    done: ({ enabled, name }) => enabled ? t.switchedOn(name) : t.switchedOff(name)
  })
  const { enabled, id, name, position, required_approvals = 1, when } = policy
  // They keep focus during a move; presses are then ignored.
  const press = (to: number) => () => mayAct && onMove?.(to)
  return (
    <li className={`grid gap-12 px-16 py-12 ${styles.rule}`} data-off={!enabled || undefined}>
      <span className={styles.place} aria-hidden>
        {figure(position)}
      </span>
      <div className="grid gap-4 min-w-0">
        <div className="flex flex-wrap items-center gap-2 gap-x-8">
          <Link
            quiet
            className={`type-body weight-strong wrap-anywhere ${styles.name}`}
            to="/w/$workspace/policies/$id"
            params={{ workspace, id }}
          >
            {name}
          </Link>
          <ActionBadge action={policy.then} />
          {policy.then === "require_approval" && required_approvals > 1 && (
            <span className="type-note text-3">{t.approvals(required_approvals)}</span>
          )}
        </div>
        <code className={`type-mono text-2 wrap-anywhere ${styles.when}`}>{when}</code>
        {policy.reason !== "" && <p className="type-note text-3">{policy.reason}</p>}
        {toggle.error !== null && <Problem inline error={toggle.error} failed={t.failed} unchanged={t.unchanged} />}
      </div>
      <div className={`flex items-center gap-4 ${styles.acts}`}>
        <Switch
          label={t.enabled(name)}
          labelHidden
          checked={enabled}
          disabled={!mayAct}
          pending={toggle.isPending}
          onChange={(next) => toggle.mutate({ params: { id }, payload: { enabled: next } })}
        />
        <IconButton
          label={t.up(name)}
          icon={<ArrowUp />}
          aria-disabled={isFirst || undefined}
          onClick={isFirst ? undefined : press(position - 1)}
        />
        <IconButton
          label={t.down(name)}
          icon={<ArrowDown />}
          aria-disabled={isLast || undefined}
          onClick={isLast ? undefined : press(position + 1)}
        />
      </div>
    </li>
  )
}
