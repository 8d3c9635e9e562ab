/** The service of workflows that publishing needs. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, type Effect } from "effect"
import type { Actor } from "../platform/audit-log.ts"

export class PublishedWorkflows extends Context.Service<PublishedWorkflows, {
  /** The version is live from the commit on. Runs in the caller's transaction, under the workspace's lock. */
  readonly goLive: (
    org: OrgId,
    actor: Actor,
    workflow: { readonly id: string; readonly version_id: string },
    at: Date
  ) => Effect.Effect<void>
  /** No version is live from the commit on. Runs in the caller's transaction, under the workspace's lock. */
  readonly endLive: (org: OrgId, actor: Actor, workflow: string, at: Date) => Effect.Effect<void>
}>()("@countersign/hub/publishing/PublishedWorkflows") {}
