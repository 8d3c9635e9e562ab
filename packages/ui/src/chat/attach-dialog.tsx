/** Chooses files of the storage for the next message. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useSearchDraft } from "../app/search-draft.ts"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { Dialog } from "../components/dialog.tsx"
import { TextField } from "../components/text-field.tsx"
import { objectChoices, type ObjectRow } from "../hub/queries.ts"
import { sizeText } from "../storage/storage-words.ts"
import { actText } from "../text/acts.ts"
import { chatText } from "../text/chat.ts"

const choicesMax = 50
/** `attachmentsMax` of the contract, whose module would load its schemas. */
const attachmentsMax = 10

export type Attached = Pick<ObjectRow, "id" | "key" | "size_bytes">

interface AttachDialogProps {
  readonly attached: ReadonlyArray<Attached>
  readonly onAttach: (files: ReadonlyArray<Attached>) => void
  readonly onClose: () => void
}

export const AttachDialog = ({ attached, onAttach, onClose }: AttachDialogProps) => {
  const t = chatText.attach
  const workspace = useWorkspaceId()
  const [prefix, setPrefix] = useState("")
  const [draft, setDraft] = useSearchDraft(prefix, (value = "") => setPrefix(value))
  const [picked, setPicked] = useState<ReadonlyArray<Attached>>(attached)
  const objects = useQuery(objectChoices(workspace, prefix, choicesMax)).data?.data
  const isFull = picked.length >= attachmentsMax
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t.title}
      description={t.about}
      closeText={actText.close}
      footer={
        <>
          <Button onClick={onClose}>{actText.cancel}</Button>
          <Button
            variant="primary"
            onClick={() => {
              onAttach(picked)
              onClose()
            }}
          >
            {t.act}
          </Button>
        </>
      }
    >
      <div className="grid gap-16">
        <TextField label={t.prefix} mono value={draft} onChange={setDraft} />
        {objects?.length === 0 && <p className="type-body text-2">{t.none}</p>}
        <div className="grid gap-8" role="group" aria-label={t.files}>
          {objects?.map((object) => {
            const isPicked = picked.some(({ id }) => id === object.id)
            return (
              <Checkbox
                key={object.id}
                label={<span className="wrap-anywhere">{object.key}</span>}
                description={`${object.content_type}, ${sizeText(object.size_bytes)}`}
                checked={isPicked}
                disabled={isFull && !isPicked}
                onChange={(on) =>
                  setPicked((before) => on ? [...before, object] : before.filter(({ id }) => id !== object.id))}
              />
            )
          })}
        </div>
        {isFull && <p className="type-note text-2" role="status">{t.max(attachmentsMax)}</p>}
      </div>
    </Dialog>
  )
}
