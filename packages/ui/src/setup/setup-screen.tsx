/** First run: the setup link's token creates an owner and a workspace, then the first steps follow. */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { useConsole } from "../app/console-context.ts"
import { FormFrame, FormSubmit } from "../app/form.tsx"
import { Gate } from "../app/gate.tsx"
import { forgetLinkToken, linkToken, onLinkToken } from "../app/link-token.ts"
import { ButtonLink } from "../app/link.tsx"
import { Button } from "../components/button.tsx"
import { TextField } from "../components/text-field.tsx"
import { setupQuery } from "../hub/queries.ts"
import { setupText as t } from "../text/setup.ts"
import { type Made, type OwnerDraft, OwnerForm } from "./owner-form.tsx"
import { tokenIn } from "./setup-link.ts"
import styles from "./setup-screen.module.css"

type Stage =
  | { readonly kind: "link"; readonly why: "missing" | "dead" }
  | { readonly kind: "form"; readonly token: string }
  | { readonly kind: "unnamed"; readonly made: Made }

export const SetupScreen = () => {
  const { session } = useConsole()
  const [stage, setStage] = useState<Stage>(() => {
    const token = linkToken("/setup")
    return token === undefined ? { kind: "link", why: "missing" } : { kind: "form", token }
  })
  const { data: state, isPending, refetch } = useQuery(setupQuery)
  // Kept after an expired link, so that nothing is typed twice.
  const [draft, setDraft] = useState<OwnerDraft>({ name: "", email: "", password: "", workspace: "" })
  useEffect(() => {
    document.title = t.documentTitle
  }, [])
  useEffect(() =>
    onLinkToken("/setup", (token) => {
      setStage((stage) => stage.kind === "unnamed" ? stage : { kind: "form", token })
      void refetch()
    }), [refetch])
  const openStart = ({ workspace }: Made) => session.began(`/w/${workspace}/start`)
  const onRefused = (why: "dead" | "owned") => {
    forgetLinkToken()
    setStage({ kind: "link", why: "dead" })
    if (why === "owned") void refetch()
  }
  if (isPending) return null
  if (state?.needed === false && stage.kind !== "unnamed") {
    return (
      <Gate title={t.ownedTitle} lead={t.owned}>
        <HubOwned />
      </Gate>
    )
  }
  switch (stage.kind) {
    case "link":
      return (
        <Gate
          title={stage.why === "missing" ? t.noTokenTitle : t.deadTitle}
          lead={stage.why === "missing" ? t.noToken : t.dead}
        >
          <LinkNeeded why={stage.why} onToken={(token) => setStage({ kind: "form", token })} />
        </Gate>
      )
    case "unnamed":
      return (
        <Gate title={t.unnamedTitle} lead={t.unnamed}>
          <WorkspaceUnnamed onGoOn={() => openStart(stage.made)} />
        </Gate>
      )
    case "form":
      return (
        <Gate title={t.title} lead={t.lead}>
          <OwnerForm
            token={stage.token}
            draft={draft}
            onDraft={setDraft}
            onRefused={onRefused}
            onMade={(made) => {
              forgetLinkToken()
              if (made.named) openStart(made)
              else setStage({ kind: "unnamed", made })
            }}
          />
        </Gate>
      )
  }
}

const WorkspaceUnnamed = ({ onGoOn }: { readonly onGoOn: () => void }) => {
  return <Button variant="primary" wide autoFocus onClick={onGoOn}>{t.goOn}</Button>
}

interface LinkNeededProps {
  readonly why: "missing" | "dead"
  readonly onToken: (token: string) => void
}

const LinkNeeded = ({ onToken, why }: LinkNeededProps) => {
  const [link, setLink] = useState("")
  const [wrong, setWrong] = useState(false)
  const submit = () => {
    const token = tokenIn(link)
    if (token === undefined) setWrong(true)
    else onToken(token)
  }
  return (
    <FormFrame className="grid gap-16 min-w-0" onSubmit={submit}>
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
      <FormSubmit variant="primary" wide act={t.useLink} />
      <ButtonLink to="/" variant="bare" wide>{t.signIn}</ButtonLink>
    </FormFrame>
  )
}

/** Shown for a link without a token or with an expired one: what to do, and a field for another link. */
const HubOwned = () => {
  return (
    <div className="grid gap-16 min-w-0">
      <p className="type-body text-2" role="alert">{t.ownedHow}</p>
      <code className={`block bg-sunken type-mono wrap-anywhere ${styles.command}`}>{t.ownedCommand}</code>
      <ButtonLink to="/" variant="primary" wide>{t.signIn}</ButtonLink>
    </div>
  )
}
