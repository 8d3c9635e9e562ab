/** One service: operations at the left, the selected one beside them, and a panel to try it. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { Ellipsis } from "lucide-react"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { forgetMade, useJustMade } from "../app/just-made.ts"
import { useKey } from "../app/keys.ts"
import { ButtonLink, Link } from "../app/link.tsx"
import { NextStep } from "../app/next-step.tsx"
import { Page } from "../app/page.tsx"
import { SaveWarnings } from "../app/save-warnings.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem, MenuLine } from "../components/menu.tsx"
import { agentChoices, type Service, serviceQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { StandingLine } from "../patterns/standing-line.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { SetSecretDialog } from "../secrets/set-secret-dialog.tsx"
import { catalogText } from "../text/catalog.ts"
import { mcpText } from "../text/mcp.ts"
import { placeWords } from "./definition-place.ts"
import { DeleteServiceDialog, PriceDialog, SwitchOffDialog } from "./service-dialogs.tsx"
import { FactsPanel, OperationPanel, OperationsPanel } from "./service-panels.tsx"
import styles from "./service-screen.module.css"
import { TestRequestDialog } from "./test-request-dialog.tsx"

export const ServiceScreen = () => {
  const t = catalogText
  const { service: name } = useParams({ from: "/w/$workspace/catalog/$service" })
  const search = useSearch({ from: "/w/$workspace/catalog/$service" })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const can = useCan()
  const mayAct = useMayAct()
  const service = useQuery(serviceQuery(workspace, name))
  const [open, setOpen] = useState<"off" | "delete" | "price" | "test" | { readonly secret: string }>()
  const { data } = service
  const mayWrite = can("catalog:write")
  const mayTest = can("agents:write")
  const agents = useQuery({ ...agentChoices(workspace), enabled: mayTest }).data?.data ?? []
  const bound = agents.filter(({ bindings }) => bindings.some((each) => each.service === name && each.enabled))
  const isNew = useJustMade("service", workspace, name)
  const mayEdit = data !== undefined && mayWrite && !data.shipped && data.kind === "http"
  const operation = data?.operations.find((each) => each.name === search.operation) ?? data?.operations[0]
  const enable = useAct("services.update", {
    workspace,
    touches: ["services"],
    done: ({ name }) => t.off.on(name)
  })
  const switchOn = () => enable.mutate({ params: { name }, payload: { enabled: true } })
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/catalog", params: { workspace } }))
  useCommands(
    mayEdit
      ? [
        {
          id: "service.edit",
          text: t.editor.editTitle(data.name),
          run: () => void navigate({ to: "/w/$workspace/catalog/$service/edit", params: { workspace, service: name } })
        }
      ]
      : []
  )
  const change = (changes: Partial<typeof search>) =>
    void navigate({
      to: "/w/$workspace/catalog/$service",
      params: { workspace, service: name },
      search: { ...search, ...changes } as typeof search,
      replace: true
    })
  return (
    <Page
      title={data?.title ?? name}
      path={
        <Link quiet to="/w/$workspace/catalog" params={{ workspace }}>
          {t.title}
        </Link>
      }
      busy={service.isFetching}
      action={data !== undefined
        && (mayWrite || mayTest || data.kind === "mcp") && (
        <>
          {mayTest && (
            <Button disabled={!mayAct} onClick={() => setOpen("test")}>
              {t.testRequest.title}
            </Button>
          )}
          {data.kind === "mcp" && (
            <ButtonLink to="/w/$workspace/catalog/$service/tools" params={{ workspace, service: name }}>
              {mcpText.tools}
            </ButtonLink>
          )}
          {mayEdit && (
            <ButtonLink to="/w/$workspace/catalog/$service/edit" params={{ workspace, service: name }}>
              {t.detail.edit}
            </ButtonLink>
          )}
          {mayWrite && (
            <Menu align="end" trigger={<IconButton edge label={t.detail.more} icon={<Ellipsis />} />}>
              {data.enabled
                ? (
                  <MenuItem danger disabled={!mayAct} onSelect={() => setOpen("off")}>
                    {t.detail.switchOff}
                  </MenuItem>
                )
                : (
                  <MenuItem disabled={!mayAct} onSelect={switchOn}>
                    {t.detail.switchOn}
                  </MenuItem>
                )}
              {!data.shipped && (
                <>
                  <MenuLine />
                  <MenuItem danger disabled={!mayAct} onSelect={() => setOpen("delete")}>
                    {t.detail.remove}
                  </MenuItem>
                </>
              )}
            </Menu>
          )}
        </>
      )}
    >
      <ScreenState query={service}>
        {data !== undefined && (
          <>
            <Lines
              service={data}
              onSecret={mayWrite ? (secret) => setOpen({ secret }) : undefined}
              onSwitchOn={mayWrite ? switchOn : undefined}
            />
            <SaveWarnings
              of={`${workspace}/services/${data.name}`}
              place={(path) => placeWords(t, data.operations.map(({ name }) => name), path)}
            />
            {isNew && mayTest && (
              <NextStep
                text={bound.length > 0 ? t.made.test : t.made.bind}
                act={bound.length > 0
                  ? <Button size="small" disabled={!mayAct} onClick={() => setOpen("test")}>{t.made.act}</Button>
                  : (
                    <ButtonLink size="small" to="/w/$workspace/agents" params={{ workspace }}>
                      {t.made.toAgents}
                    </ButtonLink>
                  )}
                dismissText={t.made.dismiss}
                onDismiss={() => forgetMade("service", workspace, name)}
              />
            )}
            <header className="mb-24">
              <div className="flex flex-wrap items-center gap-4 gap-x-12">
                <h2 className="type-title tracking-large wrap-anywhere">{data.title ?? data.name}</h2>
                {!data.enabled && <Badge glyph={<StatusGlyph look="expired" />}>{t.states.off}</Badge>}
              </div>
              {data.description !== undefined && <p className={styles.description}>{data.description}</p>}
            </header>
            <div className={`grid items-start gap-16 ${styles.columns}`}>
              <div className="grid gap-16 min-w-0">
                <OperationsPanel
                  service={data}
                  operation={operation}
                  onPick={(picked) => change({ operation: picked })}
                />
                <FactsPanel service={data} />
              </div>
              {operation !== undefined && (
                <OperationPanel
                  key={operation.name}
                  service={data}
                  operation={operation}
                  view={search.view ?? "payload"}
                  onView={(view) => change({ view })}
                  agent={search.agent}
                  onAgent={(agent) => change({ agent })}
                  onPrice={mayWrite ? () => setOpen("price") : undefined}
                />
              )}
            </div>
            {open === "off" && <SwitchOffDialog service={data} onClose={() => setOpen(undefined)} />}
            {open === "test" && (
              <TestRequestDialog
                service={data}
                agents={bound}
                operation={operation?.name}
                onClose={() => {
                  setOpen(undefined)
                  forgetMade("service", workspace, name)
                }}
              />
            )}
            {open === "delete" && <DeleteServiceDialog service={data} onClose={() => setOpen(undefined)} />}
            {open === "price" && operation !== undefined && (
              <PriceDialog
                service={data}
                operation={operation}
                onClose={() => setOpen(undefined)}
              />
            )}
            {typeof open === "object" && <SetSecretDialog name={open.secret} onClose={() => setOpen(undefined)} />}
          </>
        )}
      </ScreenState>
    </Page>
  )
}

interface LinesProps {
  readonly service: Service
  readonly onSecret: ((name: string) => void) | undefined
  readonly onSwitchOn: (() => void) | undefined
}

const Lines = ({ onSecret, onSwitchOn, service }: LinesProps) => {
  const t = catalogText.detail
  const { enabled, missing_secrets: [first, ...rest] = [] } = service
  if (enabled && first === undefined) return null
  return (
    <div className={styles.lines}>
      {!enabled && (
        <StandingLine
          action={onSwitchOn && (
            <Button size="small" variant="bare" onClick={onSwitchOn}>
              {t.switchOn}
            </Button>
          )}
        >
          {t.off}
        </StandingLine>
      )}
      {first !== undefined && (
        <StandingLine
          stop
          action={onSecret && (
            <Button size="small" variant="bare" onClick={() => onSecret(first)}>
              {t.setSecret(first)}
            </Button>
          )}
        >
          {t.missing([first, ...rest].join(", "))}
        </StandingLine>
      )}
    </div>
  )
}
