/** Confirms the person by a second factor, or by the password of a person without one. */
import type { FactorMethod } from "@countersign/domain/factors"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { TextField } from "../components/text-field.tsx"
import { factorsQuery, meQuery } from "../hub/queries.ts"
import { useAct, useHub } from "../hub/use-hub.ts"
import { errorText as errors } from "../text/errors.ts"
import { shellText } from "../text/shell.ts"
import { errorWords } from "./error-words.ts"
import { useFactorProof } from "./factor-proof.tsx"
import { FormDialog } from "./form.tsx"
import { PendingOverlay } from "./pending-overlay.ts"
import { Problem } from "./problem.tsx"

const factorMethods: ReadonlyArray<FactorMethod> = ["passkey", "totp", "recovery_code"]

export interface StepUpDialogProps {
  /** `lifted`: whether the session is confirmed now. */
  readonly onEnd: (lifted: boolean) => void
}

const useLift = (onEnd: StepUpDialogProps["onEnd"]) =>
  useAct("auth.stepUp", { workspace: null, touches: ["auth.me"], onDone: () => onEnd(true) })

const StepUpDialog = ({ onEnd }: StepUpDialogProps) => {
  const factors = useQuery(factorsQuery)
  if (factors.data === undefined) {
    return factors.error === null
      ? <PendingOverlay onCancel={() => onEnd(false)} />
      : <Unknown error={factors.error} onEnd={onEnd} />
  }
  if (factors.data.step_up_methods.length === 1 && factors.data.step_up_methods[0] === "oidc") {
    return <ProviderDialog onEnd={onEnd} />
  }
  return factors.data.step_up_methods.includes("password")
    ? <PasswordDialog onEnd={onEnd} />
    : (
      <FactorDialog
        methods={factorMethods.filter((each) => factors.data.step_up_methods.includes(each))}
        onEnd={onEnd}
      />
    )
}

const Unknown = ({ error, onEnd }: StepUpDialogProps & { readonly error: unknown }) => {
  const t = shellText.stepUp
  return (
    <FormDialog
      title={t.title}
      width="narrow"
      act={t.confirm}
      call={{ isPending: false, error: null }}
      disabled
      onClose={() => onEnd(false)}
      onSubmit={() => {}}
    >
      <Problem inline error={error} failed={t.failed} />
    </FormDialog>
  )
}

const pollMillis = 1_500

/** The provider's page opens in another window; this one asks the hub until the session is confirmed. */
const ProviderDialog = ({ onEnd }: StepUpDialogProps) => {
  const t = shellText.stepUp
  const [isOpen, setOpen] = useState(false)
  const me = useQuery({ ...meQuery(null), refetchInterval: isOpen ? pollMillis : false })
  const isUp = me.data?.via.kind === "session" && me.data.via.stepped_up
  useEffect(() => {
    if (isOpen && isUp) onEnd(true)
  }, [isOpen, isUp, onEnd])
  return (
    <FormDialog
      title={t.title}
      description={t.providerWhat}
      width="narrow"
      act={t.provider}
      call={{ isPending: false, error: null }}
      onClose={() => onEnd(false)}
      onSubmit={() => {
        setOpen(true)
        window.open("/api/v1/auth/oidc/start?purpose=step_up&to=/stepped-up", "_blank")
      }}
    >
      {isOpen && <p className="type-body text-2" role="status">{t.providerWaiting}</p>}
    </FormDialog>
  )
}

const PasswordDialog = ({ onEnd }: StepUpDialogProps) => {
  const t = shellText.stepUp
  const [password, setPassword] = useState("")
  const field = useRef<HTMLInputElement>(null)
  const lift = useLift(onEnd)
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

const FactorDialog = (
  { methods, onEnd }: StepUpDialogProps & { readonly methods: ReadonlyArray<FactorMethod> }
) => {
  const t = shellText.stepUp
  const hub = useHub()
  const lift = useLift(onEnd)
  const proof = useFactorProof({
    methods,
    error: lift.error,
    passkeyOptions: () => hub.call("factors.passkeyOptions", { payload: { purpose: "step_up" } })
  })
  const submit = async () => {
    const proved = await proof.prove()
    if (proved !== undefined) lift.mutate({ payload: proved })
  }
  return (
    <FormDialog
      title={t.title}
      description={t.what}
      width="narrow"
      act={t.confirm}
      call={lift}
      disabled={proof.isImpossible}
      onClose={() => onEnd(false)}
      onSubmit={() => void submit()}
    >
      {proof.fields}
    </FormDialog>
  )
}

export default StepUpDialog
