/** Sets the OAuth client of a provider, or adds a provider with its own definition. */
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { CopyButton } from "../components/copy-button.tsx"
import { TextArea } from "../components/fields.tsx"
import { Link } from "../components/link.tsx"
import { TextField } from "../components/text-field.tsx"
import type { AppProviderRow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { actText as acts } from "../text/acts.ts"
import { appsText as all } from "../text/apps.ts"
import styles from "./apps-screen.module.css"

export interface SetUpDialogProps {
  /** Absent: the person describes a new provider. */
  readonly provider?: AppProviderRow
  /** The same for every provider. */
  readonly redirectUri: string
  readonly onClose: () => void
}

type Definition = NonNullable<Parameters<ReturnType<typeof usePut>["mutate"]>[0]["payload"]["definition"]>

const usePut = (done: () => void) =>
  useAct("apps.putProvider", {
    workspace: useWorkspaceId(),
    touches: ["apps"],
    done: ({ title }) => all.setting.done(title),
    onDone: done
  })

/** Undefined for text that is not a JSON object; the hub checks its fields. */
const definitionIn = (text: string): Definition | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Definition : undefined
  } catch {
    return undefined
  }
}

export const SetUpDialog = ({ onClose, provider, redirectUri }: SetUpDialogProps) => {
  const t = all.setting
  const [name, setName] = useState(provider?.name ?? "")
  const [id, setId] = useState(provider?.client?.source === "workspace" ? provider.client.client_id : "")
  const [secret, setSecret] = useState("")
  const [text, setText] = useState("")
  const put = usePut(onClose)
  const isOwn = provider?.shipped !== true
  const definition = definitionIn(text)
  return (
    <FormDialog
      title={provider === undefined ? t.newTitle : t.title(provider.title)}
      description={t.about}
      act={t.act}
      call={put}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={name.trim() === "" || id.trim() === "" || secret === "" || isOwn && definition === undefined}
      onClose={onClose}
      onSubmit={() =>
        put.mutate({
          params: { name: name.trim() },
          payload: {
            client_id: id.trim(),
            client_secret: secret.trim(),
            ...isOwn && definition !== undefined ? { definition } : {}
          }
        })}
    >
      <div className="grid gap-4">
        <span className="type-label">{t.redirect}</span>
        <div className="flex flex-wrap items-center gap-8">
          <code className={`type-mono wrap-anywhere ${styles.redirect}`}>{redirectUri}</code>
          <CopyButton
            value={redirectUri}
            texts={acts.copying}
          />
        </div>
        {provider?.setup_url !== undefined && (
          <Link href={provider.setup_url} target="_blank" rel="noopener noreferrer">{t.create(provider.title)}</Link>
        )}
      </div>
      {provider?.client?.source === "hub" && <p className="type-note text-2">{t.fromHub}</p>}
      {provider === undefined && (
        <TextField
          label={t.provider}
          description={t.providerAbout}
          mono
          maxLength={64}
          required
          value={name}
          onChange={setName}
          path="name"
        />
      )}
      <TextField
        label={t.id}
        mono
        required
        value={id}
        onChange={setId}
        description={provider?.configured === true ? t.ends : undefined}
        path="client_id"
      />
      <TextField
        label={t.secret}
        type="password"
        autoComplete="new-password"
        mono
        required
        value={secret}
        onChange={setSecret}
        description={t.secretAbout}
        path="client_secret"
      />
      {isOwn && (
        <TextArea
          label={t.definition}
          description={t.definitionAbout}
          mono
          rows={6}
          required
          value={text}
          onChange={setText}
          error={text.trim() !== "" && definition === undefined ? t.notJson : undefined}
          path="definition"
        />
      )}
    </FormDialog>
  )
}
