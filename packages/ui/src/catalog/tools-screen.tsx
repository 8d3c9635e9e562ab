/** The tools of an MCP service: their states, and the differences that wait for a decision. */
import type { Row } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge, type Tone } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { lazyPart } from "../components/lazy-part.ts"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { toolsQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RowList } from "../patterns/row-list.tsx"
import { StandingLine } from "../patterns/standing-line.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { mcpText as t } from "../text/mcp.ts"
import { payloadText as reveal } from "../text/payload.ts"

const PayloadDiff = lazyPart(() => import("../patterns/payload-diff.tsx"))

type Tool = Row<"mcp_tools.list">

const tones: Readonly<Record<Tool["state"], Tone>> = {
  pinned: "ok",
  new: "hold",
  changed: "hold",
  refused: "stop",
  removed: "neutral"
}

const meaningOf = ({ pending, state }: Tool): string =>
  state !== "changed"
    ? t.meanings[state]
    : pending?.schema_changed === true
    ? t.meanings.schemaChanged
    : t.meanings.wordsChanged

/** Tools that wait for a decision come first. */
const order = ({ state }: Tool): number => state === "changed" ? 0 : state === "new" ? 1 : state === "pinned" ? 2 : 3

export const ToolsScreen = () => {
  const { service: name } = useParams({ from: "/w/$workspace/catalog/$service/tools" })
  const workspace = useWorkspaceId()
  const mayWrite = useCan()("catalog:write")
  const mayAct = useMayAct()
  const tools = useQuery(toolsQuery(workspace, name))
  const [reviewed, setReviewed] = useState<string>()
  const refresh = useAct("mcp_tools.refresh", { workspace, touches: ["mcp_tools", "services"], done: t.refreshed })
  const rows = [...tools.data?.data ?? []].sort((one, other) => order(one) - order(other))
  const waiting = rows.filter(({ state }) => state === "changed" || state === "new").length
  const shown = rows.find((tool) => tool.name === reviewed)
  return (
    <Page
      title={t.tools}
      path={
        <Link quiet to="/w/$workspace/catalog/$service" params={{ workspace, service: name }}>
          {name}
        </Link>
      }
      busy={tools.isFetching}
      action={mayWrite && (
        <Button
          disabled={!mayAct}
          pending={refresh.isPending}
          onClick={() => refresh.mutate({ params: { name } })}
        >
          {t.refresh}
        </Button>
      )}
    >
      <ScreenState query={tools} isEmpty={rows.length === 0} empty={{ text: t.empty }}>
        <div className="grid gap-16">
          <p className="type-body text-2">{t.what} {mayWrite ? "" : t.noWrite}</p>
          {tools.data?.error !== undefined && <StandingLine stop>{t.readFailed(tools.data.error)}</StandingLine>}
          {waiting > 0 && <StandingLine>{t.pending(waiting)}</StandingLine>}
          {refresh.error !== null && (
            <Problem inline error={refresh.error} failed={t.refreshFailed} unchanged={t.toolsUnchanged} />
          )}
          <Panel flush>
            <RowList
              label={t.list}
              rows={rows.map((tool) => ({
                key: tool.name,
                title: (
                  <>
                    <code className="type-mono">{tool.name}</code>
                    <Badge tone={tones[tool.state]}>{t.states[tool.state]}</Badge>
                  </>
                ),
                detail: (
                  <>
                    <span>{tool.problem ?? meaningOf(tool)}</span>
                    {tool.operation !== tool.name && <code>{tool.operation}</code>}
                  </>
                ),
                acts: tool.pending !== undefined && (
                  <Button
                    size="small"
                    aria-label={t.reviewOf(tool.name)}
                    onClick={() => setReviewed(tool.name)}
                  >
                    {t.review}
                  </Button>
                )
              }))}
            />
          </Panel>
          {tools.data?.refreshed_at !== undefined && (
            <p className="type-note text-3">
              <Phrase text={t.readAt} time={<RelativeTime at={tools.data.refreshed_at} now={hubClock.now} />} />
            </p>
          )}
        </div>
      </ScreenState>
      {shown?.pending !== undefined && (
        <ReviewDialog
          service={name}
          tool={shown}
          mayWrite={mayWrite}
          onClose={() => setReviewed(undefined)}
        />
      )}
    </Page>
  )
}

interface ReviewDialogProps {
  readonly service: string
  readonly tool: Tool
  readonly mayWrite: boolean
  readonly onClose: () => void
}

const ReviewDialog = ({ mayWrite, onClose, service, tool }: ReviewDialogProps) => {
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const { description = "", input_schema = {}, name, pending } = tool
  const options = { workspace, touches: ["mcp_tools", "services"], onDone: onClose } as const
  const accept = useAct("mcp_tools.accept", { ...options, done: t.accepted(name) })
  const refuse = useAct("mcp_tools.refuse", { ...options, done: t.refused(name) })
  if (pending === undefined) return null
  const input = { params: { name: service }, payload: { name, digest: pending.digest } }
  const isBusy = accept.isPending || refuse.isPending
  const error = accept.error ?? refuse.error
  const isNew = tool.digest === undefined
  return (
    <Dialog
      open
      held={isBusy}
      onOpenChange={(open) => !open && onClose()}
      closeText={acts.close}
      title={t.reviewTitle(name)}
      description={isNew ? t.reviewNew : pending.schema_changed ? t.reviewSchema : t.reviewWords}
      footer={mayWrite && (
        <>
          {tool.state !== "refused" && (
            <Button
              variant="danger"
              disabled={!mayAct || isBusy}
              pending={refuse.isPending}
              onClick={() => refuse.mutate(input)}
            >
              {t.refuse}
            </Button>
          )}
          <Button
            variant="primary"
            disabled={!mayAct || isBusy || tool.problem !== undefined}
            pending={accept.isPending}
            onClick={() => accept.mutate(input)}
          >
            {t.accept}
          </Button>
        </>
      )}
    >
      <div className="grid gap-16">
        {tool.problem !== undefined && <p role="alert">{tool.problem}</p>}
        <Suspense>
          <PayloadDiff
            before={isNew ? {} : { description, input_schema }}
            after={{ description: pending.description, input_schema: pending.input_schema }}
            texts={{ ...reveal, ...t.changes }}
          />
        </Suspense>
        {error !== null && <Problem inline error={error} failed={t.decideFailed} unchanged={t.toolsUnchanged} />}
      </div>
    </Dialog>
  )
}
