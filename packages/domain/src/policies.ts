/**
 * Policy rules of a workspace: CEL over the facts of a request, in order; the first matching rule decides. Spec:
 * reference/policies.md "Rule", "Order".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, Role, rolePermissions, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { Warnings } from "./errors.ts"
import { expressionLengthMax } from "./expression.ts"
import { PolicyId, ServiceRequestId, UserId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { RequestStatus } from "./service-requests.ts"
import { Label, Prose } from "./text.ts"
import { Moment } from "./time.ts"
import { expectedVersion, Version } from "./versions.ts"

/** Per workspace: every request is evaluated against each rule until one matches. */
export const policiesMax = 200
export const policyNameMax = 100
export const policyReasonMax = 500
export const requiredApprovalsMax = 5
export const deciderUsersMax = 100
export const expirySecondsMin = 60
export const expirySecondsMax = 2_592_000
/** The most requests that one replay reads. */
export const replayLimitMax = 1_000
export const replayLimitDefault = 200
/** The most differences that a replay lists. */
export const replayChangedMax = 100

export const PolicyAction = Schema.Literals(["allow", "block", "require_approval"])
export type PolicyAction = typeof PolicyAction.Type

const DeciderRole = Role.check(
  Schema.makeFilter((role: Role) =>
    rolePermissions[role].has("approvals:decide") ? undefined : `a ${role} cannot decide approvals`
  )
)
/** The approvers: people with one of the roles, and the listed people. */
export const Deciders = Schema.Struct({
  roles: Schema.optionalKey(Schema.Array(DeciderRole).check(Schema.isMaxLength(Role.literals.length))),
  user_ids: Schema.optionalKey(Schema.Array(UserId).check(Schema.isMaxLength(deciderUsersMax)))
}).check(
  Schema.makeFilter(({ roles, user_ids }) =>
    (roles?.length ?? 0) + (user_ids?.length ?? 0) > 0 ? undefined : "expected a role or a person"
  )
).annotate({ identifier: "Deciders" })
export type Deciders = typeof Deciders.Type

export const RequiredApprovals = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: requiredApprovalsMax }))
const ExpiresInSeconds = Schema.Int.check(Schema.isBetween({ minimum: expirySecondsMin, maximum: expirySecondsMax }))
const When = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(expressionLengthMax)).annotate({
  description:
    "CEL that gives true or false, over agent { id, name, team_id }, service, operation, payload, ceiling_cents, time"
})
const Position = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: policiesMax }))

export const Policy = Schema.Struct({
  id: PolicyId,
  name: Schema.String,
  /** From 1, without gaps. */
  position: Schema.Int,
  enabled: Schema.Boolean,
  when: Schema.String,
  then: PolicyAction,
  /**
   * These three apply where `then` is `require_approval`. Absent: one approval, any approver, the workspace's expiry.
   */
  required_approvals: Schema.optionalKey(Schema.Int),
  deciders: Schema.optionalKey(Deciders),
  expires_in_seconds: Schema.optionalKey(Schema.Int),
  reason: Schema.String,
  version: Version,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Policy" })
export type Policy = typeof Policy.Type

/** A rule after a save. */
export const SavedPolicy = Schema.Struct({ ...Policy.fields, warnings: Warnings }).annotate({
  identifier: "SavedPolicy"
})
export type SavedPolicy = typeof SavedPolicy.Type

export const CreatePolicyInput = Schema.Struct({
  name: Label(policyNameMax),
  /** The position of the new rule; later rules move down. Default: the end, as for any larger number. */
  position: Schema.optionalKey(Position),
  enabled: Schema.optionalKey(Schema.Boolean),
  when: When,
  then: PolicyAction,
  required_approvals: Schema.optionalKey(RequiredApprovals),
  deciders: Schema.optionalKey(Deciders),
  expires_in_seconds: Schema.optionalKey(ExpiresInSeconds),
  reason: Schema.optionalKey(Prose(policyReasonMax))
}).annotate({ identifier: "CreatePolicyInput" })
export type CreatePolicyInput = typeof CreatePolicyInput.Type

/** null removes a setting. */
export const UpdatePolicyInput = Schema.Struct({
  name: Schema.optionalKey(Label(policyNameMax)),
  position: Schema.optionalKey(Position),
  enabled: Schema.optionalKey(Schema.Boolean),
  when: Schema.optionalKey(When),
  then: Schema.optionalKey(PolicyAction),
  required_approvals: Schema.optionalKey(Schema.NullOr(RequiredApprovals)),
  deciders: Schema.optionalKey(Schema.NullOr(Deciders)),
  expires_in_seconds: Schema.optionalKey(Schema.NullOr(ExpiresInSeconds)),
  reason: Schema.optionalKey(Prose(policyReasonMax)),
  ...expectedVersion
}).annotate({ identifier: "UpdatePolicyInput" })
export type UpdatePolicyInput = typeof UpdatePolicyInput.Type

export const TestPolicyInput = Schema.Struct({
  /** A saved rule, or an unsaved one in `rule`: give one of the two. */
  policy_id: Schema.optionalKey(PolicyId),
  rule: Schema.optionalKey(CreatePolicyInput),
  from: Schema.optionalKey(Moment),
  to: Schema.optionalKey(Moment),
  limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: replayLimitMax })))
}).annotate({ identifier: "TestPolicyInput" })
export type TestPolicyInput = typeof TestPolicyInput.Type

export const PolicyReplay = Schema.Struct({
  /**
   * Requests read, newest first; fewer than requested when there are no more, or when their payloads are very large.
   */
  checked: Schema.Int,
  /** Requests that the rule would have decided: it matched, and no rule before it did. */
  matched: Schema.Int,
  /** Requests on which its expression failed, which blocks. */
  errors: Schema.Int,
  /** Requests that continued, and that the rule would have blocked or held for approval, respectively. */
  would_block: Schema.Int,
  would_require_approval: Schema.Int,
  /**
   * Requests whose outcome the rule would have changed, at most 100. `allowed`: a later rule stopped the request, and
   * this one would have allowed it.
   */
  changed: Schema.Array(Schema.Struct({
    request_id: ServiceRequestId,
    status: RequestStatus,
    would: Schema.Literals(["allowed", "blocked", "approval_required"])
  }))
}).annotate({ identifier: "PolicyReplay" })
export type PolicyReplay = typeof PolicyReplay.Type

const params = { id: PolicyId }

export class PoliciesGroup extends HttpApiGroup.make("policies").add(
  HttpApiEndpoint.get("list", "/policies", { query: PageQuery, success: Page(Policy) })
    .middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
      OpenApi.Description,
      "In evaluation order."
    ),
  HttpApiEndpoint.post("create", "/policies", { payload: CreatePolicyInput, success: Created(SavedPolicy) })
    .middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
      OpenApi.Description,
      "The first rule that matches decides. allow ends the evaluation, but limits and the threshold still apply. " +
        "An expression that fails counts as block; `warnings` names services, operations, and fields that make it " +
        "fail."
    ),
  HttpApiEndpoint.post("test", "/policies/test", { payload: TestPolicyInput, success: PolicyReplay })
    .middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
      OpenApi.Description,
      "Evaluates a rule together with the existing rules over past requests. Changes nothing."
    ),
  HttpApiEndpoint.get("get", "/policies/:id", { params, success: Policy })
    .middleware(UserAccess).annotate(Requires, "workspace:write"),
  HttpApiEndpoint.patch("update", "/policies/:id", { params, payload: UpdatePolicyInput, success: SavedPolicy })
    .middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
      OpenApi.Description,
      "A position moves the rule there. A change that can reduce the approvals of a request or changes its " +
        "deciders requires a stepped-up session (403 `step_up_required`), as does creating and deleting a rule. " +
        "With `expected_version`, a change based on another version is 409 `version_conflict`, with the current " +
        "rule in `data`."
    ),
  HttpApiEndpoint.delete("remove", "/policies/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "workspace:write")
) {}
