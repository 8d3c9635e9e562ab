/** The voices of the built-in engine, and those of an OpenAI-compatible endpoint. */
import type { Voice } from "@countersign/domain/speech"

export const builtInVoices: ReadonlyArray<Voice> = [
  { id: "slt", name: "Slt (US, female)", language: "en-US" },
  { id: "rms", name: "Rms (US, male)", language: "en-US" },
  { id: "awb", name: "Awb (Scottish, male)", language: "en-GB" },
  { id: "kal16", name: "Kal (US, male, fast to make)", language: "en-US" }
]

export const providerVoices: ReadonlyArray<Voice> = [
  "alloy",
  "ash",
  "ballad",
  "cedar",
  "coral",
  "echo",
  "fable",
  "marin",
  "nova",
  "onyx",
  "sage",
  "shimmer",
  "verse"
].map((id) => ({ id, name: `${id[0]!.toUpperCase()}${id.slice(1)} (provider)`, language: "mul" }))
