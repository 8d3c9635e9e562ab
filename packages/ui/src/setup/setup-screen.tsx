/** First run: the setup link's token creates an owner and a workspace, then the first steps follow. */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { useConsole } from "../app/console-context.ts"
import { Gate } from "../app/gate.tsx"
import { forgetSetupToken, setupToken, takeSetupToken } from "../app/setup-token.ts"
import { setupQuery } from "../hub/queries.ts"
import { setupText as t } from "../text/setup.ts"
import { HubOwned, LinkNeeded } from "./link-needed.tsx"
import { type Made, type OwnerDraft, OwnerForm } from "./owner-form.tsx"
import { WorkspaceUnnamed } from "./workspace-unnamed.tsx"

type Stage =
  | { readonly kind: "link"; readonly why: "missing" | "dead" }
  | { readonly kind: "form"; readonly token: string }
  | { readonly kind: "unnamed"; readonly made: Made }

export const SetupScreen = () => {
  const { session } = useConsole()
  const [stage, setStage] = useState<Stage>(() => {
    const token = setupToken()
    return token === undefined ? { kind: "link", why: "missing" } : { kind: "form", token }
  })
  const { data: state, isPending, refetch } = useQuery(setupQuery)
  // Kept after an expired link, so that nothing is typed twice.
  const [draft, setDraft] = useState<OwnerDraft>({ name: "", email: "", password: "", workspace: "" })
  useEffect(() => {
    document.title = t.documentTitle
  }, [])
  // Opening a link in a tab that is already on this page only changes the fragment: the page is not reloaded.
  useEffect(() => {
    const take = () => {
      takeSetupToken()
      const token = setupToken()
      if (token === undefined) return
      setStage((stage) => stage.kind === "unnamed" ? stage : { kind: "form", token })
      void refetch()
    }
    window.addEventListener("hashchange", take)
    return () => window.removeEventListener("hashchange", take)
  }, [refetch])
  const openStart = ({ workspace }: Made) => session.began(`/w/${workspace}/start`)
  const onRefused = (why: "dead" | "owned") => {
    forgetSetupToken()
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
              forgetSetupToken()
              if (made.named) openStart(made)
              else setStage({ kind: "unnamed", made })
            }}
          />
        </Gate>
      )
  }
}
