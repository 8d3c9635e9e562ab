/** The second step of a sign-in: the person's second factor. */
import type { LoginChallenge } from "@countersign/domain/factors"
import { isHubError } from "@countersign/hub-client/error"
import { Button } from "../components/button.tsx"
import { useAct, useHub } from "../hub/use-hub.ts"
import { securityText as t } from "../text/security.ts"
import { signInText } from "../text/sign-in.ts"
import { useConsole } from "./console-context.ts"
import { useFactorProof } from "./factor-proof.tsx"
import { FormFrame, FormSubmit } from "./form.tsx"

export interface FactorStepProps {
  readonly challenge: LoginChallenge["challenge"]
  /** The link to open. */
  readonly to: string | undefined
  readonly onBack: () => void
}

export const FactorStep = ({ challenge, onBack, to }: FactorStepProps) => {
  const { session } = useConsole()
  const hub = useHub()
  const call = useAct("auth.loginFactor", {
    workspace: null,
    anonymous: true,
    onDone: () => session.began(to)
  })
  const proof = useFactorProof({
    methods: challenge.methods,
    error: call.error,
    passkeyOptions: () =>
      hub.call("factors.passkeyOptions", { payload: { purpose: "login", challenge_id: challenge.id } })
  })
  const isOver = isHubError(call.error) && call.error.status === 401 && call.error.data["tries_left"] === undefined
  const submit = async () => {
    const proved = await proof.prove()
    if (proved !== undefined) call.mutate({ payload: { challenge_id: challenge.id, ...proved } })
  }
  return (
    <FormFrame call={call} disabled={proof.isImpossible} duringOutage validates onSubmit={() => void submit()}>
      {isOver ? <p role="alert">{t.step.ended}</p> : (
        <>
          {proof.fields}
          <FormSubmit variant="primary" wide act={t.signIn} pendingText={signInText.asking} />
        </>
      )}
      <Button variant="bare" wide onClick={onBack}>{t.step.back}</Button>
    </FormFrame>
  )
}
