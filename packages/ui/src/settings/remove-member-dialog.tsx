/** Confirms the removal of a person: shows what they own here and the new owner. */
import type { Output, Row } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { heldCents } from "../app/held-cents.ts"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { formatMoney } from "../components/money-text.ts"
import { Select } from "../components/select.tsx"
import { memberChoices } from "../hub/queries.ts"
import { holdingsQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { memberName } from "../patterns/member-name.ts"
import { settingsText } from "../text/settings.ts"
import { isLastOwner } from "./last-owner.ts"
import styles from "./remove-member-dialog.module.css"

type Member = Row<"members.list">
type Holdings = Output<"members.holdings">

/** Roles that can own agents and devices, from the hub. */
const owningRoles: ReadonlyArray<Member["role"]> = ["owner", "admin", "member"]
/** The choice of no new owner. */
const nobody = "nobody"
/** Maximum number of names of one kind in the dialog. */
const namesMax = 8

export const RemoveMemberDialog = ({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) => {
  const { members: t } = settingsText
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const name = memberName(member)
  const [newOwner, setNewOwner] = useState<string>(nobody)
  const holdings = useQuery(holdingsQuery(workspace, member.user_id))
  const people = useQuery(memberChoices(workspace))
  const heirs = (people.data?.data ?? []).filter(({ role, user_id }) =>
    user_id !== member.user_id && owningRoles.includes(role)
  )
  const remove = useAct("members.remove", {
    workspace,
    touches: ["members", "teams", "agents", "devices", "apps", "standing_approvals", "views"],
    done: t.removed(name),
    onDone: onClose
  })
  const owns = holdings.data !== undefined &&
    holdings.data.agents.count + holdings.data.devices.count + holdings.data.apps.count > 0
  const held = (holdings.data?.teams.data ?? []).reduce((sum, { held_cents }) => sum + (held_cents ?? 0), 0)
  const refusedFor = heldCents(remove.error)
  const isTransfer = newOwner !== nobody
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.removeTitle(name)}
      description={t.removeWhat}
      confirmText={owns && isTransfer ? t.removeAndTransfer : t.remove}
      // The removal is disabled until its effects are on the screen.
      disabled={!mayAct || holdings.data === undefined}
      onConfirm={() =>
        remove.mutate({
          params: { userId: member.user_id },
          payload: owns && isTransfer ? { transfer_to: newOwner } : {}
        })}
      failed={t.removeFailed}
      unchanged={t.unchanged}
      problem={isLastOwner(remove.error)
        ? <p>{t.lastOwner}</p>
        : refusedFor === undefined
        ? undefined
        : <p>{t.holdsOpen(formatMoney(refusedFor))}</p>}
    >
      <ScreenState query={holdings}>
        {holdings.data !== undefined && (
          <div className="grid gap-16">
            {owns && (
              <Select
                label={t.transfer}
                value={newOwner}
                onChange={setNewOwner}
                description={isTransfer ? t.transferKeys : undefined}
                options={[
                  { value: nobody, text: t.transferNobody },
                  ...heirs.map((one) => ({ value: one.user_id as string, text: memberName(one) }))
                ]}
              />
            )}
            {held > 0 && refusedFor === undefined && <p>{t.holdsOpen(formatMoney(held))}</p>}
            <Effects holdings={holdings.data} isTransfer={isTransfer} />
          </div>
        )}
      </ScreenState>
    </ConfirmAct>
  )
}

const Effects = ({ holdings, isTransfer }: { readonly holdings: Holdings; readonly isTransfer: boolean }) => {
  const { members: t } = settingsText
  const {
    agents,
    apps,
    devices,
    pending_approvals,
    policies,
    private_views,
    shared_views,
    standing_approvals,
    teams,
    tokens,
    workflows
  } = holdings
  const lines = [
    {
      key: "agents",
      count: agents.count,
      text: isTransfer ? t.agentsMove(agents.count) : t.agentsPause(agents.count),
      names: agents.data.map(({ name }) => name)
    },
    {
      key: "devices",
      count: devices.count,
      text: isTransfer ? t.devicesMove(devices.count) : t.devicesDrain(devices.count),
      names: devices.data.map(({ name }) => name)
    },
    {
      key: "apps",
      count: apps.count,
      text: isTransfer ? t.appsMove(apps.count) : t.appsEnd(apps.count),
      names: apps.data.map(({ name }) => name)
    },
    {
      key: "workflows",
      count: workflows.count,
      text: isTransfer ? t.workflowsMove(workflows.count) : t.workflowsLeft(workflows.count),
      names: workflows.data.map(({ name }) => name)
    },
    {
      key: "standing",
      count: standing_approvals.count,
      text: t.standingEnd(standing_approvals.count),
      names: standing_approvals.data.map(({ agent_name, max_cost_cents, operation, service }) =>
        t.standing(agent_name, `${service}.${operation}`, formatMoney(max_cost_cents))
      )
    },
    {
      key: "teams",
      count: teams.count,
      text: t.teamsLeft(teams.count),
      names: teams.data.map(({ allocation_cents, name }) =>
        allocation_cents === null ? name : t.team(name, formatMoney(allocation_cents))
      )
    },
    { key: "pending", count: pending_approvals, text: t.pendingStay(pending_approvals), names: [] },
    {
      key: "policies",
      count: policies.count,
      text: t.policiesName(policies.count),
      names: policies.data.map(({ name }) => name)
    },
    { key: "tokens", count: tokens, text: t.tokensEnd(tokens), names: [] },
    { key: "private-views", count: private_views, text: t.viewsDeleted(private_views), names: [] },
    { key: "shared-views", count: shared_views, text: t.viewsStay(shared_views), names: [] }
  ].filter(({ count }) => count > 0)
  if (lines.length === 0) return <p>{t.ownsNothing}</p>
  return (
    <ul className={`grid gap-12 ${styles.list}`} aria-label={t.effects}>
      {lines.map(({ count, key, names, text }) => (
        <li key={key}>
          {text}
          {names.length > 0 && (
            <ul className="mt-4 ps-16 text-2 wrap-anywhere">
              {names.slice(0, namesMax).map((name, at) => <li key={`${at} ${name}`}>{name}</li>)}
              {count > namesMax && <li>{t.others(count - namesMax)}</li>}
            </ul>
          )}
        </li>
      ))}
    </ul>
  )
}
