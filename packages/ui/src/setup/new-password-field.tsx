/**
 * A field for a new password: the rule below it, with the number of missing characters while typing, and a button to
 * show the password instead of a second field.
 */
import { Eye, EyeOff } from "lucide-react"
import { useState } from "react"
import { IconButton } from "../components/icon-button.tsx"
import { TextField } from "../components/text-field.tsx"
import { passwordText as t } from "../text/setup.ts"
import styles from "./new-password-field.module.css"
import { judgePassword, passwordLengthMax, passwordLengthMin } from "./password-rules.ts"

export interface NewPasswordFieldProps {
  readonly label?: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
  /** Of the password in the payload of the form around it. */
  readonly path?: string
}

export const NewPasswordField = ({ error, label, onChange, path, value }: NewPasswordFieldProps) => {
  const [shown, setShown] = useState(false)
  const verdict = judgePassword(value)
  const state = value === ""
    ? undefined
    : verdict.kind === "short"
    ? t.missing(verdict.missing)
    : verdict.kind === "long"
    ? t.tooLong(passwordLengthMax)
    : t.enough
  return (
    <TextField
      label={label ?? t.label}
      type={shown ? "text" : "password"}
      name="new-password"
      autoComplete="new-password"
      spellCheck={false}
      autoCapitalize="none"
      required
      value={value}
      onChange={onChange}
      error={error}
      path={path}
      aside={
        <span className={styles.state} data-verdict={value === "" ? undefined : verdict.kind} aria-live="polite">
          {state}
        </span>
      }
      description={t.rule(passwordLengthMin, passwordLengthMax)}
      suffix={
        <IconButton
          label={shown ? t.hide : t.show}
          icon={shown ? <EyeOff /> : <Eye />}
          onClick={() => setShown(!shown)}
        />
      }
    />
  )
}
