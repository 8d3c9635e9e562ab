/** The message to write: Enter sends it, Shift and Enter start a line. Stop takes the place of Send during an answer. */
import { Paperclip, SendHorizontal, Square, X } from "lucide-react"
import { type KeyboardEvent, type Ref, useState } from "react"
import { useCan } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { TextArea } from "../components/fields.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { useMayAct } from "../live/connection.ts"
import { nameOf } from "../storage/storage-words.ts"
import { chatText } from "../text/chat.ts"
import { AttachDialog, type Attached } from "./attach-dialog.tsx"
import styles from "./chat.module.css"
import { ModelPicker } from "./model-picker.tsx"

/** `messageTextMax` of the contract, whose module would load its schemas. */
const messageTextMax = 262_144

export interface Draft {
  readonly text: string
  readonly attached: ReadonlyArray<Attached>
  readonly force: boolean
  /** The edited message: the new one takes its place in another branch. */
  readonly editing?: string
}

export const emptyDraft: Draft = { text: "", attached: [], force: false }

export interface ComposerProps {
  readonly ref: Ref<HTMLTextAreaElement>
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  readonly onSend: () => void
  readonly isSending: boolean
  /** An answer is open: it can be stopped, and nothing else can be sent. */
  readonly isOpen: boolean
  readonly onStop: () => void
  readonly isStopping: boolean
  readonly model: string
  readonly onModel: (model: string) => void
  readonly isModelPending: boolean
}

export const Composer = (
  { draft, isModelPending, isOpen, isSending, isStopping, model, onDraft, onModel, onSend, onStop, ref }: ComposerProps
) => {
  const t = chatText.composer
  const mayAct = useMayAct()
  const mayAttach = useCan()("storage:read")
  const [isAttaching, setAttaching] = useState(false)
  const isEmpty = draft.text.trim() === "" && draft.attached.length === 0
  const canSend = mayAct && !isEmpty && !isOpen && !isSending
  const { editing: _editing, ...unedited } = draft

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault()
      if (canSend) onSend()
    } else if (event.key === "Escape") {
      event.stopPropagation()
      if (isOpen) onStop()
      else if (draft.editing !== undefined) onDraft(emptyDraft)
      else event.currentTarget.blur()
    }
  }

  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) onSend()
      }}
    >
      {draft.editing !== undefined && (
        <p className="flex flex-wrap items-center gap-8 type-note text-2">
          {t.editing}
          <Button size="small" variant="bare" onClick={() => onDraft({ ...unedited, text: "" })}>{t.cancelEdit}</Button>
        </p>
      )}
      {draft.attached.length > 0 && (
        <ul className="flex flex-wrap gap-8" aria-label={t.attached}>
          {draft.attached.map((file) => (
            <li key={file.id} className={styles.file}>
              <span className="truncate type-note" title={file.key}>{nameOf(file.key)}</span>
              <IconButton
                label={t.detach(nameOf(file.key))}
                icon={<X size={14} />}
                onClick={() => onDraft({ ...draft, attached: draft.attached.filter(({ id }) => id !== file.id) })}
              />
            </li>
          ))}
        </ul>
      )}
      <TextArea
        ref={ref}
        className={styles.message}
        label={t.label}
        labelHidden
        placeholder={t.placeholder}
        rows={2}
        maxLength={messageTextMax}
        value={draft.text}
        onChange={(text) => onDraft({ ...draft, text })}
        onKeyDown={onKeyDown}
      />
      <div className="flex flex-wrap items-center gap-8 gap-x-12">
        {mayAttach && <IconButton label={t.attach} icon={<Paperclip />} onClick={() => setAttaching(true)} />}
        <ModelPicker value={model} onChange={onModel} pending={isModelPending} disabled={!mayAct} />
        <Checkbox label={t.force} checked={draft.force} onChange={(force) => onDraft({ ...draft, force })} />
        <span className="ms-auto flex gap-8">
          {isOpen
            ? (
              <Button
                icon={<Square size={14} />}
                pending={isStopping}
                pendingText={t.stopping}
                disabled={!mayAct}
                onClick={onStop}
              >
                {t.stop}
              </Button>
            )
            : (
              <Button
                type="submit"
                variant="primary"
                icon={<SendHorizontal size={14} />}
                pending={isSending}
                pendingText={t.sending}
                disabled={!mayAct || isEmpty}
              >
                {t.send}
              </Button>
            )}
        </span>
      </div>
      <p className={`type-meta text-3 ${styles.hint}`}>{t.hint}</p>
      {isAttaching && (
        <AttachDialog
          attached={draft.attached}
          onAttach={(attached) => onDraft({ ...draft, attached })}
          onClose={() => setAttaching(false)}
        />
      )}
    </form>
  )
}
