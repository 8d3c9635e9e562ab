/** Rules for pausing and resuming several agents. Pure. */

export type BulkStatus = "active" | "paused"

/** Whether the bulk action changes this agent. It skips disabled agents. */
export const changesTo = ({ status }: { readonly status: string }, to: BulkStatus): boolean =>
  status === (to === "paused" ? "active" : "paused")

/** The outcome for one agent; an error keeps the hub's message. */
export type BulkOutcome = { readonly kind: "done" } | { readonly kind: "changed" } | {
  readonly kind: "failed"
  readonly message: string
}
