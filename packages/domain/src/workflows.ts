/**
 * Workflows: graphs of governed steps with versions, of which a reviewed one is live. Spec: reference/workflows.md
 * "Workflow", "Endpoints".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, SessionAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { Warnings } from "./errors.ts"
import { AgentId, PublishRequestId, TeamId, UserId, WorkflowId, WorkflowTemplateId, WorkflowVersionId } from "./ids.ts"
import { Cents } from "./money.ts"
import { Page, PageQuery, sortBy } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { publishNoteMax, PublishRequest, PublishScope } from "./publishing.ts"
import { Label, Prose } from "./text.ts"
import { expectedVersion, Version } from "./versions.ts"
import { WorkflowDefinition } from "./workflow-definition.ts"

export const workflowNameMax = 100
export const workflowDescriptionMax = 2_000
/** Of one workspace. */
export const workflowsMax = 10_000
/** Of one workflow. */
export const workflowVersionsMax = 1_000
/** Agents that one workflow is granted to. */
export const workflowGrantsMax = 200
/** The most bytes of definitions in one page of versions. */
export const versionsPageBytesMax = 8_388_608

export const WorkflowVisibility = Schema.Literals(["private", "team", "org"])
export type WorkflowVisibility = typeof WorkflowVisibility.Type

export const WorkflowStatus = Schema.Literals(["draft", "pending_review", "published"])
export type WorkflowStatus = typeof WorkflowStatus.Type

export const Workflow = Schema.Struct({
  id: WorkflowId,
  name: Schema.String,
  description: Schema.String,
  visibility: WorkflowVisibility,
  /** Present with visibility `team`. */
  team_id: Schema.optionalKey(TeamId),
  /** Null: nobody; owners and admins manage it. */
  owner_user_id: Schema.NullOr(UserId),
  /** The most that one run may cost; absent: no limit. */
  max_cost_cents: Schema.optionalKey(Cents),
  /** The number of the newest version; 0 without versions. */
  latest_version: Schema.Int,
  latest_version_id: Schema.optionalKey(WorkflowVersionId),
  /** The version that agents, schedules, and triggers run. */
  live_version_id: Schema.optionalKey(WorkflowVersionId),
  live_version: Schema.optionalKey(Schema.Int.annotate({ description: "The number of the live version" })),
  status: WorkflowStatus.annotate({
    description:
      "`pending_review` with a pending publish request, otherwise `published` with a live version, otherwise `draft`"
  }),
  publish_request: Schema.optionalKey(Schema.Struct({ id: PublishRequestId, version_id: WorkflowVersionId })),
  /** The agents that it is granted to, by name. */
  agents: Schema.Array(Schema.Struct({ id: AgentId, name: Schema.String })),
  version: Version,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Workflow" })
export type Workflow = typeof Workflow.Type

export const WorkflowVersion = Schema.Struct({
  id: WorkflowVersionId,
  workflow_id: WorkflowId,
  /** From 1. */
  number: Schema.Int,
  ...WorkflowDefinition.fields,
  input_schema: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "`{}`, which accepts any input, if the definition has none"
  }),
  digest: Schema.String.annotate({ description: "SHA-256 of the definition in RFC 8785, in hexadecimal digits" }),
  created_by: Schema.Struct({ id: UserId, name: Schema.String }),
  created_at: Schema.String
}).annotate({ identifier: "WorkflowVersion" })
export type WorkflowVersion = typeof WorkflowVersion.Type

export const CreatedWorkflowVersion = Schema.Struct({
  ...WorkflowVersion.fields,
  warnings: Schema.optionalKey(Warnings)
}).annotate({ identifier: "CreatedWorkflowVersion" })
export type CreatedWorkflowVersion = typeof CreatedWorkflowVersion.Type

export const ValidDefinition = Schema.Struct({
  valid: Schema.Literal(true),
  warnings: Schema.optionalKey(Warnings)
}).annotate({ identifier: "ValidWorkflowDefinition" })
export type ValidDefinition = typeof ValidDefinition.Type

export const WorkflowGrant = Schema.Struct({
  workflow_id: WorkflowId,
  agent_id: AgentId,
  agent_name: Schema.String,
  created_at: Schema.String
}).annotate({ identifier: "WorkflowGrant" })
export type WorkflowGrant = typeof WorkflowGrant.Type

/** The one JSON form of workflows outside of a workspace: exports, imports, and templates. */
export const workflowFormat = "countersign-workflow/1"

export const WorkflowExport = Schema.Struct({
  format: Schema.String.check(matching(/^countersign-workflow\/1$/u, workflowFormat)),
  name: Label(workflowNameMax),
  description: Schema.optionalKey(Prose(workflowDescriptionMax)),
  max_cost_cents: Schema.optionalKey(Cents),
  /** Absent: the workflow has no version. */
  definition: Schema.optionalKey(WorkflowDefinition)
}).annotate({ identifier: "WorkflowExport" })
export type WorkflowExport = typeof WorkflowExport.Type

export const ImportedWorkflow = Schema.Struct({ ...Workflow.fields, warnings: Schema.optionalKey(Warnings) })
  .annotate({ identifier: "ImportedWorkflow" })
export type ImportedWorkflow = typeof ImportedWorkflow.Type

export const WorkflowTemplate = Schema.Struct({
  id: WorkflowTemplateId,
  name: Label(workflowNameMax),
  description: Prose(workflowDescriptionMax),
  category: Label(40),
  max_cost_cents: Schema.optionalKey(Cents),
  definition: WorkflowDefinition,
  /** The operations that its agent must be bound to, as `service.operation`. */
  operations: Schema.Array(Schema.String),
  /** An input that fits the input schema. */
  example_input: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "WorkflowTemplate" })
export type WorkflowTemplate = typeof WorkflowTemplate.Type

export const WorkflowTemplates = Schema.Struct({
  data: Schema.Array(WorkflowTemplate),
  next_cursor: Schema.Null,
  as_of: Schema.String
})

const sharing = {
  visibility: WorkflowVisibility,
  team_id: Schema.optionalKey(TeamId.annotate({ description: "Required with visibility team, refused with any other" }))
}

const teamProblem = ({ team_id, visibility }: {
  readonly visibility?: WorkflowVisibility
  readonly team_id?: string
}) => {
  if ((visibility === "team") === (team_id !== undefined)) return undefined
  return {
    path: ["team_id"],
    issue: visibility === "team" ? "visibility team requires it" : "leave it out unless visibility is team"
  }
}

export const CreateWorkflowInput = Schema.Struct({
  name: Label(workflowNameMax),
  description: Schema.optionalKey(Prose(workflowDescriptionMax)),
  visibility: Schema.optionalKey(sharing.visibility.annotate({ description: "Default: private" })),
  team_id: sharing.team_id,
  max_cost_cents: Schema.optionalKey(Cents)
}).check(Schema.makeFilter(teamProblem)).annotate({ identifier: "CreateWorkflowInput" })
export type CreateWorkflowInput = typeof CreateWorkflowInput.Type

export const UpdateWorkflowInput = Schema.Struct({
  name: Schema.optionalKey(Label(workflowNameMax)),
  description: Schema.optionalKey(Prose(workflowDescriptionMax)),
  /** Null: no limit. */
  max_cost_cents: Schema.optionalKey(Schema.NullOr(Cents)),
  ...expectedVersion
}).annotate({ identifier: "UpdateWorkflowInput" })
export type UpdateWorkflowInput = typeof UpdateWorkflowInput.Type

export const ShareWorkflowInput = Schema.Struct({ ...sharing, ...expectedVersion })
  .check(Schema.makeFilter(teamProblem)).annotate({ identifier: "ShareWorkflowInput" })
export type ShareWorkflowInput = typeof ShareWorkflowInput.Type

export const PublishWorkflowInput = Schema.Struct({
  note: Schema.optionalKey(Prose(publishNoteMax)),
  scope: Schema.optionalKey(
    PublishScope.annotate({ description: "Default: team for a workflow of a team, otherwise org" })
  ),
  team_id: Schema.optionalKey(TeamId),
  listed: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "List it in the marketplace too; requires scope org. Default: false" })
  )
}).annotate({ identifier: "PublishWorkflowInput" })
export type PublishWorkflowInput = typeof PublishWorkflowInput.Type

export const GrantWorkflowInput = Schema.Struct({ agent_id: AgentId }).annotate({ identifier: "GrantWorkflowInput" })

export const FromTemplateInput = Schema.Struct({
  template_id: WorkflowTemplateId,
  /** Default: the template's. */
  name: Schema.optionalKey(Label(workflowNameMax))
}).annotate({ identifier: "WorkflowFromTemplateInput" })
export type FromTemplateInput = typeof FromTemplateInput.Type

export const workflowSorts = sortBy(["created_at", "updated_at", "name"])

const Flag = Schema.Literals(["true", "false"])
const params = { id: WorkflowId }
const version = { id: WorkflowId, versionId: WorkflowVersionId }

export class WorkflowsGroup extends HttpApiGroup.make("workflows").add(
  HttpApiEndpoint.get("list", "/workflows", {
    query: {
      ...PageQuery,
      q: Schema.optionalKey(
        Schema.String.check(Schema.isMaxLength(200)).annotate({
          description: "Only workflows whose name or description contains this text, in any case"
        })
      ),
      status: Schema.optionalKey(WorkflowStatus),
      visibility: Schema.optionalKey(WorkflowVisibility),
      team_id: Schema.optionalKey(TeamId),
      agent_id: Schema.optionalKey(AgentId.annotate({ description: "Only workflows that are granted to this agent" })),
      sort: workflowSorts
    },
    success: Page(Workflow)
  }).middleware(SessionAccess).annotate(Requires, "workflows:read").annotate(
    OpenApi.Description,
    "Newest first unless `sort` sets another order. A private workflow is listed for its owner and for owners and " +
      "admins of the workspace, one of a team also for the team, and for every role but `member`."
  ),
  HttpApiEndpoint.post("create", "/workflows", { payload: CreateWorkflowInput, success: Created(Workflow) })
    .middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
      OpenApi.Description,
      "A workflow without versions. Its creator owns it."
    ),
  HttpApiEndpoint.post("import", "/workflows/import", {
    payload: WorkflowExport,
    success: Created(ImportedWorkflow)
  }).middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
    OpenApi.Description,
    "Creates a private workflow with one version from an export. `warnings` name what this workspace lacks."
  ),
  HttpApiEndpoint.post("fromTemplate", "/workflows/from-template", {
    payload: FromTemplateInput,
    success: Created(ImportedWorkflow)
  }).middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
    OpenApi.Description,
    "Creates a private workflow with one version from a template."
  ),
  HttpApiEndpoint.get("templates", "/workflow-templates", { success: WorkflowTemplates })
    .middleware(SessionAccess).annotate(Requires, "workflows:read").annotate(
      OpenApi.Description,
      "The templates that the hub ships, by name."
    ),
  HttpApiEndpoint.get("get", "/workflows/:id", { params, success: Workflow })
    .middleware(SessionAccess).annotate(Requires, "workflows:read"),
  HttpApiEndpoint.patch("update", "/workflows/:id", { params, payload: UpdateWorkflowInput, success: Workflow })
    .middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
      OpenApi.Description,
      "Its owner, and owners and admins of the workspace, change a workflow. With `expected_version`, a change based " +
        "on another version is 409 `version_conflict`, with the current workflow in `data`."
    ),
  HttpApiEndpoint.delete("remove", "/workflows/:id", {
    params,
    query: { force: Schema.optionalKey(Flag) },
    success: HttpApiSchema.NoContent
  }).middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
    OpenApi.Description,
    "Its grants end, a pending publish request is withdrawn, and its publication is revoked. While runs have not " +
      "ended: 409 `run_active`, unless `force=true`, which cancels them."
  ),
  HttpApiEndpoint.post("createVersion", "/workflows/:id/versions", {
    params,
    query: { dry_run: Schema.optionalKey(Flag) },
    payload: WorkflowDefinition,
    success: [ValidDefinition, Created(CreatedWorkflowVersion)]
  }).middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
    OpenApi.Description,
    "A definition with faults is 400 with every fault and its path in `details`. `dry_run=true` answers 200 " +
      "`{ \"valid\": true }` and saves nothing. `warnings` name services, agents, and workflows that this workspace " +
      "lacks. A version never changes."
  ),
  HttpApiEndpoint.get("listVersions", "/workflows/:id/versions", {
    params,
    query: PageQuery,
    success: Page(WorkflowVersion)
  }).middleware(SessionAccess).annotate(Requires, "workflows:read").annotate(
    OpenApi.Description,
    "Newest first. A page of large definitions has fewer than `limit` versions."
  ),
  HttpApiEndpoint.get("getVersion", "/workflows/:id/versions/:versionId", { params: version, success: WorkflowVersion })
    .middleware(SessionAccess).annotate(Requires, "workflows:read"),
  HttpApiEndpoint.post("publish", "/workflows/:id/versions/:versionId/publish", {
    params: version,
    payload: [PublishWorkflowInput, Schema.Null],
    success: Created(PublishRequest)
  }).middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
    OpenApi.Description,
    "Creates a publish request; the version is live once a reviewer approves it (PATCH /publish-requests/:id). A newer " +
      "request withdraws a pending one."
  ),
  HttpApiEndpoint.post("unpublish", "/workflows/:id/unpublish", { params, success: Workflow })
    .middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
      OpenApi.Description,
      "Revokes the publication: no version is live, and no new runs of agents, schedules, and triggers start. Runs " +
        "continue. A workflow without a live version is 409 `conflict`."
    ),
  HttpApiEndpoint.post("grant", "/workflows/:id/agents", {
    params,
    payload: GrantWorkflowInput,
    success: [WorkflowGrant, Created(WorkflowGrant)]
  }).middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
    OpenApi.Description,
    "The agent can run the live version by `workflow.run_workflow`, and runs can spend as it. Requires the right to " +
      "change the agent. 200 if it had the grant."
  ),
  HttpApiEndpoint.delete("revoke", "/workflows/:id/agents", {
    params,
    query: { agent_id: Schema.optionalKey(AgentId.annotate({ description: "Required" })) },
    success: HttpApiSchema.NoContent
  }).middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
    OpenApi.Description,
    "Ends the grant of an agent. Runs that it started continue."
  ),
  HttpApiEndpoint.post("share", "/workflows/:id/share", { params, payload: ShareWorkflowInput, success: Workflow })
    .middleware(SessionAccess).annotate(Requires, "workflows:write").annotate(
      OpenApi.Description,
      "Sets who sees the workflow. A member shares with their own teams only."
    ),
  HttpApiEndpoint.get("export", "/workflows/:id/export", {
    params,
    query: { version_id: Schema.optionalKey(WorkflowVersionId) },
    success: WorkflowExport
  }).middleware(SessionAccess).annotate(Requires, "workflows:read").annotate(
    OpenApi.Description,
    "The form that `POST /workflows/import` takes, of the given version, otherwise of the live one, otherwise of the " +
      "newest. It has the names of secrets, services, and ids that steps use, and no secret."
  )
) {}
