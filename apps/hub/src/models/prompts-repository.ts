/**
 * Prompts of model calls whose approval is pending: the request stores only their digest. A prompt is kept as long as its
 * approval may be pending, and is unreadable to every other workspace.
 */
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Prompt } from "../providers/model-prompt.ts"

export interface StoredPrompt {
  readonly org: OrgId
  /** Unique in the workspace. */
  readonly id: string
  readonly agent: AgentId
  readonly prompt: Prompt
  readonly lifeSeconds: number
}

export class PromptsRepository extends Context.Service<PromptsRepository, {
  /** The same id again extends its life. */
  readonly keep: (stored: StoredPrompt) => Effect.Effect<void>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Prompt | undefined>
  /** Removes at most `limit` prompts whose life has ended; returns their number. */
  readonly removeEnded: (limit: number) => Effect.Effect<number>
}>()("@countersign/hub/models/PromptsRepository") {
  static readonly layer = Layer.effect(
    PromptsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return PromptsRepository.of({
        keep: ({ agent, id, lifeSeconds, org, prompt }) =>
          sql`insert into model_prompts as kept (org_id, id, agent_id, body, ends_at)
          values (${org}, ${id}, ${agent}, ${
            JSON.stringify(prompt)
          }, now() + make_interval(secs => ${lifeSeconds}::int))
          on conflict (org_id, id) do update set ends_at = greatest(kept.ends_at, excluded.ends_at)`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        find: (org, id) =>
          sql<{ body: string }>`select body from model_prompts where org_id = ${org} and id = ${id}`.pipe(
            Effect.map(([row]) => row === undefined ? undefined : JSON.parse(row.body) as Prompt),
            Effect.orDie
          ),
        removeEnded: (limit) =>
          sql`delete from model_prompts where (org_id, id) in (
            select org_id, id from model_prompts where ends_at < now() limit ${limit} for update skip locked)
          returning id`.pipe(Effect.map((rows) => rows.length), Effect.orDie)
      })
    })
  )
}
