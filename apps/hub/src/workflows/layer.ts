/** Workflows: definitions, versions, grants, and their review. */
import { Layer } from "effect"
import { WorkflowExchange } from "./exchange.ts"
import { WorkflowGrants } from "./grants.ts"
import { WorkflowsHttp } from "./http.ts"
import { workflowsOfMemberLayer } from "./of-member.ts"
import { publishedWorkflowsLayer } from "./publication.ts"
import { WorkflowReferences } from "./references.ts"
import { WorkflowsRepository } from "./repository.ts"
import { Workflows } from "./service.ts"
import { WorkflowVersionsRepository } from "./versions-repository.ts"
import { WorkflowVersions } from "./versions.ts"

export const repositories = Layer.mergeAll(WorkflowsRepository.layer, WorkflowVersionsRepository.layer)

/** The service of members uses it. */
export const ofMember = workflowsOfMemberLayer

/** The service of publishing uses it. */
export const publication = publishedWorkflowsLayer

/** Needs the service of publishing. */
export const services = WorkflowExchange.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Workflows.layer, WorkflowVersions.layer, WorkflowGrants.layer)),
  Layer.provideMerge(WorkflowReferences.layer)
)

export const handlers = WorkflowsHttp
