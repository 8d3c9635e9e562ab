/**
 * The interface of a tool: it is prepared first, with all its paths opened and resolved, so that the rules judge
 * exactly the resources that it will use.
 */
import type { DevicePlan } from "@countersign/domain/device-plan"
import type { CommandError, Outcome } from "@countersign/domain/device-protocol"
import type { Deed, DeviceRules } from "@countersign/domain/device-rules"
import type { Opened, Places } from "../files/places.ts"
import type { StreamName } from "../results/output.ts"

export interface Asked<Input> {
  readonly command: string
  readonly input: Input
  /** An agent requested it, not a person. */
  readonly isAgent: boolean
  readonly directory: Opened
  readonly places: Places
  readonly rules: DeviceRules
  /** The agent's own folder for copies of scripts. */
  readonly copies: string
}

export interface Running {
  readonly print: (stream: StreamName, bytes: Uint8Array) => void
  /** Aborted by a cancel or a timeout. */
  readonly stop: AbortSignal
  readonly kill: AbortSignal
  /** A person approved the plan: the files that it pins are the ones that run. */
  readonly consented: boolean
}

export interface Finished {
  readonly outcome: Outcome
  readonly exit_code?: number
  readonly result?: unknown
  readonly error?: CommandError
}

export interface Prepared {
  readonly deed: Omit<Deed, "tool">
  /** Shown to the approver beside the command itself. */
  readonly plan: Omit<DevicePlan, "version" | "tool" | "input" | "timeout_seconds">
  readonly run: (running: Running) => Promise<Finished>
  readonly close?: () => void
}

/** Throws a `Refusal`, at preparation or in `run`. */
export type ToolOf<Input> = (asked: Asked<Input>) => Prepared
