/** Asks for the password, since the hub requires a recently confirmed session. */
import { useRef, useState } from "react"
import { TextField } from "../components/text-field.tsx"
import { useAct } from "../hub/use-hub.ts"
import { errorText as errors } from "../text/errors.ts"
import { shellText } from "../text/shell.ts"
import { errorWords } from "./error-words.ts"
import { FormDialog } from "./form.tsx"

export interface StepUpDialogProps {
  /** `lifted`: whether the session is confirmed now. */
  readonly onEnd: (lifted: boolean) => void
}

const StepUpDialog = ({ onEnd }: StepUpDialogProps) => {
  const t = shellText.stepUp
  const [password, setPassword] = useState("")
  const field = useRef<HTMLInputElement>(null)
  const lift = useAct("auth.stepUp", { workspace: null, touches: ["auth.me"], onDone: () => onEnd(true) })
  return (
    <FormDialog
      title={t.title}
      description={t.what}
      width="narrow"
      initialFocus={field}
      act={t.confirm}
      call={lift}
      validates
      onClose={() => onEnd(false)}
      onSubmit={() => lift.mutate({ payload: { password } })}
    >
      <TextField
        ref={field}
        label={t.password}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
        error={lift.error === null ? undefined : errorWords(errors, lift.error)}
      />
    </FormDialog>
  )
}

export default StepUpDialog
