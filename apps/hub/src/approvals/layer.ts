/** Approvals: votes, expiry, batches. */
import { Layer } from "effect"
import { ApprovalBatch } from "./batch.ts"
import { ApprovalsHttp } from "./http.ts"
import { ApprovalInbox } from "./inbox.ts"
import { ApprovalListRepository } from "./list-repository.ts"
import { ApprovalList } from "./list.ts"
import { pendingApprovalsLayer } from "./pending.ts"
import { ApprovalsRepository } from "./repository.ts"
import { Approvals } from "./service.ts"
import { StepApprovalsRepository } from "./steps-repository.ts"
import { StepApprovals } from "./steps.ts"
import { ApprovalViews } from "./views.ts"

export const repositories = Layer.mergeAll(
  ApprovalListRepository.layer,
  ApprovalsRepository.layer,
  StepApprovalsRepository.layer
)

export const services = Layer.mergeAll(ApprovalBatch.layer, ApprovalInbox.layer, pendingApprovalsLayer).pipe(
  Layer.provideMerge(Approvals.layer),
  Layer.provideMerge(Layer.mergeAll(ApprovalList.layer, ApprovalViews.layer, StepApprovals.layer))
)

export const handlers = ApprovalsHttp
