import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Allocation, TeamBudget } from "@countersign/domain/teams"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Idempotency } from "../platform/idempotency.ts"
import { TeamBudgets } from "./budgets.ts"
import { Teams } from "./service.ts"

export const TeamsHttp = HttpApiBuilder.group(
  HubApi,
  "teams",
  Effect.fn(function*(handlers) {
    const teams = yield* Teams
    const budgets = yield* TeamBudgets
    const idempotency = yield* Idempotency
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => teams.list(user, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) => teams.create(user, payload)).pipe(
          Effect.map((team) => created(`/teams/${team.id}`, team))
        ),
      switch: ({ payload }) => CurrentUser.use((user) => teams.enter(user, payload.team_id)),
      update: ({ params, payload }) => CurrentUser.use((user) => teams.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => teams.remove(user, params.id)),
      members: ({ params, query }) => CurrentUser.use((user) => teams.members(user, params.id, query)),
      addMember: ({ params, payload }) =>
        CurrentUser.use((user) => teams.addMember(user, params.id, payload)).pipe(
          Effect.map((member) => created(`/teams/${params.id}/members/${member.user_id}`, member))
        ),
      updateMember: ({ params, payload }) =>
        CurrentUser.use((user) => teams.setRole(user, params.id, params.userId, payload.role)),
      removeMember: ({ params }) => CurrentUser.use((user) => teams.removeMember(user, params.id, params.userId)),
      budget: ({ params }) => CurrentUser.use((user) => budgets.get(user, params.id)),
      moveBudget: ({ params, payload }) =>
        CurrentUser.use((principal) =>
          idempotency.once(
            { principal, input: payload, answer: TeamBudget, status: 200 },
            budgets.move(principal, params.id, payload)
          )
        ),
      allocate: ({ params, payload }) =>
        CurrentUser.use((principal) =>
          idempotency.once(
            { principal, input: payload, answer: Allocation, status: 200 },
            budgets.allocate(principal, params.id, params.uid, payload)
          )
        ),
      endAllocation: ({ params }) => CurrentUser.use((user) => budgets.endAllocation(user, params.id, params.uid))
    })
  })
)
