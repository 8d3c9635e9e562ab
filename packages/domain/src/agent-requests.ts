/**
 * Agent requests: questions of an agent to the people of its workspace outside a paid action, and their answers. Spec:
 * reference/agent-requests.md "Agent request".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AgentAccess, AllowsTeamRole, AnyAccess, Decides, Requires, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, AgentRequestId, UserId } from "./ids.ts"
import { IntegerInQuery, Page, PageQuery } from "./pagination.ts"
import { waitSecondsMax } from "./service-requests.ts"
import { Label, Prose } from "./text.ts"
import { Expiry } from "./time.ts"

export const agentRequestTitleMax = 200
export const agentRequestBodyMax = 16_384
export const agentRequestOptionsMax = 20
export const agentRequestOptionMax = 200
export const agentRequestAnswerMax = 8_192
export const agentRequestCommentMax = 1_000
/** The most open requests of one agent. */
export const openAgentRequestsMax = 100
export const agentRequestDaysMax = 365

export const AgentRequestKind = Schema.Literals(["question", "approval", "input", "handoff"])
export type AgentRequestKind = typeof AgentRequestKind.Type
export const AgentRequestStatus = Schema.Literals(["open", "answered", "dismissed", "expired"])
export type AgentRequestStatus = typeof AgentRequestStatus.Type

export const AgentRequest = Schema.Struct({
  id: AgentRequestId,
  agent_id: AgentId,
  kind: AgentRequestKind,
  title: Schema.String,
  body: Schema.String,
  options: Schema.optionalKey(Schema.Array(Schema.String)),
  /** `open` is the only status that changes. */
  status: AgentRequestStatus,
  answer: Schema.optionalKey(Schema.String),
  comment: Schema.optionalKey(Schema.String),
  /** The person who answered or dismissed it; absent if the hub dismissed it. An agent receives no e-mail address. */
  answered_by: Schema.optionalKey(Schema.Struct({ id: UserId, name: Schema.String })),
  expires_at: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  answered_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "AgentRequest" })
export type AgentRequest = typeof AgentRequest.Type

const Options = Schema.Array(Label(agentRequestOptionMax)).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(agentRequestOptionsMax),
  Schema.makeFilter((options: ReadonlyArray<string>) =>
    new Set(options).size === options.length ? undefined : "expected each option once"
  )
)

export const CreateAgentRequestInput = Schema.Struct({
  kind: AgentRequestKind,
  title: Label(agentRequestTitleMax),
  body: Schema.optionalKey(Prose(agentRequestBodyMax)),
  options: Schema.optionalKey(Options.annotate({ description: "The only possible answers. Absent: any text" })),
  /** Default: it never expires. */
  expires_at: Schema.optionalKey(Expiry)
}).annotate({ identifier: "CreateAgentRequestInput" })
export type CreateAgentRequestInput = typeof CreateAgentRequestInput.Type

export const AnswerAgentRequestInput = Schema.Struct({
  status: Schema.Literals(["answered", "dismissed"]),
  answer: Schema.optionalKey(
    Prose(agentRequestAnswerMax).check(Schema.isNonEmpty()).annotate({
      description: "Required with `answered`, except for a `handoff`; one of the options, if the request has options"
    })
  ),
  comment: Schema.optionalKey(Prose(agentRequestCommentMax))
}).annotate({ identifier: "AnswerAgentRequestInput" })
export type AnswerAgentRequestInput = typeof AnswerAgentRequestInput.Type

const params = { id: AgentRequestId }

export class AgentRequestsGroup extends HttpApiGroup.make("agent_requests").add(
  HttpApiEndpoint.post("create", "/agent-requests", {
    payload: CreateAgentRequestInput,
    success: Created(AgentRequest)
  }).middleware(AgentAccess).annotate(
    OpenApi.Description,
    `An agent can have ${openAgentRequestsMax} open requests; the next one is 409 \`limit_reached\`.`
  ),
  HttpApiEndpoint.get("list", "/agent-requests", {
    query: {
      ...PageQuery,
      status: Schema.optionalKey(AgentRequestStatus),
      kind: Schema.optionalKey(AgentRequestKind),
      agent_id: Schema.optionalKey(AgentId)
    },
    success: Page(AgentRequest)
  }).middleware(AnyAccess).annotate(Requires, "approvals:read").annotate(
    OpenApi.Description,
    "Newest first, with every status unless `status` is given. An agent sees its own requests, a member those of " +
      "their agents and of teams that they lead."
  ),
  HttpApiEndpoint.get("get", "/agent-requests/:id", {
    params,
    query: { wait: Schema.optionalKey(IntegerInQuery(0, waitSecondsMax)) },
    success: AgentRequest
  }).middleware(AnyAccess).annotate(Requires, "approvals:read").annotate(
    OpenApi.Description,
    "With `wait`, the response comes as soon as the status is no longer `open`, at the latest after so many seconds."
  ),
  HttpApiEndpoint.patch("answer", "/agent-requests/:id", {
    params,
    payload: AnswerAgentRequestInput,
    success: AgentRequest
  }).middleware(UserAccess).annotate(Requires, "approvals:decide").annotate(AllowsTeamRole, true)
    .annotate(Decides, true).annotate(
      OpenApi.Description,
      "A request is answered or dismissed once: a second decision, or one after the expiry, is 409 `conflict`, with " +
        "`status`, `answered_by`, and `answered_at` in `data`."
    )
) {}
