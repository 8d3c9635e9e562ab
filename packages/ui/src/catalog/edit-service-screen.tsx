/**
 * Edits a service of the workspace. Each field is replaced as a whole; the name and the enabled state do not change.
 */
import type { UpdateServiceInput } from "@countersign/domain/catalog"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { EditReview } from "../app/edit-review.tsx"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { keepWarnings } from "../app/save-warnings.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { showToast } from "../components/toast.tsx"
import { type Service, serviceQuery } from "../hub/queries.ts"
import { changedMembers } from "../patterns/three-way.ts"
import { catalogText as t } from "../text/catalog.ts"
import { mergeText as words } from "../text/merge.ts"
import { type Draft, draftOf, serviceFields } from "./service-draft.ts"
import { ServiceEditor } from "./service-editor.tsx"

export const EditServiceScreen = () => {
  const { service: name } = useParams({ from: "/w/$workspace/catalog/$service/edit" })
  const workspace = useWorkspaceId()
  const mayWrite = useCan()("catalog:write")
  const service = useQuery(serviceQuery(workspace, name))
  return (
    <Page
      title={t.editor.editTitle(service.data?.title ?? name)}
      guide="declaring"
      path={
        <Link quiet to="/w/$workspace/catalog/$service" params={{ workspace, service: name }}>
          {name}
        </Link>
      }
      busy={service.isFetching}
    >
      <ScreenState
        query={service}
        isEmpty={!mayWrite || service.data?.shipped === true ||
          service.data?.kind !== undefined && service.data.kind !== "http"}
        empty={{ text: <Refusal mayWrite={mayWrite} /> }}
      >
        {service.data !== undefined && <Editing key={name} service={service.data} />}
      </ScreenState>
    </Page>
  )
}

const Refusal = ({ mayWrite }: { readonly mayWrite: boolean }) => {
  return mayWrite ? t.detail.builtin : t.noWrite
}

/** The changed fields; a text removed from the draft becomes empty, a removed credential becomes `none`. */
const changeOf = (base: Draft, { kind: _k, name: _n, ...fields }: Draft): UpdateServiceInput => ({
  ...changedMembers<Draft>(base, fields),
  ...(base["title"] !== undefined && fields["title"] === undefined ? { title: "" } : {}),
  ...(base["description"] !== undefined && fields["description"] === undefined ? { description: "" } : {}),
  ...(base["auth"] !== undefined && fields["auth"] === undefined ? { auth: { type: "none" as const } } : {})
})

/** Once the person types, other people's changes stay out of the form until they are reviewed. */
const Editing = ({ service }: { readonly service: Service }) => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const edit = useEdit({
    endpoint: "services.update",
    loaded: service,
    draftOf,
    fields: serviceFields(t.editor, words),
    input: (base, draft) => ({ params: { name: service.name }, payload: changeOf(draftOf(base), draft) }),
    workspace,
    touches: ["services", "secrets"],
    onDone: ({ name, warnings }) => {
      keepWarnings(`${workspace}/services/${name}`, warnings)
      showToast({ text: t.editor.saved(name) })
      void navigate({ to: "/w/$workspace/catalog/$service", params: { workspace, service: name }, ignoreBlocker: true })
    }
  })
  return (
    <ServiceEditor
      initial={draftOf(edit.base)}
      draft={edit.draft}
      onChange={edit.replace}
      review={<EditReview edit={edit} />}
      undecided={edit.undecided}
      isNew={false}
      onSave={edit.save}
      pending={edit.isPending}
      error={edit.error}
      saved={edit.saved}
    />
  )
}
