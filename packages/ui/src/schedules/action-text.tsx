/** An action in words: the operation, or the workflow by its name. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "../app/link.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { type FiringAction, workflowChoices } from "../hub/queries.ts"
import { Phrase } from "../text/catalogue.ts"
import { schedulesText as t } from "../text/schedules.ts"

export const ActionText = ({ action }: { readonly action: FiringAction }) => {
  const workspace = useWorkspaceId()
  const mayRead = useCan()("workflows:read")
  const isWorkflow = action.type === "workflow"
  const workflows = useQuery({ ...workflowChoices(workspace), enabled: isWorkflow && mayRead }).data?.data ?? []
  if (!isWorkflow) return <code className="type-mono">{`${action.service}.${action.operation}`}</code>
  const { workflow_id: id } = action
  return (
    <Phrase
      text={t.workflow}
      name={
        <Link quiet to="/w/$workspace/workflows/$id" params={{ workspace, id }} tabIndex={-1}>
          {workflows.find((each) => each.id === id)?.name ?? t.someWorkflow}
        </Link>
      }
    />
  )
}
