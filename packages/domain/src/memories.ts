/** Memories of an agent: short texts that it keeps, found by their meaning. Spec: reference/memories.md "Memory". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AllowsTeamRole, AnyAccess, Requires } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, MemoryId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { Label } from "./text.ts"
import { Expiry } from "./time.ts"

/** In UTF-8. */
export const memoryContentBytesMax = 8_192
export const memoryTagsMax = 20
export const memoryTagMax = 64
export const memoryLinksMax = 50
export const memoryImportanceDefault = 0.5
export const memoryQueryMax = 1_000
/** Of one agent, unless `HUB_MEMORY_MAX` says otherwise. */
export const memoriesMaxDefault = 10_000
/** Of one graph. */
export const graphNodesMax = 500
/** Characters of a memory's content that a graph shows. */
export const graphLabelMax = 120

export const MemoryKind = Schema.Literals(["fact", "preference", "event", "skill"])
export type MemoryKind = typeof MemoryKind.Type

/** Present in every supported runtime: Node, browsers, Electron. */
declare const TextEncoder: new() => { encode(text: string): Uint8Array }

const encoder = new TextEncoder()

const Content = Schema.String.check(
  Schema.isMaxLength(memoryContentBytesMax),
  Schema.makeFilter((text: string) => {
    if (text.trim() === "") return "expected text that is not blank"
    if (!text.isWellFormed()) return "expected well-formed text"
    return encoder.encode(text).byteLength <= memoryContentBytesMax
      ? undefined
      : `expected at most ${memoryContentBytesMax} bytes of UTF-8`
  })
).annotate({ description: `At most ${memoryContentBytesMax} bytes of UTF-8` })

const eachOnce = (values: ReadonlyArray<string>): string | undefined =>
  new Set(values).size === values.length ? undefined : "expected each value once"

const Tags = Schema.Array(Label(memoryTagMax)).check(
  Schema.isMaxLength(memoryTagsMax),
  Schema.makeFilter(eachOnce)
)

const Links = Schema.Array(MemoryId).check(Schema.isMaxLength(memoryLinksMax), Schema.makeFilter(eachOnce)).annotate({
  description: "Other memories of the same agent"
})

const Importance = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

export const Memory = Schema.Struct({
  id: MemoryId,
  agent_id: AgentId,
  content: Schema.String,
  kind: MemoryKind,
  tags: Schema.Array(Schema.String),
  importance: Schema.Finite.annotate({ description: "From 0 to 1" }),
  links: Schema.Array(MemoryId),
  /** The run, chat, or request that stored it; absent for a memory that was written directly. */
  source: Schema.optionalKey(Schema.Struct({ type: Schema.String, id: Schema.String })),
  expires_at: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  updated_at: Schema.String,
  score: Schema.optionalKey(Schema.Finite.annotate({
    description: "Only with `q`. By meaning: the cosine similarity, at most 1. By words: half of the share of the " +
      "query's words that the memory contains."
  })),
  matched_by: Schema.optionalKey(
    Schema.Literals(["meaning", "words"]).annotate({
      description: "Only with `q`. `words`: the embedder was unavailable for this memory or for the query."
    })
  )
}).annotate({ identifier: "Memory" })
export type Memory = typeof Memory.Type

export const CreateMemoryInput = Schema.Struct({
  content: Content,
  kind: MemoryKind,
  tags: Schema.optionalKey(Tags),
  importance: Schema.optionalKey(Importance.annotate({ description: `Default: ${memoryImportanceDefault}` })),
  links: Schema.optionalKey(Links),
  expires_at: Schema.optionalKey(Expiry)
}).annotate({ identifier: "CreateMemoryInput" })
export type CreateMemoryInput = typeof CreateMemoryInput.Type

export const UpdateMemoryInput = Schema.Struct({
  content: Schema.optionalKey(Content),
  kind: Schema.optionalKey(MemoryKind),
  tags: Schema.optionalKey(Tags),
  importance: Schema.optionalKey(Importance),
  links: Schema.optionalKey(Links),
  expires_at: Schema.optionalKey(Schema.NullOr(Expiry).annotate({ description: "null: it no longer expires" }))
}).annotate({ identifier: "UpdateMemoryInput" })
export type UpdateMemoryInput = typeof UpdateMemoryInput.Type

export const MemoryRelation = Schema.Literals(["similar", "tag", "explicit"])
export type MemoryRelation = typeof MemoryRelation.Type

export const MemoryNode = Schema.Struct({
  id: MemoryId,
  kind: MemoryKind,
  label: Schema.String.annotate({ description: `The first ${graphLabelMax} characters of the content` }),
  tags: Schema.Array(Schema.String),
  importance: Schema.Finite,
  created_at: Schema.String
}).annotate({ identifier: "MemoryNode" })
export type MemoryNode = typeof MemoryNode.Type

export const MemoryEdge = Schema.Struct({
  source: MemoryId,
  target: MemoryId,
  weight: Schema.Finite.annotate({
    description: "`similar`: the cosine similarity. `tag`: the share of their tags that both have. `explicit`: 1."
  }),
  relation: MemoryRelation
}).annotate({ identifier: "MemoryEdge" })
export type MemoryEdge = typeof MemoryEdge.Type

export const MemoryGraph = Schema.Struct({
  nodes: Schema.Array(MemoryNode),
  edges: Schema.Array(MemoryEdge),
  total: Schema.Int.annotate({ description: "All memories of the agent, including those that are not in `nodes`" })
}).annotate({ identifier: "MemoryGraph" })
export type MemoryGraph = typeof MemoryGraph.Type

const agent = { id: AgentId }
const memory = { id: AgentId, memoryId: MemoryId }

export class MemoriesGroup extends HttpApiGroup.make("memories").add(
  HttpApiEndpoint.get("list", "/agents/:id/memories", {
    params: agent,
    query: {
      ...PageQuery,
      q: Schema.optionalKey(
        Schema.String.check(
          Schema.isMaxLength(memoryQueryMax),
          Schema.makeFilter((text: string) =>
            text.trim() === "" || !text.isWellFormed() ? "expected text that is not blank" : undefined
          )
        ).annotate({ description: "Searches by meaning instead of listing" })
      ),
      kind: Schema.optionalKey(MemoryKind),
      tag: Schema.optionalKey(Label(memoryTagMax))
    },
    success: Page(Memory)
  }).middleware(AnyAccess).annotate(Requires, "agents:read").annotate(
    OpenApi.Description,
    "Newest first. With `q` the memories that are nearest in meaning, best first, each with its `score`: at most " +
      "`limit`, on one page. Without the embedder a search compares words, and `matched_by` is `words`."
  ),
  HttpApiEndpoint.post("create", "/agents/:id/memories", {
    params: agent,
    payload: CreateMemoryInput,
    success: Created(Memory)
  }).middleware(AnyAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "An agent writes its own memories. Over the limit of an agent (`HUB_MEMORY_MAX`) the answer is 409 " +
      "`memory_quota_exceeded`."
  ),
  HttpApiEndpoint.get("graph", "/agents/:id/memories/graph", { params: agent, success: MemoryGraph })
    .middleware(AnyAccess).annotate(Requires, "agents:read").annotate(
      OpenApi.Description,
      `The ${graphNodesMax} most important memories, newest first among equals, and the edges between them: links, ` +
        "common tags, and similar meaning."
    ),
  HttpApiEndpoint.get("get", "/agents/:id/memories/:memoryId", { params: memory, success: Memory })
    .middleware(AnyAccess).annotate(Requires, "agents:read"),
  HttpApiEndpoint.patch("update", "/agents/:id/memories/:memoryId", {
    params: memory,
    payload: UpdateMemoryInput,
    success: Memory
  }).middleware(AnyAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "Changes the fields that are sent. `tags` and `links` replace the previous ones."
  ),
  HttpApiEndpoint.delete("remove", "/agents/:id/memories/:memoryId", {
    params: memory,
    success: HttpApiSchema.NoContent
  }).middleware(AnyAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "Also removes the links to it."
  )
) {}
