/** The tools that a turn offers to its model. Pure. Spec: reference/chat.md "Tool calls". */
import type { LocalTool } from "@countersign/domain/chat"
import type { ChatStep } from "@countersign/domain/chat-state"
import type { PromptTool } from "../providers/model-prompt.ts"
import { type BoundTool, matchingTools } from "../tools/bound.ts"
import { hubTool, localTool } from "./prompt.ts"

/** With more tools than this, or longer descriptions, the model gets a few and finds the others. */
const listedMax = 40
const listedBytesMax = 32 * 1024
/** Offered beside `find_tools`. */
const recentMax = 20
const foundMax = 100
const foundAtOnce = 10

export const ownTools = { find: "find_tools", read: "read_artifact" } as const

const findTool: PromptTool = {
  name: ownTools.find,
  description: "Finds tools by words. Tools that were found can be called afterwards. Free of charge.",
  parameters: {
    type: "object",
    properties: { query: { type: "string", description: "Words, such as: book flight" } },
    required: ["query"],
    additionalProperties: false
  }
}

const readTool: PromptTool = {
  name: ownTools.read,
  description: "Reads a part of a long result of this conversation. Free of charge.",
  parameters: {
    type: "object",
    properties: {
      id: { type: "string", description: "The artifact_id of the result." },
      offset: { type: "integer", minimum: 0, description: "The first character to read. Default 0." },
      pointer: { type: "string", description: "A JSON Pointer (RFC 6901) into the result. Default: the whole." }
    },
    required: ["id"],
    additionalProperties: false
  }
}

/** A tool in the answer of `find_tools`. */
export interface FoundTool {
  readonly name: string
  readonly description: string
}

/** The tools that match; a name alone finds the tool of that name first. */
export const foundTools = (bound: ReadonlyArray<BoundTool>, query: string): ReadonlyArray<FoundTool> =>
  matchingTools(bound, query, foundAtOnce).map(({ description, name }) => ({ name, description }))

const isOwnCall = (step: ChatStep, name: string): boolean => step.kind === "tool" && step.name === name

/** Names that earlier calls of `find_tools` returned, in order. */
const namesFound = (steps: ReadonlyArray<ChatStep>): ReadonlyArray<string> =>
  steps.flatMap((step) => {
    if (step.kind !== "tool" || !isOwnCall(step, ownTools.find) || step.outcome?.status !== "executed") return []
    const { result } = JSON.parse(step.outcome.text) as {
      readonly result?: { readonly tools?: ReadonlyArray<FoundTool> }
    }
    return (result?.tools ?? []).map(({ name }) => name)
  })

/** `steps`: of the path. Found tools are appended, so that the beginning of a prompt stays the same for caches. */
export const toolsFor = (
  bound: ReadonlyArray<BoundTool>,
  local: ReadonlyArray<LocalTool>,
  steps: ReadonlyArray<ChatStep>
): ReadonlyArray<PromptTool> => {
  const all = bound.map(hubTool)
  const reads = steps.some((step) => step.kind === "tool" && step.outcome?.artifact_id !== undefined)
  const isLong = all.length > listedMax || Buffer.byteLength(JSON.stringify(all)) > listedBytesMax
  const own = [...isLong ? [findTool] : [], ...reads ? [readTool] : []]
  const locals = local.map(localTool)
  if (!isLong) return [...all, ...locals, ...own]
  const byName = new Map(all.map((tool) => [tool.name, tool]))
  const used = steps.toReversed().flatMap((step) => step.kind === "tool" ? [step.name] : [])
  const recent = new Set([...used, ...byName.keys()].filter((name) => byName.has(name)).slice(0, recentMax))
  const found = new Set(namesFound(steps).filter((name) => byName.has(name) && !recent.has(name)))
  const offered = [...[...recent].sort(), ...[...found].slice(0, foundMax - recentMax)]
  return [...locals, ...own, ...offered.flatMap((name) => byName.get(name) ?? [])]
}
