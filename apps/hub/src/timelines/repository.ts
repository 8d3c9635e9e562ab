import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface RequestKey {
  readonly id: string
  readonly agent_id: AgentId
  readonly service: string
  readonly operation: string
}

export interface CoveringStanding {
  readonly id: string
  readonly ended: boolean
  readonly by_id: string
  readonly by_name: string
  readonly by_email: string
}

export class TimelinesRepository extends Context.Service<TimelinesRepository, {
  /** Also of a deleted agent. */
  readonly agentName: (org: OrgId, id: string) => Effect.Effect<string>
  /**
   * The standing approval that covered a request. The query filters by agent and operation, so that it reads few rows.
   */
  readonly standingOf: (org: OrgId, request: RequestKey) => Effect.Effect<Option.Option<CoveringStanding>>
}>()("@countersign/hub/timelines/TimelinesRepository") {
  static readonly layer = Layer.effect(
    TimelinesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return TimelinesRepository.of({
        agentName: (org, id) =>
          sql<{ name: string }>`select name from agents where org_id = ${org} and id = ${id}`.pipe(
            Effect.map(([row]) => row?.name ?? ""),
            Effect.orDie
          ),
        standingOf: (org, { agent_id, id, operation, service }) =>
          sql<CoveringStanding>`select s.id, s.withdrawn_at is not null or s.expires_at <= hub_time_or_last() as ended,
            u.id as by_id, u.name as by_name, u.email as by_email
          from standing_approvals s
          join standing_uses x on x.org_id = s.org_id and x.standing_approval_id = s.id and x.request_id = ${id}
          join users u on u.id = s.created_by
          where s.org_id = ${org} and s.agent_id = ${agent_id} and s.service = ${service} and s.operation = ${operation}
          order by s.id limit 1`.pipe(Effect.map((rows) => Option.fromNullishOr(rows[0])), Effect.orDie)
      })
    })
  )
}
