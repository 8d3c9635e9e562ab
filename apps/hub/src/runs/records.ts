/** A run as the engine works on it, and its rows. */
import type { Mode } from "@countersign/domain/auth"
import { type AgentId, type OrgId, type ServiceRequestId, withPrefix } from "@countersign/domain/ids"
import type { Json } from "@countersign/domain/json"
import type { LateEffect, RunState, StepPhase, StepState } from "@countersign/domain/run-state"
import type { RunStatus, StepStatus } from "@countersign/domain/workflow-definition"
import type { RunError, StepError } from "@countersign/domain/workflow-runs"

/** Bits of `run_work.flags`. */
export const runFlags = { wake: 1, cancel: 2 } as const

/** The parts of a run that never change. */
export interface RunRecord {
  readonly id: string
  readonly org: OrgId
  readonly workflow: string
  readonly version: string
  readonly agent: AgentId
  readonly agentName: string
  readonly mode: Mode
  readonly root: string
  readonly ancestors: ReadonlyArray<string>
  readonly depth: number
  /** The request of `workflow.run_workflow` that its end settles. */
  readonly request: ServiceRequestId | null
  readonly maxCostCents: number | null
  readonly limits: ReadonlyArray<number>
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** A run that this hub owns. */
export interface OwnedRun {
  readonly run: RunRecord
  readonly state: RunState
  readonly rev: number
  readonly epoch: number
  readonly flags: number
}

export interface RunRow {
  readonly id: string
  readonly org_id: OrgId
  readonly workflow_id: string
  readonly version_id: string
  readonly agent_id: AgentId
  readonly agent_name: string
  readonly mode: Mode
  readonly source_type: string
  readonly source_id: string
  readonly source_name: string
  readonly parent_run_id: string | null
  readonly request_id: ServiceRequestId | null
  readonly root_id: string
  readonly ancestors: ReadonlyArray<string>
  readonly depth: number
  readonly status: RunStatus
  readonly ending: "cancelled" | "failed" | null
  readonly rev: number
  readonly cost_cents: number
  readonly max_cost_cents: number | null
  readonly limits: ReadonlyArray<number>
  /** JSON texts. */
  readonly input: string
  readonly output: string | null
  readonly error: string | null
  readonly late: string | null
  readonly deadline_at: Date
  readonly created_at: Date
  readonly ended_at: Date | null
}

export interface StepRow {
  readonly run_id: string
  readonly label: string
  readonly rev: number
  readonly status: StepStatus
  readonly attempt: number
  readonly tries: number
  readonly phase: StepPhase | null
  readonly ref: string | null
  readonly due_at: Date | null
  readonly timeout_at: Date | null
  readonly stopping: "timeout" | "end" | null
  readonly left_open: boolean
  readonly cost_cents: number
  readonly input: string | null
  readonly output: string | null
  readonly error: string | null
  readonly started_at: Date | null
  readonly ended_at: Date | null
}

export const toRecord = (row: RunRow): RunRecord => ({
  id: row.id,
  org: row.org_id,
  workflow: row.workflow_id,
  version: row.version_id,
  agent: row.agent_id,
  agentName: row.agent_name,
  mode: row.mode,
  root: row.root_id,
  ancestors: row.ancestors,
  depth: row.depth,
  request: row.request_id,
  maxCostCents: row.max_cost_cents,
  limits: row.limits.map(Number),
  createdAt: row.created_at.getTime()
})

const parsed = <A>(text: string): A => JSON.parse(text) as A

export const toStepState = (row: StepRow): StepState => ({
  status: row.status,
  attempt: row.attempt,
  tries: row.tries,
  cost_cents: row.cost_cents,
  ...(row.phase === null ? {} : { phase: row.phase }),
  ...(row.ref === null ? {} : { ref: row.ref }),
  ...(row.due_at === null ? {} : { due_at: row.due_at.getTime() }),
  ...(row.timeout_at === null ? {} : { timeout_at: row.timeout_at.getTime() }),
  ...(row.stopping === null ? {} : { stopping: row.stopping }),
  ...(row.input === null ? {} : { input: parsed<Json>(row.input) }),
  ...(row.output === null ? {} : { output: parsed<Json>(row.output) }),
  ...(row.error === null ? {} : { error: parsed<StepError>(row.error) }),
  ...(row.left_open ? { left_open: true } : {}),
  ...(row.started_at === null ? {} : { started_at: row.started_at.getTime() }),
  ...(row.ended_at === null ? {} : { ended_at: row.ended_at.getTime() })
})

export const toState = (row: RunRow, steps: ReadonlyArray<StepRow>): RunState => ({
  status: row.status,
  input: parsed<Json>(row.input),
  steps: Object.fromEntries(steps.map((step) => [step.label, toStepState(step)])),
  late: row.late === null ? [] : parsed<ReadonlyArray<LateEffect>>(row.late),
  deadline_at: row.deadline_at.getTime(),
  ...(row.ending === null ? {} : { ending: row.ending }),
  ...(row.error === null ? {} : { error: parsed<RunError>(row.error) }),
  ...(row.output === null ? {} : { output: parsed<Json>(row.output) }),
  ...(row.ended_at === null ? {} : { ended_at: row.ended_at.getTime() })
})

const base32 = "0123456789abcdefghjkmnpqrstvwxyz"

/** The id of a step: that of its run, with the place of the step in the last two digits. Unique within the run. */
export const stepIdOf = (run: string, place: number): string => {
  const id = withPrefix("stp", run)
  const last = id.length - 1
  const digit = (at: number, bits: number) => base32[base32.indexOf(id.charAt(at)) ^ bits] ?? ""
  return id.slice(0, last - 1) + digit(last - 1, place >> 5) + digit(last, place & 31)
}

/** The subject of the signal that a run has ended, for readers that wait for that only. */
export const endSignalOf = (run: string): string => `${run}:end`
