/** Objects of people. Spec: reference/storage.md "Endpoints". */
import type { Principal, UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, forbidden, gone, notFound, payloadTooLarge } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import {
  downloadUrlSeconds,
  type Folders,
  foldersMax,
  normalizeKey,
  type PresignedUpload,
  type PresignUploadInput,
  restoreDays,
  type StorageObject,
  type StorageUsage,
  type UpdateObjectInput,
  uploadUrlSeconds
} from "@countersign/domain/storage"
import { dayMillis } from "@countersign/domain/time"
import { Context, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { buffer } from "node:stream/consumers"
import { Settings } from "../config.ts"
import { type Actor, actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { decodePlace, toSortedPage } from "../platform/keyset.ts"
import { MasterKey } from "../platform/master-key.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { keyTaken, ObjectLedger } from "./ledger.ts"
import { StoragePatience } from "./patience.ts"
import { type ObjectRow, type ObjectSort, type Reach, StorageRepository } from "./repository.ts"
import { dispositionOf, finalName, sentType, signGrant, tokenKey, uploadName } from "./rules.ts"
import { ObjectStore, type Spooled, StoreFailure, storeUnavailable } from "./store.ts"
import { claimSeconds, Verification } from "./verification.ts"

/** How often a confirmation looks whether another one has finished. */
const pollMillis = 250

export interface ObjectQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly prefix?: string
  readonly delimiter?: "/"
  readonly status?: "live" | "deleted"
  readonly sort?: ObjectSort | `-${ObjectSort}`
}

export interface Uploader {
  readonly org: OrgId
  readonly user: string | null
  readonly agent?: AgentId
  readonly request?: ServiceRequestId
  readonly actor: Actor
}

export interface ReceivedObject {
  readonly key: string
  readonly contentType: string
  readonly file: Spooled
}

export const toObject = (row: ObjectRow): StorageObject => ({
  id: row.id as StorageObject["id"],
  key: row.key,
  content_type: row.content_type,
  size_bytes: row.size_bytes,
  ...row.sha256 === null ? {} : { sha256: row.sha256 },
  status: row.status === "purging" ? "deleted" : row.status,
  metadata: JSON.parse(row.metadata) as StorageObject["metadata"],
  created_at: row.created_at.toISOString(),
  ...row.deleted_at === null ? {} : { deleted_at: row.deleted_at.toISOString() }
})

/** A member reaches their own objects. */
const reachOf = (user: UserPrincipal): Reach => ({
  org: user.org_id,
  owner: user.role === "member" ? user.user_id : undefined
})

const ofObject = (id: string) => ({ type: "storage_object", id })

const notLive = conflict("conflict", "The object is not live: confirm its upload, or restore it first.")

export class Storage extends Context.Service<Storage, {
  readonly list: (principal: Principal, query: ObjectQuery) => Effect.Effect<
    { readonly data: ReadonlyArray<StorageObject>; readonly next_cursor: string | null; readonly as_of: string },
    ApiError
  >
  /** The same for a caller whose reach is known. */
  readonly listOf: (reach: Reach, query: ObjectQuery) => Effect.Effect<
    { readonly data: ReadonlyArray<StorageObject>; readonly next_cursor: string | null },
    ApiError
  >
  readonly folders: (user: UserPrincipal, prefix: string) => Effect.Effect<Folders>
  readonly usage: (user: UserPrincipal) => Effect.Effect<StorageUsage>
  readonly presign: (user: UserPrincipal, input: PresignUploadInput) => Effect.Effect<PresignedUpload, ApiError>
  /** The object, live; or still `verifying` after 30 s. */
  readonly confirm: (user: UserPrincipal, id: string) => Effect.Effect<StorageObject, ApiError>
  /** Stores received bytes under a key. A repeat of the same request of an agent returns its object. */
  readonly store: (by: Uploader, received: ReceivedObject) => Effect.Effect<StorageObject, ApiError>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<StorageObject, ApiError>
  /** A signed URL of the bytes. */
  readonly downloadUrl: (
    user: UserPrincipal,
    id: string,
    disposition: "inline" | "attachment" | undefined
  ) => Effect.Effect<string, ApiError>
  /** The bytes of a live object; 413 for a larger one, which is not read. */
  readonly read: (user: UserPrincipal, id: string, bytesMax: number) => Effect.Effect<
    { readonly object: StorageObject; readonly bytes: Uint8Array<ArrayBuffer> },
    ApiError
  >
  readonly urlOf: (row: ObjectRow, purpose: "read" | "save") => Effect.Effect<string>
  readonly update: (
    user: UserPrincipal,
    id: string,
    change: UpdateObjectInput
  ) => Effect.Effect<StorageObject, ApiError>
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
  readonly restore: (user: UserPrincipal, id: string) => Effect.Effect<StorageObject, ApiError>
  /** Removes the bytes of an object that is `purging`, then its row. */
  readonly purge: (org: OrgId, id: string, actor: Actor) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/storage/Storage") {
  static readonly layer = Layer.effect(
    Storage,
    Effect.gen(function*() {
      const repository = yield* StorageRepository
      const verification = yield* Verification
      const ledger = yield* ObjectLedger
      const store = yield* ObjectStore
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const scope = yield* Effect.scope
      const { publicUrl, storage: limits } = yield* Settings
      const { confirmMillis } = yield* StoragePatience
      const key = tokenKey(Redacted.value((yield* MasterKey).key))
      const available = Effect.mapError(storeUnavailable)

      const find = (reach: Reach, id: string): Effect.Effect<ObjectRow, ApiError> =>
        Effect.flatMap(
          repository.find(reach, id),
          Option.match({ onNone: () => Effect.fail(notFound("object")), onSome: Effect.succeed })
        )

      const blobUrl = (row: ObjectRow, purpose: "write" | "read" | "save", seconds: number): string => {
        const expires = Math.floor(row.now.getTime() / 1_000) + seconds
        const token = signGrant(key, { purpose, org: row.org_id, object: row.id, expires })
        return `${publicUrl.origin}/api/v1/storage/blobs/${token}`
      }

      const urlOf = (row: ObjectRow, purpose: "read" | "save"): Effect.Effect<string> =>
        store.urls === undefined
          ? Effect.succeed(blobUrl(row, purpose, downloadUrlSeconds))
          : store.urls.download(finalName(row.org_id, row.id, row.generation), {
            at: row.now,
            seconds: downloadUrlSeconds,
            contentType: sentType(row.content_type),
            disposition: dispositionOf(row.key, row.content_type, purpose)
          })

      /** The workspace's lock, then the object under it. */
      const locked = Effect.fnUntraced(function*(user: UserPrincipal, id: string) {
        const at = yield* heads.lock(user.org_id)
        return { at, row: yield* find(reachOf(user), id) }
      })

      const presignRow = Effect.fnUntraced(function*(user: UserPrincipal, input: PresignUploadInput) {
        const id = newId("obj")
        const name = normalizeKey(input.key)
        const at = yield* heads.lock(user.org_id)
        yield* ledger.reserve(user.org_id, input.size_bytes)
        yield* repository.insert({
          id,
          org_id: user.org_id,
          user_id: user.user_id,
          agent_id: null,
          request_id: null,
          key: name,
          content_type: input.content_type,
          size_bytes: input.size_bytes,
          declared_sha256: input.sha256 ?? null,
          sha256: null,
          status: "pending",
          upload: randomUUID(),
          at
        })
        const row = yield* find(reachOf(user), id)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "storage_object.presigned",
          subject: ofObject(id),
          data: { key: name, size_bytes: input.size_bytes }
        })
        return row
      }, db.transaction)

      const presign = Effect.fn("Storage.presign")(function*(user: UserPrincipal, input: PresignUploadInput) {
        yield* ledger.fits(input.size_bytes)
        yield* available(store.spoolFolder)
        const row = yield* presignRow(user, input)
        const { content_type: contentType, id, now, org_id, size_bytes: bytes, upload } = row
        return {
          object_id: id as PresignedUpload["object_id"],
          url: store.urls === undefined
            ? blobUrl(row, "write", uploadUrlSeconds)
            : yield* store.urls.upload(uploadName(org_id, id, upload ?? ""), {
              at: now,
              seconds: uploadUrlSeconds,
              contentType,
              bytes
            }),
          method: "PUT" as const,
          headers: { "content-type": contentType },
          expires_at: new Date(now.getTime() + uploadUrlSeconds * 1_000).toISOString()
        }
      })

      const confirm = Effect.fn("Storage.confirm")(function*(user: UserPrincipal, id: string) {
        const reach = reachOf(user)
        const until = performance.now() + confirmMillis
        for (;;) {
          const row = yield* find(reach, id)
          if (row.status === "live") return toObject(row)
          if (row.status !== "pending" && row.status !== "verifying") return yield* Effect.fail(notLive)
          const claimed = yield* repository.claim(user.org_id, id, claimSeconds)
          if (Option.isSome(claimed)) {
            // The verification outlives this call.
            const work = yield* Effect.forkIn(verification.run(claimed.value, actorOf(user)), scope)
            yield* Effect.timeoutOption(Fiber.join(work), Math.max(0, until - performance.now()))
            const verified = yield* find(reach, id)
            return verified.status === "live" || verified.status === "verifying"
              ? toObject(verified)
              : yield* Effect.fail(notLive)
          }
          if (performance.now() >= until) return toObject(row)
          yield* Effect.sleep(pollMillis)
        }
      })

      const insertStored = Effect.fnUntraced(function*(id: string, by: Uploader, received: ReceivedObject) {
        const { contentType, file, key } = received
        const at = yield* heads.lock(by.org)
        const replaced = yield* ledger.displace(by.org, key, by.user, at)
        yield* ledger.reserve(by.org, file.bytes)
        yield* repository.insert({
          id,
          org_id: by.org,
          user_id: by.user,
          agent_id: by.agent ?? null,
          request_id: by.request ?? null,
          key,
          content_type: contentType,
          size_bytes: file.bytes,
          declared_sha256: null,
          sha256: file.sha256,
          status: "live",
          upload: null,
          at
        })
        const row = yield* find({ org: by.org, owner: undefined }, id)
        yield* audit.record(by.org, by.actor, {
          action: "storage_object.created",
          subject: ofObject(id),
          ...by.agent === undefined ? {} : { agent_id: by.agent },
          data: {
            key,
            size_bytes: file.bytes,
            sha256: file.sha256,
            ...replaced === undefined ? {} : { replaces: replaced.id }
          }
        })
        return toObject(row)
      }, db.transaction)

      /** The sweep removes what this leaves. */
      const dropUnstored = Effect.fnUntraced(function*(org: OrgId, id: string, name: string) {
        if (Option.isNone(yield* repository.find({ org, owner: undefined }, id))) yield* store.remove(name)
      }, (work) => Effect.ignore(work))

      const storeReceived = Effect.fn("Storage.store")(function*(by: Uploader, received: ReceivedObject) {
        if (by.request !== undefined) {
          const known = Option.getOrUndefined(yield* repository.findByRequest(by.org, by.request))
          if (known !== undefined) return toObject(known)
        }
        yield* ledger.fits(received.file.bytes)
        const id = newId("obj")
        const name = finalName(by.org, id, 1)
        // A client that disconnects must not part the bytes from their row.
        return yield* Effect.uninterruptible(Effect.andThen(
          available(store.put(name, received.file, received.contentType)),
          Effect.tapError(
            insertStored(id, by, { ...received, key: normalizeKey(received.key) }),
            () => dropUnstored(by.org, id, name)
          )
        ))
      })

      const update = Effect.fn("Storage.update")(function*(
        user: UserPrincipal,
        id: string,
        { key: sent, metadata }: UpdateObjectInput
      ) {
        const { row } = yield* locked(user, id)
        if (row.status !== "live") return yield* Effect.fail(notLive)
        const key = sent === undefined ? row.key : normalizeKey(sent)
        const text = metadata === undefined ? row.metadata : JSON.stringify(metadata)
        if (key === row.key && text === row.metadata) return toObject(row)
        if (key !== row.key) {
          const other = yield* repository.findByKey({ org: user.org_id, owner: undefined }, key)
          if (Option.isSome(other)) return yield* Effect.fail(keyTaken)
        }
        yield* repository.update(user.org_id, id, { key, metadata: text })
        yield* audit.record(user.org_id, actorOf(user), {
          action: "storage_object.updated",
          subject: ofObject(id),
          data: {
            ...key === row.key ? {} : { key: { from: row.key, to: key } },
            ...text === row.metadata ? {} : { metadata: Object.keys(metadata ?? {}) }
          }
        })
        return toObject({ ...row, key, metadata: text })
      }, db.transaction)

      const markRemoved = Effect.fnUntraced(function*(user: UserPrincipal, id: string) {
        const { at, row } = yield* locked(user, id)
        const isLive = row.status === "live"
        if (!isLive && row.status !== "pending" && row.status !== "verifying") return row.status
        yield* repository.setStatus(user.org_id, id, isLive ? "deleted" : "purging", isLive ? at : null)
        if (isLive) yield* repository.count(user.org_id, 0, row.size_bytes)
        yield* audit.record(user.org_id, actorOf(user), {
          action: isLive ? "storage_object.deleted" : "storage_object.upload_canceled",
          subject: ofObject(id),
          data: { key: row.key, size_bytes: row.size_bytes }
        })
        return isLive ? "deleted" : "purging"
      }, db.transaction)

      const forget = Effect.fnUntraced(function*(row: ObjectRow, actor: Actor) {
        yield* heads.lock(row.org_id)
        if (!(yield* repository.remove(row.org_id, row.id))) return
        yield* repository.count(row.org_id, -row.size_bytes, row.deleted_at === null ? 0 : -row.size_bytes)
        yield* audit.record(row.org_id, actor, {
          action: "storage_object.purged",
          subject: ofObject(row.id),
          data: { key: row.key, size_bytes: row.size_bytes }
        })
      }, db.transaction)

      const purge = Effect.fn("Storage.purge")(function*(org: OrgId, id: string, actor: Actor) {
        const row = yield* find({ org, owner: undefined }, id)
        if (row.status !== "purging") return
        if (row.upload !== null) yield* available(store.remove(uploadName(org, id, row.upload)))
        if (row.generation > 0) yield* available(store.remove(finalName(org, id, row.generation)))
        yield* forget(row, actor)
      })

      const remove = Effect.fn("Storage.remove")(function*(user: UserPrincipal, id: string) {
        const status = yield* markRemoved(user, id)
        // The sweep repeats it if the store does not respond.
        if (status === "purging") yield* Effect.ignore(purge(user.org_id, id, actorOf(user)))
      })

      const restore = Effect.fn("Storage.restore")(function*(user: UserPrincipal, id: string) {
        const { at, row } = yield* locked(user, id)
        if (row.status === "purging" || (row.deleted_at !== null && +at - +row.deleted_at > restoreDays * dayMillis)) {
          return yield* Effect.fail(gone(`The object was deleted over ${restoreDays} days ago.`))
        }
        if (row.status !== "deleted") return yield* Effect.fail(conflict("conflict", "The object is not deleted."))
        if (Option.isSome(yield* repository.findByKey({ org: user.org_id, owner: undefined }, row.key))) {
          return yield* Effect.fail(keyTaken)
        }
        yield* repository.setStatus(user.org_id, id, "live", null)
        yield* repository.count(user.org_id, 0, -row.size_bytes)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "storage_object.restored",
          subject: ofObject(id),
          data: { key: row.key, size_bytes: row.size_bytes }
        })
        return toObject({ ...row, status: "live", deleted_at: null })
      }, db.transaction)

      const reachOfAgent = Effect.fnUntraced(function*(org: OrgId, agent: AgentId) {
        const { bound, owner_user_id, role } = yield* repository.agentReach(org, agent)
        if (!bound) {
          return yield* Effect.fail(
            forbidden("The agent needs an enabled binding of service storage.", { service: "storage" })
          )
        }
        const isOwn = owner_user_id !== null && (role === null || role === "member")
        return { org, owner: isOwn ? owner_user_id : undefined }
      })

      const listOf = Effect.fnUntraced(function*(
        reach: Reach,
        { cursor, delimiter, limit, prefix, sort = "-created_at", status = "live" }: ObjectQuery
      ) {
        const after = yield* decodePlace(cursor, sort, sort.endsWith("key") ? "text" : "time", idPattern("obj"))
        const filter = { status, prefix: (prefix ?? "").normalize("NFC"), direct: delimiter !== undefined }
        const rows = yield* repository.list(reach, filter, sort, after, (limit ?? pageLimitDefault) + 1)
        const { data, next_cursor } = toSortedPage(rows, limit, sort)
        return { data: data.map(toObject), next_cursor }
      })

      return Storage.of({
        list: Effect.fn("Storage.list")(function*(principal, query) {
          const reach = principal.kind === "agent"
            ? yield* reachOfAgent(principal.org_id, principal.agent_id)
            : reachOf(principal)
          const as_of = yield* audit.asOf(principal.org_id)
          return { ...(yield* listOf(reach, query)), as_of }
        }),
        listOf,
        folders: Effect.fn("Storage.folders")(function*(user, prefix) {
          const as_of = yield* audit.asOf(user.org_id)
          const data = yield* repository.folders(reachOf(user), prefix.normalize("NFC"), foldersMax)
          return { data, next_cursor: null, as_of }
        }),
        usage: Effect.fn("Storage.usage")(function*(user) {
          const { deleted, used } = yield* repository.totals(user.org_id)
          return {
            used_bytes: used,
            deleted_bytes: deleted,
            max_bytes: limits.workspaceBytesMax,
            object_max_bytes: limits.objectBytesMax
          }
        }),
        presign,
        confirm,
        store: storeReceived,
        get: (user, id) => Effect.map(find(reachOf(user), id), toObject),
        downloadUrl: Effect.fn("Storage.downloadUrl")(function*(user, id, disposition) {
          const row = yield* find(reachOf(user), id)
          if (row.status !== "live") return yield* Effect.fail(notLive)
          yield* available(store.spoolFolder)
          return yield* urlOf(row, disposition === "attachment" ? "save" : "read")
        }),
        read: Effect.fn("Storage.read")(function*(user, id, bytesMax) {
          const row = yield* find(reachOf(user), id)
          if (row.status !== "live") return yield* Effect.fail(notLive)
          if (row.size_bytes > bytesMax) {
            return yield* Effect.fail(payloadTooLarge(`The object has more than ${bytesMax} bytes.`))
          }
          const bytes = yield* Effect.scoped(Effect.gen(function*() {
            const stream = yield* store.read(finalName(row.org_id, row.id, row.generation))
            if (stream === undefined) {
              return yield* new StoreFailure({ reason: "refused", detail: "the bytes are missing" })
            }
            return yield* Effect.tryPromise({
              try: async () => new Uint8Array(await buffer(stream)),
              catch: (error) => new StoreFailure({ reason: "unreachable", detail: String(error) })
            })
          })).pipe(available)
          return { object: toObject(row), bytes }
        }),
        urlOf,
        update,
        remove,
        restore,
        purge
      })
    })
  )
}
