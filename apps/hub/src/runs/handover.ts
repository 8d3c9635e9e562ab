/** New runs on their way to the engine: they start below dispatch, which the engine uses. */
import type { Json } from "@countersign/domain/json"
import type { RunCommand, RunState } from "@countersign/domain/run-state"
import { Context, Layer } from "effect"
import type { CompiledVersion } from "./environment.ts"
import type { OwnedRun } from "./records.ts"

/** The first state of a run, and the commands to execute once it is stored. */
export interface FirstState {
  readonly state: RunState
  readonly commands: ReadonlyArray<RunCommand>
}

export interface NewRunOwned extends OwnedRun {
  /** Undefined: its first steps have not been decided yet. */
  readonly commands: ReadonlyArray<RunCommand> | undefined
}

export interface RunReceiver {
  /** The owner number for a new run; 0: nobody, it is claimed when it is due. */
  readonly owner: () => number
  /** Starts the first steps of a run; undefined if they depend on the time of its start, or end it. */
  readonly first: (run: string, version: CompiledVersion, input: Json) => FirstState | undefined
  readonly receive: (owned: NewRunOwned) => void
  /** A run without an owner is due. */
  readonly nudge: () => void
}

export class RunHandover extends Context.Service<RunHandover, {
  readonly attach: (receiver: RunReceiver) => void
  readonly owner: RunReceiver["owner"]
  readonly first: RunReceiver["first"]
  readonly publish: (owned: NewRunOwned, owner: number) => void
}>()("@countersign/hub/runs/RunHandover") {
  static readonly layer = Layer.sync(RunHandover, () => {
    let attached: RunReceiver | undefined
    return RunHandover.of({
      attach: (receiver) => void (attached = receiver),
      owner: () => attached?.owner() ?? 0,
      first: (run, version, input) => attached?.first(run, version, input),
      publish: (owned, owner) => owner === 0 ? attached?.nudge() : attached?.receive(owned)
    })
  })
}
