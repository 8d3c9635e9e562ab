import { type SyntheticEvent, useState } from "react"
import { Problem } from "../app/problem.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { NewPasswordField } from "../setup/new-password-field.tsx"
import { judgePassword } from "../setup/password-rules.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"

export const PasswordForm = ({ email }: { readonly email: string }) => {
  const { account: t, asking } = settingsText
  const [current, setCurrent] = useState("")
  const [next, setNext] = useState("")
  const [tried, setTried] = useState(false)
  const mayAct = useMayAct()
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
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    setTried(true)
    if (current === "" || !isGood || change.isPending) return
    change.mutate({ payload: { current_password: current, new_password: next } })
  }
  const isWrong = change.error?.status === 403
  return (
    <Panel title={t.password}>
      <form className={styles.form} onSubmit={submit} noValidate>
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
        {change.error !== null && !isWrong && (
          <Problem inline error={change.error} failed={t.failed} unchanged={t.unchanged} />
        )}
        <Button type="submit" variant="primary" pending={change.isPending} pendingText={asking} disabled={!mayAct}>
          {t.change}
        </Button>
      </form>
    </Panel>
  )
}
