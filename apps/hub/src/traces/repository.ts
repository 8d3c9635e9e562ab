import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export class TracesRepository extends Context.Service<TracesRepository, {
  /** Of an agent that may be deleted by now. */
  readonly agentName: (org: string, id: string) => Effect.Effect<string>
}>()("@countersign/hub/traces/TracesRepository") {
  static readonly layer = Layer.effect(TracesRepository, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return TracesRepository.of({
      agentName: (org, id) =>
        sql<{ name: string }>`select name from agents where org_id = ${org} and id = ${id}`.pipe(
          Effect.map(([row]) => row?.name ?? ""), Effect.orDie
        )
    })
  }))
}
