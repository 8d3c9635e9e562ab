/** The source of the document: pasted text, a local file, or an address that the hub fetches. */
import type { Output } from "@countersign/hub-client/contract"
import { useState } from "react"
import { FormFrame, FormProblem, FormSubmit } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Field } from "../components/field.tsx"
import { TextArea } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { TextField } from "../components/text-field.tsx"
import { useAct } from "../hub/use-hub.ts"
import { catalogText } from "../text/catalog.ts"
import styles from "./import-screen.module.css"

export type Source = { readonly openapi: string } | { readonly url: string }

export interface ImportSourceProps {
  readonly onRead: (source: Source, preview: Output<"services.previewImport">) => void
}

/** The hub's maximum size of a document. */
const fileBytesMax = 64 * 1024 * 1024
const froms = ["paste", "file", "address"] as const

export const ImportSource = ({ onRead }: ImportSourceProps) => {
  const t = catalogText.import
  const [from, setFrom] = useState<(typeof froms)[number]>("paste")
  const [text, setText] = useState("")
  const [file, setFile] = useState<{ readonly name: string; readonly text: string }>()
  const [fileProblem, setFileProblem] = useState<string>()
  const [url, setUrl] = useState("")
  const source: Source | undefined = from === "address"
    ? url.trim() === ""
      ? undefined
      : { url: url.trim() }
    : from === "paste"
    ? text.trim() === ""
      ? undefined
      : { openapi: text }
    : file === undefined
    ? undefined
    : { openapi: file.text }
  const preview = useAct("services.previewImport", {
    workspace: useWorkspaceId(),
    onDone: (answer, input) => onRead(input.payload as Source, answer)
  })
  const take = (picked: File | undefined) => {
    setFile(undefined)
    setFileProblem(undefined)
    preview.reset()
    if (picked === undefined) return
    if (picked.size > fileBytesMax) return setFileProblem(t.fileTooLarge)
    picked.text().then(
      (read) => setFile({ name: picked.name, text: read }),
      () => setFileProblem(t.fileUnreadable)
    )
  }
  return (
    <FormFrame
      className={styles.form}
      call={preview}
      failed={t.readFailed}
      unchanged={t.unchanged}
      places={["openapi", "url"]}
      disabled={source === undefined}
      onSubmit={() => {
        if (source !== undefined) preview.mutate({ payload: source })
      }}
    >
      <Panel title={t.source}>
        <div className="grid gap-16 min-w-0">
          <RadioGroup
            label={t.from}
            inline
            value={from}
            onChange={(next) => {
              setFrom(next)
              preview.reset()
            }}
            options={froms.map((value) => ({ value, text: t[value] }))}
          />
          {from === "paste" && (
            <TextArea
              label={t.text}
              mono
              rows={14}
              className={styles.document}
              value={text}
              onChange={setText}
              path="openapi"
            />
          )}
          {from === "file" && (
            <Field label={t.fileLabel} description={t.fileAbout} error={fileProblem} path="openapi">
              {(control) => (
                <input
                  {...control}
                  className={styles.file}
                  type="file"
                  accept=".json,.yaml,.yml,application/json,application/yaml,text/yaml"
                  onChange={(event) => take(event.currentTarget.files?.[0])}
                />
              )}
            </Field>
          )}
          {from === "address" && (
            <TextField
              label={t.url}
              type="url"
              mono
              description={t.urlAbout}
              value={url}
              onChange={setUrl}
              path="url"
            />
          )}
          <FormProblem />
          <div>
            <FormSubmit variant="primary" act={t.read} />
          </div>
        </div>
      </Panel>
    </FormFrame>
  )
}
