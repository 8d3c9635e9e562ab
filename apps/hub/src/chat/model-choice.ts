/** The models that a turn may use, and the one of a session that names none. Spec: reference/chat.md "Sessions". */
import type { Mode } from "@countersign/domain/auth"
import { type ApiError, invalidField } from "@countersign/domain/errors"
import { defaultRatesOf } from "@countersign/domain/price"
import { Context, Effect, Layer } from "effect"
import { Settings } from "../config.ts"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { modelTarget } from "../model-calls/target.ts"
import { ModelCatalog } from "../models/catalog.ts"
import { isOffline } from "../providers/llm/offline.ts"
import { noProvider, targetOf } from "../providers/llm/providers.ts"

const offlineModel = "offline/echo"
/** In this order, the first that is served and has a price. */
const preferred = ["anthropic/claude-sonnet-4.5", "openai/gpt-5-mini", "openai/gpt-4o-mini"]

export class ChatModels extends Context.Service<ChatModels, {
  /** Of a session that names none. */
  readonly standard: () => string
  /** 400 when no provider serves it, or it has no price. */
  readonly check: (model: string, mode: Mode) => Effect.Effect<void, ApiError>
  /** How much a model reads and writes, in tokens; undefined when the catalog does not say. */
  readonly windowOf: (model: string) => number | undefined
}>()("@countersign/hub/chat/ChatModels") {
  static readonly layer = Layer.effect(
    ChatModels,
    Effect.gen(function*() {
      const catalog = yield* ModelCatalog
      const configuration = yield* Configuration
      const settings = yield* Settings

      const isServed = (model: string) => isOffline(model) || targetOf(settings, model) !== undefined
      const hasPrice = (model: string) => {
        const definition = configuration.shipped(modelTarget.service)
        const price = definition?.operations.find(({ name }) => name === modelTarget.operation)?.price
        return catalog.peek().table.ratesOf(model) !== undefined ||
          (price?.type === "tokens" && defaultRatesOf(price) !== undefined)
      }
      const isUsable = (model: string) => isServed(model) && hasPrice(model)

      return ChatModels.of({
        standard: () =>
          preferred.find(isUsable) ??
            (settings.llm._tag === "None"
              ? undefined
              : catalog.peek().models.find(({ id }) => !isOffline(id) && isUsable(id))?.id) ??
            offlineModel,
        check: Effect.fnUntraced(function*(model, mode) {
          // In test mode, the offline model answers for every other.
          if (mode === "live" && !isServed(model)) return yield* Effect.fail(invalidField("model", noProvider(model)))
          if (!hasPrice(model)) {
            return yield* Effect.fail(
              invalidField("model", "the model has no price, and the operator has set no default price of tokens")
            )
          }
        }),
        windowOf: (model) => catalog.peek().table.find(model)?.context_length
      })
    })
  )
}
