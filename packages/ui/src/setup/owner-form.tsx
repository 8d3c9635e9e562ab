/**
 * The first owner and the first workspace. The hub creates the workspace as `Default`; another name is set right after.
 */
import { useState } from "react"
import { Form } from "../app/form.tsx"
import { isEmail } from "../components/email.ts"
import { TextField } from "../components/text-field.tsx"
import { useAct, useHub } from "../hub/use-hub.ts"
import { setupText as t } from "../text/setup.ts"
import { NewPasswordField } from "./new-password-field.tsx"
import { judgePassword } from "./password-rules.ts"

export interface OwnerDraft {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly workspace: string
}

export interface Made {
  /** The workspace's id. */
  readonly workspace: string
  /** Whether it has the requested name. */
  readonly named: boolean
}

export interface OwnerFormProps {
  readonly token: string
  readonly draft: OwnerDraft
  readonly onDraft: (draft: OwnerDraft) => void
  readonly onRefused: (why: "dead" | "owned") => void
  readonly onMade: (made: Made) => void
}

const nameMax = 100

export const OwnerForm = ({ draft, onDraft, onMade, onRefused, token }: OwnerFormProps) => {
  const hub = useHub()
  const [isNaming, setNaming] = useState(false)
  const [tried, setTried] = useState(false)
  const set = (changed: Partial<OwnerDraft>) => onDraft({ ...draft, ...changed })
  const setup = useAct("auth.setup", {
    workspace: null,
    anonymous: true,
    onDone: async ({ active_workspace: id }) => {
      const name = draft.workspace.trim()
      if (name === "") return onMade({ workspace: id, named: true })
      setNaming(true)
      const named = await hub.call(
        "workspaces.update",
        { params: { id }, payload: { name } },
        { workspace: id }
      ).then(() => true, () => false)
      onMade({ workspace: id, named })
    }
  })
  const emailWrong = !isEmail(draft.email)
  const submit = () => {
    setTried(true)
    if (emailWrong || judgePassword(draft.password).kind !== "good") return
    const name = draft.name.trim()
    setup.mutate(
      { payload: { token, email: draft.email.trim(), password: draft.password, ...name === "" ? {} : { name } } },
      {
        onError: (error) => {
          if (error.status === 401) onRefused("dead")
          else if (error.status === 409) onRefused("owned")
        }
      }
    )
  }
  const { error } = setup
  const passwordMissing = tried && judgePassword(draft.password).kind !== "good"
  return (
    <Form
      className="grid gap-16 min-w-0"
      act={t.submit}
      variant="primary"
      wide
      pendingText={t.pending}
      call={{ isPending: setup.isPending || isNaming, error }}
      failed={error?.isUncertain === true ? t.uncertainTitle : t.failed}
      unchanged={error?.isUncertain === true ? undefined : t.unchanged}
      actions={error?.isUncertain === true && <p>{t.uncertain}</p>}
      duringOutage
      onSubmit={submit}
    >
      <TextField
        label={t.email}
        type="email"
        name="email"
        autoComplete="username"
        required
        autoFocus
        value={draft.email}
        onChange={(email) => set({ email })}
        description={t.emailAbout}
        error={tried && emailWrong ? t.notEmail : undefined}
        path="email"
      />
      <NewPasswordField
        value={draft.password}
        onChange={(password) => set({ password })}
        error={passwordMissing ? t.passwordNeeded : undefined}
        path="password"
      />
      <details open={draft.name !== "" || draft.workspace !== "" || undefined}>
        <summary>{t.more}</summary>
        <div className="grid gap-16 min-w-0">
          <TextField
            label={t.name}
            name="name"
            autoComplete="name"
            maxLength={nameMax}
            aside={t.optional}
            value={draft.name}
            onChange={(name) => set({ name })}
            description={t.nameAbout}
            path="name"
          />
          <TextField
            label={t.workspace}
            name="workspace"
            autoComplete="organization"
            maxLength={nameMax}
            aside={t.optional}
            value={draft.workspace}
            onChange={(workspace) => set({ workspace })}
            placeholder={t.workspaceUsual}
            description={t.workspaceAbout}
          />
        </div>
      </details>
    </Form>
  )
}
