/** The bounds of an import: memory, time, and what a document may hold. Spec: contract 2 "Import". */
import { OpenApiImporter } from "@countersign/hub/catalog/openapi-importer"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { largeOpenApi } from "../../support/large-openapi.ts"

const text = JSON.stringify(largeOpenApi())
const preview = Effect.flatMap(
  OpenApiImporter,
  (importer) =>
    importer.run({ kind: "preview", input: { url: "https://large.example" }, bytes: new TextEncoder().encode(text) })
)
const messageOf = (options: { readonly heapMebibytes: number; readonly millisMax: number }) =>
  Effect.flip(preview).pipe(
    Effect.map(({ error }) => error.details?.map(({ message, path }) => `${path}: ${message}`).join() ?? error.message),
    Effect.provide(OpenApiImporter.layerOf(options))
  )

describe("a document that is too much", () => {
  it.live("for the memory of an import is refused, and the hub goes on", () =>
    Effect.gen(function*() {
      const message = yield* messageOf({ heapMebibytes: 48, millisMax: 120_000 })
      assert.strictEqual(message, "openapi: the document needs more than 48 MiB of memory; remove what is not imported")
    }), 120_000)

  it.live("for the time of an import is refused", () =>
    Effect.gen(function*() {
      const message = yield* messageOf({ heapMebibytes: 1_024, millisMax: 1 })
      assert.include(message, "openapi: reading the document takes longer than")
    }), 120_000)
})
