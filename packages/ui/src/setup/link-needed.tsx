/** Shown for a link without a token or with an expired one: what to do, and a field for another link. */
import { type SyntheticEvent, useState } from "react"
import { ButtonLink } from "../app/link.tsx"
import { Button } from "../components/button.tsx"
import { TextField } from "../components/text-field.tsx"
import { setupText as t } from "../text/setup.ts"
import { tokenIn } from "./setup-link.ts"
import styles from "./setup-screen.module.css"

export interface LinkNeededProps {
  readonly why: "missing" | "dead"
  readonly onToken: (token: string) => void
}

export const LinkNeeded = ({ onToken, why }: LinkNeededProps) => {
  const [link, setLink] = useState("")
  const [wrong, setWrong] = useState(false)
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const token = tokenIn(link)
    if (token === undefined) setWrong(true)
    else onToken(token)
  }
  return (
    <form className="grid gap-16 min-w-0" onSubmit={submit} noValidate>
      {why === "dead" && <p className="type-body text-2" role="alert">{t.deadHow}</p>}
      <TextField
        label={t.link}
        mono
        required
        autoFocus
        value={link}
        onChange={(next) => {
          setLink(next)
          setWrong(false)
        }}
        description={t.linkAbout}
        error={wrong ? t.linkWrong : undefined}
      />
      <Button type="submit" variant="primary" wide>{t.useLink}</Button>
      <ButtonLink to="/" variant="bare" wide>{t.signIn}</ButtonLink>
    </form>
  )
}

export const HubOwned = () => {
  return (
    <div className="grid gap-16 min-w-0">
      <p className="type-body text-2" role="alert">{t.ownedHow}</p>
      <code className={`block bg-sunken type-mono wrap-anywhere ${styles.command}`}>{t.ownedCommand}</code>
      <ButtonLink to="/" variant="primary" wide>{t.signIn}</ButtonLink>
    </div>
  )
}
