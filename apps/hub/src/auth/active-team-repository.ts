/** The active team of a session or a token. */
import type { TeamRole, UserPrincipal } from "@countersign/domain/auth"
import type { OrgId, TeamId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

interface ActiveTeam {
  readonly id: TeamId
  readonly name: string
  readonly role: TeamRole | null
}

type Via =
  | { readonly kind: "session"; readonly session_id: string }
  | { readonly kind: "pat"; readonly token_id: string }

export class ActiveTeamRepository extends Context.Service<ActiveTeamRepository, {
  /** Undefined when none is active, or when it was deleted or belongs to another workspace. */
  readonly find: (org: OrgId, user: string, via: Via) => Effect.Effect<ActiveTeam | undefined>
  readonly set: (user: UserPrincipal, team: string | null) => Effect.Effect<void>
}>()("@countersign/hub/auth/ActiveTeamRepository") {
  static readonly layer = Layer.effect(
    ActiveTeamRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return ActiveTeamRepository.of({
        find: (org, user, via) => {
          const credential = via.kind === "session"
            ? sql`select team_id from sessions where org_id = ${org} and id = ${via.session_id}`
            : sql`select team_id from tokens where org_id = ${org} and id = ${via.token_id}`
          return sql<ActiveTeam>`select t.id, t.name, m.role from teams t
          left join team_members m on m.team_id = t.id and m.user_id = ${user}
          where t.org_id = ${org} and t.id = (${credential}) and t.deleted_at is null`.pipe(
            Effect.map(([team]) => team),
            Effect.orDie
          )
        },
        set: ({ org_id, via }, team) =>
          Effect.orDie(Effect.asVoid(
            via.kind === "session"
              ? sql`update sessions set team_id = ${team} where id = ${via.session_id} and org_id = ${org_id}`
              : via.kind === "pat"
              ? sql`update tokens set team_id = ${team} where id = ${via.token_id} and org_id = ${org_id}`
              : Effect.die(new Error("a click has no active team"))
          ))
      })
    })
  )
}
