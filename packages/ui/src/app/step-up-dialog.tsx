/** Asks for the password, since the hub requires a recently confirmed session. */
import { useId, useRef, useState } from "react"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { TextField } from "../components/text-field.tsx"
import { useAct } from "../hub/use-hub.ts"
import { actText as acts } from "../text/acts.ts"
import { errorText as errors } from "../text/errors.ts"
import { shellText } from "../text/shell.ts"
import { errorWords } from "./error-words.ts"

export interface StepUpDialogProps {
  /** `lifted`: whether the session is confirmed now. */
  readonly onEnd: (lifted: boolean) => void
}

const StepUpDialog = ({ onEnd }: StepUpDialogProps) => {
  const t = shellText.stepUp
  const form = useId()
  const [password, setPassword] = useState("")
  const field = useRef<HTMLInputElement>(null)
  const lift = useAct("auth.stepUp", { workspace: null, touches: ["auth.me"], onDone: () => onEnd(true) })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onEnd(false)}
      title={t.title}
      description={t.what}
      closeText={acts.close}
      width="narrow"
      initialFocus={field}
      held={lift.isPending}
      footer={
        <>
          <Button onClick={() => onEnd(false)} disabled={lift.isPending}>{acts.cancel}</Button>
          <Button type="submit" form={form} variant="primary" pending={lift.isPending} pendingText={acts.asking}>
            {t.confirm}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (!lift.isPending) lift.mutate({ payload: { password } })
        }}
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
      </form>
    </Dialog>
  )
}

export default StepUpDialog
