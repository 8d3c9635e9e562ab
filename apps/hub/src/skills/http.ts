import { HubApi } from "@countersign/domain/api"
import { CurrentAgent, CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Skills } from "./service.ts"

export const SkillsHttp = HttpApiBuilder.group(
  HubApi,
  "skills",
  Effect.fn(function*(handlers) {
    const skills = yield* Skills
    return handlers.handleAll({
      list: ({ params, query }) => CurrentPrincipal.use((principal) => skills.list(principal, params.id, query)),
      remove: ({ params }) => CurrentUser.use((user) => skills.remove(user, params.id, params.skillId)),
      listProposals: ({ params, query }) =>
        CurrentPrincipal.use((principal) => skills.proposals(principal, params.id, query)),
      propose: ({ params, payload }) =>
        CurrentAgent.use((agent) => skills.propose(agent, params.id, payload)).pipe(
          Effect.map((proposal) => created(`/agents/${proposal.agent_id}/skill-proposals/${proposal.id}`, proposal))
        ),
      getProposal: ({ params }) =>
        CurrentPrincipal.use((principal) => skills.proposal(principal, params.id, params.pid)),
      decideProposal: ({ params, payload }) =>
        CurrentUser.use((user) => skills.decide(user, params.id, params.pid, payload))
    })
  })
)
