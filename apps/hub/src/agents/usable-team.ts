/** The team that a request names in `team_id`. */
import type { UserPrincipal } from "@countersign/domain/auth"
import { forbidden, invalidField } from "@countersign/domain/errors"
import { Effect } from "effect"
import { seesOwnOnly } from "../auth/own.ts"
import type { AgentsRepository } from "./repository.ts"

/**
 * 400 unless the team is in the caller's workspace, and 403 for a member who is not in the team. `act` completes the
 * sentence "Only members of the team can …".
 */
export const usableTeamIn = (agents: AgentsRepository["Service"], act: string) =>
  Effect.fnUntraced(function*(user: UserPrincipal, team: string) {
    const found = yield* agents.team(user.org_id, team, user.user_id)
    if (found === undefined) {
      return yield* Effect.fail(invalidField("team_id", "there is no such team in this workspace"))
    }
    if (seesOwnOnly(user.role) && !found.belongs) {
      return yield* Effect.fail(forbidden(`Only members of the team can ${act}.`, { team_id: team }))
    }
  })
