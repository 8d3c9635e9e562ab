/** Creates a policy. */
import { useState } from "react"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { policiesText as t } from "../text/policies.ts"
import { useLeaveRule } from "./leave-rule.ts"
import { createInput, emptyRule } from "./rule-draft.ts"
import { RuleEditor } from "./rule-editor.tsx"

export const NewPolicyScreen = () => {
  const workspace = useWorkspaceId()
  const mayWrite = useCan()("workspace:write")
  const [initial] = useState(emptyRule)
  const [draft, setDraft] = useState(initial)
  const leave = useLeaveRule()
  const create = useAct("policies.create", {
    workspace,
    touches: ["policies"],
    onDone: (saved) => {
      showToast({ text: t.editor.created(saved.name) })
      leave(saved)
    }
  })
  return (
    <Page
      title={t.editor.newTitle}
      path={<Link quiet to="/w/$workspace/policies" params={{ workspace }}>{t.title}</Link>}
    >
      {mayWrite
        ? (
          <RuleEditor
            initial={initial}
            draft={draft}
            onChange={setDraft}
            id={undefined}
            onSave={(draft) => create.mutate({ payload: createInput(draft) })}
            pending={create.isPending}
            error={create.error}
            saved={create.isSuccess}
          />
        )
        : <EmptyState>{t.forbidden}</EmptyState>}
    </Page>
  )
}
