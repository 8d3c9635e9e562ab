/** The open agent request or budget request. */
import { AgentRequestDetail } from "./agent-request-detail.tsx"
import { BudgetRequestDetail } from "./budget-request-detail.tsx"
import { type InboxRequest, requestType } from "./request-rows.ts"

export interface RequestDetailProps {
  /** The id of its workspace. */
  readonly org: string
  readonly id: string
  /** The row from a list: shown at once, then refetched. */
  readonly known: InboxRequest | undefined
  /** Called after the hub's answer to a decision by keyboard. */
  readonly onDecidedByKey: (() => void) | undefined
  /** Other content that changes beside it without user action, such as the number of new rows. */
  readonly beside: string
}

const RequestDetail = (props: RequestDetailProps) =>
  requestType(props.id) === "agent_request"
    ? <AgentRequestDetail key={props.id} {...props} />
    : <BudgetRequestDetail key={props.id} {...props} />

export default RequestDetail
