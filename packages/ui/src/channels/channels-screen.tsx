/** The notice channels of the workspace, newest first. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { Plus } from "lucide-react"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { channelPages, type NoticeChannel } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RowList } from "../patterns/row-list.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { SettingsFrame } from "../settings/settings-frame.tsx"
import { Phrase } from "../text/catalogue.ts"
import { channelsText as t } from "../text/channels.ts"
import { settingsText } from "../text/settings.ts"
import { CreateChannelDialog, EditChannelDialog } from "./channel-form.tsx"

/** A channel works once it has shown a message. */
const ChannelState = ({ channel: { last_sent_at, problem } }: { readonly channel: NoticeChannel }) =>
  problem !== undefined
    ? <StatusBadge status="failed">{t.broken}</StatusBadge>
    : last_sent_at === undefined
    ? <StatusBadge status="expired">{t.untried}</StatusBadge>
    : <StatusBadge status="executed">{t.works}</StatusBadge>

const nameOf = ({ kind, target }: NoticeChannel): string => t.of(t.kinds[kind], target)

type Open = { readonly act: "edit" | "delete"; readonly channel: NoticeChannel }

export const ChannelsScreen = () => {
  const workspace = useWorkspaceId()
  const mayManage = useCan()("workspace:write")
  const mayAct = useMayAct()
  const [isCreating, setCreating] = useState(false)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const pages = useInfiniteQuery({ ...channelPages(workspace), enabled: mayManage })
  const rows = rowsOf(pages.data)
  const test = useAct("notice_channels.test", {
    workspace,
    touches: ["notice_channels"],
    done: ({ interactive }) => interactive ? t.test.done : t.test.silent
  })
  useCommands(mayManage ? [{ id: "channels.new", text: t.create.title, run: () => setCreating(true) }] : [])
  const createButton = (
    <Button variant="primary" icon={<Plus />} disabled={!mayAct} onClick={() => setCreating(true)}>
      {t.create.act}
    </Button>
  )
  const acts = (channel: NoticeChannel) => (
    <>
      <ChannelState channel={channel} />
      <Button
        size="small"
        disabled={!mayAct}
        pending={test.isPending && test.variables.params.id === channel.id}
        aria-label={t.test.actOf(nameOf(channel))}
        onClick={() => test.mutate({ params: { id: channel.id } })}
      >
        {t.test.act}
      </Button>
      <Button
        size="small"
        disabled={!mayAct}
        aria-label={t.edit.actOf(nameOf(channel))}
        onClick={() => setOpen({ act: "edit", channel })}
      >
        {t.edit.act}
      </Button>
      <Button
        size="small"
        variant="danger"
        disabled={!mayAct}
        aria-label={t.remove.actOf(nameOf(channel))}
        onClick={() => setOpen({ act: "delete", channel })}
      >
        {t.remove.act}
      </Button>
    </>
  )
  return (
    <SettingsFrame section="channels" lead={t.lead} busy={pages.isFetching} action={mayManage && createButton}>
      {mayManage
        ? (
          <ScreenState query={pages}>
            {rows.length === 0 ? <EmptyState action={createButton}>{t.empty}</EmptyState> : (
              <Panel flush>
                <RowList
                  label={t.title}
                  rows={rows.map((channel) => ({
                    key: channel.id,
                    title: nameOf(channel),
                    detail: <ChannelFacts channel={channel} />,
                    acts: acts(channel)
                  }))}
                />
              </Panel>
            )}
            {test.error !== null && <Problem inline error={test.error} failed={t.test.failed} />}
            <MoreButton pages={pages}>{settingsText.more}</MoreButton>
          </ScreenState>
        )
        : <p className="type-body text-2">{t.noRight}</p>}
      {isCreating && <CreateChannelDialog onClose={() => setCreating(false)} />}
      {open?.act === "edit" && <EditChannelDialog channel={open.channel} onClose={close} />}
      {open?.act === "delete" && <DeleteChannelDialog channel={open.channel} onClose={close} />}
    </SettingsFrame>
  )
}

const ChannelFacts = ({ channel }: { readonly channel: NoticeChannel }) => (
  <>
    <span>{channel.events.map((event) => t.events[event]).join(", ")}</span>
    {channel.min_cents !== undefined && <span>{t.from(formatMoney(channel.min_cents))}</span>}
    {channel.agent_ids !== undefined && <span>{t.agentCount(channel.agent_ids.length)}</span>}
    <span>
      {channel.last_sent_at === undefined
        ? t.neverSent
        : <Phrase text={t.lastSent} time={<RelativeTime at={channel.last_sent_at} now={hubClock.now} />} />}
    </span>
    {channel.problem !== undefined && <span className="text-stop">{channel.problem}</span>}
  </>
)

const DeleteChannelDialog = (
  { channel, onClose }: { readonly channel: NoticeChannel; readonly onClose: () => void }
) => {
  const remove = useAct("notice_channels.remove", {
    workspace: useWorkspaceId(),
    touches: ["notice_channels"],
    done: t.remove.done,
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.remove.title}
      description={t.remove.what(nameOf(channel))}
      confirmText={t.remove.act}
      onConfirm={() => remove.mutate({ params: { id: channel.id } })}
      failed={t.remove.failed}
      unchanged={t.remove.unchanged}
    />
  )
}
