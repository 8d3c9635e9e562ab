/** Files of the workspace's storage in a message: images for the model to see, other files as text. Spec: reference/chat.md "Attachments". */
import type { Principal } from "@countersign/domain/auth"
import type { MessagePart } from "@countersign/domain/chat-events"
import { type ApiError, invalidField } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { ownerFilter } from "../auth/own.ts"
import { needs } from "../edge/access.ts"
import type { PromptPart } from "../providers/model-prompt.ts"
import { StorageRepository } from "../storage/repository.ts"
import { finalName } from "../storage/rules.ts"
import { ObjectStore } from "../storage/store.ts"
import type { Attachments } from "./prompt.ts"
import type { MessageRow } from "./records.ts"

/** The types that models of every provider read. */
const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])
const imageBytesMax = 4 * 1024 * 1024
/** A longer file is cut. */
const textBytesMax = 128 * 1024
/** A larger file is not read at all. */
const fileBytesMax = 32 * 1024 * 1024

type Attachment = Extract<MessagePart, { readonly type: "attachment" }>

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (bytes: Uint8Array): string | undefined => {
  for (let length = bytes.byteLength; length > Math.max(0, bytes.byteLength - 4); length--) {
    try {
      return utf8.decode(bytes.subarray(0, length))
    } catch {
      // A cut may have split the last character.
    }
  }
  return undefined
}

const partsOf = ({ content_type, key, size_bytes }: Attachment, bytes: Uint8Array): ReadonlyArray<PromptPart> => {
  if (imageTypes.has(content_type) && bytes.byteLength <= imageBytesMax) {
    return [
      { type: "text", text: `Image ${key}:` },
      { type: "image", url: `data:${content_type};base64,${Buffer.from(bytes).toString("base64")}` }
    ]
  }
  const text = textOf(bytes.subarray(0, textBytesMax))
  const cut = bytes.byteLength > textBytesMax ? ` (the first ${textBytesMax} of ${size_bytes} bytes)` : ""
  return [{
    type: "text",
    text: text === undefined || text.includes("\0")
      ? `The file ${key} (${content_type}, ${size_bytes} bytes) is not text.`
      : `File ${key}${cut}:\n\n${text}`
  }]
}

export class ChatAttachments extends Context.Service<ChatAttachments, {
  /** The objects as parts of a message. 400 for one that the caller cannot read, 403 for a token without `storage:read`. */
  readonly parts: (
    principal: Principal,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Attachment>, ApiError>
  /** What the model sees of the attachments on a path. */
  readonly read: (org: OrgId, path: ReadonlyArray<MessageRow>) => Effect.Effect<Attachments>
}>()("@countersign/hub/chat/ChatAttachments") {
  static readonly layer = Layer.effect(
    ChatAttachments,
    Effect.gen(function*() {
      const objects = yield* StorageRepository
      const store = yield* ObjectStore

      const reachOf = Effect.fnUntraced(function*(principal: Principal) {
        const org = principal.org_id
        if (principal.kind === "user") return { org, owner: ownerFilter(principal) }
        const { owner_user_id, role } = yield* objects.agentReach(org, principal.agent_id)
        const isOwn = owner_user_id !== null && (role === null || role === "member")
        return { org, owner: isOwn ? owner_user_id : undefined }
      })

      const bytesOf = Effect.fnUntraced(
        function*(org: OrgId, { object_id, size_bytes }: Attachment) {
          if (size_bytes > fileBytesMax) return undefined
          const row = Option.getOrUndefined(yield* objects.find({ org, owner: undefined }, object_id))
          if (row === undefined || row.status !== "live") return undefined
          return yield* Effect.scoped(Effect.gen(function*() {
            const stream = yield* store.read(finalName(row.org_id, row.id, row.generation))
            return stream === undefined ? undefined : yield* Effect.promise(async () => {
              const chunks: Array<Buffer> = []
              for await (const chunk of stream) chunks.push(chunk as Buffer)
              return Buffer.concat(chunks)
            })
          }))
        },
        Effect.catch(() => Effect.succeed(undefined)),
        Effect.catchDefect(() => Effect.succeed(undefined))
      )

      return ChatAttachments.of({
        parts: Effect.fnUntraced(function*(principal, ids) {
          if (ids.length === 0) return []
          if (principal.kind === "user") yield* needs(principal, "storage:read")
          const reach = yield* reachOf(principal)
          const parts: Array<Attachment> = []
          for (const [index, id] of ids.entries()) {
            const row = Option.getOrUndefined(yield* objects.find(reach, id))
            if (row === undefined || row.status !== "live") {
              return yield* Effect.fail(invalidField(`attachments.${index}`, "no such object in the storage"))
            }
            parts.push({
              type: "attachment",
              object_id: row.id,
              key: row.key,
              content_type: row.content_type,
              size_bytes: row.size_bytes
            })
          }
          return parts
        }),
        read: Effect.fnUntraced(function*(org, path) {
          const attached = path.flatMap(({ parts, role }) =>
            role === "user" && parts.includes("\"attachment\"")
              ? (JSON.parse(parts) as ReadonlyArray<MessagePart>).filter((part) => part.type === "attachment")
              : []
          )
          const read = new Map<string, ReadonlyArray<PromptPart>>()
          for (const part of attached) {
            if (read.has(part.object_id)) continue
            const bytes = yield* bytesOf(org, part)
            if (bytes !== undefined) read.set(part.object_id, partsOf(part, bytes))
          }
          return read
        })
      })
    })
  )
}
