/** New runs on their way to the engine: they start below dispatch, which the engine uses. */
import { Context, Layer } from "effect"
import type { OwnedRun } from "./records.ts"

export interface RunReceiver {
  /** The owner number for a new run; 0: nobody, it is claimed when it is due. */
  readonly owner: () => number
  readonly receive: (owned: OwnedRun) => void
  /** A run without an owner is due. */
  readonly nudge: () => void
}

export class RunHandover extends Context.Service<RunHandover, {
  readonly attach: (receiver: RunReceiver) => void
  readonly owner: () => number
  readonly publish: (owned: OwnedRun, owner: number) => void
}>()("@countersign/hub/runs/RunHandover") {
  static readonly layer = Layer.sync(RunHandover, () => {
    let attached: RunReceiver | undefined
    return RunHandover.of({
      attach: (receiver) => void (attached = receiver),
      owner: () => attached?.owner() ?? 0,
      publish: (owned, owner) => owner === 0 ? attached?.nudge() : attached?.receive(owned)
    })
  })
}
