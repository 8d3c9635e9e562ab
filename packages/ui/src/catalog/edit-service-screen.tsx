/** A service of the workspace's own, changed. Each field is replaced whole; the name and whether it is on stay. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { catalogText } from "../text/catalog.ts"
import { useText } from "../text/catalogue.ts"
import { type Service, serviceQuery } from "./queries.ts"
import { type Draft, draftOf } from "./service-draft.ts"
import { ServiceEditor } from "./service-editor.tsx"

export const EditServiceScreen = () => {
  const t = useText(catalogText)
  const { service: name } = useParams({ from: "/w/$workspace/catalog/$service/edit" })
  const workspace = useWorkspaceId()
  const mayWrite = useCan()("catalog:write")
  const service = useQuery(serviceQuery(workspace, name))
  return (
    <Page
      title={t.editor.editTitle(service.data?.title ?? name)}
      path={
        <Link quiet to="/w/$workspace/catalog/$service" params={{ workspace, service: name }}>
          {name}
        </Link>
      }
      busy={service.isFetching}
    >
      <ScreenState
        query={service}
        isEmpty={!mayWrite || service.data?.shipped === true || service.data?.kind === "builtin"}
        empty={{ text: <Refusal mayWrite={mayWrite} /> }}
      >
        {service.data !== undefined && <Editing key={name} service={service.data} />}
      </ScreenState>
    </Page>
  )
}

const Refusal = ({ mayWrite }: { readonly mayWrite: boolean }) => {
  const t = useText(catalogText)
  return mayWrite ? t.detail.builtin : t.noWrite
}

/** Begins with the service as it was when the editor was opened: what others change meanwhile does not come under the hands. */
const Editing = ({ service }: { readonly service: Service }) => {
  const t = useText(catalogText)
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const [initial] = useState(() => draftOf(service))
  const update = useAct("services.update", {
    workspace,
    touches: ["services", "secrets"],
    onDone: ({ name }) => {
      showToast({ text: t.editor.saved(name) })
      void navigate({ to: "/w/$workspace/catalog/$service", params: { workspace, service: name }, ignoreBlocker: true })
    }
  })
  const save = ({ kind: _k, name: _n, ...fields }: Draft) => {
    // What was there and is gone from the draft: a text is set empty, a credential to none.
    const gone = {
      ...(initial["title"] !== undefined && fields["title"] === undefined ? { title: "" } : {}),
      ...(initial["description"] !== undefined && fields["description"] === undefined ? { description: "" } : {}),
      ...(initial["auth"] !== undefined && fields["auth"] === undefined ? { auth: { type: "none" as const } } : {})
    }
    update.mutate({ params: { name: service.name }, payload: { ...fields, ...gone } as never })
  }
  return (
    <ServiceEditor
      initial={initial}
      isNew={false}
      onSave={save}
      pending={update.isPending}
      error={update.error}
      saved={update.isSuccess}
    />
  )
}
