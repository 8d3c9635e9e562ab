/** The whole way with the built-in engine: a PDF in, a question, the passage with its page. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { pdfOf } from "../../support/documents.ts"
import { until } from "../../support/health.ts"
import { expectStatus, firstOwner, makeAgent, startHub } from "../../support/hub.ts"

const pages = [
  "Welcome to the handbook of the workshop.\nThe canteen opens at noon and serves soup.",
  "Employees may bring a dog to the office on Fridays.\nThe animal must stay on a leash in the hall.",
  "Invoices are settled within fourteen days of receipt.\nLate payments cost five percent interest a year."
]

it.live(
  "finds the page of a PDF that answers a question in other words, for a person and for an agent",
  () =>
    Effect.gen(function*() {
      const hub = yield* startHub({ embedder: Layer.empty })
      const owner = yield* firstOwner(hub)
      const { api } = hub
      const collection = expectStatus(
        yield* api("POST", "/knowledge/collections", { ...owner, body: { name: "Handbook" } }),
        201
      ).body.id
      const documents = `/knowledge/collections/${collection}/documents`
      const boundary = "pdf-boundary"
      const made = expectStatus(
        yield* api("POST", documents, {
          ...owner,
          headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
          body: `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="handbook.pdf"\r\n` +
            `content-type: application/pdf\r\n\r\n${
              Buffer.from(pdfOf(pages)).toString("latin1")
            }\r\n--${boundary}--\r\n`
        }),
        202
      ).body
      assert.deepStrictEqual([made.title, made.content_type], ["handbook", "application/pdf"])
      yield* until(
        "the PDF is ready",
        Effect.map(
          api("GET", `${documents}/${made.id}`, owner),
          (answer) => expectStatus(answer, 200).body.status === "ready"
        )
      )
      const { key } = yield* makeAgent(hub, owner, { bindings: [{ service: "knowledge", operations: ["query"] }] })
      for (const who of [owner, { key }]) {
        const { data } = expectStatus(
          yield* api("POST", `/knowledge/collections/${collection}/query`, {
            ...who,
            body: { query: "Can I take my puppy to work?", top_k: 1 }
          }),
          200
        ).body
        assert.deepStrictEqual([data.length, data[0]?.position.page, data[0]?.document.id], [1, 2, made.id])
        assert.include(data[0].text, "bring a dog")
      }
    }).pipe(Effect.scoped)
)
