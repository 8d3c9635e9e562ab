/** Runs of workflows: their engine, the effects of their steps, and their API. */
import { Layer } from "effect"
import { RunAgentWork } from "./agent-work.ts"
import { BudgetsRepository } from "./budgets-repository.ts"
import { CallbackAddresses } from "./callback-addresses.ts"
import { CallbacksRepository } from "./callbacks-repository.ts"
import { RunCallbacks } from "./callbacks.ts"
import { RunCalls } from "./calls.ts"
import { RunEngine } from "./engine.ts"
import { RunEstimates } from "./estimates.ts"
import { Fence } from "./fence.ts"
import { handoverLayer } from "./handover-layer.ts"
import { RunHandover } from "./handover.ts"
import { WorkflowRunsHttp } from "./http.ts"
import { RunListRepository } from "./list-repository.ts"
import { liveRunsLayer } from "./live-runs.ts"
import { RunPeople } from "./people.ts"
import { RunReads } from "./reads.ts"
import { RunsRepository } from "./repository.ts"
import { WorkflowRuns } from "./service.ts"
import { RunSettlement } from "./settlement.ts"
import { RunStarting } from "./starting.ts"
import { Versions } from "./versions.ts"
import { RunViews } from "./views.ts"
import { RunWork } from "./work.ts"
import { RunnableWorkflows } from "./workflows-repository.ts"

export const repositories = Layer.mergeAll(
  BudgetsRepository.layer,
  CallbacksRepository.layer,
  RunListRepository.layer,
  RunnableWorkflows.layer,
  RunsRepository.layer
)

/** Below dispatch, whose adapter of the service `workflow` starts runs. */
export const work = Layer.mergeAll(RunWork.layer, liveRunsLayer).pipe(
  Layer.provideMerge(RunStarting.layer),
  Layer.provideMerge(Layer.mergeAll(RunHandover.layer, Versions.layer))
)

export const services = Layer.mergeAll(RunSettlement.layer, WorkflowRuns.layer, RunCallbacks.layer, handoverLayer).pipe(
  Layer.provideMerge(RunEngine.layer),
  Layer.provideMerge(Layer.mergeAll(RunAgentWork.layer, RunCalls.layer, RunPeople.layer)),
  Layer.provideMerge(Layer.mergeAll(CallbackAddresses.layer, Fence.layer, RunEstimates.layer, RunViews.layer)),
  Layer.provideMerge(RunReads.layer)
)

export const handlers = WorkflowRunsHttp
