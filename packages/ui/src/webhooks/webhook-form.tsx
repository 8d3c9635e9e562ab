/** Creates a webhook endpoint, or changes one. */
import type { WebhookType } from "@countersign/domain/webhook-endpoints"
import type { Output } from "@countersign/hub-client/contract"
import { useRef, useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { TextField } from "../components/text-field.tsx"
import type { WebhookEndpoint } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { keysField } from "../patterns/three-way.ts"
import { webhooksText } from "../text/webhooks.ts"
import { isAll, selectableTypes } from "./webhook-types.ts"
import styles from "./webhooks.module.css"

const urlMax = 2_048
const descriptionMax = 500

interface WebhookDraft {
  readonly url: string
  readonly description: string
  readonly scope: "all" | "some"
  readonly types: ReadonlyArray<WebhookType>
}

const draftOf = ({ description, types, url }: WebhookEndpoint): WebhookDraft => ({
  url,
  description,
  scope: isAll(types) ? "all" : "some",
  types: isAll(types) ? [] : types
})

const isComplete = ({ scope, types, url }: WebhookDraft): boolean =>
  url.trim() !== "" && (scope === "all" || types.length > 0)

export const CreateWebhookDialog = ({ onClose, onMade }: {
  readonly onClose: () => void
  readonly onMade: (endpoint: Output<"webhook_endpoints.create">) => void
}) => {
  const t = webhooksText.create
  const [draft, setDraft] = useState<WebhookDraft>({ url: "", description: "", scope: "all", types: [] })
  const [isTried, setTried] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const create = useAct("webhook_endpoints.create", {
    workspace: useWorkspaceId(),
    touches: ["webhook_endpoints"],
    onDone: onMade
  })
  return (
    <FormDialog
      title={t.title}
      description={t.about}
      width="wide"
      act={t.act}
      call={create}
      failed={t.failed}
      unchanged={t.unchanged}
      initialFocus={field}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (!isComplete(draft)) return
        const { description, scope, types, url } = draft
        create.mutate({
          payload: {
            url: url.trim(),
            ...description.trim() === "" ? {} : { description: description.trim() },
            ...scope === "all" ? {} : { types }
          }
        })
      }}
    >
      <WebhookFields draft={draft} onChange={setDraft} isTried={isTried} field={field} />
    </FormDialog>
  )
}

export const EditWebhookDialog = (
  { endpoint, onClose }: { readonly endpoint: WebhookEndpoint; readonly onClose: () => void }
) => {
  const { edit: t, form } = webhooksText
  const [isTried, setTried] = useState(false)
  const edit = useEdit({
    endpoint: "webhook_endpoints.update",
    workspace: useWorkspaceId(),
    touches: ["webhook_endpoints"],
    done: t.done,
    onDone: onClose,
    loaded: endpoint,
    draftOf,
    fields: () => [
      keysField<WebhookDraft>(["url"], form.url, ({ url }) => url),
      keysField<WebhookDraft>(["description"], form.description, ({ description }) => description),
      keysField<WebhookDraft>(
        ["scope", "types"],
        form.events,
        ({ scope, types }) => scope === "all" ? form.all : types.join(", ")
      )
    ],
    input: (base, { description, scope, types, url }) => {
      const before = draftOf(base)
      const isSame = before.scope === scope && before.types.join() === types.join()
      return {
        params: { id: base.id },
        payload: {
          ...url.trim() === before.url ? {} : { url: url.trim() },
          ...description.trim() === before.description ? {} : { description: description.trim() },
          ...isSame ? {} : { types: scope === "all" ? null : types }
        }
      }
    }
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
        if (isComplete(edit.draft)) edit.save()
      }}
    >
      <WebhookFields draft={edit.draft} onChange={edit.replace} isTried={isTried} />
    </FormDialog>
  )
}

interface WebhookFieldsProps {
  readonly draft: WebhookDraft
  readonly onChange: (draft: WebhookDraft) => void
  /** The person has tried to submit: missing values are errors. */
  readonly isTried: boolean
  readonly field?: React.RefObject<HTMLInputElement | null>
}

const WebhookFields = ({ draft, field, isTried, onChange }: WebhookFieldsProps) => {
  const t = webhooksText.form
  const { description, scope, types, url } = draft
  return (
    <>
      <TextField
        ref={field}
        label={t.url}
        description={t.urlAbout}
        type="url"
        mono
        required
        maxLength={urlMax}
        placeholder={t.urlExample}
        value={url}
        onChange={(url) => onChange({ ...draft, url })}
        error={isTried && url.trim() === "" ? t.urlNeeded : undefined}
        path="url"
      />
      <TextField
        label={t.description}
        aside={webhooksText.optional}
        maxLength={descriptionMax}
        value={description}
        onChange={(description) => onChange({ ...draft, description })}
        path="description"
      />
      <RadioGroup
        label={t.events}
        value={scope}
        onChange={(scope) => onChange({ ...draft, scope })}
        options={[
          { value: "all", text: t.all, description: t.allAbout },
          { value: "some", text: t.some, description: t.someAbout }
        ]}
      />
      {scope === "some" && (
        <TypeFields
          types={types}
          onChange={(types) => onChange({ ...draft, types })}
          isTried={isTried}
        />
      )}
    </>
  )
}

const TypeFields = ({ isTried, onChange, types }: {
  readonly types: ReadonlyArray<WebhookType>
  readonly onChange: (types: ReadonlyArray<WebhookType>) => void
  readonly isTried: boolean
}) => {
  const t = webhooksText.form
  const set = (type: WebhookType, isOn: boolean) =>
    onChange(selectableTypes.filter((each) => each === type ? isOn : types.includes(each)))
  return (
    <fieldset className="grid gap-12 w-full">
      <legend className={`w-full type-label ${styles.legend}`}>{t.types}</legend>
      <div className="flex flex-wrap items-center gap-12">
        <Button size="small" onClick={() => onChange(selectableTypes)}>{t.selectAll}</Button>
        <Button size="small" variant="bare" onClick={() => onChange([])}>{t.selectNone}</Button>
      </div>
      {isTried && types.length === 0 && <p className="type-note weight-label text-stop" role="alert">{t.typesNeeded}
      </p>}
      <div className={styles.types}>
        {selectableTypes.map((type) => (
          <Checkbox
            key={type}
            label={<code className="type-mono">{type}</code>}
            description={webhooksText.types[type]}
            checked={types.includes(type)}
            onChange={(isOn) => set(type, isOn)}
          />
        ))}
      </div>
    </fieldset>
  )
}
