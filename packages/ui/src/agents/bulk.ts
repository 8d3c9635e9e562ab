/** Pausing and resuming several agents. Pure. */

export type BulkStatus = "active" | "paused"

/** Whether an agent changes: a disabled one is neither paused nor resumed with others. */
export const changesTo = ({ status }: { readonly status: string }, to: BulkStatus): boolean =>
  status === (to === "paused" ? "active" : "paused")

/** What became of one agent; an error as the hub words it. */
export type BulkOutcome = { readonly kind: "done" } | { readonly kind: "changed" } | {
  readonly kind: "failed"
  readonly message: string
}
