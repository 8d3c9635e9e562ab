/** Changes of one file: its key, its metadata, its deletion, and its return. */
import { isHubError } from "@countersign/hub-client/error"
import { Plus, X } from "lucide-react"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { TextField } from "../components/text-field.tsx"
import type { ObjectRow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { storageText as t } from "../text/storage.ts"
import styles from "./storage-screen.module.css"
import { nameOf } from "./storage-words.ts"

/** `metadataEntriesMax` of the contract. */
const entriesMax = 50

interface ActProps {
  readonly object: ObjectRow
  readonly onClose: () => void
}

export const RenameDialog = ({ object, onClose }: ActProps) => {
  const words = t.renaming
  const [key, setKey] = useState(object.key)
  const save = useAct("storage.update", {
    workspace: useWorkspaceId(),
    touches: ["storage"],
    done: ({ key }) => words.done(nameOf(key)),
    onDone: onClose
  })
  return (
    <FormDialog
      title={words.title(nameOf(object.key))}
      act={t.rename}
      call={save}
      failed={words.failed}
      unchanged={words.unchanged}
      disabled={key.trim() === "" || key === object.key}
      onClose={onClose}
      onSubmit={() => save.mutate({ params: { id: object.id }, payload: { key: key.trim() } })}
    >
      <TextField label={words.key} description={words.about} mono required value={key} onChange={setKey} path="key" />
    </FormDialog>
  )
}

export const MetadataDialog = ({ object, onClose }: ActProps) => {
  const words = t.metadata
  const [entries, setEntries] = useState<ReadonlyArray<readonly [name: string, value: string]>>(() => {
    const before = Object.entries(object.metadata)
    return before.length === 0 ? [["", ""]] : before
  })
  const save = useAct("storage.update", {
    workspace: useWorkspaceId(),
    touches: ["storage"],
    done: words.done,
    onDone: onClose
  })
  const filled = entries.filter(([name, value]) => name.trim() !== "" || value !== "").map(([name, value]) =>
    [name.trim(), value] as const
  )
  const isTwice = (at: number) => {
    const name = entries[at]?.[0].trim() ?? ""
    return name !== "" && entries.findIndex(([each]) => each.trim() === name) < at
  }
  const change = (at: number, entry: readonly [string, string]) =>
    setEntries((before) => before.map((each, index) => index === at ? entry : each))
  return (
    <FormDialog
      title={words.title(nameOf(object.key))}
      description={words.about}
      call={save}
      failed={words.failed}
      unchanged={words.unchanged}
      disabled={entries.some((_, at) => isTwice(at)) || filled.some(([name]) => name === "")}
      onClose={onClose}
      onSubmit={() => save.mutate({ params: { id: object.id }, payload: { metadata: Object.fromEntries(filled) } })}
    >
      {entries.map(([name, value], at) => (
        <div key={at} className={`grid gap-8 ${styles.entry}`}>
          <TextField
            label={words.name(at + 1)}
            labelHidden
            placeholder={words.name(at + 1)}
            mono
            maxLength={64}
            value={name}
            onChange={(next) => change(at, [next, value])}
            error={isTwice(at) ? words.twice : undefined}
          />
          <TextField
            label={words.value(at + 1)}
            labelHidden
            placeholder={words.value(at + 1)}
            maxLength={500}
            value={value}
            onChange={(next) => change(at, [name, next])}
          />
          <IconButton
            label={words.remove(at + 1)}
            icon={<X />}
            onClick={() => setEntries((before) => before.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <div>
        <Button
          size="small"
          icon={<Plus />}
          disabled={entries.length >= entriesMax}
          onClick={() => setEntries((before) => [...before, ["", ""]])}
        >
          {words.add}
        </Button>
      </div>
    </FormDialog>
  )
}

interface EndProps extends ActProps {
  readonly onDone: () => void
}

export const RemoveDialog = ({ object, onClose, onDone }: EndProps) => {
  const words = t.removing
  const name = nameOf(object.key)
  const remove = useAct("storage.remove", {
    workspace: useWorkspaceId(),
    touches: ["storage"],
    done: words.done(name),
    onDone: () => {
      onClose()
      onDone()
    }
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={words.title(name)}
      description={words.about}
      confirmText={words.act}
      onConfirm={() => remove.mutate({ params: { id: object.id } })}
      failed={words.failed}
      unchanged={words.unchanged}
    />
  )
}

export const RestoreDialog = ({ object, onClose, onDone }: EndProps) => {
  const words = t.restoring
  const name = nameOf(object.key)
  const restore = useAct("storage.restore", {
    workspace: useWorkspaceId(),
    touches: ["storage"],
    done: words.done(name),
    onDone: () => {
      onClose()
      onDone()
    }
  })
  const { error } = restore
  return (
    <ConfirmAct
      call={restore}
      danger={false}
      onClose={onClose}
      title={words.title(name)}
      description={words.about(object.key)}
      confirmText={words.act}
      onConfirm={() => restore.mutate({ params: { id: object.id } })}
      failed={words.failed}
      unchanged={isHubError(error) && error.code === "key_taken" ? words.taken : words.unchanged}
    />
  )
}
