/** The governed service `storage` of agents: `list`, `get`, `put`. Spec: reference/storage.md "Agents". */
import { type ApiError, isApiError } from "@countersign/domain/errors"
import { ContentType, KeyPrefix, normalizeKey, ObjectKey } from "@countersign/domain/storage"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Readable } from "node:stream"
import { type Adapter, type AdapterCall, type AdapterOutcome, failed } from "../providers/adapter.ts"
import { StorageRepository } from "./repository.ts"
import { finalName } from "./rules.ts"
import { Storage, toObject } from "./service.ts"
import { silenceMillisMax, spool, SpoolRefused } from "./spool.ts"
import { ObjectStore, StoreFailure, storeUnavailable } from "./store.ts"

/** A larger object is answered with a signed URL instead of its content. */
export const contentBytesMax = 512 * 1024

interface Payload {
  readonly prefix?: string
  readonly limit?: number
  readonly cursor?: string
  readonly key?: string
  readonly content_type?: string
  readonly content?: string
  readonly encoding?: "utf8" | "base64"
}

const isKey = Schema.is(ObjectKey)
const isPrefix = Schema.is(KeyPrefix)
const isContentType = Schema.is(ContentType)
const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const asText = (bytes: Buffer): { readonly content: string; readonly encoding: "utf8" | "base64" } => {
  try {
    return { content: utf8.decode(bytes), encoding: "utf8" }
  } catch {
    return { content: bytes.toString("base64"), encoding: "base64" }
  }
}

const readAll = async (stream: Readable): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export class StorageWork extends Context.Service<StorageWork, {
  readonly adapter: Adapter
}>()("@countersign/hub/storage/StorageWork") {
  static readonly layer = Layer.effect(
    StorageWork,
    Effect.gen(function*() {
      const storage = yield* Storage
      const repository = yield* StorageRepository
      const store = yield* ObjectStore

      /** A member's agent reaches its owner's objects. */
      const reachOf = Effect.fnUntraced(function*({ agent, orgId }: AdapterCall) {
        const { owner_user_id, role } = yield* repository.agentReach(orgId, agent.id)
        const isOwn = owner_user_id !== null && (role === null || role === "member")
        return { org: orgId, owner: isOwn ? owner_user_id : undefined, uploader: owner_user_id }
      })

      const get = Effect.fnUntraced(function*(call: AdapterCall, { key = "" }: Payload) {
        if (!isKey(key)) return failed("The key is not valid.")
        const row = Option.getOrUndefined(yield* repository.findByKey(yield* reachOf(call), normalizeKey(key)))
        if (row === undefined) return failed("No object has this key.")
        const object = toObject(row)
        if (row.size_bytes > contentBytesMax) {
          return { kind: "executed", result: { ...object, url: yield* storage.urlOf(row, "save") } } as const
        }
        const bytes = yield* Effect.scoped(Effect.gen(function*() {
          const stream = yield* store.read(finalName(row.org_id, row.id, row.generation))
          return stream === undefined ? undefined : yield* Effect.tryPromise({
            try: () => readAll(stream),
            catch: (error) => new StoreFailure({ reason: "unreachable", detail: String(error) })
          })
        }))
        return bytes === undefined
          ? failed("The bytes of the object are missing.")
          : { kind: "executed", result: { ...object, ...asText(bytes) } } as const
      })

      const put = Effect.fnUntraced(function*(call: AdapterCall, payload: Payload) {
        const { content = "", content_type: contentType = "", encoding, key = "" } = payload
        if (!isKey(key)) return failed("The key is not valid.")
        if (!isContentType(contentType)) {
          return failed("The content_type is not a media type.")
        }
        if (encoding === "base64" && !isBase64.test(content)) return failed("The content is not base64.")
        const { uploader } = yield* reachOf(call)
        const folder = yield* store.spoolFolder
        const bytes = Buffer.from(content, encoding ?? "utf8")
        const made = yield* Effect.scoped(Effect.flatMap(
          spool(Readable.from([bytes], { objectMode: false }), folder, {
            bytesMax: bytes.byteLength,
            silenceMillis: silenceMillisMax
          }),
          (file) =>
            storage.store({
              org: call.orgId,
              user: uploader,
              agent: call.agent.id,
              request: call.requestId,
              actor: { type: "agent", id: call.agent.id, name: call.agent.name }
            }, { key, contentType, file })
        ))
        return { kind: "executed", result: made } as const
      })

      const list = Effect.fnUntraced(function*(call: AdapterCall, { cursor, limit, prefix }: Payload) {
        if (prefix !== undefined && !isPrefix(prefix)) return failed("The prefix is not valid.")
        const reach = yield* reachOf(call)
        const page = yield* storage.listOf(reach, {
          sort: "key",
          ...cursor === undefined ? {} : { cursor },
          ...limit === undefined ? {} : { limit },
          ...prefix === undefined ? {} : { prefix }
        })
        return { kind: "executed", result: page } as const
      })

      const detailOf = (error: ApiError | StoreFailure | SpoolRefused): AdapterOutcome =>
        isApiError(error)
          ? failed(error.error.message)
          : error instanceof StoreFailure
          ? failed(storeUnavailable(error).error.message)
          : failed("The content could not be stored.")

      return StorageWork.of({
        adapter: {
          execute: (_definition, call) => {
            const payload = call.payload as Payload
            const work: Effect.Effect<AdapterOutcome, ApiError | StoreFailure | SpoolRefused> = call.operation === "put"
              ? put(call, payload)
              : call.operation === "get"
              ? get(call, payload)
              : list(call, payload)
            return Effect.catch(work, (error) => Effect.succeed(detailOf(error)))
          }
        }
      })
    })
  )
}
