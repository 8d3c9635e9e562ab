/** One rule, changed, tried and deleted. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { ConfirmDialog } from "../components/confirm-dialog.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { actText } from "../text/acts.ts"
import { useText } from "../text/catalogue.ts"
import { policiesText } from "../text/policies.ts"
import { type Policy, policyQuery } from "./queries.ts"
import { draftOfRule, updateInput } from "./rule-draft.ts"
import { RuleEditor } from "./rule-editor.tsx"

export const PolicyScreen = () => {
  const t = useText(policiesText)
  const mayRead = useCan()("workspace:write")
  return mayRead ? (
    <One />
  ) : (
    <Page title={t.title}>
      <EmptyState>{t.forbidden}</EmptyState>
    </Page>
  )
}

const One = () => {
  const t = useText(policiesText)
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
      action={
        policy.data !== undefined && (
          <Button variant="danger" disabled={!mayAct} onClick={() => setRemoving(true)}>
            {t.editor.remove}
          </Button>
        )
      }
    >
      <ScreenState query={policy}>
        {policy.data !== undefined && <Editing key={id} policy={policy.data} />}
        {removing && policy.data !== undefined && <DeletePolicyDialog policy={policy.data} onClose={() => setRemoving(false)} />}
      </ScreenState>
    </Page>
  )
}

/** Begins with the rule as it was when it was opened: what others change meanwhile does not come under the hands. */
const Editing = ({ policy }: { readonly policy: Policy }) => {
  const t = useText(policiesText)
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const [initial] = useState(() => draftOfRule(policy))
  const update = useAct("policies.update", {
    workspace,
    touches: ["policies"],
    onDone: ({ name }) => {
      showToast({ text: t.editor.saved(name) })
      void navigate({ to: "/w/$workspace/policies", params: { workspace }, ignoreBlocker: true })
    }
  })
  return (
    <RuleEditor
      initial={initial}
      id={policy.id}
      onSave={(draft) => update.mutate({ params: { id: policy.id }, payload: updateInput(draft) })}
      pending={update.isPending}
      error={update.error}
      saved={update.isSuccess}
    />
  )
}

const DeletePolicyDialog = ({ onClose, policy }: { readonly policy: Policy; readonly onClose: () => void }) => {
  const t = useText(policiesText).remove
  const acts = useText(actText)
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayAct = useMayAct()
  const remove = useAct("policies.remove", {
    workspace,
    touches: ["policies.list"],
    onDone: () => {
      showToast({ text: t.done(policy.name) })
      void navigate({ to: "/w/$workspace/policies", params: { workspace }, replace: true, ignoreBlocker: true })
    }
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t.title(policy.name)}
      description={t.what}
      confirmText={t.act}
      cancelText={acts.cancel}
      onConfirm={() => mayAct && remove.mutate({ params: { id: policy.id } })}
      pending={remove.isPending}
      pendingText={acts.asking}
      danger
      error={
        remove.error === null ? undefined : <Problem inline error={remove.error} failed={t.failed} unchanged={t.unchanged} />
      }
    />
  )
}
