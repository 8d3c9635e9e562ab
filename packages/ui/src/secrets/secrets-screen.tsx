/** Secrets of the workspace: names, update times, and uses. Values are never shown. */
import type { Row } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { Ellipsis, Plus } from "lucide-react"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { allServices, secretPages, type ServiceRow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useHeldRows } from "../listing/held-rows.ts"
import { KeyedTable } from "../listing/keyed-table.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { EmptyState } from "../patterns/empty-state.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { listingText as listing } from "../text/listing.ts"
import { secretsText } from "../text/secrets.ts"
import styles from "./secrets-screen.module.css"
import { SetSecretDialog } from "./set-secret-dialog.tsx"

type Secret = Row<"secrets.list">
/** The list includes names that a service requires but that have no stored value. */
type Line = { readonly name: string; readonly secret: Secret | undefined; readonly uses: ReadonlyArray<SecretUse> }

export const SecretsScreen = () => {
  const t = secretsText
  const mayRead = useCan()("catalog:write")
  return mayRead ? <Secrets /> : (
    <Page title={t.title}>
      <EmptyState>{t.forbidden}</EmptyState>
    </Page>
  )
}

const Secrets = () => {
  const t = secretsText
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const held = useHeldRows<Secret>(secretPages(workspace))
  const uses = secretUses(useQuery(allServices(workspace)).data ?? [])
  const [setting, setSetting] = useState<{ readonly name?: string; readonly replaces: boolean }>()
  const [removing, setRemoving] = useState<Line>()
  useCommands([{ id: "secrets.new", text: t.add, run: () => setSetting({ replaces: false }) }])
  const isWhole = held.offset === 0 && !held.pages.hasNextPage
  const missing = !isWhole ? [] : [...uses.keys()].filter((name) => !held.rows.some((secret) => secret.name === name))
  const rows: ReadonlyArray<Line> = [
    ...missing.map((name) => ({ name, secret: undefined, uses: uses.get(name) ?? [] })),
    ...held.rows.map((secret) => ({ name: secret.name, secret, uses: uses.get(secret.name) ?? [] }))
  ]
  const add = (
    <Button
      variant="primary"
      icon={<Plus />}
      disabled={!mayAct}
      onClick={() => setSetting({ replaces: false })}
    >
      {t.add}
    </Button>
  )
  const columns: ReadonlyArray<Column<Line>> = [
    {
      id: "name",
      head: t.columns.name,
      width: "minmax(160px, 2fr)",
      narrow: "lead",
      cell: ({ name, secret }) => (
        <span className="inline-flex items-center gap-8">
          <code className="type-mono">{name}</code>
          {secret === undefined && (
            <Badge tone="stop" glyph={<StatusGlyph look="failed" />}>
              {t.missing}
            </Badge>
          )}
        </span>
      )
    },
    {
      id: "used",
      head: t.columns.used,
      width: "minmax(140px, 3fr)",
      narrow: "under",
      cell: (line) =>
        line.uses.length === 0
          ? <span className="text-3">{t.unused}</span>
          : (
            <span className="inline-flex items-center gap-8">
              {line.uses.map(({ service, verifies }) => (
                <Link
                  key={`${service} ${String(verifies)}`}
                  to="/w/$workspace/catalog/$service"
                  params={{ workspace, service }}
                >
                  {verifies ? t.callback(service) : service}
                </Link>
              ))}
            </span>
          )
    },
    {
      id: "created",
      head: t.columns.created,
      width: "150px",
      from: 860,
      cell: ({ secret }) => secret && <RelativeTime at={secret.created_at} now={hubClock.now} />
    },
    {
      id: "changed",
      head: t.columns.changed,
      width: "150px",
      from: 640,
      narrow: "underTrail",
      cell: ({ secret }) => secret && <RelativeTime at={secret.updated_at} now={hubClock.now} />
    },
    {
      id: "acts",
      head: <span className="sr-only">{listing.rowMenu}</span>,
      width: "88px",
      end: true,
      narrow: "trail",
      cell: (line) =>
        line.secret === undefined
          ? (
            <Button
              size="small"
              aria-label={t.setIt(line.name)}
              disabled={!mayAct}
              onClick={() => setSetting({ name: line.name, replaces: false })}
            >
              {t.setWord}
            </Button>
          )
          : (
            <Menu align="end" trigger={<IconButton label={t.menu(line.name)} icon={<Ellipsis />} />}>
              <MenuItem disabled={!mayAct} onSelect={() => setSetting({ name: line.name, replaces: true })}>
                {t.replace}
              </MenuItem>
              <MenuItem danger disabled={!mayAct} onSelect={() => setRemoving(line)}>
                {t.remove}
              </MenuItem>
            </Menu>
          )
    }
  ]
  return (
    <Page
      title={t.title}
      layout="flush"
      busy={held.pages.isFetching}
      action={add}
      filters={<p className={`type-note text-2 ${styles.about}`}>{t.about}</p>}
    >
      <ScreenState query={held.pages} isEmpty={rows.length === 0} empty={{ text: t.empty, action: add }}>
        <KeyedTable
          label={t.list}
          columns={columns}
          rows={rows}
          rowId={({ name }) => name}
          offset={held.offset}
          count={Math.max(held.count, rows.length)}
          onRange={held.onRange}
          texts={{ loading: acts.loading, rowMenu: listing.rowMenu }}
        />
      </ScreenState>
      {setting !== undefined && (
        <SetSecretDialog
          name={setting.name}
          replaces={setting.replaces}
          onClose={() => setSetting(undefined)}
        />
      )}
      {removing !== undefined && <DeleteSecretDialog line={removing} onClose={() => setRemoving(undefined)} />}
    </Page>
  )
}

const DeleteSecretDialog = ({ line, onClose }: { readonly line: Line; readonly onClose: () => void }) => {
  const t = secretsText.removing
  const services = [...new Set(line.uses.map(({ service }) => service))]
  const remove = useAct("secrets.remove", {
    workspace: useWorkspaceId(),
    touches: ["secrets", "services"],
    done: t.done(line.name),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.title(line.name)}
      description={services.length === 0 ? t.unused : t.used(services.join(", "), services.length)}
      confirmText={t.act}
      onConfirm={() => remove.mutate({ params: { name: line.name } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}

interface SecretUse {
  readonly service: string
  /** The secret verifies callbacks; otherwise it is the credential. */
  readonly verifies: boolean
}

/** The services that use each secret. */
const secretUses = (services: ReadonlyArray<ServiceRow>): ReadonlyMap<string, ReadonlyArray<SecretUse>> => {
  const uses = new Map<string, Array<SecretUse>>()
  const note = (name: string | undefined, use: SecretUse) => {
    if (name === undefined) return
    const found = uses.get(name) ?? []
    if (!found.some((each) => each.service === use.service && each.verifies === use.verifies)) {
      uses.set(name, [...found, use])
    }
  }
  for (const { auth, name, operations } of services) {
    note(auth?.secret, { service: name, verifies: false })
    for (const { async } of operations) note(async?.secret, { service: name, verifies: true })
  }
  return uses
}
