/**
 * The effects of steps by their type: how one is started, stopped, and found again. Each has an id that was saved before
 * it starts, so that a second start of the same id finds the first one's effect. Spec: reference/workflows.md "Steps".
 */
import type { Json } from "@countersign/domain/json"
import type { StepOutcome, StepState } from "@countersign/domain/run-state"
import type { StepType, WorkflowStep } from "@countersign/domain/workflow-definition"
import { Effect } from "effect"
import type { RunRecord } from "./records.ts"

/** One attempt of a step. */
export interface StepCall<T extends StepType = StepType> {
  readonly run: RunRecord
  readonly epoch: number
  readonly step: Extract<WorkflowStep, { readonly type: T }>
  readonly stepId: string
  readonly state: StepState
  /** The rendered configuration; of `service_call`, the payload. */
  readonly input: Json
  /** The effect's id; empty for a type without one. */
  readonly ref: string
}

/** Enough to find an effect again. */
export type EffectOf = Pick<StepCall, "ref" | "run">

export type EffectReport =
  /** Its outcome comes later. `ref`: it is awaited by another id than it was started by. */
  | { readonly kind: "opened"; readonly ref?: string; readonly dueAt?: number }
  | { readonly kind: "ended"; readonly outcome: StepOutcome }

export type StopReport = EffectReport | { readonly kind: "stopped"; readonly left: "nothing" | "effect" }

export interface StepEffect<T extends StepType> {
  /** Dies when the database is unavailable; the engine then tries again. */
  readonly start: (call: StepCall<T>, again: boolean) => Effect.Effect<EffectReport>
  readonly stop: (call: StepCall<T>) => Effect.Effect<StopReport>
  /** The state of an open effect; undefined while it is open. */
  readonly look: (call: StepCall<T>) => Effect.Effect<EffectReport | undefined>
}

/** The run belongs to another hub now: this one does nothing more for it. */
export class RunLost extends Error {}

export const ended = (outcome: StepOutcome): EffectReport => ({ kind: "ended", outcome })
export const succeeded = (output: Json): EffectReport => ended({ kind: "succeeded", output })
export const failed = (code: string, message: string): EffectReport =>
  ended({ kind: "failed", error: { code, message }, retryable: false })
export const opened: EffectReport = { kind: "opened" }
export const nothingLeft: StopReport = { kind: "stopped", left: "nothing" }

/** A text of a rendered configuration; a number or a list that a reference put there becomes JSON. */
export const textOf = (value: Json | undefined): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === "string" ? value : JSON.stringify(value)

/** The members of a rendered configuration. */
export const membersOf = (input: Json): Readonly<Record<string, Json | undefined>> =>
  input as Readonly<Record<string, Json | undefined>>
