/** One memory: to read, and to add or change with the permission. */
import type { Output, Row } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { percentText } from "../agents/percent-text.ts"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { NumberField, TextArea } from "../components/fields.tsx"
import { Id } from "../components/id.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { memoryGraphQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { actText as acts } from "../text/acts.ts"
import { memoriesText } from "../text/memories.ts"
import { payloadText as reveal } from "../text/payload.ts"
import styles from "./memories.module.css"

export type Memory = Row<"memories.list">

const t = memoriesText.dialog

export const memoryKinds = ["fact", "preference", "event", "skill"] as const

export interface MemoryDialogProps {
  readonly agent: Pick<Output<"agents.get">, "id" | "name">
  /** Undefined: a new one. */
  readonly memory: Memory | undefined
  readonly mayChange: boolean
  readonly onRemove: (memory: Memory) => void
  readonly onClose: () => void
}

const contentBytesMax = 8_192
const linksMax = 50

export const MemoryDialog = ({ agent, mayChange, memory, onClose, onRemove }: MemoryDialogProps) =>
  mayChange
    ? <Edit agent={agent} memory={memory} onRemove={onRemove} onClose={onClose} />
    : memory !== undefined && <Read memory={memory} onClose={onClose} />

const Read = ({ memory, onClose }: { readonly memory: Memory; readonly onClose: () => void }) => (
  <Dialog
    open
    onOpenChange={(open) => !open && onClose()}
    title={t.title}
    description={t.who}
    closeText={acts.close}
    width="wide"
  >
    <div className="grid gap-16">
      <p className={`type-body wrap-anywhere ${styles.text}`}>
        <RevealedText text={memory.content} texts={reveal} />
      </p>
      <KeyValueList
        items={[
          { key: "kind", name: memoriesText.kind, value: memoriesText.kinds[memory.kind] },
          { key: "tags", name: t.tags, value: memory.tags.length === 0 ? "–" : memory.tags.join(", ") },
          { key: "importance", name: t.importance, value: percentText(memory.importance) },
          {
            key: "changed",
            name: memoriesText.columns.updated,
            value: <RelativeTime at={memory.updated_at} now={hubClock.now} />
          },
          ...memory.expires_at === undefined
            ? []
            : [{ key: "expires", name: t.expires, value: <RelativeTime at={memory.expires_at} now={hubClock.now} /> }]
        ]}
      />
    </div>
  </Dialog>
)

const dayOf = (memory: Memory | undefined) => memory?.expires_at?.slice(0, 10) ?? ""
const tagsOf = (typed: string) => [...new Set(typed.split(",").map((tag) => tag.trim()).filter((tag) => tag !== ""))]

const Edit = ({ agent, memory, onClose, onRemove }: Omit<MemoryDialogProps, "mayChange">) => {
  const workspace = useWorkspaceId()
  const [content, setContent] = useState(memory?.content ?? "")
  const [kind, setKind] = useState<Memory["kind"]>(memory?.kind ?? "fact")
  const [tags, setTags] = useState(memory?.tags.join(", ") ?? "")
  const [importance, setImportance] = useState<number | undefined>(Math.round((memory?.importance ?? 0.5) * 100))
  const [day, setDay] = useState(dayOf(memory))
  const [links, setLinks] = useState<ReadonlyArray<Memory["id"]>>(memory?.links ?? [])
  const touches = ["memories"] as const
  const create = useAct("memories.create", { workspace, touches, done: t.added, onDone: onClose })
  const update = useAct("memories.update", { workspace, touches, done: t.saved, onDone: onClose })
  const call = memory === undefined ? create : update
  const isPast = day !== "" && day !== dayOf(memory) && Date.parse(`${day}T23:59:59Z`) <= hubClock.now()
  const isTooLong = new TextEncoder().encode(content).byteLength > contentBytesMax
  const submit = () => {
    const fields = {
      ...content === memory?.content ? {} : { content },
      ...kind === memory?.kind ? {} : { kind },
      ...tags === (memory?.tags.join(", ") ?? "") ? {} : { tags: tagsOf(tags) },
      ...importance === undefined || importance === Math.round((memory?.importance ?? 0.5) * 100)
        ? {}
        : { importance: importance / 100 },
      ...links.join() === (memory?.links ?? []).join() ? {} : { links }
    }
    const last = `${day}T23:59:59Z`
    if (memory === undefined) {
      create.mutate({
        params: { id: agent.id },
        payload: { ...fields, content, kind, ...day === "" ? {} : { expires_at: last } }
      })
    } else {
      const payload = { ...fields, ...day === dayOf(memory) ? {} : { expires_at: day === "" ? null : last } }
      if (Object.keys(payload).length === 0) onClose()
      else update.mutate({ params: { id: agent.id, memoryId: memory.id }, payload })
    }
  }
  return (
    <FormDialog
      title={memory === undefined ? t.addTitle : t.title}
      description={memory === undefined ? t.addAbout(agent.name) : t.about}
      width="wide"
      act={memory === undefined ? memoriesText.add : undefined}
      call={call}
      failed={memory === undefined ? t.addFailed : t.failed}
      unchanged={memory === undefined ? t.notAdded : t.unchanged}
      disabled={content.trim() === "" || isTooLong || isPast || importance === undefined}
      aside={memory !== undefined && (
        <Button
          variant="danger"
          disabled={call.isPending}
          onClick={() => onRemove(memory)}
        >
          {memoriesText.remove.act}
        </Button>
      )}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextArea
        label={t.content}
        description={t.contentAbout}
        value={content}
        onChange={setContent}
        rows={4}
        required
        path="content"
        error={isTooLong ? t.tooLong : undefined}
      />
      <RadioGroup
        label={memoriesText.kind}
        value={kind}
        onChange={setKind}
        options={memoryKinds.map((value) => ({
          value,
          text: memoriesText.kinds[value],
          description: memoriesText.kindsAbout[value]
        }))}
      />
      <TextField
        label={t.tags}
        aside={t.optional}
        description={t.tagsAbout}
        value={tags}
        onChange={setTags}
        path="tags"
      />
      <NumberField
        label={t.importance}
        description={t.importanceAbout}
        value={importance}
        onChange={setImportance}
        min={0}
        max={100}
        suffix="%"
        invalidText={t.wrongImportance}
        path="importance"
      />
      <TextField
        label={t.expires}
        aside={t.optional}
        description={t.expiresAbout}
        type="date"
        max="9999-12-31"
        value={day}
        onChange={setDay}
        path="expires_at"
        error={isPast ? t.past : undefined}
      />
      <Links agent={agent.id} own={memory?.id} links={links} onChange={setLinks} />
      {memory?.source !== undefined && (
        <p className="flex items-baseline gap-8 type-note text-2">
          {t.source} {memory.source.type} <Id value={memory.source.id} texts={acts.copying} />
        </p>
      )}
    </FormDialog>
  )
}

interface LinksProps {
  readonly agent: string
  readonly own: string | undefined
  readonly links: ReadonlyArray<Memory["id"]>
  readonly onChange: (links: ReadonlyArray<Memory["id"]>) => void
}

/** The choices are the memories of the graph. */
const Links = ({ agent, links, onChange, own }: LinksProps) => {
  const nodes = useQuery(memoryGraphQuery(useWorkspaceId(), agent)).data?.nodes ?? []
  const labelOf = (id: string) => nodes.find((node) => node.id === id)?.label ?? t.someMemory
  const choices = nodes.filter(({ id }) => id !== own && !links.includes(id))
  if (choices.length === 0 && links.length === 0) return null
  return (
    <section className="grid gap-8" aria-label={t.links}>
      <h3 className="type-label text-2">{t.links}</h3>
      {links.length === 0 ? <p className="type-note text-2">{t.noLinks}</p> : (
        <ul className="border rounded-control">
          {links.map((id) => (
            <li key={id} className={`flex items-center gap-8 type-body ${styles.row}`}>
              <span className="flex-1 truncate">
                <RevealedText line text={labelOf(id)} texts={reveal} />
              </span>
              <Button
                size="small"
                aria-label={t.removeLink(labelOf(id))}
                onClick={() => onChange(links.filter((each) => each !== id))}
              >
                {t.unlink}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {choices.length > 0 && links.length < linksMax && (
        <Select
          label={t.addLink}
          aside={t.optional}
          value={undefined}
          onChange={(id) => onChange([...links, id])}
          options={choices.map(({ id, label }) => ({ value: id, text: label }))}
          placeholder={t.addLinkPlaceholder}
          path="links"
        />
      )}
    </section>
  )
}
