import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { actorOf } from "../platform/audit-log.ts"
import { blobAnswer } from "./blob-answer.ts"
import { StorageBlobs } from "./blobs.ts"
import { Storage } from "./service.ts"
import { lengthOf, receiveDirect, receiveSigned } from "./upload-body.ts"

export const StorageHttp = HttpApiBuilder.group(
  HubApi,
  "storage",
  Effect.fn(function*(handlers) {
    const storage = yield* Storage
    const receive = yield* receiveDirect
    return handlers.handleRaw(
      "upload",
      Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
        const made = yield* storage.store(
          { org: user.org_id, user: user.user_id, actor: actorOf(user) },
          yield* receive(query)
        )
        return created(`/storage/objects/${made.id}`, made)
      }, Effect.scoped)
    ).handleRaw(
      "download",
      Effect.fnUntraced(function*({ params, query }) {
        const user = yield* CurrentUser
        const location = yield* storage.downloadUrl(user, params.id, query.disposition)
        return HttpServerResponse.empty({ status: 302, headers: { location, "cache-control": "no-store" } })
      })
    ).handleRaw(
      "confirm",
      Effect.fnUntraced(function*({ params }) {
        const object = yield* storage.confirm(yield* CurrentUser, params.id)
        return HttpServerResponse.jsonUnsafe(object, { status: object.status === "live" ? 200 : 202 })
      })
    ).handleAll({
      list: ({ query }) => CurrentPrincipal.use((principal) => storage.list(principal, query)),
      folders: ({ query }) => CurrentUser.use((user) => storage.folders(user, query.prefix ?? "")),
      usage: () => CurrentUser.use(storage.usage),
      presignUpload: ({ payload }) => CurrentUser.use((user) => storage.presign(user, payload)),
      get: ({ params }) => CurrentUser.use((user) => storage.get(user, params.id)),
      update: ({ params, payload }) => CurrentUser.use((user) => storage.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => storage.remove(user, params.id)),
      restore: ({ params }) => CurrentUser.use((user) => storage.restore(user, params.id))
    })
  })
)

export const StorageBlobsHttp = HttpApiBuilder.group(
  HubApi,
  "storage_blobs",
  Effect.fn(function*(handlers) {
    const blobs = yield* StorageBlobs
    const receive = yield* receiveSigned
    return handlers.handleRaw(
      "read",
      Effect.fnUntraced(function*({ params }) {
        const found = yield* blobs.readable(params.token)
        const { headers, part, status } = blobAnswer(found, (yield* HttpServerRequest.HttpServerRequest).headers)
        if (status === 304 || status === 416) return HttpServerResponse.empty({ status, headers })
        // The request's scope ends with the answer.
        return HttpServerResponse.raw(yield* blobs.read(found.row, part), { status, headers })
      })
    ).handleRaw(
      "write",
      Effect.fnUntraced(function*({ params }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const open = yield* blobs.writable(params.token, {
          type: request.headers["content-type"],
          length: lengthOf(request)
        })
        const file = yield* receive(open)
        yield* blobs.write(open, file)
        return HttpServerResponse.empty({ status: 200, headers: { etag: `"${file.sha256}"` } })
      }, Effect.scoped)
    )
  })
)
