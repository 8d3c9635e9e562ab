/** Takes a person who leaves the workspace out of their teams. */
import { Effect, Layer } from "effect"
import { TeamsOfMember } from "../members/departure.ts"
import { TeamBudgets } from "./budgets.ts"
import { TeamsRepository } from "./repository.ts"

export const teamsOfMemberLayer = Layer.effect(
  TeamsOfMember,
  Effect.gen(function*() {
    const teams = yield* TeamsRepository
    const budgets = yield* TeamBudgets
    const leaveTeam: TeamsOfMember["Service"]["leaveTeam"] = Effect.fnUntraced(
      function*({ actor, org, user }, team, at) {
        const returned = yield* budgets.returnAllocation(org, team, user, actor, at)
        yield* teams.removeMember(org, team, user)
        return returned
      }
    )
    return TeamsOfMember.of({
      leave: Effect.fnUntraced(function*(leaving, at) {
        const all = yield* teams.teamsOf(leaving.org, leaving.user)
        for (const team of all) yield* leaveTeam(leaving, team, at)
        return all.length
      }),
      leaveTeam
    })
  })
)
