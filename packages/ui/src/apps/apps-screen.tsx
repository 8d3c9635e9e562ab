/** Connected apps of the workspace, and the providers that people can connect. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Ellipsis, Plus } from "lucide-react"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useMe, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { TextField } from "../components/text-field.tsx"
import { hubClock } from "../hub/hub-time.ts"
import {
  allServices,
  appPages,
  type AppProviderRow,
  appProviders,
  appQuery,
  type AppRow,
  memberChoices
} from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useHeldRows } from "../listing/held-rows.ts"
import { KeyedTable } from "../listing/keyed-table.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { actText as acts } from "../text/acts.ts"
import { appsText as t } from "../text/apps.ts"
import { catalogText } from "../text/catalog.ts"
import { listingText as listing } from "../text/listing.ts"
import { AppDialog, AppState } from "./app-dialog.tsx"
import { usesOf } from "./app-words.ts"
import styles from "./apps-screen.module.css"
import { ConnectDialog, WhoFields } from "./connect-dialog.tsx"
import { SetUpDialog } from "./set-up-dialog.tsx"

/** Apps first, then every provider. */
type Line = { readonly app: AppRow } | { readonly provider: AppProviderRow }

type Shown =
  | { readonly kind: "connect" | "set up"; readonly provider: AppProviderRow }
  | { readonly kind: "add" }
  | { readonly kind: "edit" | "disconnect" | "remove"; readonly app: AppRow }

const from = "/w/$workspace/apps"

export const AppsScreen = () => {
  const workspace = useWorkspaceId()
  const can = useCan()
  const me = useMe()
  const mayAct = useMayAct()
  const { app: opened } = useSearch({ from })
  const navigate = useNavigate({ from })
  const held = useHeldRows<AppRow>(appPages(workspace))
  const providers = useQuery(appProviders(workspace))
  const services = useQuery(allServices(workspace)).data ?? []
  const people = useQuery({ ...memberChoices(workspace), enabled: can("members:read") }).data?.data ?? []
  const single = useQuery({ ...appQuery(workspace, opened ?? ""), enabled: opened !== undefined }).data
  const [shown, setShown] = useState<Shown>()
  const mayConnect = can("apps:write")
  const maySetUp = can("workspace:write")
  const close = () => setShown(undefined)
  const open = (id: string | undefined) => void navigate({ search: id === undefined ? {} : { app: id }, replace: true })
  const redirectUri = providers.data?.data[0]?.redirect_uri ?? ""
  useCommands(maySetUp ? [{ id: "apps.add", text: t.addProvider, run: () => setShown({ kind: "add" }) }] : [])

  const isOwn = (app: AppRow) => app.owner_user_id === me.user.id
  const mayChange = (app: AppRow) => mayConnect && (isOwn(app) || maySetUp)
  const maySignIn = (app: AppRow) => mayConnect && (isOwn(app) || app.visibility === "workspace" && maySetUp)
  const whoOf = (app: AppRow) =>
    app.visibility === "workspace"
      ? t.who.workspace
      : isOwn(app)
      ? t.who.private
      : t.ownersAgents(people.find(({ user_id }) => user_id === app.owner_user_id)?.name ?? t.anotherPerson)
  const isWhole = !held.pages.hasNextPage
  const rows: ReadonlyArray<Line> = [
    ...held.rows.map((app) => ({ app })),
    ...isWhole ? (providers.data?.data ?? []).map((provider) => ({ provider })) : []
  ]

  const providerActs = (provider: AppProviderRow) => (
    <span className="inline-flex items-center gap-4">
      {provider.configured
        ? mayConnect && (
          <Button
            size="small"
            aria-label={t.connectIt(provider.title)}
            disabled={!mayAct}
            onClick={() => setShown({ kind: "connect", provider })}
          >
            {t.connect}
          </Button>
        )
        : maySetUp && (
          <Button
            size="small"
            aria-label={t.setUpIt(provider.title)}
            disabled={!mayAct}
            onClick={() => setShown({ kind: "set up", provider })}
          >
            {t.setUp}
          </Button>
        )}
      {provider.configured && maySetUp && (
        <Menu align="end" trigger={<IconButton label={t.menu(provider.title)} icon={<Ellipsis />} />}>
          <MenuItem
            disabled={!mayAct}
            onSelect={() =>
              setShown({ kind: "set up", provider })}
          >
            {t.changeClient}
          </MenuItem>
        </Menu>
      )}
    </span>
  )

  const appMenu = (app: AppRow) => (
    <Menu align="end" trigger={<IconButton label={t.menu(app.name)} icon={<Ellipsis />} />}>
      <MenuItem
        onSelect={() =>
          open(app.id)}
      >
        {t.open}
      </MenuItem>
      {mayChange(app) && (
        <>
          <MenuItem
            disabled={!mayAct}
            onSelect={() => setShown({ kind: "edit", app })}
          >
            {t.edit}
          </MenuItem>
          {app.status !== "revoked" && (
            <MenuItem
              danger
              disabled={!mayAct}
              onSelect={() => setShown({ kind: "disconnect", app })}
            >
              {t.disconnect}
            </MenuItem>
          )}
          <MenuItem
            danger
            disabled={!mayAct}
            onSelect={() =>
              setShown({ kind: "remove", app })}
          >
            {t.remove}
          </MenuItem>
        </>
      )}
    </Menu>
  )

  const columns: ReadonlyArray<Column<Line>> = [
    {
      id: "app",
      head: t.columns.app,
      width: "minmax(180px, 1.6fr)",
      narrow: "lead",
      cell: (line) =>
        "provider" in line
          ? <span className="text-2">{line.provider.title}</span>
          : (
            <span className="flex items-baseline gap-8 min-w-0">
              <span className="truncate">{line.app.name}</span>
              {line.app.account !== undefined && <span className="truncate text-3">{line.app.account}</span>}
            </span>
          )
    },
    {
      id: "state",
      head: t.columns.state,
      width: "176px",
      narrow: "underTrail",
      cell: (line) =>
        "app" in line
          ? <AppState status={line.app.status} />
          : line.provider.configured
          ? <span className="text-3">{t.ready}</span>
          : <span className="text-3">{t.notSetUp}</span>
    },
    {
      id: "may",
      head: t.columns.may,
      width: "minmax(120px, 1.6fr)",
      from: 900,
      cell: (line) => {
        const scopes = ("app" in line ? line.app.scopes : line.provider.default_scopes).join(" ")
        return scopes === ""
          ? <span className="text-3">{t.providerDefault}</span>
          : <span className="type-mono text-3" title={scopes}>{scopes}</span>
      }
    },
    {
      id: "who",
      head: t.columns.who,
      width: "minmax(120px, 1fr)",
      from: 720,
      narrow: "under",
      cell: (line) => "app" in line && whoOf(line.app)
    },
    {
      id: "used",
      head: t.columns.used,
      width: "minmax(110px, 1fr)",
      from: 1040,
      cell: (line) => {
        if (!("app" in line)) return null
        const uses = usesOf(services, line.app)
        return uses.length === 0
          ? <span className="text-3">{t.unused}</span>
          : (
            <span className="inline-flex gap-8" title={uses.join(", ")}>
              {uses.map((service) => (
                <Link key={service} to="/w/$workspace/catalog/$service" params={{ workspace, service }}>{service}</Link>
              ))}
            </span>
          )
      }
    },
    {
      id: "last",
      head: t.columns.last,
      width: "132px",
      from: 820,
      cell: (line) =>
        !("app" in line)
          ? null
          : line.app.last_used_at === undefined
          ? <span className="text-3">{t.never}</span>
          : <RelativeTime at={line.app.last_used_at} now={hubClock.now} />
    },
    {
      id: "acts",
      head: <span className="sr-only">{listing.rowMenu}</span>,
      width: "148px",
      end: true,
      narrow: "trail",
      cell: (line) => "app" in line ? appMenu(line.app) : providerActs(line.provider)
    }
  ]

  return (
    <Page
      title={t.title}
      path={<Link quiet to="/w/$workspace/catalog" params={{ workspace }}>{catalogText.title}</Link>}
      layout="flush"
      busy={held.pages.isFetching}
      action={maySetUp && (
        <Button icon={<Plus />} disabled={!mayAct} onClick={() => setShown({ kind: "add" })}>{t.addProvider}</Button>
      )}
      filters={<p className={`type-note text-2 ${styles.about}`}>{t.about}</p>}
    >
      <ScreenState query={providers} isEmpty={rows.length === 0} empty={{ text: t.empty }}>
        <KeyedTable
          label={t.list}
          columns={columns}
          rows={rows}
          rowId={(line) => "app" in line ? line.app.id : line.provider.name}
          offset={held.offset}
          count={Math.max(held.count, held.offset + rows.length)}
          onRange={held.onRange}
          onOpen={(line) => "app" in line && open(line.app.id)}
          texts={{ loading: acts.loading, rowMenu: listing.rowMenu }}
        />
      </ScreenState>
      {single !== undefined && shown === undefined && (
        <AppDialog
          app={single}
          provider={providers.data?.data.find(({ name }) => name === single.provider)?.title ?? single.provider}
          who={whoOf(single)}
          uses={usesOf(services, single)}
          mayChange={mayChange(single)}
          maySignIn={maySignIn(single)}
          onDisconnect={() => setShown({ kind: "disconnect", app: single })}
          onClose={() => open(undefined)}
        />
      )}
      {shown?.kind === "connect" && <ConnectDialog provider={shown.provider} onClose={close} />}
      {shown?.kind === "set up" && <SetUpDialog provider={shown.provider} redirectUri={redirectUri} onClose={close} />}
      {shown?.kind === "add" && <SetUpDialog redirectUri={redirectUri} onClose={close} />}
      {shown?.kind === "edit" && <EditAppDialog app={shown.app} mayShare={isOwn(shown.app)} onClose={close} />}
      {shown?.kind === "disconnect" && (
        <DisconnectDialog app={shown.app} uses={usesOf(services, shown.app)} onClose={close} />
      )}
      {shown?.kind === "remove" && (
        <DeleteDialog
          app={shown.app}
          onClose={close}
          onDeleted={() => {
            close()
            open(undefined)
          }}
        />
      )}
    </Page>
  )
}

const EditAppDialog = (
  { app, mayShare, onClose }: { readonly app: AppRow; readonly mayShare: boolean; readonly onClose: () => void }
) => {
  const words = t.editing
  const [name, setName] = useState(app.name)
  const [visibility, setVisibility] = useState(app.visibility)
  const save = useAct("apps.update", {
    workspace: useWorkspaceId(),
    touches: ["apps"],
    done: words.done,
    onDone: onClose
  })
  return (
    <FormDialog
      title={words.title(app.name)}
      call={save}
      failed={words.failed}
      disabled={name.trim() === ""}
      onClose={onClose}
      onSubmit={() =>
        save.mutate({
          params: { id: app.id },
          payload: {
            ...name.trim() === app.name ? {} : { name: name.trim() },
            ...visibility === app.visibility ? {} : { visibility }
          }
        })}
    >
      <TextField label={t.connecting.name} value={name} onChange={setName} maxLength={100} required path="name" />
      {(mayShare || app.visibility === "workspace") && <WhoFields value={visibility} onChange={setVisibility} />}
    </FormDialog>
  )
}

const DisconnectDialog = (
  { app, onClose, uses }: {
    readonly app: AppRow
    readonly uses: ReadonlyArray<string>
    readonly onClose: () => void
  }
) => {
  const words = t.disconnecting
  const revoke = useAct("apps.revoke", {
    workspace: useWorkspaceId(),
    touches: ["apps"],
    done: words.done(app.name),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={revoke}
      onClose={onClose}
      title={words.title(app.name)}
      description={uses.length === 0 ? words.unused : words.used(uses.join(", "), uses.length)}
      confirmText={words.act}
      onConfirm={() => revoke.mutate({ params: { id: app.id } })}
      failed={words.failed}
      unchanged={words.unchanged}
    />
  )
}

const DeleteDialog = (
  { app, onClose, onDeleted }: {
    readonly app: AppRow
    readonly onClose: () => void
    readonly onDeleted: () => void
  }
) => {
  const words = t.removing
  const remove = useAct("apps.remove", {
    workspace: useWorkspaceId(),
    touches: ["apps.list"],
    done: words.done(app.name),
    onDone: onDeleted
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={words.title(app.name)}
      description={words.about}
      confirmText={words.act}
      onConfirm={() => remove.mutate({ params: { id: app.id } })}
      failed={words.failed}
      unchanged={words.unchanged}
    />
  )
}
