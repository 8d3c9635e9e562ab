/**
 * An embedder for tests: the words of a text, hashed to the dimensions of the built-in engine. Texts that share words
 * are similar; it needs no model and no time.
 */
import { builtInDimensions, builtInModel } from "@countersign/hub/knowledge/embedder/built-in"
import type { Embedder } from "@countersign/hub/knowledge/embedder/embedder"
import { BuiltIn } from "@countersign/hub/knowledge/embedder/layer"
import { Effect, Layer } from "effect"
import { chanceOf } from "./random.ts"

const hashOf = (word: string): number => {
  let hash = 2_166_136_261
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 16_777_619)
  return hash
}

/** A word as a random direction; a text as the sum of its words. */
export const hashedVector = (text: string, dimensions = builtInDimensions): Float32Array => {
  const vector = new Float32Array(dimensions)
  for (const word of new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [""])) {
    const { next } = chanceOf(hashOf(word))
    for (let index = 0; index < dimensions; index++) vector[index]! += next() - 0.5
  }
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

export const hashedEmbedder: Embedder["Service"] = {
  model: builtInModel,
  dimensions: builtInDimensions,
  label: "Local (English)",
  centsPerMillionTokens: undefined,
  embed: (texts) => Effect.sync(() => ({ vectors: texts.map((text) => hashedVector(text)), tokens: 0 }))
}

/** For hubs in tests, in place of the engine. */
export const HashedEmbedder = Layer.succeed(BuiltIn, Effect.succeed(hashedEmbedder))
