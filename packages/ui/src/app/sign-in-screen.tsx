/** Sign-in with email and password, and a second factor if the person has one; then back to the requested link. */
import type { LoginChallenge } from "@countersign/domain/factors"
import { useSearch } from "@tanstack/react-router"
import { type SyntheticEvent, useEffect, useState } from "react"
import { Button } from "../components/button.tsx"
import { TextField } from "../components/text-field.tsx"
import { useAct } from "../hub/use-hub.ts"
import { errorText as errors } from "../text/errors.ts"
import { securityText as factorText } from "../text/security.ts"
import { signInText as t } from "../text/sign-in.ts"
import { useConsole } from "./console-context.ts"
import { errorWords } from "./error-words.ts"
import { FactorStep } from "./factor-step.tsx"
import { Gate } from "./gate.tsx"
import styles from "./sign-in-screen.module.css"

export const SignInScreen = () => {
  const { session } = useConsole()
  const { to } = useSearch({ from: "/sign-in" })
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [challenge, setChallenge] = useState<LoginChallenge["challenge"]>()
  const signIn = useAct("auth.login", {
    workspace: null,
    anonymous: true,
    onDone: (answer) => "challenge" in answer ? setChallenge(answer.challenge) : session.began(to)
  })
  useEffect(() => {
    document.title = t.documentTitle
  }, [])
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!signIn.isPending) signIn.mutate({ payload: { email: email.trim(), password } })
  }
  const wrong = signIn.error === null
    ? undefined
    : signIn.error.status === 401
    ? t.wrong
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
      <form className="grid gap-16" onSubmit={submit}>
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
        <Button type="submit" variant="primary" wide pending={signIn.isPending} pendingText={t.asking}>
          {t.submit}
        </Button>
      </form>
      <details className={`type-note text-2 ${styles.forgot}`}>
        <summary>{t.forgot}</summary>
        <p>{t.forgotHow}</p>
        <code>{t.forgotCommand}</code>
      </details>
    </Gate>
  )
}
