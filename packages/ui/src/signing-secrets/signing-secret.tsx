/** Signing secrets of triggers and webhook endpoints: shown once, and rotated with a grace period for the previous one. */
import { useState } from "react"
import { KeyDialog, type KeyTexts } from "../agents/key-dialog.tsx"
import { FormDialog, type FormDialogProps } from "../app/form.tsx"
import { Select } from "../components/select.tsx"
import { wholeMomentText } from "../patterns/moment-text.ts"

export interface ShownSecret {
  /** Of the trigger or the endpoint. */
  readonly name: string
  readonly secret: string
  /** After a rotation; absent for a new secret. */
  readonly previous?: { readonly until: string | undefined }
}

export interface SigningSecretDialogProps {
  readonly secret: ShownSecret
  readonly texts: KeyTexts & { readonly grace: (until: string) => string; readonly dead: string }
  readonly onKept: () => void
}

export const SigningSecretDialog = (
  { onKept, secret: { name, previous, secret }, texts: t }: SigningSecretDialogProps
) => (
  <KeyDialog
    name={name}
    apiKey={secret}
    before={previous === undefined
      ? undefined
      : previous.until === undefined
      ? t.dead
      : t.grace(wholeMomentText(Date.parse(previous.until)))}
    texts={t}
    onKept={onKept}
  />
)

const graces = [86_400, 0, 3_600, 604_800] as const
type Grace = (typeof graces)[number]

export interface RotateSecretFormProps extends Pick<FormDialogProps, "title" | "call" | "onClose"> {
  readonly texts: {
    readonly about: string
    readonly act: string
    readonly grace: string
    readonly graces: Readonly<Record<Grace, string>>
    readonly failed: string
    readonly unchanged: string
  }
  /** With the seconds for which the previous secret stays valid. */
  readonly onRotate: (graceSeconds: number) => void
}

export const RotateSecretForm = ({ call, onClose, onRotate, texts: t, title }: RotateSecretFormProps) => {
  const [grace, setGrace] = useState<Grace>(86_400)
  return (
    <FormDialog
      title={title}
      description={t.about}
      act={t.act}
      call={call}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={() => onRotate(grace)}
    >
      <Select
        label={t.grace}
        value={String(grace)}
        onChange={(value) => setGrace(graces.find((each) => String(each) === value) ?? 86_400)}
        options={graces.map((value) => ({ value: String(value), text: t.graces[value] }))}
        path="grace_seconds"
      />
    </FormDialog>
  )
}
