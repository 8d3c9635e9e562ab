/** A query of an agent: a service request `knowledge.query`. Spec: reference/knowledge.md "Agents". */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { answered, type RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, forbidden, upstreamError } from "@countersign/domain/errors"
import type { ApprovalId } from "@countersign/domain/ids"
import type { QueryAnswer, QueryInput } from "@countersign/domain/knowledge"
import { asSentence } from "@countersign/domain/text"
import { Context, Effect, Layer } from "effect"
import { submissionIn } from "../dispatch/http.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { renderRequest } from "../dispatch/requests/view.ts"
import type { SentHeaders } from "../platform/idempotency-key.ts"
import { KnowledgeQueries } from "./queries.ts"
import { KnowledgeRepository } from "./repository.ts"
import { reachOfAgent } from "./rules.ts"

/** A request that was not executed, as an error with the request's answer in `data`. */
const refused = (facts: RequestFacts): ApiError => {
  const { approval_id, block, reason_code, result, status } = JSON.parse(renderRequest(facts)) as {
    readonly status: string
    readonly reason_code?: string
    readonly approval_id?: ApprovalId
    readonly block?: { readonly message: string }
    readonly result?: { readonly detail?: string }
  }
  const rest = {
    ...reason_code === undefined ? {} : { reason_code },
    ...approval_id === undefined ? {} : { approval_id },
    ...block === undefined ? {} : { block }
  }
  const data = { service_request_id: facts.id, status, ...rest }
  switch (status) {
    case "blocked":
      return forbidden(asSentence(block?.message ?? "The request was blocked"), data)
    case "approval_required":
      return forbidden("A person must approve the query first. Read the service request for its answer.", data)
    case "running":
      return forbidden("The query is still running. Read the service request for its answer.", data)
    default:
      return upstreamError(asSentence(result?.detail ?? "The query failed"))
  }
}

export class GovernedQueries extends Context.Service<GovernedQueries, {
  readonly run: (
    agent: AgentPrincipal,
    sent: SentHeaders,
    collection: string,
    input: QueryInput
  ) => Effect.Effect<QueryAnswer, ApiError>
}>()("@countersign/hub/knowledge/GovernedQueries") {
  static readonly layer = Layer.effect(
    GovernedQueries,
    Effect.gen(function*() {
      const dispatch = yield* Dispatch
      const queries = yield* KnowledgeQueries
      const repository = yield* KnowledgeRepository
      return GovernedQueries.of({
        run: Effect.fn("GovernedQueries.run")(function*(agent, sent, collection, input) {
          const reach = yield* repository.agentReach(agent.org_id, agent.agent_id)
          // Dispatch blocks an agent without a binding, which learns nothing of collections.
          if (reach.bound) yield* queries.ready(reachOfAgent(agent.org_id, reach), collection)
          const payload = { collection_id: collection, ...input }
          const submission = yield* submissionIn(agent, sent, { service: "knowledge", operation: "query", payload })
          const { facts } = yield* answered(dispatch.submit(submission))
          return facts.status === "executed"
            ? JSON.parse(facts.result ?? "{\"data\":[]}") as QueryAnswer
            : yield* Effect.fail(refused(facts))
        })
      })
    })
  )
}
