/** Sign-in with email and password, and a second factor if the person has one; then back to the requested link. */
import type { LoginChallenge } from "@countersign/domain/factors"
import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { Button } from "../components/button.tsx"
import { TextField } from "../components/text-field.tsx"
import { signInMethodsQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { errorText as errors } from "../text/errors.ts"
import { securityText as factorText } from "../text/security.ts"
import { signInText as t } from "../text/sign-in.ts"
import { useConsole } from "./console-context.ts"
import { errorWords } from "./error-words.ts"
import { FactorStep } from "./factor-step.tsx"
import { Form } from "./form.tsx"
import { Gate } from "./gate.tsx"
import { returnTo } from "./return-to.ts"
import styles from "./sign-in-screen.module.css"

export const SignInScreen = () => {
  const { to } = useSearch({ from: "/sign-in" })
  return <SignIn to={to} />
}

const providerAddress = (to: string | undefined): string =>
  `/api/v1/auth/oidc/start?to=${encodeURIComponent(returnTo(to))}`

export interface SignInProps {
  /** The link to open. */
  readonly to: string | undefined
  /** Why the sign-in at the provider failed. */
  readonly failed?: string | undefined
  /** Of a sign-in at the provider that needs a second factor. */
  readonly begun?: LoginChallenge["challenge"] | undefined
}

export const SignIn = ({ begun, failed, to }: SignInProps) => {
  const { session } = useConsole()
  const methods = useQuery(signInMethodsQuery)
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [challenge, setChallenge] = useState(begun)
  const signIn = useAct("auth.login", {
    workspace: null,
    anonymous: true,
    onDone: (answer) => "challenge" in answer ? setChallenge(answer.challenge) : session.began(to)
  })
  useEffect(() => {
    document.title = t.documentTitle
  }, [])
  const wrong = signIn.error === null
    ? undefined
    : signIn.error.status === 401
    ? t.wrong
    : signIn.error.code === "sso_required"
    ? t.providerOnly
    : errorWords(errors, signIn.error)
  if (challenge !== undefined) {
    const back = () => {
      setChallenge(undefined)
      setPassword("")
    }
    return (
      <Gate title={factorText.step.title} lead={factorText.step.lead}>
        <FactorStep key={challenge.id} challenge={challenge} to={to} onBack={back} />
      </Gate>
    )
  }
  return (
    <Gate title={t.title} lead={to === undefined || to === "/invite" ? t.lead : t.signedOut}>
      {failed !== undefined && <p className="type-body weight-label text-stop" role="alert">{failed}</p>}
      {methods.data?.oidc === true && (
        <Button
          variant={methods.data.password ? "quiet" : "primary"}
          wide
          onClick={() => location.assign(providerAddress(to))}
        >
          {t.provider}
        </Button>
      )}
      {methods.data?.password === false && <p className="type-note text-2">{t.providerOnly}</p>}
      <Form
        act={t.submit}
        variant="primary"
        wide
        pendingText={t.asking}
        call={signIn}
        duringOutage
        validates
        onSubmit={() => signIn.mutate({ payload: { email: email.trim(), password } })}
      >
        <TextField
          label={t.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={setEmail}
        />
        <TextField
          label={t.password}
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
          error={wrong}
        />
      </Form>
      <details className={`type-note text-2 ${styles.forgot}`}>
        <summary>{t.forgot}</summary>
        <p>{t.forgotHow}</p>
        <code>{t.forgotCommand}</code>
      </details>
    </Gate>
  )
}
