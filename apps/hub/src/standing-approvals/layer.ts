/** Standing approvals, and the pending approvals that they have still to decide. */
import { Layer } from "effect"
import { BacklogRepository } from "./backlog-repository.ts"
import { StandingApprovalsHttp } from "./http.ts"
import { StandingApprovalsRepository } from "./repository.ts"
import { StandingApprovals } from "./service.ts"

export const repositories = Layer.mergeAll(BacklogRepository.layer, StandingApprovalsRepository.layer)

export const services = StandingApprovals.layer

export const handlers = StandingApprovalsHttp
