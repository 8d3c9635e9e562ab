/** The ends of a sign-in at the identity provider. */
import type { FactorMethod, LoginChallenge } from "@countersign/domain/factors"
import { useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { signInText as t } from "../text/sign-in.ts"
import { Gate } from "./gate.tsx"
import { SignIn } from "./sign-in-screen.tsx"

const wordsOf = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : t.failures[code] ?? t.failure

/** The challenge stays in the fragment, which no server sees. */
const challengeIn = (hash: string): LoginChallenge["challenge"] | undefined => {
  const found = new URLSearchParams(hash.replace(/^#/u, ""))
  const id = found.get("challenge")
  if (id === null) return undefined
  const methods = (found.get("methods") ?? "").split(" ").filter((each): each is FactorMethod =>
    each === "passkey" || each === "totp" || each === "recovery_code"
  )
  return { id, methods, expires_at: found.get("expires") ?? "" }
}

export const LoginScreen = () => {
  const { error, to } = useSearch({ from: "/login" })
  const [begun] = useState(() => challengeIn(location.hash))
  return <SignIn to={to} failed={wordsOf(error)} begun={begun} />
}

export const SteppedUpScreen = () => {
  const { error } = useSearch({ from: "/stepped-up" })
  useEffect(() => {
    document.title = t.documentTitle
    if (error === undefined) window.close()
  }, [error])
  return (
    <Gate
      title={error === undefined ? t.steppedUp : t.notSteppedUp}
      lead={error === undefined ? t.steppedUpWhat : wordsOf(error)}
    >
      {null}
    </Gate>
  )
}
