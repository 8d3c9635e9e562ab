/** Creates a notice channel, or changes one. */
import type { AgentId } from "@countersign/domain/ids"
import type { MessengerKind, NoticeEvent } from "@countersign/domain/notice-channels"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { MoneyField } from "../components/fields.tsx"
import { formatMoney } from "../components/money-text.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { agentPages, type NoticeChannel, secretChoices } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct, useHub } from "../hub/use-hub.ts"
import { keysField } from "../patterns/three-way.ts"
import { CommandBlock } from "../setup/command-block.tsx"
import { channelsText } from "../text/channels.ts"
import styles from "./channels.module.css"
import { discordEndpoint, slackManifest } from "./slack-manifest.ts"

const targetMax = 64
const eventNames = Object.keys(channelsText.events) as ReadonlyArray<NoticeEvent>

interface ChannelDraft {
  readonly kind: MessengerKind
  readonly secret: string
  readonly target: string
  readonly minCents: number | undefined
  readonly events: ReadonlyArray<NoticeEvent>
  readonly scope: "all" | "some"
  readonly agents: ReadonlyArray<AgentId>
}

const draftOf = ({ agent_ids, events, kind, min_cents, secret, target }: NoticeChannel): ChannelDraft => ({
  kind,
  secret: secret ?? "",
  target,
  minCents: min_cents,
  events,
  scope: agent_ids === undefined ? "all" : "some",
  agents: agent_ids ?? []
})

/** A channel with a connected app has no secret. */
const isComplete = ({ agents, events, scope, secret, target }: ChannelDraft, needsSecret: boolean): boolean =>
  (!needsSecret || secret !== "") && target.trim() !== "" && events.length > 0 &&
  (scope === "all" || agents.length > 0)

export const CreateChannelDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = channelsText.create
  const [draft, setDraft] = useState<ChannelDraft>({
    kind: "slack",
    secret: "",
    target: "",
    minCents: undefined,
    events: ["approval.created"],
    scope: "all",
    agents: []
  })
  const [isTried, setTried] = useState(false)
  const create = useAct("notice_channels.create", {
    workspace: useWorkspaceId(),
    touches: ["notice_channels"],
    done: t.done,
    onDone: onClose
  })
  return (
    <FormDialog
      title={t.title}
      width="wide"
      act={t.act}
      call={create}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (!isComplete(draft, true)) return
        const { agents, events, kind, minCents, scope, secret, target } = draft
        create.mutate({
          payload: {
            kind,
            secret,
            target: target.trim(),
            events,
            ...minCents === undefined ? {} : { min_cents: minCents },
            ...scope === "all" ? {} : { agent_ids: agents }
          }
        })
      }}
    >
      <RadioGroup
        label={channelsText.form.kind}
        value={draft.kind}
        onChange={(kind) => setDraft({ ...draft, kind })}
        options={[
          { value: "slack", text: channelsText.kinds.slack },
          { value: "discord", text: channelsText.kinds.discord }
        ]}
      />
      <SetupFields kind={draft.kind} />
      <ChannelFields draft={draft} onChange={setDraft} isTried={isTried} hasSecret />
    </FormDialog>
  )
}

export const EditChannelDialog = (
  { channel, onClose }: { readonly channel: NoticeChannel; readonly onClose: () => void }
) => {
  const { edit: t, form } = channelsText
  const [isTried, setTried] = useState(false)
  const edit = useEdit({
    endpoint: "notice_channels.update",
    workspace: useWorkspaceId(),
    touches: ["notice_channels"],
    done: t.done,
    onDone: onClose,
    loaded: channel,
    draftOf,
    fields: () => [
      keysField<ChannelDraft>(["secret"], form.secret, ({ secret }) => secret),
      keysField<ChannelDraft>(["target"], form.target, ({ target }) => target),
      keysField<ChannelDraft>(
        ["events"],
        form.shows,
        ({ events }) => events.map((event) => channelsText.events[event]).join(", ")
      ),
      keysField<ChannelDraft>(
        ["minCents"],
        form.min,
        ({ minCents }) => minCents === undefined ? "" : formatMoney(minCents)
      ),
      keysField<ChannelDraft>(
        ["scope", "agents"],
        form.agents,
        ({ agents, scope }) => scope === "all" ? form.allAgents : agents.join(", ")
      )
    ],
    input: (base, { agents, events, minCents, scope, secret, target }) => ({
      params: { id: base.id },
      payload: {
        ...secret === (base.secret ?? "") ? {} : { secret },
        ...target.trim() === base.target ? {} : { target: target.trim() },
        ...events.join() === base.events.join() ? {} : { events },
        ...minCents === base.min_cents ? {} : { min_cents: minCents ?? null },
        ...(scope === "all" ? "" : agents.join()) === (base.agent_ids ?? []).join()
          ? {}
          : { agent_ids: scope === "all" ? null : agents }
      }
    })
  })
  return (
    <FormDialog
      title={t.title}
      width="wide"
      call={edit}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (isComplete(edit.draft, channel.app_id === undefined)) edit.save()
      }}
    >
      <ChannelFields
        draft={edit.draft}
        onChange={edit.replace}
        isTried={isTried}
        hasSecret={channel.app_id === undefined}
      />
    </FormDialog>
  )
}

/** What a person does at the messenger first. The addresses are below the one that this page came from. */
const SetupFields = ({ kind }: { readonly kind: MessengerKind }) => {
  const t = channelsText.form
  const hub = new URL(useHub().downloadUrl("workspaces.list", {}), location.href).origin
  return (
    <section className="grid gap-8 min-w-0" aria-label={t.setup}>
      <p className="type-note text-2">{kind === "slack" ? t.slackSteps : t.discordSteps}</p>
      {kind === "slack"
        ? <CommandBlock label={t.manifest} copyText={t.copyManifest} command={slackManifest(hub)} />
        : <CommandBlock label={t.endpoint} copyText={t.copyEndpoint} command={discordEndpoint(hub)} />}
    </section>
  )
}

interface ChannelFieldsProps {
  readonly draft: ChannelDraft
  readonly onChange: (draft: ChannelDraft) => void
  /** The person has tried to submit: missing values are errors. */
  readonly isTried: boolean
  readonly hasSecret: boolean
}

const ChannelFields = ({ draft, hasSecret, isTried, onChange }: ChannelFieldsProps) => {
  const t = channelsText.form
  const secrets = useQuery(secretChoices(useWorkspaceId()))
  const { events, kind, minCents, scope, secret, target } = draft
  const names = (secrets.data?.data ?? []).map(({ name }) => name as string)
  return (
    <>
      {hasSecret && (
        <Select
          label={t.secret}
          description={t.secretAbout}
          value={secret}
          onChange={(secret) => onChange({ ...draft, secret })}
          options={[
            { value: "", text: t.noSecret },
            ...[...new Set([...names, ...secret === "" ? [] : [secret]])].map((name) => ({ value: name, text: name }))
          ]}
          error={isTried && secret === "" ? t.secretNeeded : undefined}
          path="secret"
        />
      )}
      <TextField
        label={t.target}
        description={t.targetAbout[kind]}
        mono
        required
        maxLength={targetMax}
        value={target}
        onChange={(target) => onChange({ ...draft, target })}
        error={isTried && target.trim() === "" ? t.targetNeeded : undefined}
        path="target"
      />
      <fieldset className="grid gap-8 w-full">
        <legend className={`w-full type-label ${styles.legend}`}>{t.shows}</legend>
        {isTried && events.length === 0 && (
          <p className="type-note weight-label text-stop" role="alert">{t.eventsNeeded}</p>
        )}
        {eventNames.map((event) => (
          <Checkbox
            key={event}
            label={channelsText.events[event]}
            checked={events.includes(event)}
            onChange={(isOn) =>
              onChange({
                ...draft,
                events: eventNames.filter((each) => each === event ? isOn : events.includes(each))
              })}
          />
        ))}
      </fieldset>
      <MoneyField
        label={t.min}
        aside={channelsText.optional}
        description={t.minAbout}
        invalidText={t.minInvalid}
        value={minCents}
        onChange={(minCents) => onChange({ ...draft, minCents })}
        path="min_cents"
      />
      <RadioGroup
        label={t.agents}
        value={scope}
        onChange={(scope) => onChange({ ...draft, scope })}
        options={[{ value: "all", text: t.allAgents }, { value: "some", text: t.someAgents }]}
      />
      {scope === "some" && <AgentFields draft={draft} onChange={onChange} isTried={isTried} />}
    </>
  )
}

const AgentFields = ({ draft, isTried, onChange }: Omit<ChannelFieldsProps, "hasSecret">) => {
  const t = channelsText.form
  const pages = useInfiniteQuery(agentPages(useWorkspaceId(), {}))
  const { agents } = draft
  return (
    <fieldset className="grid gap-8 w-full">
      <legend className={`w-full type-label ${styles.legend}`}>{t.someAgents}</legend>
      {isTried && agents.length === 0 && (
        <p className="type-note weight-label text-stop" role="alert">{t.agentsNeeded}</p>
      )}
      <div className={styles.agents}>
        {rowsOf(pages.data).map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={agents.includes(id)}
            onChange={(isOn) =>
              onChange({ ...draft, agents: isOn ? [...agents, id] : agents.filter((each) => each !== id) })}
          />
        ))}
      </div>
    </fieldset>
  )
}
