/** Adds a document from pasted text, or from a file in Storage. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useSearchDraft } from "../app/search-draft.ts"
import { useWorkspaceId } from "../app/session.ts"
import { TextArea } from "../components/fields.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { objectChoices } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { sizeText } from "../storage/storage-words.ts"
import { knowledgeText } from "../text/knowledge.ts"

interface AddProps {
  readonly collection: string
  readonly onClose: () => void
}

type Format = "text/plain" | "text/markdown" | "text/html"
const formats: ReadonlyArray<Format> = ["text/plain", "text/markdown", "text/html"]
/** `documentTitleMax` of the contract. */
const titleMax = 300
const choicesMax = 20

const useAdd = (words: { readonly done: (title: string) => string }, onDone: () => void) =>
  useAct("knowledge.addDocument", {
    workspace: useWorkspaceId(),
    touches: ["knowledge.listDocuments", "knowledge.getCollection"],
    done: ({ title }) => words.done(title),
    onDone
  })

export const PasteDialog = ({ collection, onClose }: AddProps) => {
  const words = knowledgeText.pasting
  const [title, setTitle] = useState("")
  const [format, setFormat] = useState<Format>("text/plain")
  const [text, setText] = useState("")
  const add = useAdd(words, onClose)
  return (
    <FormDialog
      width="wide"
      title={words.title}
      act={words.act}
      call={add}
      failed={words.failed}
      unchanged={words.unchanged}
      disabled={text.trim() === ""}
      onClose={onClose}
      onSubmit={() =>
        add.mutate({
          params: { id: collection },
          payload: { text, content_type: format, ...title.trim() === "" ? {} : { title: title.trim() } }
        })}
    >
      <TextField
        label={words.name}
        description={words.nameAbout}
        value={title}
        onChange={setTitle}
        maxLength={titleMax}
        path="title"
      />
      <Select
        label={words.format}
        value={format}
        onChange={setFormat}
        options={formats.map((value) => ({ value, text: knowledgeText.documents.types[value] }))}
      />
      <TextArea label={words.text} rows={8} required value={text} onChange={setText} path="text" />
    </FormDialog>
  )
}

export const PickDialog = ({ collection, onClose }: AddProps) => {
  const words = knowledgeText.picking
  const workspace = useWorkspaceId()
  const [prefix, setPrefix] = useState("")
  const [draft, setDraft] = useSearchDraft(prefix, (value = "") => setPrefix(value))
  const [picked, setPicked] = useState<string>()
  const objects = useQuery(objectChoices(workspace, prefix, choicesMax)).data?.data
  const add = useAdd(words, onClose)
  return (
    <FormDialog
      title={words.title}
      description={words.about}
      act={words.act}
      call={add}
      failed={words.failed}
      unchanged={words.unchanged}
      disabled={objects?.some(({ id }) => id === picked) !== true}
      onClose={onClose}
      onSubmit={() =>
        picked !== undefined && add.mutate({ params: { id: collection }, payload: { object_id: picked } })}
    >
      <TextField label={words.prefix} mono value={draft} onChange={setDraft} />
      {objects?.length === 0
        ? <p className="type-body text-2">{words.none}</p>
        : (
          <RadioGroup
            label={words.files}
            value={picked}
            onChange={setPicked}
            options={(objects ?? []).map(({ content_type, id, key, size_bytes }) => ({
              value: id,
              text: <span className="wrap-anywhere">{key}</span>,
              description: `${content_type}, ${sizeText(size_bytes)}`
            }))}
          />
        )}
    </FormDialog>
  )
}
