/** The services that agents can use: built-in ones and the workspace's own. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Plus } from "lucide-react"
import { useCommands } from "../app/commands.ts"
import { ButtonLink, Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { allServices, type ServiceRow } from "../hub/queries.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { KeyedTable } from "../listing/keyed-table.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { catalogText as t } from "../text/catalog.ts"
import { listingText as listing } from "../text/listing.ts"
import { mcpText as mcp } from "../text/mcp.ts"
import styles from "./catalog-screen.module.css"
import { pricesWords } from "./price.ts"
import { origins, serviceStates } from "./routes.tsx"

/** Words are matched against names, titles, descriptions, and operations; all of them must match. */
const matches = (service: ServiceRow, words: ReadonlyArray<string>): boolean => {
  const text = [
    service.name,
    service.title,
    service.description,
    ...service.operations.flatMap(({ name, title }) => [name, title])
  ]
    .join(" ")
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

const stateOf = (service: ServiceRow): (typeof serviceStates)[number] =>
  !service.enabled ? "off" : service.missing_secrets === undefined ? "on" : "secret"

export const CatalogScreen = () => {
  const workspace = useWorkspaceId()
  const filters = useSearch({ from: "/w/$workspace/catalog" })
  const navigate = useNavigate()
  const can = useCan()
  const mayWrite = can("catalog:write")
  const services = useQuery(allServices(workspace))
  const words = (filters.q ?? "")
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "")
  const rows = (services.data ?? []).filter(
    (service) =>
      matches(service, words)
      && (filters.origin === undefined || service.shipped === (filters.origin === "shipped"))
      && (filters.state === undefined || stateOf(service) === filters.state)
  )
  const isFiltered = Object.keys(filters).length > 0
  const to = { to: "/w/$workspace/catalog", params: { workspace } } as const
  const change = (changes: Readonly<Record<string, unknown>>, replace = false) =>
    void navigate({ ...to, search: (before) => ({ ...before, ...changes }) as typeof filters, replace })
  const clear = () => void navigate({ ...to, search: {} })
  const add = () => void navigate({ to: "/w/$workspace/catalog/_/new", params: { workspace } })
  const addServer = () => void navigate({ to: "/w/$workspace/catalog/_/mcp", params: { workspace } })
  const importIt = () => void navigate({ to: "/w/$workspace/catalog/_/import", params: { workspace } })
  useCommands(
    mayWrite
      ? [
        { id: "catalog.add", text: t.editor.newTitle, run: add },
        { id: "catalog.mcp", text: mcp.newTitle, run: addServer },
        { id: "catalog.import", text: t.import.title, run: importIt }
      ]
      : []
  )

  const columns: ReadonlyArray<Column<ServiceRow>> = [
    {
      id: "service",
      head: t.columns.service,
      width: "minmax(180px, 2fr)",
      narrow: "lead",
      cell: ({ name, title }) => (
        <>
          <Link quiet to="/w/$workspace/catalog/$service" params={{ workspace, service: name }}>
            {title ?? name}
          </Link>
          {title !== undefined && title !== name && <span className={styles.name}>{name}</span>}
        </>
      )
    },
    {
      id: "origin",
      head: t.columns.origin,
      width: "88px",
      from: 720,
      cell: ({ shipped }) => (shipped ? t.origins.shipped : t.origins.own)
    },
    {
      id: "operations",
      head: t.columns.operations,
      width: "minmax(140px, 3fr)",
      from: 640,
      narrow: "under",
      cell: ({ operations }) => (
        <span className="type-mono text-3">{operations.map(({ name }) => name).join(", ")}</span>
      )
    },
    {
      id: "state",
      head: t.columns.state,
      width: "128px",
      narrow: "underTrail",
      cell: (service) => {
        const state = stateOf(service)
        return state === "on"
          ? <span className="text-2">{t.states.on}</span>
          : state === "off"
          ? <Badge glyph={<StatusGlyph look="expired" />}>{t.states.off}</Badge>
          : (
            <Badge tone="stop" glyph={<StatusGlyph look="failed" />}>
              {t.states.secret}
            </Badge>
          )
      }
    },
    {
      id: "price",
      head: t.columns.price,
      width: "minmax(184px, 1fr)",
      end: true,
      narrow: "trail",
      cell: ({ operations }) => pricesWords(t.price, operations)
    }
  ]
  return (
    <Page
      title={t.title}
      guide="services"
      layout="flush"
      busy={services.isFetching}
      action={
        <>
          <ButtonLink to="/w/$workspace/publications" params={{ workspace }} className={styles.wideOnly ?? ""}>
            {t.publications}
          </ButtonLink>
          {can("apps:read") && (
            <ButtonLink to="/w/$workspace/apps" params={{ workspace }} className={styles.wideOnly ?? ""}>
              {t.apps}
            </ButtonLink>
          )}
          {mayWrite && (
            <ButtonLink to="/w/$workspace/secrets" params={{ workspace }} className={styles.wideOnly ?? ""}>
              {t.secrets}
            </ButtonLink>
          )}
          {mayWrite && (
            <Menu
              align="end"
              trigger={
                <Button variant="primary" icon={<Plus />}>
                  {t.add}
                </Button>
              }
            >
              <MenuItem onSelect={add}>{t.addForm}</MenuItem>
              <MenuItem onSelect={addServer}>{mcp.add}</MenuItem>
              <MenuItem onSelect={importIt}>{t.importOpenApi}</MenuItem>
            </Menu>
          )}
        </>
      }
      filters={
        <FilterLine
          search={{ value: filters.q, label: t.search }}
          filters={[
            oneFilter(
              "origin",
              t.origin,
              filters.origin,
              change,
              origins.map((value) => ({ value, text: t.origins[value] }))
            ),
            oneFilter(
              "state",
              t.state,
              filters.state,
              change,
              serviceStates.map((value) => ({ value, text: t.states[value] }))
            )
          ]}
          change={change}
          clear={clear}
          aside={services.data === undefined ? undefined : (
            <span className={styles.count} role="status">
              {t.found(rows.length)}
            </span>
          )}
        />
      }
    >
      <ScreenState
        query={services}
        isEmpty={rows.length === 0}
        empty={isFiltered
          ? { text: t.noMatch, action: <Button onClick={clear}>{acts.clearFilters}</Button> }
          : { text: t.empty }}
      >
        <KeyedTable
          label={t.list}
          columns={columns}
          rows={rows}
          rowId={({ name }) => name}
          onOpen={({ name }) =>
            void navigate({ to: "/w/$workspace/catalog/$service", params: { workspace, service: name } })}
          texts={{ loading: acts.loading, rowMenu: listing.rowMenu }}
        />
      </ScreenState>
    </Page>
  )
}
