/** The bounds of an import: memory, time, and the size of a document. Spec: reference/services.md "OpenAPI import". */
import { statusOf } from "@countersign/domain/errors"
import { OpenApiImporter } from "@countersign/hub/catalog/openapi-importer"
import { openApiJob } from "@countersign/hub/catalog/openapi-source"
import { Egress, makeEgress } from "@countersign/hub/providers/egress"
import { parseAllowList } from "@countersign/hub/providers/egress-rules"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { largeOpenApi } from "../../support/large-openapi.ts"
import { tcpUpstream } from "../../support/upstream.ts"

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

describe("a document over the limit", () => {
  it.live("of memory is refused, and the hub continues", () =>
    Effect.gen(function*() {
      const message = yield* messageOf({ heapMebibytes: 48, millisMax: 120_000 })
      assert.strictEqual(
        message,
        "openapi: the document needs more than 48 MiB of memory; remove the parts that are not imported"
      )
    }))

  it.live("of time is refused", () =>
    Effect.gen(function*() {
      const message = yield* messageOf({ heapMebibytes: 1_024, millisMax: 1 })
      assert.include(message, "openapi: parsing the document takes longer than")
    }))
})

describe("a document at an address that does not answer in time", () => {
  const price = { type: "fixed", cents: 1 } as const
  for (
    const [what, begun] of [["is silent", ""], [
      "stops in the middle",
      "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"
    ]] as const
  ) {
    for (const kind of ["import", "preview"] as const) {
      it.live(`is 504 upstream_timeout for the ${kind}: its server ${what}`, () =>
        Effect.gen(function*() {
          const server = yield* tcpUpstream((socket) => socket.once("data", () => socket.write(begun)))
          const egress = yield* makeEgress({ allow: parseAllowList("127.0.0.1").entries })
          const limits: Array<number> = []
          const impatient = Egress.of({
            ...egress,
            request: (request) => {
              limits.push(request.timeoutMs)
              return egress.request({ ...request, timeoutMs: 200 })
            }
          })
          const url = `http://127.0.0.1:${server.port}/openapi.json`
          const job = openApiJob(impatient, kind, kind === "import" ? { name: "pets", price, url } : { url })
          const error = yield* Effect.flip(job)
          assert.deepStrictEqual([statusOf(error), error.error.code, limits], [504, "upstream_timeout", [60_000]])
          assert.include(error.error.message, "no complete response within 200 ms")
        }))
    }
  }
})

describe("the message about a refused document", () => {
  it.effect("names the place, for the import and for the preview", () =>
    Effect.gen(function*() {
      const importer = yield* OpenApiImporter
      const openapi = { openapi: "3.0.0", info: { title: "Pets", version: "1" } }
      for (
        const job of [
          { kind: "preview", input: { openapi } },
          { kind: "import", input: { openapi, name: "pets", price: { type: "fixed", cents: 1 } } }
        ] as const
      ) {
        const { error } = yield* Effect.flip(importer.run(job))
        assert.deepStrictEqual([error.message, error.details], [
          "The import is not valid at openapi.paths: required.",
          [{ path: "openapi.paths", message: "required" }]
        ])
      }
    }).pipe(Effect.provide(OpenApiImporter.layer)))
})
