/** Sets the value of a secret. Only this form holds it, until it closes. */
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { secretsText } from "../text/secrets.ts"

export interface SetSecretDialogProps {
  /** Without it the person enters the name. */
  readonly name?: string | undefined
  /** A value already exists. */
  readonly replaces?: boolean
  readonly onClose: () => void
  readonly onStored?: ((name: string) => void) | undefined
}

export const SetSecretDialog = ({ name: given, onClose, onStored, replaces = false }: SetSecretDialogProps) => {
  const t = secretsText.set
  const [name, setName] = useState(given ?? "")
  const [value, setValue] = useState("")
  const [isShown, setShown] = useState(false)
  const put = useAct("secrets.put", {
    workspace: useWorkspaceId(),
    touches: ["secrets", "services"],
    onDone: (secret) => {
      showToast({ text: t.done(secret.name) })
      onStored?.(secret.name)
      onClose()
    }
  })
  return (
    <FormDialog
      title={given === undefined ? t.newTitle : replaces ? t.replaceTitle(given) : t.title(given)}
      description={replaces ? t.replaceAbout : t.about}
      width="narrow"
      act={replaces ? t.replaceAct : t.act}
      call={put}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={name.trim() === "" || value === ""}
      onClose={onClose}
      onSubmit={() => {
        put.mutate({ params: { name: name.trim() }, payload: { value } })
      }}
    >
      {given === undefined && (
        <TextField
          label={t.name}
          description={t.nameAbout}
          mono
          maxLength={64}
          required
          value={name}
          onChange={setName}
          path="name"
        />
      )}
      <TextField
        label={t.value}
        type={isShown ? "text" : "password"}
        autoComplete="new-password"
        mono
        required
        value={value}
        onChange={setValue}
        description={value !== value.trim() ? t.blank : undefined}
        path="value"
      />
      <Checkbox label={t.show} checked={isShown} onChange={setShown} />
    </FormDialog>
  )
}
