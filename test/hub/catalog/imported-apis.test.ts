/**
 * Imports and calls APIs, from the document to the bytes at the provider. Spec: reference/services.md "OpenAPI import".
 */
import { ImportedService, ImportPreview } from "@countersign/domain/catalog"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ensureNodePackages } from "../../support/cached-tools.mjs"
import { fitting } from "../../support/contract.ts"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { largeOpenApi, largeOperations } from "../../support/large-openapi.ts"
import { petstore } from "../../support/petstore.ts"
import { stripeDocument, stripeFake } from "../../support/stripe.ts"
import { httpUpstream } from "../../support/upstream.ts"

/** In the version that `documents` pins. */
const githubOperations = 706

const price = { type: "fixed", cents: 3 } as const

/** Imports a document and lets an agent call all of it. */
const imported = Effect.fnUntraced(function*(name: string, body: object) {
  const { api, owner } = yield* TestHub
  const { body: made } = expectStatus(
    yield* api("POST", "/services/import", { cookie: owner.cookie, body: { name, price, ...body } }),
    201
  )
  fitting(ImportedService, made)
  const { key } = yield* makeAgent({ api }, owner, { bindings: [{ service: name, operations: ["*"] }] })
  const call = (operation: string, payload: object) =>
    Effect.map(
      api("POST", "/service-requests", { key, body: { service: name, operation, payload } }),
      ({ body }) => body
    )
  return { made: made as typeof ImportedService.Type, call }
})

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "an imported API",
  (it) => {
    it.effect(
      "of Stripe is form-encoded: nested fields, lists, null, and files arrive as Stripe parses them",
      () =>
        Effect.gen(function*() {
          const { api, owner } = yield* TestHub
          const { cookie } = owner
          const stripe = yield* stripeFake
          yield* topUp({ api }, owner, 10_000)
          expectStatus(yield* api("PUT", "/secrets/stripe_key", { cookie, body: { value: stripe.key } }), 201)
          const { body: preview } = expectStatus(
            yield* api("POST", "/services/import/preview", { cookie, body: { openapi: stripeDocument } }),
            200
          )
          fitting(ImportPreview, preview)
          assert.deepStrictEqual(preview.auth, { type: "bearer", secret: "stripe_key" })
          const { call, made } = yield* imported("stripe", {
            openapi: JSON.stringify(stripeDocument),
            auth: preview.auth,
            base_url: stripe.origin
          })
          assert.deepStrictEqual(made.skipped, [])
          assert.isUndefined(made.auth)
          const done = yield* call("post_charges", {
            amount: 2_000,
            currency: "eur",
            confirm: true,
            expand: ["customer", "balance_transaction"],
            description: null,
            metadata: { "order id": "6735 & more" },
            line_items: [{ price: "p_1", quantity: 2 }, { price: "p_2", quantity: 1 }]
          })
          assert.strictEqual(done.status, "executed", JSON.stringify(done))
          assert.deepStrictEqual(done.result.received, {
            amount: "2000",
            currency: "eur",
            confirm: "true",
            expand: ["customer", "balance_transaction"],
            description: "",
            metadata: { "order id": "6735 & more" },
            line_items: [{ price: "p_1", quantity: "2" }, { price: "p_2", quantity: "1" }]
          })
          const listed = yield* call("get_charges", {
            created: { gte: 1_700_000_000, lt: 1_800_000_000 },
            expand: ["data.customer"],
            limit: 3
          })
          assert.deepStrictEqual(listed.result.received, {
            created: { gte: "1700000000", lt: "1800000000" },
            expand: ["data.customer"],
            limit: "3"
          })
          const filed = yield* call("post_files", {
            purpose: "dispute_evidence",
            file: { base64: "aGVsbG8=", filename: "a.txt", content_type: "text/plain" }
          })
          assert.deepStrictEqual(filed.result.received, { purpose: "dispute_evidence", file: "a.txt text/plain hello" })
          const wrong = yield* call("post_charges", { amount: 2_000, currency: "eur", nonsense: 1 })
          assert.strictEqual(wrong.error.code, "invalid_request")
        })
    )

    it.effect(
      "of a pet store is called with each kind of parameter and body, and reports the parts that cannot be imported",
      () =>
        Effect.gen(function*() {
          const { api, owner } = yield* TestHub
          const store = yield* httpUpstream((_, response) =>
            void response.writeHead(200, { "content-type": "application/json" }).end("{}")
          )
          yield* topUp({ api }, owner, 10_000)
          const { call, made } = yield* imported("petstore", { openapi: petstore, base_url: `${store.origin}/v3` })
          assert.deepStrictEqual(made.skipped, [{
            operation: "uploadFile",
            reason: "its body is application/octet-stream; JSON, forms, and plain text are sent"
          }])
          assert.deepStrictEqual(made.auth, { type: "header", header: "api_key", secret: "petstore_key" })
          const left = made.warnings.filter(({ path }) => !path.endsWith(".unknown")).map(({ message }) => message)
          assert.deepStrictEqual(left, [
            "The document asks for a credential, and none was sent. Set auth, such as " +
            "{\"type\":\"header\",\"header\":\"api_key\",\"secret\":\"petstore_key\"}, and store the secret.",
            "delete_pet: The optional header \"api_key\" is left out: a header that may be missing cannot be written."
          ])
          const sent = Effect.fnUntraced(function*(operation: string, payload: object) {
            const answer = yield* call(operation, payload)
            assert.strictEqual(answer.status, "executed", JSON.stringify(answer))
            const { body, method, url } = store.received.at(-1)!
            return `${method} ${url} ${body}`
          })
          assert.strictEqual(
            yield* sent("add_pet", { name: "Rex", photoUrls: [], tags: [{ id: 1 }] }),
            "POST /v3/pet {\"name\":\"Rex\",\"photoUrls\":[],\"tags\":[{\"id\":1}]}"
          )
          assert.strictEqual(
            yield* sent("find_pets", { status: ["sold", "pending"], ids: "1,2" }),
            "GET /v3/pet/find?status=sold&status=pending&ids=1%2C2 "
          )
          assert.strictEqual(
            yield* sent("update_pet_with_form", { petId: 3, name: "Max", tags: ["a", "b"] }),
            "POST /v3/pet/3 name=Max&tags=a&tags=b"
          )
          assert.strictEqual(yield* sent("delete_pet", { petId: 3 }), "DELETE /v3/pet/3 ")
          assert.strictEqual(yield* sent("delete_pets", { ids: [1, 2] }), "DELETE /v3/pets {\"ids\":[1,2]}")
          assert.strictEqual(yield* sent("note_pet", { petId: 3, text: "ate\nwell" }), "POST /v3/pet/3/note ate\nwell")
        })
    )

    it.effect(
      "of GitHub's size is read in another thread, stores only the selected operations, and leaves the list small",
      () =>
        Effect.gen(function*() {
          const { api, owner } = yield* TestHub
          const { cookie } = owner
          const document = largeOpenApi()
          const openapi = JSON.stringify(document)
          assert.isAbove(openapi.length, 12_000_000)
          const previewing = yield* Effect.forkChild(
            api("POST", "/services/import/preview", { cookie, body: { openapi: document } })
          )
          let answered = 0
          while (previewing.pollUnsafe() === undefined) {
            expectStatus(yield* api("GET", "/services?limit=1", { cookie }), 200)
            answered++
          }
          assert.isAbove(answered, 20)
          const { body: preview } = expectStatus(yield* Fiber.join(previewing), 200)
          fitting(ImportPreview, preview)
          assert.lengthOf(preview.operations, largeOperations + 1)
          assert.deepStrictEqual(preview.skipped, [{
            operation: "upload-asset",
            reason: "its body is application/octet-stream; JSON, forms, and plain text are sent"
          }])
          const upstream = yield* httpUpstream((request, response) =>
            void response.writeHead(200, { "content-type": "application/json" }).end(
              request.url === "/large.json" ? openapi : "{}"
            )
          )
          const tags = Array.from({ length: 5 }, (_, at) => `group-${at}`)
          const { call, made } = yield* imported("large", {
            url: `${upstream.origin}/large.json`,
            tags,
            base_url: upstream.origin
          })
          assert.lengthOf(made.service.operations, 150)
          const listed = expectStatus(yield* api("GET", "/services", { cookie }), 200)
          assert.isBelow(listed.text.length, 150_000)
          assert.notInclude(listed.text, "payload_schema")
          const whole = expectStatus(yield* api("GET", "/services/large", { cookie }), 200)
          assert.isBelow(whole.text.length, 4 * 1024 * 1024)
          assert.strictEqual((yield* call("group-1_operation-1", { owner: "a", id: 1 })).status, "executed")
          assert.deepInclude(upstream.received.at(-1), { method: "POST", url: "/repos/a/things-1", body: "{\"id\":1}" })
        })
    )

    it.effect(
      "of GitHub: every operation is offered or reported with a reason, and the selected ones can be called",
      () =>
        Effect.gen(function*() {
          const { api, owner } = yield* TestHub
          const { cookie } = owner
          const folder = ensureNodePackages("openapi-documents", join(import.meta.dirname, "documents"))
          const openapi = readFileSync(
            join(folder, "node_modules/@octokit/openapi/generated/api.github.com.deref.json"),
            "utf8"
          )
          assert.isAbove(openapi.length, 13_000_000)
          const { body: preview } = expectStatus(
            yield* api("POST", "/services/import/preview", { cookie, body: { openapi } }),
            200
          )
          fitting(ImportPreview, preview)
          assert.strictEqual(preview.operations.length + preview.skipped.length, githubOperations)
          assert.deepStrictEqual(
            preview.skipped.map(({ operation }: { readonly operation: string }) => operation),
            ["repos/upload-release-asset"]
          )
          const github = yield* httpUpstream((_, response) =>
            void response.writeHead(201, { "content-type": "application/json" }).end("{\"number\":7}")
          )
          const { call, made } = yield* imported("github", { openapi, tags: ["issues"], base_url: github.origin })
          assert.lengthOf(made.service.operations, 39)
          const opened = yield* call("issues_create", { owner: "acme", repo: "shop", title: "Broken", labels: ["bug"] })
          assert.deepInclude(opened, { status: "executed", cost_cents: 3, result: { number: 7 } })
          const { body, method, url } = github.received.at(-1)!
          assert.deepStrictEqual([method, url, JSON.parse(body)], ["POST", "/repos/acme/shop/issues", {
            title: "Broken",
            labels: ["bug"]
          }])
        })
    )

    it.effect(
      "is refused with the place if a large body is not a valid request, and other endpoints accept no such body",
      () =>
        Effect.gen(function*() {
          const { api, owner } = yield* TestHub
          const { cookie } = owner
          const filler = "x".repeat(1_200_000)
          const wrong = expectStatus(
            yield* api("POST", "/services/import", { cookie, body: { name: "Large", openapi: filler, more: 1 } }),
            400
          )
          assert.deepStrictEqual(
            wrong.body.error.details.map(({ path }: { readonly path: string }) => path).sort(),
            ["more", "name", "price"]
          )
          const twice = expectStatus(
            yield* api("POST", "/services/import/preview", { cookie, body: `{"openapi":"${filler}","openapi":"x"}` }),
            400
          )
          assert.strictEqual(twice.body.error.details[0].path, "openapi")
          const notOpenApi = expectStatus(
            yield* api("POST", "/services/import/preview", { cookie, body: { openapi: filler } }),
            400
          )
          assert.strictEqual(notOpenApi.body.error.details[0].path, "openapi")
          expectStatus(yield* api("POST", "/services", { cookie, body: { name: filler } }), 413)
          expectStatus(yield* api("POST", "/services/import", { body: { openapi: filler } }), 401)
        })
    )
  }
)
