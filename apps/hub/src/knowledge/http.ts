import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import {
  type ApiError,
  invalidField,
  invalidRequest,
  payloadTooLarge,
  unavailable,
  unsupportedMediaType
} from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { AddDocumentInput, documentBytesMax } from "@countersign/domain/knowledge"
import { problemsOf, problemsSentence } from "@countersign/domain/schema-problems"
import * as NodeMultipart from "@effect/platform-node/NodeMultipart"
import { ByteSize, Effect, Option, Result, Schema, type Scope, Semaphore, Stream } from "effect"
import { HttpIncomingMessage, HttpServerRequest, HttpServerResponse, Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { Readable } from "node:stream"
import { jsonOf, readLargeBody } from "../edge/request-body.ts"
import { sentHeaders } from "../platform/idempotency-key.ts"
import { GovernedQueries } from "./governed-query.ts"
import { Knowledge, type ReceivedDocument } from "./service.ts"

/** Room for the fields and boundaries of a form, or the names of a JSON body, around the document. */
const aroundBytesMax = 64 * 1024
const bodyMillisMax = 120_000
/** Documents whose bytes arrive at the same time: each may take the memory of its limit. */
const receivedAtOnceMax = 8
/** Of one workspace; its further ones wait. */
const receivedOfWorkspaceMax = 2

/** The parser's own limit is higher, so that a large file gets the right answer. */
const formBytesMax = documentBytesMax + 4 * aroundBytesMax

const tooLarge = payloadTooLarge(`A document has at most ${documentBytesMax} bytes.`)
const busy = unavailable("The hub receives as many documents as it can. Try again.")
const decodeInput = Schema.decodeUnknownResult(AddDocumentInput, { errors: "all", onExcessProperty: "error" })
const decodeTitle = Schema.decodeUnknownResult(Schema.Struct({ title: AddDocumentInput.fields.title }))
const emptyName = /^(?:|blob)$/

/** All bytes of a part; undefined beyond the limit. The rest of a refused body is drained by the edge. */
const bytesOf = async (source: Readable): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).byteLength
    if (bytes > documentBytesMax) return undefined
    chunks.push(chunk as Buffer)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** A form with the fields `file` and, if the file's name is no title, `title`. */
const receiveForm = Effect.gen(function*(): Effect.gen.Return<
  ReceivedDocument,
  ApiError,
  HttpServerRequest.HttpServerRequest | Scope.Scope
> {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (Number(request.headers["content-length"] ?? 0) > documentBytesMax + aroundBytesMax) {
    return yield* Effect.fail(tooLarge)
  }
  const once = (path: string) => Effect.fail(invalidField(path, "send the fields file and title, each at most once"))
  let title: string | undefined
  let file: ReceivedDocument | undefined
  yield* request.multipartStream.pipe(
    Stream.mapError(() => invalidRequest("The body is not a complete multipart/form-data.")),
    Stream.runForEach((part): Effect.Effect<void, ApiError> =>
      Effect.gen(function*() {
        if (Multipart.isField(part)) {
          if (part.key !== "title" || title !== undefined) return yield* once(part.key)
          title = part.value
          return
        }
        if (part.key !== "file" || file !== undefined) return yield* once(part.key)
        const bytes = yield* Effect.tryPromise({
          try: () => bytesOf(NodeMultipart.fileToReadable(part)),
          catch: () => invalidRequest("The body is incomplete.")
        })
        if (bytes === undefined) return yield* Effect.fail(tooLarge)
        file = {
          source: "upload",
          bytes,
          ...part.contentType === "" ? {} : { contentType: part.contentType },
          ...emptyName.test(part.name) ? {} : { fileName: part.name }
        }
      })
    )
  )
  if (file === undefined) return yield* Effect.fail(invalidField("file", "it is missing"))
  if (title === undefined || title === "") return file
  const checked = decodeTitle({ title })
  return Result.isSuccess(checked)
    ? { ...file, title }
    : yield* Effect.fail(invalidRequest("The title is not valid.", problemsOf(checked.failure.issue, { title })))
})

const timedOut = () => Effect.fail(invalidRequest(`The body did not arrive within ${bodyMillisMax / 1_000} s.`))

export const KnowledgeHttp = HttpApiBuilder.group(
  HubApi,
  "knowledge",
  Effect.fn(function*(handlers) {
    const knowledge = yield* Knowledge
    const governed = yield* GovernedQueries
    const receiving = yield* Semaphore.make(receivedAtOnceMax)
    const workspaces = new Map<string, { readonly turns: Semaphore.Semaphore; calls: number }>()

    /** A workspace with slow senders delays only itself. */
    const inTurn = <A, E, R>(org: OrgId, work: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const workspace = workspaces.get(org) ??
            { turns: Semaphore.makeUnsafe(receivedOfWorkspaceMax), calls: 0 }
          workspace.calls += 1
          workspaces.set(org, workspace)
          return workspace
        }),
        ({ turns }) =>
          work.pipe(
            receiving.withPermitsIfAvailable(1),
            Effect.flatMap(Option.match({ onNone: () => Effect.fail(busy), onSome: Effect.succeed })),
            turns.withPermits(1)
          ),
        (workspace) =>
          Effect.sync(() => {
            workspace.calls -= 1
            if (workspace.calls === 0) workspaces.delete(org)
          })
      )

    const receive = Effect.gen(function*(): Effect.gen.Return<
      ReceivedDocument,
      ApiError,
      HttpServerRequest.HttpServerRequest | CurrentUser | Scope.Scope
    > {
      const request = yield* HttpServerRequest.HttpServerRequest
      const type = (request.headers["content-type"] ?? "application/json").split(";", 1)[0]!.trim().toLowerCase()
      if (type === "multipart/form-data") {
        return yield* receiveForm.pipe(
          Effect.timeoutOrElse({ duration: bodyMillisMax, orElse: timedOut }),
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(formBytesMax))
        )
      }
      if (type !== "application/json") {
        return yield* Effect.fail(unsupportedMediaType("Send the document as application/json or multipart/form-data."))
      }
      const body = yield* jsonOf(yield* readLargeBody(request, documentBytesMax + aroundBytesMax, bodyMillisMax))
      const input = decodeInput(body?.value)
      if (Result.isFailure(input)) {
        const problems = problemsOf(input.failure.issue, body?.value)
        return yield* Effect.fail(invalidRequest(problemsSentence("The body", problems), problems))
      }
      return yield* knowledge.receive(yield* CurrentUser, input.success)
    })

    return handlers.handleRaw(
      "addDocument",
      Effect.fnUntraced(
        function*({ params }) {
          const user = yield* CurrentUser
          const made = yield* inTurn(
            user.org_id,
            Effect.flatMap(receive, (document) => knowledge.addDocument(user, params.id, document))
          )
          return HttpServerResponse.jsonUnsafe(made, { status: 202 })
        },
        Effect.scoped
      )
    ).handleAll({
      listCollections: ({ query }) => CurrentUser.use((user) => knowledge.listCollections(user, query)),
      createCollection: ({ payload }) =>
        CurrentUser.use((user) => knowledge.createCollection(user, payload)).pipe(
          Effect.map((collection) => created(`/knowledge/collections/${collection.id}`, collection))
        ),
      getCollection: ({ params }) => CurrentUser.use((user) => knowledge.getCollection(user, params.id)),
      removeCollection: ({ params }) => CurrentUser.use((user) => knowledge.removeCollection(user, params.id)),
      reindex: ({ params }) => CurrentUser.use((user) => knowledge.reindex(user, params.id)),
      listDocuments: ({ params, query }) => CurrentUser.use((user) => knowledge.listDocuments(user, params.id, query)),
      getDocument: ({ params }) => CurrentUser.use((user) => knowledge.getDocument(user, params.id, params.docId)),
      removeDocument: ({ params }) =>
        CurrentUser.use((user) => knowledge.removeDocument(user, params.id, params.docId)),
      retryDocument: ({ params }) => CurrentUser.use((user) => knowledge.retryDocument(user, params.id, params.docId)),
      listPassages: ({ params, query }) =>
        CurrentUser.use((user) => knowledge.listPassages(user, params.id, params.docId, query)),
      query: Effect.fnUntraced(function*({ params, payload }) {
        const principal = yield* CurrentPrincipal
        if (principal.kind === "user") return yield* knowledge.query(principal, params.id, payload)
        const sent = sentHeaders(yield* HttpServerRequest.HttpServerRequest)
        return yield* governed.run(principal, sent, params.id, payload)
      })
    })
  })
)
