/**
 * Skills of an agent: the operations of its bindings, and the instructions that people accepted. Spec:
 * reference/skills.md "Skill", "Skill proposals".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AgentAccess, AllowsTeamRole, AnyAccess, Requires, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, SkillProposalId, UserId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { Label, Prose } from "./text.ts"

export const skillNameMax = 100
export const skillDescriptionMax = 2_000
export const skillInstructionsMax = 16_384
export const skillRationaleMax = 2_000
export const skillOperationsMax = 50
export const skillCommentMax = 1_000
/** The most proposals of one agent that await a decision. */
export const pendingProposalsMax = 100
/** The most custom skills of one agent. */
export const customSkillsMax = 200

export const SkillKind = Schema.Literals(["service", "workflow", "custom"])
export type SkillKind = typeof SkillKind.Type

const SkillId = Schema.String.check(
  Schema.isMaxLength(130),
  matching(/^[a-z][a-z0-9_.-]*$/u, "the id of a skill")
)

export const Skill = Schema.Struct({
  /** `service.operation`, the id of the workflow, or the id of the proposal of a custom skill. */
  id: Schema.String,
  agent_id: AgentId,
  kind: SkillKind,
  name: Schema.String,
  description: Schema.String,
  /** The JSON Schema of the payload, or of the input of a workflow. */
  input_schema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  call: Schema.Union([
    Schema.Struct({ service: Schema.String, operation: Schema.String }),
    Schema.Struct({ workflow_id: Schema.String }),
    Schema.Struct({ instructions: Schema.String })
  ]),
  source: Schema.Literals(["binding", "grant", "proposal"])
}).annotate({ identifier: "Skill" })
export type Skill = typeof Skill.Type

export const SkillProposalStatus = Schema.Literals(["proposed", "accepted", "rejected"])
export type SkillProposalStatus = typeof SkillProposalStatus.Type

export const SkillProposal = Schema.Struct({
  id: SkillProposalId,
  agent_id: AgentId,
  name: Schema.String,
  description: Schema.String,
  instructions: Schema.String,
  operations: Schema.Array(Schema.String),
  rationale: Schema.String,
  /** `proposed` is the only status that changes. */
  status: SkillProposalStatus,
  decided_by: Schema.optionalKey(Schema.Struct({ id: UserId, name: Schema.String })),
  comment: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  decided_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SkillProposal" })
export type SkillProposal = typeof SkillProposal.Type

const OperationRef = Schema.String.check(
  Schema.isMaxLength(129),
  matching(/^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+$/u, "service.operation, such as echo.say")
)

export const CreateSkillProposalInput = Schema.Struct({
  name: Label(skillNameMax),
  description: Schema.optionalKey(Prose(skillDescriptionMax)),
  instructions: Prose(skillInstructionsMax).check(Schema.isNonEmpty()),
  operations: Schema.optionalKey(
    Schema.Array(OperationRef).check(
      Schema.isMaxLength(skillOperationsMax),
      Schema.makeFilter((operations: ReadonlyArray<string>) =>
        new Set(operations).size === operations.length ? undefined : "expected each operation once"
      )
    ).annotate({ description: "The operations that the instructions use, as `service.operation`" })
  ),
  rationale: Schema.optionalKey(Prose(skillRationaleMax))
}).annotate({ identifier: "CreateSkillProposalInput" })
export type CreateSkillProposalInput = typeof CreateSkillProposalInput.Type

export const DecideSkillProposalInput = Schema.Struct({
  status: Schema.Literals(["accepted", "rejected"]),
  comment: Schema.optionalKey(Prose(skillCommentMax))
}).annotate({ identifier: "DecideSkillProposalInput" })
export type DecideSkillProposalInput = typeof DecideSkillProposalInput.Type

const params = { id: AgentId }
const proposal = { id: AgentId, pid: SkillProposalId }

export class SkillsGroup extends HttpApiGroup.make("skills").add(
  HttpApiEndpoint.get("list", "/agents/:id/skills", { params, query: PageQuery, success: Page(Skill) })
    .middleware(AnyAccess).annotate(Requires, "agents:read").annotate(
      OpenApi.Description,
      "Skills of services by name, then of granted workflows with a live version, then custom skills, newest first. " +
        "`call` says how the agent uses the skill: a request to an operation, a run of a workflow (`workflow." +
        "run_workflow`), or instructions to follow."
    ),
  HttpApiEndpoint.delete("remove", "/agents/:id/skills/:skillId", {
    params: { id: AgentId, skillId: SkillId },
    success: HttpApiSchema.NoContent
  }).middleware(UserAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "Only custom skills can be deleted. A skill of a service ends with its binding, one of a workflow with its grant: 409 " +
      "`skill_derived`."
  ),
  HttpApiEndpoint.get("listProposals", "/agents/:id/skill-proposals", {
    params,
    query: { ...PageQuery, status: Schema.optionalKey(SkillProposalStatus) },
    success: Page(SkillProposal)
  }).middleware(AnyAccess).annotate(Requires, "agents:read").annotate(
    OpenApi.Description,
    "Newest first, with every status unless `status` is given."
  ),
  HttpApiEndpoint.post("propose", "/agents/:id/skill-proposals", {
    params,
    payload: CreateSkillProposalInput,
    success: Created(SkillProposal)
  }).middleware(AgentAccess).annotate(
    OpenApi.Description,
    `An agent proposes skills for itself only. With ${pendingProposalsMax} undecided proposals the next one is 409 ` +
      "`limit_reached`."
  ),
  HttpApiEndpoint.get("getProposal", "/agents/:id/skill-proposals/:pid", { params: proposal, success: SkillProposal })
    .middleware(AnyAccess).annotate(Requires, "agents:read"),
  HttpApiEndpoint.patch("decideProposal", "/agents/:id/skill-proposals/:pid", {
    params: proposal,
    payload: DecideSkillProposalInput,
    success: SkillProposal
  }).middleware(UserAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "An accepted proposal becomes a custom skill with the same id. A second decision, and the acceptance of a name " +
      `that another custom skill of the agent has, are 409 \`conflict\`; more than ${customSkillsMax} custom skills are ` +
      "409 `limit_reached`."
  )
) {}
