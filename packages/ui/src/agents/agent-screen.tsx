/** One agent: its services and limits, key, monthly budget, activity, and freeze. */
import type { Output, Row } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { Ellipsis, Pause, Play } from "lucide-react"
import { useMemo, useState } from "react"
import { useBudgetAlerts, useSeeing } from "../app/budget-alerts.ts"
import { useCommands } from "../app/commands.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useMe, useWorkspaceId } from "../app/session.ts"
import { Avatar } from "../components/avatar.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Id } from "../components/id.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { Panel } from "../components/panel.tsx"
import { showToast } from "../components/toast.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentQuery, allTeams, fleetQuery, memberChoices } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { memberName } from "../patterns/member-name.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StandingLine } from "../patterns/standing-line.tsx"
import { PublishDialog } from "../publications/publish-dialog.tsx"
import { actText as acts } from "../text/acts.ts"
import { agentActsText as agentActs } from "../text/agent-acts.ts"
import { agentsText } from "../text/agents.ts"
import { figure } from "../text/catalogue.ts"
import { publicationsText } from "../text/publications.ts"
import { ActivityPanel } from "./activity-panel.tsx"
import { AgentFreezeDialog } from "./agent-freeze-dialog.tsx"
import styles from "./agent-screen.module.css"
import { AgentState } from "./agent-state.tsx"
import { BindingsPanel } from "./bindings-panel.tsx"
import { BudgetPanel } from "./budget-panel.tsx"
import { CloneDialog } from "./clone-dialog.tsx"
import { ConversationsPanel } from "./conversations-panel.tsx"
import { EditAgentDialog } from "./edit-agent-dialog.tsx"
import { FamilyPanel } from "./family-panel.tsx"
import { useMayChangeAgent, useMayFreezeAgent } from "./may-freeze-agent.ts"
import { MemoriesPanel } from "./memories-panel.tsx"
import { percentText } from "./percent-text.ts"
import { RotateKeyDialog } from "./rotate-key-dialog.tsx"
import { SkillsPanel } from "./skills-panel.tsx"
import { TasksPanel } from "./tasks-panel.tsx"
import { TransferDialog } from "./transfer-dialog.tsx"

export const AgentScreen = () => {
  const t = agentsText
  const { id } = useParams({ from: "/w/$workspace/agents/$id" })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const agent = useQuery(agentQuery(workspace, id))
  const health = useQuery(fleetQuery(workspace)).data?.data.find(({ agent_id }) => agent_id === id)
  const everyAlert = useBudgetAlerts()
  const alerts = useMemo(() => everyAlert.filter(({ agent }) => agent.id === id), [everyAlert, id])
  useSeeing(alerts)
  const mayChangeAgent = useMayChangeAgent()
  const mayFreezeAgent = useMayFreezeAgent()
  const mayAct = useMayAct()
  const can = useCan()
  const [open, setOpen] = useState<"freeze" | "edit" | "delete" | "clone" | "transfer" | "publish">()
  const close = () => setOpen(undefined)
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/agents", params: { workspace } }))
  const { data } = agent
  const mayChange = data !== undefined && mayChangeAgent(data)
  const mayFreeze = data !== undefined && mayFreezeAgent(data)
  useCommands(
    data !== undefined && mayFreeze
      ? [
        {
          id: "agent.freeze",
          text: data.frozen ? t.freeze.liftTitle(data.name) : t.freeze.title(data.name),
          run: () => setOpen("freeze")
        }
      ]
      : []
  )
  return (
    <Page
      title={data?.name ?? t.title}
      path={
        <Link quiet to="/w/$workspace/agents" params={{ workspace }}>
          {t.title}
        </Link>
      }
      busy={agent.isFetching}
      action={mayFreeze && (
        <Button
          variant={data.frozen ? "primary" : "danger"}
          icon={data.frozen ? <Play /> : <Pause />}
          disabled={!mayAct}
          onClick={() => setOpen("freeze")}
        >
          {data.frozen ? t.freeze.lift : t.freeze.act}
        </Button>
      )}
    >
      <ScreenState query={agent}>
        {data !== undefined && (
          <>
            <Lines agent={data} />
            <Head
              agent={data}
              onEdit={mayChange ? () => setOpen("edit") : undefined}
              onClone={can("agents:write") && can("agents:keys") ? () => setOpen("clone") : undefined}
              onTransfer={mayChange ? () => setOpen("transfer") : undefined}
              onPublish={mayChange && data.kind !== "chat" ? () => setOpen("publish") : undefined}
            />
            <div className={`grid items-start gap-16 ${styles.columns}`}>
              <div className="grid gap-16 min-w-0">
                <BindingsPanel agent={data} alerts={alerts} mayChange={mayChange} />
                <SkillsPanel agent={data} mayChange={mayChange} />
                <TasksPanel agent={data.id} />
                <MemoriesPanel agent={data.id} />
                <ConversationsPanel agent={data.id} />
                <ActivityPanel agent={data.id} />
              </div>
              <div className={`grid gap-16 min-w-0 ${styles.side}`}>
                <BudgetPanel agent={data} alert={alerts.find(({ limit }) => limit === "agent_month")} />
                <FamilyPanel agent={data} />
                <KeyPanel agent={data} isStale={(health?.stale_keys ?? 0) > 0} />
                <FactsPanel agent={data} health={health} />
                <FreezePanel agent={data} mayChange={mayChange} onDelete={() => setOpen("delete")} />
              </div>
            </div>
            {open === "freeze" && <AgentFreezeDialog agent={data} onClose={close} />}
            {open === "edit" && <EditAgentDialog agent={data} onClose={close} />}
            {open === "clone" && <CloneDialog agent={data} onClose={close} />}
            {open === "transfer" && <TransferDialog agent={data} onClose={close} />}
            {open === "publish" && <PublishDialog agent={data} onClose={close} />}
            {open === "delete" && <DeleteAgentDialog agent={data} onClose={close} />}
          </>
        )}
      </ScreenState>
    </Page>
  )
}

interface AgentProps {
  readonly agent: Output<"agents.get">
}

const Lines = ({ agent }: AgentProps) => {
  const t = agentsText.detail
  if (!agent.frozen && agent.status === "active") return null
  return (
    <div className={styles.lines}>
      {agent.frozen && <StandingLine stop>{t.standing(agent.name)}</StandingLine>}
      {agent.status !== "active" && (
        <StandingLine>{agent.status === "paused" ? t.pausedLine(agent.name) : t.disabledLine(agent.name)}</StandingLine>
      )}
    </div>
  )
}

type Act = (() => void) | undefined

const Head = ({ agent, onClone, onEdit, onPublish, onTransfer }: AgentProps & {
  readonly onEdit: Act
  readonly onClone: Act
  readonly onTransfer: Act
  readonly onPublish: Act
}) => {
  const t = agentsText.detail
  const mayAct = useMayAct()
  return (
    <header className="flex items-start gap-12 mb-24">
      <Avatar kind="agent" name={agent.name} size={32} />
      <div className="flex-1 min-w-0">
        <div className="flex flex-wrap items-center gap-4 gap-x-12">
          <h2 className="type-title tracking-large wrap-anywhere">{agent.name}</h2>
          <AgentState agent={agent} />
        </div>
        <p className={`max-w-reading mt-2 type-body text-2 wrap-anywhere ${styles.description}`}>
          {agent.description === "" ? <span className="text-3">{t.noDescription}</span> : agent.description}
        </p>
      </div>
      {onEdit !== undefined && (
        <Button size="small" onClick={onEdit}>
          {t.edit}
        </Button>
      )}
      {(onClone !== undefined || onTransfer !== undefined || onPublish !== undefined) && (
        <Menu align="end" trigger={<IconButton label={agentActs.menu(agent.name)} icon={<Ellipsis />} />}>
          {onClone !== undefined && <MenuItem disabled={!mayAct} onSelect={onClone}>{agentActs.clone.item}</MenuItem>}
          {onTransfer !== undefined && (
            <MenuItem disabled={!mayAct} onSelect={onTransfer}>{agentActs.transfer.item}</MenuItem>
          )}
          {onPublish !== undefined && (
            <MenuItem disabled={!mayAct} onSelect={onPublish}>{publicationsText.publish.item}</MenuItem>
          )}
        </Menu>
      )}
    </header>
  )
}

const FactsPanel = ({ agent, health }: AgentProps & { readonly health: Row<"agents.fleetHealth"> | undefined }) => {
  const t = agentsText.detail
  const me = useMe()
  const workspace = useWorkspaceId()
  const mayRead = useCan()("members:read")
  const people = useQuery({
    ...memberChoices(workspace),
    enabled: mayRead && agent.owner_user_id !== null && agent.owner_user_id !== me.user.id
  }).data?.data
  const person = people?.find(({ user_id }) => user_id === agent.owner_user_id)
  const teams = useQuery({ ...allTeams(workspace), enabled: mayRead && agent.team_id !== undefined }).data
  const team = teams?.find(({ id }) => id === agent.team_id)
  const owner = agent.owner_user_id === null
    ? (
      t.nobody
    )
    : agent.owner_user_id === me.user.id
    ? (
      t.you
    )
    : person === undefined
    ? <Id value={agent.owner_user_id} texts={acts.copying} />
    : memberName(person)
  return (
    <Panel title={t.facts}>
      <KeyValueList
        items={[
          ...(health === undefined
            ? []
            : [
              { key: "requests", name: t.requests, value: figure(health.requests_24h) },
              { key: "failed", name: t.failed, value: percentText(health.error_rate_24h) },
              {
                key: "waiting",
                name: t.waiting,
                value: health.pending_approvals === 0
                  ? (
                    figure(0)
                  )
                  : (
                    <Link to="/w/$workspace/inbox" params={{ workspace }}>
                      {t.waitingLink(health.pending_approvals)}
                    </Link>
                  )
              }
            ]),
          {
            key: "seen",
            name: t.seen,
            value: agent.last_seen_at === undefined
              ? t.never
              : <RelativeTime at={agent.last_seen_at} now={hubClock.now} />
          },
          { key: "owner", name: t.owner, value: owner },
          ...(agent.team_id === undefined
            ? []
            : [{ key: "team", name: t.team, value: team?.name ?? <Id value={agent.team_id} texts={acts.copying} /> }]),
          ...(agent.category === null ? [] : [{ key: "category", name: t.category, value: agent.category }]),
          { key: "created", name: t.created, value: <RelativeTime at={agent.created_at} now={hubClock.now} /> },
          { key: "id", name: t.id, value: <Id value={agent.id} texts={acts.copying} /> }
        ]}
      />
    </Panel>
  )
}

const FreezePanel = ({
  agent,
  mayChange,
  onDelete
}: AgentProps & { readonly mayChange: boolean; readonly onDelete: () => void }) => {
  const t = agentsText
  const can = useCan()
  const mayAct = useMayAct()
  return (
    <Panel title={t.freeze.heading}>
      <p className="type-note text-2">
        {agent.frozen ? t.freeze.stopped : t.freeze.running} {t.freeze.who}
      </p>
      {agent.kind === "yupi" && <p className={styles.who}>{t.freeze.assistant}</p>}
      {mayChange && can("agents:write") && agent.kind === "standard" && (
        <p className="mt-12">
          <Button size="small" variant="danger" disabled={!mayAct} onClick={onDelete}>
            {t.remove.act}
          </Button>
        </p>
      )}
    </Panel>
  )
}

const DeleteAgentDialog = ({ agent, onClose }: AgentProps & { readonly onClose: () => void }) => {
  const t = agentsText.remove
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const remove = useAct("agents.remove", {
    workspace,
    touches: ["agents.list", "agents.fleetHealth", "approvals"],
    onDone: () => {
      showToast({ text: t.done(agent.name) })
      void navigate({ to: "/w/$workspace/agents", params: { workspace }, replace: true })
    }
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.title(agent.name)}
      description={t.what}
      phrase={{ words: agent.name, label: t.phrase(agent.name) }}
      confirmText={t.act}
      onConfirm={() => remove.mutate({ params: { id: agent.id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}

/** The contract's age for stale keys. */
const staleKeyDays = 90

/** The keys of an agent: the modes with an active key, its age, and the button for a new key. */
const KeyPanel = ({ agent, isStale }: { readonly agent: Output<"agents.get">; readonly isStale: boolean }) => {
  const t = agentsText.keys
  const mayRotate = useCan()("agents:keys")
  const mayAct = useMayAct()
  const [rotating, setRotating] = useState(false)
  const works = (has: boolean) => (has ? t.has : <span className="text-3">{t.hasNot}</span>)
  return (
    <Panel
      title={t.title}
      actions={mayRotate
        ? (
          <Button size="small" disabled={!mayAct} onClick={() => setRotating(true)}>
            {agentsText.rotate.act}
          </Button>
        )
        : undefined}
    >
      <KeyValueList
        items={[
          {
            key: "hint",
            name: t.hint,
            value: agent.key_hint === null
              ? <span className="text-3">{t.hasNot}</span>
              : <code className="type-mono">{agent.key_hint}</code>
          },
          { key: "live", name: t.live, value: works(agent.mode_keys.live) },
          { key: "test", name: t.test, value: works(agent.mode_keys.test) }
        ]}
      />
      {isStale && (
        <p className={styles.stale}>
          <Badge tone="hold">{agentsText.oldKey}</Badge> {t.old(staleKeyDays)}
        </p>
      )}
      {!mayRotate && <p className={styles.who}>{t.who}</p>}
      {rotating && <RotateKeyDialog agent={agent} onClose={() => setRotating(false)} />}
    </Panel>
  )
}
