/** Creates an HTTP service of the workspace. */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { markMade } from "../app/just-made.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { keepWarnings } from "../app/save-warnings.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { catalogText as t } from "../text/catalog.ts"
import { definitionIn, type Draft, emptyService } from "./service-draft.ts"
import { ServiceEditor } from "./service-editor.tsx"

export const NewServiceScreen = () => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayWrite = useCan()("catalog:write")
  const [initial] = useState(emptyService)
  const [draft, setDraft] = useState(initial)
  const create = useAct("services.create", {
    workspace,
    touches: ["services.list", "secrets"],
    onDone: ({ name, warnings }) => {
      keepWarnings(`${workspace}/services/${name}`, warnings)
      markMade("service", workspace, name)
      showToast({ text: t.editor.created(name) })
      void navigate({ to: "/w/$workspace/catalog/$service", params: { workspace, service: name }, ignoreBlocker: true })
    }
  })
  return (
    <Page
      title={t.editor.newTitle}
      guide="declaring"
      path={<Link quiet to="/w/$workspace/catalog" params={{ workspace }}>{t.title}</Link>}
    >
      {mayWrite
        ? (
          <ServiceEditor
            initial={initial}
            draft={draft}
            onChange={setDraft}
            isNew
            onSave={(draft: Draft) => create.mutate({ payload: definitionIn(draft) })}
            pending={create.isPending}
            error={create.error}
            saved={create.isSuccess}
          />
        )
        : <EmptyState>{t.noWrite}</EmptyState>}
    </Page>
  )
}
