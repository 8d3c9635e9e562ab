/** Which runs a caller sees. Pure. Spec: reference/workflows.md "Runs". */
import type { Principal } from "@countersign/domain/auth"
import type { AgentId } from "@countersign/domain/ids"
import { type WorkflowReader, workflowReader } from "../workflows/rules.ts"

export interface RunScope {
  readonly agent: AgentId | undefined
  readonly mode: "live" | "test" | undefined
  /** Only runs of workflows that this person sees; undefined: of all. */
  readonly person: WorkflowReader | undefined
}

export const scopeOf = (principal: Principal): RunScope =>
  principal.kind === "agent"
    ? { agent: principal.agent_id, mode: principal.mode, person: undefined }
    : { agent: undefined, mode: undefined, person: workflowReader(principal) }
