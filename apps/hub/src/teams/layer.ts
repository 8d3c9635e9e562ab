/** Teams, pools, and allocations. */
import { Layer } from "effect"
import { TeamBudgets } from "./budgets.ts"
import { TeamsHttp } from "./http.ts"
import { teamsOfMemberLayer } from "./of-member.ts"
import { TeamsRepository } from "./repository.ts"
import { Teams } from "./service.ts"
import { WalletsRepository } from "./wallets-repository.ts"

export const repositories = Layer.mergeAll(TeamsRepository.layer, WalletsRepository.layer)

/** Members need it when a person leaves. */
export const ofMember = teamsOfMemberLayer.pipe(Layer.provideMerge(TeamBudgets.layer))

export const services = Teams.layer

export const handlers = TeamsHttp
