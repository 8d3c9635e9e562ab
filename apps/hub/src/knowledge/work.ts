/** The governed service `knowledge` of agents. Spec: reference/knowledge.md "Agents". */
import { isApiError } from "@countersign/domain/errors"
import { CollectionId } from "@countersign/domain/ids"
import { QueryInput } from "@countersign/domain/knowledge"
import { Context, Effect, Layer, Schema } from "effect"
import { type Adapter, type AdapterCall, type AdapterOutcome, failed } from "../providers/adapter.ts"
import { KnowledgeQueries } from "./queries.ts"
import { KnowledgeRepository } from "./repository.ts"
import { reachOfAgent } from "./rules.ts"

export const QueryPayload = Schema.Struct({ collection_id: CollectionId, ...QueryInput.fields })
const decode = Schema.decodeUnknownEffect(QueryPayload, { onExcessProperty: "error" })

export class KnowledgeWork extends Context.Service<KnowledgeWork, {
  readonly adapter: Adapter
}>()("@countersign/hub/knowledge/KnowledgeWork") {
  static readonly layer = Layer.effect(
    KnowledgeWork,
    Effect.gen(function*() {
      const queries = yield* KnowledgeQueries
      const repository = yield* KnowledgeRepository

      const query = Effect.fnUntraced(function*({ agent, orgId, payload }: AdapterCall) {
        const { collection_id, ...input } = yield* decode(payload)
        const reach = reachOfAgent(orgId, yield* repository.agentReach(orgId, agent.id))
        return { kind: "executed", result: yield* queries.run(reach, collection_id, input) } as const
      })

      return KnowledgeWork.of({
        adapter: {
          execute: (_definition, call) =>
            Effect.catch(
              query(call),
              (error): Effect.Effect<AdapterOutcome> =>
                Effect.succeed(failed(isApiError(error) ? error.error.message : "The query is not valid."))
            )
        }
      })
    })
  )
}
