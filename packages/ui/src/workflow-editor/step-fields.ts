/** The fields of each type of step, in the order of its form. Pure. */
import type { StepType } from "@countersign/domain/workflow-definition"
import type { workflowEditorText } from "../text/workflow-editor.ts"

export type FieldName = keyof typeof workflowEditorText.fields

export interface StepField {
  readonly name: FieldName
  /** `value`: a number, or a reference. `json`: any JSON with templates in its texts. */
  readonly kind: "text" | "long" | "cel" | "value" | "json" | "lines" | "service" | "operation" | "agent" | "workflow"
  /** The only values of a text. */
  readonly choices?: ReadonlyArray<string>
  readonly optional?: true
  readonly about?: "expression" | "until" | "perLine" | "seconds" | "callback"
}

export const stepFields: Readonly<Record<StepType, ReadonlyArray<StepField>>> = {
  service_call: [
    { name: "service", kind: "service" },
    { name: "operation", kind: "operation" },
    { name: "payload", kind: "json", optional: true }
  ],
  run_workflow: [
    { name: "workflow_id", kind: "workflow" },
    { name: "input", kind: "json", optional: true }
  ],
  condition: [{ name: "expression", kind: "cel", about: "expression" }],
  delay: [
    { name: "seconds", kind: "value", optional: true, about: "seconds" },
    { name: "until", kind: "text", optional: true, about: "until" }
  ],
  approval: [
    { name: "title", kind: "text" },
    { name: "body", kind: "long", optional: true },
    { name: "required_approvals", kind: "value", optional: true },
    { name: "deciders", kind: "json", optional: true },
    { name: "expires_in_seconds", kind: "value", optional: true }
  ],
  agent_request: [
    { name: "kind", kind: "text", choices: ["question", "approval", "input", "handoff"] },
    { name: "title", kind: "text" },
    { name: "body", kind: "long", optional: true },
    { name: "options", kind: "lines", optional: true, about: "perLine" },
    { name: "expires_in_seconds", kind: "value", optional: true }
  ],
  delegation: [
    { name: "to_agent_id", kind: "agent" },
    { name: "goal", kind: "long" },
    { name: "input", kind: "json", optional: true },
    { name: "budget_cents", kind: "value" },
    { name: "services", kind: "lines", about: "perLine" },
    { name: "deadline_seconds", kind: "value", optional: true }
  ],
  webhook: [
    { name: "url", kind: "text" },
    { name: "body", kind: "json", optional: true },
    { name: "headers", kind: "json", optional: true },
    { name: "secret", kind: "text", optional: true },
    { name: "callback_within_seconds", kind: "value", optional: true, about: "callback" }
  ],
  memory_read: [
    { name: "q", kind: "text", optional: true },
    { name: "tag", kind: "text", optional: true },
    { name: "limit", kind: "value", optional: true }
  ],
  memory_write: [
    { name: "content", kind: "long" },
    { name: "kind", kind: "text", choices: ["fact", "preference", "event", "skill"], optional: true },
    { name: "tags", kind: "lines", optional: true, about: "perLine" },
    { name: "importance", kind: "value", optional: true },
    { name: "expires_at", kind: "text", optional: true, about: "until" }
  ]
}

/** A typed value: a number or other JSON as such, anything else as text, such as a reference. */
export const valueOf = (text: string): unknown => {
  if (text.trim() === "") return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

export const textOf = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

/** The configuration with one member set; undefined removes it. */
export const withMember = (
  config: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown
): Readonly<Record<string, unknown>> => {
  const { [name]: _, ...rest } = config
  return value === undefined ? rest : Object.hasOwn(config, name)
    ? Object.fromEntries(Object.entries(config).map(([each, before]) => [each, each === name ? value : before]))
    : { ...config, [name]: value }
}
