/** The person's accounts in Slack and Discord: link with a code, confirm, remove. */
import type { Output } from "@countersign/hub-client/contract"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { Panel } from "../components/panel.tsx"
import { linkedAccountPages, type MessengerLink } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { RowList } from "../patterns/row-list.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { Moment } from "../settings/moment.tsx"
import { SettingsFrame } from "../settings/settings-frame.tsx"
import { CommandBlock } from "../setup/command-block.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { linkedAccountsText as t } from "../text/linked-accounts.ts"
import { settingsText } from "../text/settings.ts"

/** An entered code is no event: the list is polled while a code is open. */
const pollMillis = 2_000
const touches = ["messenger_links"] as const

const placeOf = ({ provider, team, team_name }: MessengerLink): string =>
  provider === "slack" ? `${t.kinds.slack}, ${t.team(team_name ?? team)}` : t.kinds.discord

type Open = { readonly act: "confirm" | "remove"; readonly link: MessengerLink }

export const LinkedAccountsScreen = () => {
  const mayAct = useMayAct()
  const [code, setCode] = useState<Output<"messenger_links.create">>()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const pages = useInfiniteQuery({
    ...linkedAccountPages,
    ...code === undefined ? {} : { refetchInterval: pollMillis }
  })
  const rows = rowsOf(pages.data)
  const entered = rows.find(({ id, status }) => id === code?.id && status === "unconfirmed")
  const create = useAct("messenger_links.create", { workspace: null, touches, onDone: setCode })
  const link = (
    <Button
      variant="primary"
      disabled={!mayAct}
      pending={create.isPending}
      onClick={() => create.mutate({})}
    >
      {t.link.act}
    </Button>
  )
  return (
    <SettingsFrame section="linked-accounts" lead={t.lead} busy={pages.isFetching} action={link}>
      {create.error !== null && (
        <Problem inline error={create.error} failed={t.link.failed} unchanged={t.link.unchanged} />
      )}
      <ScreenState query={pages}>
        {rows.length === 0 ? <EmptyState action={link}>{t.empty}</EmptyState> : (
          <Panel flush>
            <RowList
              label={t.title}
              rows={rows.map((row) => ({
                key: row.id,
                title: row.account.name,
                detail: <LinkFacts link={row} />,
                acts: <LinkActs link={row} disabled={!mayAct} onOpen={setOpen} />
              }))}
            />
          </Panel>
        )}
        <MoreButton pages={pages}>{settingsText.more}</MoreButton>
      </ScreenState>
      {code !== undefined && entered === undefined && <CodeDialog code={code} onClose={() => setCode(undefined)} />}
      {entered !== undefined && open === undefined && (
        <ConfirmDialog
          link={entered}
          onClose={() => setCode(undefined)}
        />
      )}
      {open?.act === "confirm" && <ConfirmDialog link={open.link} onClose={close} />}
      {open?.act === "remove" && <RemoveDialog link={open.link} onClose={close} />}
    </SettingsFrame>
  )
}

const LinkFacts = ({ link }: { readonly link: MessengerLink }) => (
  <>
    <span>{placeOf(link)}</span>
    {link.confirmed_at !== undefined && (
      <>
        <span>
          <Phrase text={t.linkedAt} time={<Moment at={link.confirmed_at} />} />
        </span>
        <span>
          {link.last_used_at === undefined
            ? t.unused
            : <Phrase text={t.used} time={<Moment at={link.last_used_at} />} />}
        </span>
      </>
    )}
    {link.expires_at !== undefined && (
      <span>
        <Phrase text={t.expires} time={<Moment at={link.expires_at} />} />
      </span>
    )}
  </>
)

const LinkActs = ({ disabled, link, onOpen }: {
  readonly link: MessengerLink
  readonly disabled: boolean
  readonly onOpen: (open: Open) => void
}) => (
  <>
    <StatusBadge status={link.status === "linked" ? "executed" : "pending"}>{t.statuses[link.status]}</StatusBadge>
    {link.status === "unconfirmed" && (
      <Button
        size="small"
        disabled={disabled}
        aria-label={t.confirm.actOf(link.account.name)}
        onClick={() => onOpen({ act: "confirm", link })}
      >
        {t.confirm.act}
      </Button>
    )}
    <Button
      size="small"
      variant="danger"
      disabled={disabled}
      aria-label={t.remove.actOf(link.account.name)}
      onClick={() => onOpen({ act: "remove", link })}
    >
      {t.remove.act}
    </Button>
  </>
)

const CodeDialog = (
  { code, onClose }: { readonly code: Output<"messenger_links.create">; readonly onClose: () => void }
) => (
  <Dialog
    open
    onOpenChange={(open) => !open && onClose()}
    title={t.link.title}
    description={t.link.about}
    closeText={acts.close}
    footer={<Button onClick={onClose}>{t.link.done}</Button>}
  >
    <div className="grid gap-12">
      <CommandBlock label={t.link.command} copyText={t.link.copy} command={`/countersign link ${code.code}`} primary />
      <p className="type-note text-2" role="status">
        {t.link.waiting} <Phrase text={t.link.expires} time={<Moment at={code.expires_at} />} />
      </p>
    </div>
  </Dialog>
)

const ConfirmDialog = ({ link, onClose }: { readonly link: MessengerLink; readonly onClose: () => void }) => {
  const confirm = useAct("messenger_links.confirm", {
    workspace: null,
    touches,
    done: t.confirm.done,
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={confirm}
      onClose={onClose}
      title={t.confirm.title}
      description={t.confirm.what(link.account.name, placeOf(link))}
      confirmText={t.confirm.yes}
      onConfirm={() => confirm.mutate({ params: { id: link.id } })}
      failed={t.confirm.failed}
      unchanged={t.confirm.unchanged}
    />
  )
}

const RemoveDialog = ({ link, onClose }: { readonly link: MessengerLink; readonly onClose: () => void }) => {
  const remove = useAct("messenger_links.remove", {
    workspace: null,
    touches,
    done: t.remove.done,
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.remove.title}
      description={t.remove.what(link.account.name)}
      confirmText={t.remove.act}
      onConfirm={() => remove.mutate({ params: { id: link.id } })}
      failed={t.remove.failed}
      unchanged={t.remove.unchanged}
    />
  )
}
