/** Standing approvals, and the pending approvals that they have still to decide. */
import { Layer } from "effect"
import { BacklogRepository } from "./backlog-repository.ts"
import { StandingApprovalsHttp } from "./http.ts"
import { standingApprovalsOfMemberLayer } from "./of-member.ts"
import { StandingApprovalsRepository } from "./repository.ts"
import { StandingApprovals } from "./service.ts"

export const repositories = Layer.mergeAll(BacklogRepository.layer, StandingApprovalsRepository.layer)

/** Members need it when a person leaves; it needs the repositories alone. */
export const ofMember = standingApprovalsOfMemberLayer

export const services = StandingApprovals.layer

export const handlers = StandingApprovalsHttp
