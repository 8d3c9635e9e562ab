/** One policy: edit, test, and delete. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { EditReview } from "../app/edit-review.tsx"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { SaveWarnings } from "../app/save-warnings.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { Button } from "../components/button.tsx"
import { showToast } from "../components/toast.tsx"
import { memberChoices, type Policy, policyQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { memberName } from "../patterns/member-name.ts"
import { mergeText as words } from "../text/merge.ts"
import { policiesText } from "../text/policies.ts"
import { useLeaveRule } from "./leave-rule.ts"
import { draftOfRule, ruleFields, updateInput } from "./rule-draft.ts"
import { RuleEditor } from "./rule-editor.tsx"

export const PolicyScreen = () => {
  const t = policiesText
  const mayRead = useCan()("workspace:write")
  return mayRead ? <One /> : (
    <Page title={t.title}>
      <EmptyState>{t.forbidden}</EmptyState>
    </Page>
  )
}

const One = () => {
  const t = policiesText
  const { id } = useParams({ from: "/w/$workspace/policies/$id" })
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const policy = useQuery(policyQuery(workspace, id))
  const [removing, setRemoving] = useState(false)
  return (
    <Page
      title={policy.data?.name ?? t.title}
      path={
        <Link quiet to="/w/$workspace/policies" params={{ workspace }}>
          {t.title}
        </Link>
      }
      busy={policy.isFetching}
      action={policy.data !== undefined && (
        <Button
          variant="danger"
          disabled={!mayAct}
          onClick={() => setRemoving(true)}
        >
          {t.editor.remove}
        </Button>
      )}
    >
      <ScreenState query={policy}>
        <SaveWarnings of={`${workspace}/policies/${id}`} />
        {policy.data !== undefined && <Editing key={id} policy={policy.data} />}
        {removing && policy.data !== undefined && (
          <DeletePolicyDialog
            policy={policy.data}
            onClose={() => setRemoving(false)}
          />
        )}
      </ScreenState>
    </Page>
  )
}

/** Once the person types, other people's changes stay out of the form until they are reviewed. */
const Editing = ({ policy }: { readonly policy: Policy }) => {
  const t = policiesText
  const workspace = useWorkspaceId()
  const leave = useLeaveRule()
  const people = useQuery({ ...memberChoices(workspace), enabled: useCan()("members:read") }).data?.data ?? []
  const nameOf = (id: string) => {
    const person = people.find(({ user_id }) => user_id === id)
    return person === undefined ? id : memberName(person)
  }
  const edit = useEdit({
    endpoint: "policies.update",
    loaded: policy,
    draftOf: draftOfRule,
    fields: () => ruleFields(t, words, nameOf),
    input: (base, draft) => {
      const { position, ...rest } = updateInput(draft)
      // Moving another policy may have moved this one, so its position is sent only if the person changed it.
      return { params: { id: policy.id }, payload: position === base.position ? rest : updateInput(draft) }
    },
    workspace,
    touches: ["policies"],
    onDone: (saved) => {
      showToast({ text: t.editor.saved(saved.name) })
      leave(saved)
    }
  })
  return (
    <RuleEditor
      initial={draftOfRule(edit.base)}
      draft={edit.draft}
      onChange={edit.replace}
      review={<EditReview edit={edit} />}
      undecided={edit.undecided}
      id={policy.id}
      onSave={edit.save}
      pending={edit.isPending}
      error={edit.error}
      saved={edit.saved}
    />
  )
}

const DeletePolicyDialog = ({ onClose, policy }: { readonly policy: Policy; readonly onClose: () => void }) => {
  const t = policiesText.remove
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const remove = useAct("policies.remove", {
    workspace,
    touches: ["policies.list"],
    onDone: () => {
      showToast({ text: t.done(policy.name) })
      void navigate({ to: "/w/$workspace/policies", params: { workspace }, replace: true, ignoreBlocker: true })
    }
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.title(policy.name)}
      description={t.what}
      confirmText={t.act}
      onConfirm={() => remove.mutate({ params: { id: policy.id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}
