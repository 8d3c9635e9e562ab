/**
 * OAuth clients whose id is the https address of their metadata document (draft-ietf-oauth-client-id-metadata-document).
 * The document is read through the egress guard and kept for a while. A caller learns nothing of why it could not be
 * read: anybody can name an address. Spec: reference/mcp.md "Sign-in".
 */
import { Context, Effect, Layer, Option, Semaphore } from "effect"
import { readAnswer } from "../providers/answer.ts"
import { Egress } from "../providers/egress.ts"
import { type ClientRow, OAuthRepository } from "./repository.ts"
import { documentAddressProblem, documentSeconds, OAuthRefusal, readDocument } from "./rules.ts"

const fetchMillisMax = 5_000
const documentBytesMax = 16 * 1024
const fetchesMax = 8
const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/iu

const unreadable = (id: string) =>
  new OAuthRefusal("invalid_client", `The client's metadata document could not be read: ${new URL(id).host}.`)

export class ClientDocuments extends Context.Service<ClientDocuments, {
  /** The client of a document's address, as its document describes it. */
  readonly client: (id: string) => Effect.Effect<ClientRow, OAuthRefusal>
}>()("@countersign/hub/oauth/ClientDocuments") {
  static readonly layer = Layer.effect(
    ClientDocuments,
    Effect.gen(function*() {
      const egress = yield* Egress
      const repository = yield* OAuthRepository
      const fetches = Semaphore.makeUnsafe(fetchesMax)

      const kept = (id: string) =>
        Effect.map(repository.client(id), (row) => Option.getOrUndefined(Option.filter(row, ({ fresh }) => fresh)))

      const read = Effect.fnUntraced(function*(id: string): Effect.fn.Return<ClientRow, OAuthRefusal> {
        const answer = yield* egress.request({
          url: id,
          method: "GET",
          headers: { accept: "application/json" },
          timeoutMs: fetchMillisMax,
          maxBytes: documentBytesMax,
          overflow: "fail"
        }).pipe(
          Effect.tapError((error) => Effect.logInfo("a client's metadata document could not be read", error)),
          Effect.mapError(() => unreadable(id))
        )
        const { body, headers, status, url } = answer
        const type = headers["content-type"] ?? ""
        const reading = readAnswer(body, type)
        // A document that is somewhere else is another client's.
        if (status !== 200 || url !== id || !jsonType.test(type) || reading.kind !== "json") {
          return yield* Effect.fail(unreadable(id))
        }
        const client = readDocument(id, reading.document)
        if (client instanceof OAuthRefusal) return yield* Effect.fail(client)
        return yield* repository.putDocument(id, client, documentSeconds(headers["cache-control"]))
      })

      return ClientDocuments.of({
        client: Effect.fn("ClientDocuments.client")(function*(id) {
          const problem = documentAddressProblem(id)
          if (problem !== undefined) {
            return yield* Effect.fail(new OAuthRefusal("invalid_client", `client_id ${problem}.`))
          }
          const known = yield* kept(id)
          if (known !== undefined) return known
          // Another call may have read it meanwhile.
          return yield* fetches.withPermits(1)(
            Effect.flatMap(kept(id), (row) => row === undefined ? read(id) : Effect.succeed(row))
          )
        })
      })
    })
  )
}
