/** Approvals: votes, expiry, batches. */
import { Layer } from "effect"
import { ApprovalsHttp } from "./http.ts"
import { ApprovalListRepository } from "./list-repository.ts"
import { ApprovalList } from "./list.ts"
import { pendingApprovalsLayer } from "./pending.ts"
import { ApprovalsRepository } from "./repository.ts"
import { Approvals } from "./service.ts"
import { ApprovalViews } from "./views.ts"

export const repositories = Layer.mergeAll(ApprovalListRepository.layer, ApprovalsRepository.layer)

export const services = Layer.mergeAll(Approvals.layer, pendingApprovalsLayer).pipe(
  Layer.provideMerge(Layer.mergeAll(ApprovalList.layer, ApprovalViews.layer))
)

export const handlers = ApprovalsHttp
