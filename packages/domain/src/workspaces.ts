/**
 * Workspaces: an org with its settings, as its people see it. Spec: reference/accounts.md "Workspaces", "Workspace
 * settings".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Role, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { SecondFactorRule } from "./factors.ts"
import { OrgId } from "./ids.ts"
import { Cents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { Label } from "./text.ts"
import { expectedVersion, Version } from "./versions.ts"

export const workspaceNameMax = 100
export const approvalLifeSecondsMin = 60
export const approvalLifeSecondsMax = 2_592_000
export const retentionDaysMax = 3650
export const deviceOutputDaysDefault = 90
export const alertLevelsMax = 10
export const alertPercentMax = 1000

export const ApprovalLifeSeconds = Schema.Int.check(
  Schema.isBetween({ minimum: approvalLifeSecondsMin, maximum: approvalLifeSecondsMax })
)
const RetentionDays = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: retentionDaysMax }))
/** Percentages of a budget that raise an alert, ascending. */
const AlertLevels = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: alertPercentMax }))).check(
  Schema.isMaxLength(alertLevelsMax),
  Schema.makeFilter((levels: ReadonlyArray<number>) =>
    levels.every((level, at) => at === 0 || level > levels[at - 1]!) ? undefined : "expected increasing percentages"
  )
)

export const Workspace = Schema.Struct({
  id: OrgId,
  name: Schema.String,
  /** The caller's own role in the workspace. */
  role: Role,
  /** Stops all spending at once. */
  frozen: Schema.Boolean,
  approval_threshold_cents: Cents,
  approval_life_seconds: Schema.Int,
  separation_of_duties: Schema.Boolean,
  /**
   * How long payloads and results are kept after a request ended; absent: without end. Audit and ledger are always kept
   * without end.
   */
  retention_days: Schema.optionalKey(Schema.Int),
  /** How long inputs, plans, results, and output of device commands are kept after their end. */
  device_output_days: Schema.Int,
  alert_levels: Schema.Array(Schema.Int),
  /** An approval above this amount needs a stepped-up session; absent: never required. */
  step_up_cents: Schema.optionalKey(Cents),
  /** Who must have a second factor: nobody, people with the right to decide approvals, or everybody. */
  second_factor: SecondFactorRule,
  version: Version,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Workspace" })
export type Workspace = typeof Workspace.Type

export const WorkspaceInput = Schema.Struct({ name: Label(workspaceNameMax) })

export const WorkspacePatch = Schema.Struct({
  name: Schema.optionalKey(Label(workspaceNameMax)),
  frozen: Schema.optionalKey(Schema.Boolean),
  approval_threshold_cents: Schema.optionalKey(Cents),
  approval_life_seconds: Schema.optionalKey(ApprovalLifeSeconds),
  separation_of_duties: Schema.optionalKey(Schema.Boolean),
  retention_days: Schema.optionalKey(Schema.NullOr(RetentionDays)),
  device_output_days: Schema.optionalKey(RetentionDays),
  alert_levels: Schema.optionalKey(AlertLevels),
  step_up_cents: Schema.optionalKey(Schema.NullOr(Cents)),
  second_factor: Schema.optionalKey(SecondFactorRule),
  ...expectedVersion
}).annotate({ identifier: "WorkspacePatch" })
export type WorkspacePatch = typeof WorkspacePatch.Type

const id = { id: OrgId }

export class WorkspacesGroup extends HttpApiGroup.make("workspaces").add(
  HttpApiEndpoint.get("list", "/workspaces", { query: PageQuery, success: Page(Workspace) })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      "Every workspace of the person. A personal access token receives its own workspace only."
    ),
  HttpApiEndpoint.post("create", "/workspaces", { payload: WorkspaceInput, success: Created(Workspace) })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      "Creates a workspace; its creator becomes its owner. A personal access token needs `workspace:write`, and stays " +
        "in its own workspace."
    ),
  HttpApiEndpoint.post("switch", "/workspaces/switch", {
    payload: Schema.Struct({ workspace_id: OrgId }),
    success: Workspace
  })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      "Makes another workspace the active one of the session. Header `svc-workspace` selects a workspace for one " +
        "call instead. A personal access token belongs to one workspace: its own is 200, any other is 404."
    ),
  HttpApiEndpoint.get("get", "/workspaces/:id", { params: id, success: Workspace }).middleware(UserAccess),
  HttpApiEndpoint.patch("update", "/workspaces/:id", { params: id, payload: WorkspacePatch, success: Workspace })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      `Raising or clearing \`step_up_cents\`, disabling \`separation_of_duties\`, and relaxing \`second_factor\` require a stepped-up ` +
        `session (403 \`step_up_required\`). Requires \`workspace:write\` in that workspace; for \`frozen: true\` ` +
        `alone, \`approvals:decide\` is enough; \`approval_threshold_cents\` also requires \`budgets:write\`. ` +
        `\`null\` clears \`retention_days\` and \`step_up_cents\`. When \`retention_days\` have passed since the ` +
        `end of a request, its payload, result, and late result read as \`{ "$removed": true }\` (a failure keeps ` +
        `its \`code\`), also when it is repeated with its idempotency-key; amounts, digests, audit log, and ledger ` +
        `remain. With \`expected_version\`, a change based on another version is 409 \`version_conflict\`, with ` +
        `the current workspace in \`data\`. After \`device_output_days\` (default ${deviceOutputDaysDefault}) ` +
        `input, plan, result, artifacts, and output of a device command are removed; it then has ` +
        `\`removed_after_days\`.`
    )
) {}
