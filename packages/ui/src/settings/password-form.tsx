import { useState } from "react"
import { Form } from "../app/form.tsx"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { NewPasswordField } from "../setup/new-password-field.tsx"
import { judgePassword } from "../setup/password-rules.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"

export const PasswordForm = ({ email }: { readonly email: string }) => {
  const { account: t } = settingsText
  const [current, setCurrent] = useState("")
  const [next, setNext] = useState("")
  const [tried, setTried] = useState(false)
  const change = useAct("auth.password", {
    workspace: null,
    touches: ["auth.sessions"],
    onDone: () => {
      setCurrent("")
      setNext("")
      setTried(false)
      showToast({ text: t.changed })
    }
  })
  const isGood = judgePassword(next).kind === "good"
  const submit = () => {
    setTried(true)
    if (current !== "" && isGood) change.mutate({ payload: { current_password: current, new_password: next } })
  }
  const isWrong = change.error?.status === 403
  return (
    <Panel title={t.password}>
      <Form
        className={styles.form}
        variant="primary"
        act={t.change}
        call={change}
        failed={isWrong ? undefined : t.failed}
        unchanged={t.unchanged}
        onSubmit={submit}
      >
        <p className="type-body text-2">{t.passwordWhat}</p>
        {/* For password managers, to identify the account. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <TextField
          label={t.current}
          className={styles.field}
          type="password"
          name="current-password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(value) => {
            setCurrent(value)
            if (change.isError) change.reset()
          }}
          error={isWrong || (tried && current === "") ? t.wrong : undefined}
        />
        <div className={styles.field}>
          <NewPasswordField
            label={t.next}
            value={next}
            onChange={setNext}
            error={tried && !isGood ? t.choose : undefined}
          />
        </div>
      </Form>
    </Panel>
  )
}
