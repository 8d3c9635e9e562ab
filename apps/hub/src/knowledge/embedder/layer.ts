/** The hub's embedder: the operator's endpoint if one is set, otherwise the built-in engine. */
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { Settings } from "../../config.ts"
import { Egress } from "../../providers/egress.ts"
import { makeBuiltIn } from "./built-in.ts"
import { Embedder } from "./embedder.ts"
import { makeEndpoint } from "./endpoint.ts"

/** The engine without an endpoint. Tests provide one that needs no model. */
export const BuiltIn = Context.Reference<Effect.Effect<Embedder["Service"], never, Scope.Scope>>(
  "@countersign/hub/knowledge/BuiltIn",
  { defaultValue: () => makeBuiltIn() }
)

export const embedderLayer = Layer.effect(
  Embedder,
  Effect.gen(function*() {
    const { embeddings } = yield* Settings
    if (Option.isNone(embeddings)) return Embedder.of(yield* yield* BuiltIn)
    return Embedder.of(yield* makeEndpoint(embeddings.value, yield* Egress))
  })
)
