/** Members: invitations, roles, departure. */
import { Layer } from "effect"
import { Departure } from "./departure.ts"
import { HoldingsRepository } from "./holdings-repository.ts"
import { MembersHttp } from "./http.ts"
import { MembersRepository } from "./repository.ts"
import { Members } from "./service.ts"

export const repositories = Layer.mergeAll(HoldingsRepository.layer, MembersRepository.layer)

export const services = Members.layer.pipe(Layer.provideMerge(Departure.layer))

export const handlers = MembersHttp
