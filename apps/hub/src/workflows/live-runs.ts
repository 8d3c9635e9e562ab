/** The runs of a workflow that have not ended, for its deletion. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, type Effect } from "effect"
import type { Actor } from "../platform/audit-log.ts"

export class LiveRuns extends Context.Service<LiveRuns, {
  /** Runs in the caller's transaction, under the workspace's lock. */
  readonly count: (org: OrgId, workflow: string) => Effect.Effect<number>
  /** Requests the cancellation of all of them, in the caller's transaction; they end after it. */
  readonly cancelAll: (org: OrgId, workflow: string, actor: Actor) => Effect.Effect<void>
}>()("@countersign/hub/workflows/LiveRuns") {}
