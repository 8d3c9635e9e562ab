/** One workflow: its versions, its access, and its details. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { Download, Ellipsis, Play, X } from "lucide-react"
import { useEffect, useState } from "react"
import { useCommands } from "../app/commands.ts"
import { useKey } from "../app/keys.ts"
import { ButtonLink, Link } from "../app/link.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { Page } from "../app/page.tsx"
import { SaveWarnings } from "../app/save-warnings.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useMe, useWorkspace, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Id } from "../components/id.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import {
  latestRuns,
  memberChoices,
  versionPages,
  type Workflow,
  workflowQuery,
  type WorkflowVersion
} from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { downloadHref } from "../listing/download.ts"
import { useArrivals } from "../live/arrivals.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { RunState } from "../runs/run-state.tsx"
import { StartRunDialog } from "../runs/start-dialog.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { workflowsText } from "../text/workflows.ts"
import { warningsKey } from "../workflow-editor/warnings-key.ts"
import { PublishWorkflowDialog } from "./publish-dialog.tsx"
import {
  DeleteWorkflowDialog,
  EditWorkflowDialog,
  GrantWorkflowDialog,
  RevokeGrantDialog,
  ShareWorkflowDialog,
  UnpublishDialog
} from "./workflow-dialogs.tsx"
import { WorkflowState } from "./workflow-state.tsx"
import styles from "./workflows.module.css"

type Open = "edit" | "share" | "grant" | "unpublish" | "delete"

export const WorkflowScreen = () => {
  const t = workflowsText
  const { id } = useParams({ from: "/w/$workspace/workflows/$id" })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const workflow = useQuery(workflowQuery(workspace, id))
  const { data } = workflow
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/workflows", params: { workspace } }))
  return (
    <Page
      title={data?.name ?? t.one}
      path={<Link quiet to="/w/$workspace/workflows" params={{ workspace }}>{t.title}</Link>}
      busy={workflow.isFetching && !workflow.isRefetching}
      action={data !== undefined && (
        <>
          <EditLink workflow={data} />
          <StartRun workflow={data} />
        </>
      )}
    >
      <ScreenState query={workflow}>{data !== undefined && <View key={data.id} workflow={data} />}</ScreenState>
    </Page>
  )
}

interface WorkflowProps {
  readonly workflow: Workflow
}

/** Its owner, and owners and admins of the workspace, change a workflow. */
const useMayChange = ({ owner_user_id }: Workflow): boolean => {
  const mayWrite = useCan()("workflows:write")
  const { role } = useWorkspace()
  const { user } = useMe()
  return mayWrite && (owner_user_id === user.id || role === "owner" || role === "admin")
}

const EditLink = ({ workflow }: WorkflowProps) => {
  const workspace = useWorkspaceId()
  return (
    <ButtonLink to="/w/$workspace/workflows/$id/edit" params={{ workspace, id: workflow.id }}>
      {useMayChange(workflow) ? workflowsText.edit : workflowsText.detail.open}
    </ButtonLink>
  )
}

const StartRun = ({ workflow }: WorkflowProps) => {
  const mayRun = useCan()("workflows:run")
  const mayAct = useMayAct()
  const [isOpen, setOpen] = useState(false)
  const hasVersion = workflow.latest_version > 0
  useCommands(
    mayRun && hasVersion
      ? [{ id: "workflow.run", text: workflowsText.detail.run, run: () => setOpen(true) }]
      : []
  )
  if (!mayRun) return null
  return (
    <>
      <Button variant="primary" icon={<Play />} disabled={!mayAct || !hasVersion} onClick={() => setOpen(true)}>
        {workflowsText.detail.run}
      </Button>
      {isOpen && <StartRunDialog workflow={workflow} onClose={() => setOpen(false)} />}
    </>
  )
}

const View = ({ workflow }: WorkflowProps) => {
  const t = workflowsText
  const workspace = useWorkspaceId()
  const mayChange = useMayChange(workflow)
  const [open, setOpen] = useState<Open>()
  const [publishing, setPublishing] = useState<WorkflowVersion>()
  const [revoking, setRevoking] = useState<Workflow["agents"][number]>()
  const close = () => setOpen(undefined)
  useCommands(
    mayChange
      ? [
        { id: "workflow.share", text: t.detail.shareOf, run: () => setOpen("share") },
        { id: "workflow.grant", text: t.detail.grant, run: () => setOpen("grant") }
      ]
      : []
  )
  return (
    <>
      <SaveWarnings of={warningsKey(workspace, workflow.id)} />
      <header className="mb-24">
        <div className="flex flex-wrap items-center gap-4 gap-x-12">
          <h2 className="type-title tracking-large wrap-anywhere">
            <RevealedText text={workflow.name} texts={reveal} line />
          </h2>
          <WorkflowState status={workflow.status} />
        </div>
        <p className={`max-w-reading mt-2 type-body text-2 wrap-anywhere ${styles.description}`}>
          {workflow.description === ""
            ? <span className="text-3">{t.detail.noDescription}</span>
            : <RevealedText text={workflow.description} texts={reveal} />}
        </p>
      </header>
      <div className={`grid items-start gap-16 ${styles.columns}`}>
        <div className="grid gap-16 min-w-0">
          <VersionsPanel
            workflow={workflow}
            mayChange={mayChange}
            onPublish={setPublishing}
            onUnpublish={() => setOpen("unpublish")}
          />
          <RunsPanel workflow={workflow} />
        </div>
        <div className={`grid gap-16 min-w-0 ${styles.side}`}>
          <AccessPanel workflow={workflow} mayChange={mayChange} onOpen={setOpen} onRevoke={setRevoking} />
          <FactsPanel workflow={workflow} mayChange={mayChange} onOpen={setOpen} />
        </div>
      </div>
      {open === "edit" && <EditWorkflowDialog workflow={workflow} onClose={close} />}
      {open === "share" && <ShareWorkflowDialog workflow={workflow} onClose={close} />}
      {open === "grant" && <GrantWorkflowDialog workflow={workflow} onClose={close} />}
      {open === "unpublish" && <UnpublishDialog workflow={workflow} onClose={close} />}
      {open === "delete" && <DeleteWorkflowDialog workflow={workflow} onClose={close} />}
      {publishing !== undefined && (
        <PublishWorkflowDialog
          workflow={workflow}
          version={publishing}
          onClose={() => setPublishing(undefined)}
        />
      )}
      {revoking !== undefined && (
        <RevokeGrantDialog
          workflow={workflow}
          agent={revoking}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  )
}

interface VersionsPanelProps extends WorkflowProps {
  readonly mayChange: boolean
  readonly onPublish: (version: WorkflowVersion) => void
  readonly onUnpublish: () => void
}

const VersionsPanel = ({ mayChange, onPublish, onUnpublish, workflow }: VersionsPanelProps) => {
  const t = workflowsText.detail
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const versions = useInfiniteQuery(versionPages(workspace, workflow.id))
  const rows = rowsOf(versions.data)
  const { live_version_id, publish_request } = workflow
  return (
    <Panel
      title={t.versions}
      actions={
        <>
          {publish_request !== undefined && (
            <Link to="/w/$workspace/publications" params={{ workspace }} search={{ view: "review" }}>{t.review}</Link>
          )}
          {mayChange && live_version_id !== undefined && (
            <Button size="small" disabled={!mayAct} onClick={onUnpublish}>{t.unpublish}</Button>
          )}
        </>
      }
    >
      <ScreenState query={versions}>
        {rows.length === 0 ? <p className="type-body text-2">{t.noVersions}</p> : (
          <ol className="grid gap-16">
            {rows.map((version) => (
              <li key={version.id} className="grid gap-4">
                <div className="flex flex-wrap items-center gap-8">
                  <span className="type-body">
                    <Phrase
                      text={t.versionLine}
                      number={version.number}
                      person={version.created_by.name}
                      time={<RelativeTime at={version.created_at} now={hubClock.now} />}
                    />
                  </span>
                  {version.id === live_version_id && <Badge tone="ok">{t.live}</Badge>}
                  {version.id === publish_request?.version_id && <Badge tone="hold">{t.inReview}</Badge>}
                  {mayChange && version.id !== live_version_id && (
                    <Button
                      className="ms-auto"
                      size="small"
                      disabled={!mayAct}
                      aria-label={t.publishOf(version.number)}
                      onClick={() => onPublish(version)}
                    >
                      {t.publish}
                    </Button>
                  )}
                </div>
                <ol className={`flex flex-wrap gap-4 ${styles.chain}`} aria-label={t.definition(version.number)}>
                  {version.steps.map(({ label }) => (
                    <li key={label}>
                      <Badge>{label}</Badge>
                    </li>
                  ))}
                </ol>
              </li>
            ))}
          </ol>
        )}
        {versions.hasNextPage && (
          <p className="mt-12">
            <MoreButton pages={versions}>{t.more}</MoreButton>
          </p>
        )}
      </ScreenState>
    </Panel>
  )
}

/** The latest runs. */
const RunsPanel = ({ workflow }: WorkflowProps) => {
  const t = workflowsText.detail
  const workspace = useWorkspaceId()
  const runs = useQuery(latestRuns(workspace, workflow.id))
  const rows = runs.data?.data ?? []
  const { count } = useArrivals("workflow_runs.list", workspace)
  const { refetch } = runs
  useEffect(() => {
    if (count > 0) void refetch()
  }, [count, refetch])
  return (
    <Panel
      title={t.runs}
      actions={
        <Link to="/w/$workspace/workflow-runs" params={{ workspace }} search={{ workflow_id: workflow.id }}>
          {t.allRuns}
        </Link>
      }
    >
      <ScreenState query={runs}>
        {rows.length === 0 ? <p className="type-body text-2">{t.noRuns}</p> : (
          <ul className="grid gap-8">
            {rows.map(({ cost_cents, created_at, id, source, status }) => (
              <li key={id} className="flex flex-wrap items-center gap-8 gap-x-12 type-body">
                <RunState status={status} />
                <Link to="/w/$workspace/workflow-runs/$id" params={{ workspace, id }}>
                  <RelativeTime at={created_at} now={hubClock.now} />
                </Link>
                <span className="type-note text-2">{t.startedBy(source.name)}</span>
                <span className="ms-auto">
                  <Money cents={cost_cents} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </ScreenState>
    </Panel>
  )
}

interface AccessPanelProps extends WorkflowProps {
  readonly mayChange: boolean
  readonly onOpen: (open: Open) => void
  readonly onRevoke: (agent: Workflow["agents"][number]) => void
}

const AccessPanel = ({ mayChange, onOpen, onRevoke, workflow }: AccessPanelProps) => {
  const t = workflowsText.detail
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  return (
    <Panel title={t.access}>
      <div className="grid gap-12">
        <div className="flex items-center gap-8">
          <KeyValueList
            items={[{ key: "to", name: t.visibleTo, value: workflowsText.visibilities[workflow.visibility] }]}
          />
          {mayChange && (
            <Button
              className="ms-auto"
              size="small"
              disabled={!mayAct}
              aria-label={t.shareOf}
              onClick={() => onOpen("share")}
            >
              {t.share}
            </Button>
          )}
        </div>
        <div className="flex items-center gap-8">
          <h3 className="type-label text-2">{t.agents}</h3>
          {mayChange && (
            <Button className="ms-auto" size="small" disabled={!mayAct} onClick={() => onOpen("grant")}>
              {t.grant}
            </Button>
          )}
        </div>
        {workflow.agents.length === 0 ? <p className="type-body text-2">{t.noAgents}</p> : (
          <ul className="grid gap-4">
            {workflow.agents.map((agent) => (
              <li key={agent.id} className="flex items-center justify-between gap-8 type-body">
                <Link quiet to="/w/$workspace/agents/$id" params={{ workspace, id: agent.id }}>{agent.name}</Link>
                {mayChange && (
                  <IconButton
                    label={t.revokeOf(agent.name)}
                    icon={<X />}
                    disabled={!mayAct}
                    onClick={() => onRevoke(agent)}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
        <p className="type-note text-3">{t.agentsAbout}</p>
      </div>
    </Panel>
  )
}

const FactsPanel = (
  { mayChange, onOpen, workflow }: WorkflowProps & {
    readonly mayChange: boolean
    readonly onOpen: (open: Open) => void
  }
) => {
  const t = workflowsText.detail
  const workspace = useWorkspaceId()
  const mayRead = useCan()("members:read")
  const { owner_user_id: owner } = workflow
  const people = useQuery({ ...memberChoices(workspace), enabled: mayRead && owner !== null }).data?.data ?? []
  return (
    <Panel
      title={t.facts}
      actions={mayChange && (
        <Menu
          align="end"
          trigger={<IconButton label={workflowsText.menuOf(workflow.name)} icon={<Ellipsis />} />}
        >
          <MenuItem onSelect={() => onOpen("edit")}>{t.edit}</MenuItem>
          <MenuItem danger onSelect={() => onOpen("delete")}>{t.remove}</MenuItem>
        </Menu>
      )}
    >
      <KeyValueList
        items={[
          {
            key: "max",
            name: t.maxCost,
            value: workflow.max_cost_cents === undefined ? t.noMax : <Money cents={workflow.max_cost_cents} />
          },
          {
            key: "owner",
            name: t.owner,
            value: owner === null
              ? t.noOwner
              : people.find(({ user_id }) => user_id === owner)?.name ?? <Id value={owner} texts={acts.copying} />
          },
          { key: "created", name: t.created, value: <RelativeTime at={workflow.created_at} now={hubClock.now} /> },
          { key: "updated", name: t.updated, value: <RelativeTime at={workflow.updated_at} now={hubClock.now} /> },
          { key: "id", name: t.id, value: <Id value={workflow.id} texts={acts.copying} /> }
        ]}
      />
      <p className="mt-12">
        <a
          className="inline-flex items-center gap-4 type-body"
          href={downloadHref("workflows.export", workspace, { params: { id: workflow.id }, query: {} })}
          download={`${workflow.name}.json`}
        >
          <Download size={14} aria-hidden />
          {t.export}
        </a>
      </p>
    </Panel>
  )
}
