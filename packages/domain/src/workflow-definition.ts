/**
 * The definition of a workflow: steps, the edges between them, the schema of the input, and the template of the output.
 * A version never changes. Spec: reference/workflows.md "Definition", "Steps".
 *
 * These schemas check the shape. Labels, cycles, templates, and expressions are checked by workflow-graph.ts.
 */
import { Schema } from "effect"
import {
  agentRequestBodyMax,
  AgentRequestKind,
  agentRequestOptionsMax,
  agentRequestTitleMax
} from "./agent-requests.ts"
import { goalMax, taskServicesMax } from "./delegated-tasks.ts"
import { expressionLengthMax } from "./expression.ts"
import { matching } from "./pattern.ts"
import { Deciders, expirySecondsMax, expirySecondsMin, RequiredApprovals } from "./policies.ts"
import { OperationName, ServiceName } from "./services.ts"

export const stepsMax = 100
export const edgesMax = 300
/** The most steps of one run at the same time. */
export const stepsAtOnceMax = 16
/** A run's input, the input of a step, and an output, in bytes of JSON. */
export const runValueBytesMax = 262_144
/** All inputs and outputs of one run, in bytes of JSON. */
export const runStateBytesMax = 4_194_304
/** Runs inside runs. */
export const runDepthMax = 5
export const stepAttemptsMax = 10
export const backoffMillisDefault = 1_000
/** The pause doubles after each attempt up to this. */
export const backoffMillisMax = 3_600_000
/** A random part of the pause, added to it. */
export const backoffJitter = 0.2
export const stepTimeoutMillisMax = 2_592_000_000
export const delaySecondsMax = 2_592_000
export const callbackSecondsMax = 2_592_000
export const runDaysDefault = 7
export const runDaysMax = 30
export const templatedTextMax = 65_536
export const webhookHeadersMax = 50

export const StepType = Schema.Literals([
  "service_call",
  "run_workflow",
  "condition",
  "delay",
  "approval",
  "agent_request",
  "delegation",
  "webhook",
  "memory_read",
  "memory_write"
])
export type StepType = typeof StepType.Type

export const RunStatus = Schema.Literals(["queued", "running", "waiting", "succeeded", "failed", "cancelled"])
export type RunStatus = typeof RunStatus.Type

export const StepStatus = Schema.Literals([
  "pending",
  "running",
  "waiting",
  "succeeded",
  "failed",
  "skipped",
  "cancelled"
])
export type StepStatus = typeof StepStatus.Type

export const StepLabel = Schema.String.check(
  matching(/^[A-Za-z][A-Za-z0-9_]{0,63}$/u, "a letter, then up to 63 letters, digits, or underscores")
)

/** Text that may contain `${…}`. */
const Text = (maximum: number) => Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(maximum))
const templated = /^\$\{[^{}]*\}$/u
/** A value of its type, or one reference that gives it when the step starts. */
const Or = <S extends Schema.Top>(schema: S) =>
  Schema.Union([schema, Text(templatedTextMax).check(matching(templated, "one reference, such as ${input.name}"))])
/** JSON with templates in its texts. */
const Templates = Schema.Json
const Seconds = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))
const Cel = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(expressionLengthMax))

export const ServiceCallConfig = Schema.Struct({
  service: ServiceName,
  operation: OperationName,
  payload: Schema.optionalKey(Templates)
})

export const RunWorkflowConfig = Schema.Struct({
  workflow_id: Text(templatedTextMax),
  input: Schema.optionalKey(Templates)
})

export const ConditionConfig = Schema.Struct({
  expression: Cel.annotate({ description: "CEL that gives true or false, over input and steps" })
})

export const DelayConfig = Schema.Struct({
  seconds: Schema.optionalKey(Or(Seconds(delaySecondsMax))),
  until: Schema.optionalKey(Text(templatedTextMax).annotate({ description: "RFC 3339, or a reference to such a time" }))
}).check(
  Schema.makeFilter(({ seconds, until }) =>
    (seconds === undefined) === (until === undefined) ? "expected either seconds or until" : undefined
  )
)

export const ApprovalConfig = Schema.Struct({
  title: Text(agentRequestTitleMax),
  body: Schema.optionalKey(Text(agentRequestBodyMax)),
  required_approvals: Schema.optionalKey(RequiredApprovals),
  deciders: Schema.optionalKey(Deciders),
  expires_in_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: expirySecondsMin, maximum: expirySecondsMax }))
  )
})

export const AgentRequestConfig = Schema.Struct({
  kind: AgentRequestKind,
  title: Text(agentRequestTitleMax),
  body: Schema.optionalKey(Text(agentRequestBodyMax)),
  options: Schema.optionalKey(
    Or(Schema.Array(Text(templatedTextMax)).check(Schema.isMinLength(1), Schema.isMaxLength(agentRequestOptionsMax)))
  ),
  expires_in_seconds: Schema.optionalKey(Or(Seconds(delaySecondsMax)))
})

export const DelegationConfig = Schema.Struct({
  to_agent_id: Text(templatedTextMax),
  goal: Text(goalMax),
  input: Schema.optionalKey(Templates),
  budget_cents: Or(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  services: Schema.Array(ServiceName).check(Schema.isMaxLength(taskServicesMax)),
  deadline_seconds: Schema.optionalKey(Or(Seconds(delaySecondsMax)))
})

export const WebhookConfig = Schema.Struct({
  url: Text(templatedTextMax),
  body: Schema.optionalKey(Templates),
  headers: Schema.optionalKey(
    Schema.Record(Schema.String, Text(templatedTextMax)).check(Schema.isMaxProperties(webhookHeadersMax))
  ),
  secret: Schema.optionalKey(
    Text(200).annotate({ description: "The name of a stored secret that signs the call" })
  ),
  callback_within_seconds: Schema.optionalKey(
    Seconds(callbackSecondsMax).annotate({ description: "Wait for a POST to ${callback_url} for so long" })
  )
})

export const MemoryReadConfig = Schema.Struct({
  q: Schema.optionalKey(Text(templatedTextMax)),
  tag: Schema.optionalKey(Text(templatedTextMax)),
  limit: Schema.optionalKey(Or(Seconds(100)))
})

export const MemoryWriteConfig = Schema.Struct({
  content: Text(templatedTextMax),
  kind: Schema.optionalKey(Text(templatedTextMax)),
  tags: Schema.optionalKey(Or(Schema.Array(Text(templatedTextMax)))),
  importance: Schema.optionalKey(Or(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))),
  expires_at: Schema.optionalKey(Text(templatedTextMax))
})

export const Retry = Schema.Struct({
  max_attempts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: stepAttemptsMax })),
  backoff_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: backoffMillisMax })).annotate({
      description: `The pause before the second attempt; it doubles. Default: ${backoffMillisDefault}`
    })
  )
}).annotate({ identifier: "StepRetry" })
export type Retry = typeof Retry.Type

const common = {
  label: StepLabel,
  retry: Schema.optionalKey(Retry),
  timeout_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: stepTimeoutMillisMax }))
  ),
  on_error: Schema.optionalKey(
    Schema.Literals(["fail", "continue"]).annotate({
      description: "`fail` (default): the run fails. `continue`: the steps behind it run, and the run may succeed"
    })
  )
}

/** Named `ServiceCallStep` and the like, so that generated clients have one class for each type. */
const step = <const T extends StepType, C extends Schema.Top>(type: T, config: C) =>
  Schema.Struct({ ...common, type: Schema.Literal(type), config }).annotate({
    identifier: `${type.replaceAll(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase())}Step`
  })

export const WorkflowStep = Schema.Union([
  step("service_call", ServiceCallConfig),
  step("run_workflow", RunWorkflowConfig),
  step("condition", ConditionConfig),
  step("delay", DelayConfig),
  step("approval", ApprovalConfig),
  step("agent_request", AgentRequestConfig),
  step("delegation", DelegationConfig),
  step("webhook", WebhookConfig),
  step("memory_read", MemoryReadConfig),
  step("memory_write", MemoryWriteConfig)
]).annotate({ identifier: "WorkflowStep" })
export type WorkflowStep = typeof WorkflowStep.Type

export const WorkflowEdge = Schema.Struct({
  from: StepLabel,
  to: StepLabel,
  when: Schema.optionalKey(
    Cel.annotate({ description: "CEL over input, steps, and output, the output of `from`. Absent: always" })
  )
}).annotate({ identifier: "WorkflowEdge" })
export type WorkflowEdge = typeof WorkflowEdge.Type

export const WorkflowDefinition = Schema.Struct({
  steps: Schema.Array(WorkflowStep).check(Schema.isMinLength(1), Schema.isMaxLength(stepsMax)),
  edges: Schema.Array(WorkflowEdge).check(Schema.isMaxLength(edgesMax)),
  input_schema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  output: Schema.optionalKey(
    Templates.annotate({ description: "A template. Default: the outputs of the last steps by label" })
  )
}).annotate({ identifier: "WorkflowDefinition" })
export type WorkflowDefinition = typeof WorkflowDefinition.Type
