import { compileSchema } from "@countersign/domain/json-schema"
import { checkService, type HttpOperation, operationOf } from "@countersign/domain/services"
import { type ImportInput, importOpenApi, previewOpenApi } from "@countersign/hub/catalog/openapi-import"
import { renderRequest } from "@countersign/hub/providers/http-request"
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { stringify } from "yaml"

const price = { type: "fixed", cents: 3 } as const
const run = (input: Partial<ImportInput> & { readonly document: unknown }) =>
  Effect.runPromise(Effect.result(importOpenApi({ name: "pets", price, ...input })))
const imported = async (input: Partial<ImportInput> & { readonly document: unknown }) => {
  const result = await run(input)
  if (Result.isFailure(result)) throw new Error(result.failure.message)
  assert.deepStrictEqual(checkService(result.success.definition), [])
  return result.success
}
const problem = async (input: Partial<ImportInput> & { readonly document: unknown }) => {
  const result = await run(input)
  assert.isTrue(Result.isFailure(result))
  return Result.isFailure(result) ? result.failure.message : ""
}
const ok = { 200: { description: "fine" } }
const info = { title: "Pets", version: "1" }
const json = (schema: object) => ({ content: { "application/json": { schema } } })

const old = {
  openapi: "3.0.3",
  info: { ...info, description: "All about pets" },
  servers: [{ url: "https://{region}.pets.example/v2/", variables: { region: { default: "eu" } } }],
  paths: {
    "/pets/{petId}": {
      parameters: [{ name: "petId", in: "path", required: true, schema: { type: "string" } }],
      get: {
        operationId: "getPet",
        tags: ["read"],
        summary: "One pet",
        parameters: [
          { name: "fields", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "X-Tenant", in: "header", required: true, schema: { type: "string" } },
          { name: "X-Optional", in: "header", schema: { type: "string" } },
          {
            name: "petId",
            in: "query",
            description: "Another one",
            schema: { type: "integer", minimum: 0, exclusiveMinimum: true }
          }
        ],
        responses: { 200: { description: "a pet", ...json({ $ref: "#/components/schemas/Pet" }) } }
      },
      put: {
        operationId: "replacePet",
        tags: ["write"],
        requestBody: { required: true, ...json({ $ref: "#/components/schemas/Pet" }) },
        responses: ok
      }
    },
    "/pets": {
      post: {
        operationId: "pets.create",
        tags: ["write"],
        requestBody: { required: true, ...json({ $ref: "#/components/schemas/Pet" }) },
        responses: ok
      },
      patch: {
        tags: ["write"],
        requestBody: { required: true, ...json({ type: "array", items: { $ref: "#/components/schemas/Pet" } }) },
        responses: ok
      }
    },
    "/ping": { post: { operationId: "ping", tags: ["read"], responses: { 204: { description: "" } } } },
    "/upload": {
      post: {
        operationId: "upload",
        tags: ["write"],
        requestBody: { required: true, content: { "application/octet-stream": { schema: {} } } },
        responses: ok
      }
    },
    "/cookie": {
      get: {
        operationId: "cookie",
        tags: ["read"],
        parameters: [{ name: "sid", in: "cookie", required: true, schema: {} }],
        responses: ok
      }
    }
  },
  components: {
    schemas: {
      Pet: {
        type: "object",
        required: ["name", "id"],
        properties: {
          id: { type: "integer", readOnly: true },
          name: { type: "string", minLength: 1, pattern: "^(?!x)" },
          kind: { type: "string", nullable: true, enum: ["cat", "dog"] },
          parent: { $ref: "#/components/schemas/Pet" },
          price: { type: "number", minimum: 0, exclusiveMinimum: true, example: 3, xml: { name: "p" } },
          "odd-name.x": { type: "string" }
        }
      }
    }
  }
}

describe("importing OpenAPI", () => {
  it("creates one operation for each that can be expressed, and reports the others", async () => {
    const { definition, skipped } = await imported({ document: old, auth: { type: "bearer", secret: "pets" } })
    assert.deepStrictEqual(definition.operations.map(({ name }) => name), [
      "get_pet",
      "replace_pet",
      "pets_create",
      "patch_pets",
      "ping"
    ])
    assert.deepInclude(definition, {
      name: "pets",
      kind: "http",
      title: "Pets",
      description: "All about pets",
      base_url: "https://eu.pets.example/v2"
    })
    assert.deepStrictEqual(definition.auth, { type: "bearer", secret: "pets" })
    assert.deepStrictEqual(skipped.map(({ operation }) => operation), ["upload", "cookie"])
    assert.isTrue(
      definition.operations.every((one) => one.price === price || JSON.stringify(one.price) === JSON.stringify(price))
    )
  })

  it("merges parameters into one payload, and builds the request from it", async () => {
    const { definition } = await imported({ document: old, operation_ids: ["getPet", "replacePet"] })
    const get = operationOf(definition, "get_pet") as HttpOperation
    assert.deepInclude(get, { method: "GET", path: "/pets/${payload.petId}", title: "One pet" })
    assert.deepStrictEqual(get.query, { fields: "${payload.fields}", petId: "${payload.query_petId}" })
    assert.deepStrictEqual(get.headers, { "x-tenant": "${payload.X_Tenant}" })
    assert.deepStrictEqual(get.payload_schema, {
      type: "object",
      properties: {
        petId: { type: "string" },
        fields: { type: "array", items: { type: "string" } },
        X_Tenant: { type: "string" },
        query_petId: { type: "integer", exclusiveMinimum: 0, description: "Another one" }
      },
      required: ["petId", "X_Tenant"],
      additionalProperties: false
    })
    const request = renderRequest(definition, get, {
      payload: { petId: "a/b", fields: ["x", "y"], X_Tenant: "t", query_petId: 3 },
      requestId: "req_1"
    })
    assert.deepInclude(Result.getOrUndefined(request), {
      method: "GET",
      url: "https://eu.pets.example/v2/pets/a%2Fb?fields=x&fields=y&petId=3",
      headers: { "x-tenant": "t" }
    })
    const put = operationOf(definition, "replace_pet") as HttpOperation
    const sent = renderRequest(definition, put, {
      payload: { petId: "1", name: "Rex", kind: null, odd_name_x: "o" },
      requestId: "req_1"
    })
    assert.deepStrictEqual(JSON.parse(String(Result.getOrThrow(sent).body)), {
      name: "Rex",
      kind: null,
      "odd-name.x": "o"
    })
    assert.notProperty(put.payload_schema["properties"] as object, "id")
  })

  it("sends the payload itself if there is only a body, and keeps recursive schemas complete", async () => {
    const { definition } = await imported({ document: old, operation_ids: ["pets.create"] })
    const create = operationOf(definition, "pets_create") as HttpOperation
    assert.notProperty(create, "body")
    const validator = Result.getOrThrow(compileSchema(create.payload_schema))
    assert.deepStrictEqual(
      validator.validate({ name: "Rex", kind: null, parent: { name: "Max", id: 1 }, price: 1 }),
      []
    )
    assert.isAbove(validator.validate({}).length, 0)
    assert.isAbove(validator.validate({ name: "" }).length, 0)
    assert.isAbove(validator.validate({ name: "a", kind: "cow" }).length, 0)
    assert.isAbove(validator.validate({ name: "a", price: 0 }).length, 0)
    assert.isAbove(validator.validate({ name: "a", parent: { name: 1, id: 1 } }).length, 0)
  })

  it("puts a body that is not a plain object under one name, and sends an empty one if none is declared", async () => {
    const { definition } = await imported({ document: old, operation_ids: ["patch/pets", "ping"] })
    const patch = operationOf(definition, "patch_pets") as HttpOperation
    assert.strictEqual(patch.body, "${payload.body}")
    assert.deepStrictEqual(
      JSON.parse(
        String(
          Result.getOrThrow(renderRequest(definition, patch, { payload: { body: [{ name: "a" }] }, requestId: "r" }))
            .body
        )
      ),
      [{ name: "a" }]
    )
    assert.deepStrictEqual((operationOf(definition, "ping") as HttpOperation).body, {})
  })

  it("selects by tag or by id, and names ids that do not exist", async () => {
    const { definition } = await imported({ document: old, tags: ["read"] })
    assert.deepStrictEqual(definition.operations.map(({ name }) => name), ["get_pet", "ping"])
    assert.include(await problem({ document: old, operation_ids: ["ping", "nope"] }), "\"nope\"")
    assert.include(await problem({ document: old, tags: ["nope"] }), "no operation")
    assert.include(await problem({ document: old, operation_ids: ["upload"] }), "its body is application/octet-stream")
  })

  it("gives an operation the price that is set for its id, the others the price for all", async () => {
    const own = { type: "quoted", ceiling: "payload.name.size() * 2" } as const
    const { definition } = await imported({ document: old, tags: ["write"], prices: { "pets.create": own } })
    assert.deepStrictEqual(definition.operations.map((one) => [one.name, one.price]), [
      ["replace_pet", price],
      ["pets_create", own],
      ["patch_pets", price]
    ])
    assert.match(
      await problem({ document: old, prices: { gone: price } }),
      /prices\.gone: the document has no operation "gone"/
    )
    assert.match(
      await problem({
        document: old,
        operation_ids: ["ping"],
        prices: { ping: { type: "quoted", ceiling: "payload." } }
      }),
      /price\.ceiling/
    )
  })

  it("previews the operations that can be imported, with their ids, and those that cannot", async () => {
    const preview = await Effect.runPromise(previewOpenApi({ document: old }))
    const { definition, skipped } = await imported({ document: old })
    assert.deepStrictEqual(
      preview.operations.map(({ method, name, path }) => ({ method, name, path })),
      definition.operations.map(({ method, name, path }) => ({ method, name, path }))
    )
    assert.deepStrictEqual(preview.operations.map(({ operation_id }) => operation_id), [
      "getPet",
      "replacePet",
      "pets.create",
      "patch/pets",
      "ping"
    ])
    assert.deepInclude(preview.operations[0], { title: "One pet", tags: ["read"] })
    assert.deepStrictEqual(preview.skipped, skipped)
    assert.deepInclude(preview, {
      title: "Pets",
      description: "All about pets",
      base_url: "https://eu.pets.example/v2"
    })
  })

  it("reads 3.1 with its own schemas, from YAML text as from JSON text", async () => {
    const document = {
      openapi: "3.1.0",
      info,
      servers: [{ url: "https://x.example" }],
      paths: {
        "/a": {
          post: {
            operationId: "a",
            requestBody: {
              ...json({
                type: ["object", "null"],
                properties: {
                  n: { type: ["integer", "null"], exclusiveMinimum: 0 },
                  c: { const: 1 },
                  r: { $ref: "#/components/schemas/R", description: "kept" }
                }
              })
            },
            responses: { 201: { description: "made", ...json({ type: "array", items: { type: "string" } }) } }
          }
        }
      },
      components: { schemas: { R: { $defs: {}, type: "string" } } }
    }
    for (const text of [stringify(document), JSON.stringify(document)]) {
      const { definition } = await imported({ document: text })
      const a = operationOf(definition, "a") as HttpOperation
      const validator = Result.getOrThrow(compileSchema(a.payload_schema))
      assert.deepStrictEqual(validator.validate({ body: { n: null, c: 1, r: "x" } }), [])
      assert.isAbove(validator.validate({ body: { n: 0 } }).length, 0)
      assert.isAbove(validator.validate({ body: { r: 1 } }).length, 0)
      assert.deepStrictEqual(a.response_schema, {
        type: "object",
        properties: { value: { type: "array", items: { type: "string" } } }
      })
    }
  })

  it("gives every operation a unique name", async () => {
    const paths = Object.fromEntries(
      ["getThing", "get-thing", "get_thing", "Get Thing!", "123", "ż", "x".repeat(80), `${"x".repeat(80)}y`].map((
        operationId,
        at
      ) => [`/p${at}`, { get: { operationId, responses: ok } }])
    )
    const { definition } = await imported({
      document: { openapi: "3.0.0", info, servers: [{ url: "https://x.example" }], paths }
    })
    const names = definition.operations.map(({ name }) => name)
    assert.strictEqual(new Set(names).size, 8)
    for (const name of names) assert.match(name, /^[a-z][a-z0-9_-]{0,63}$/)
    assert.deepStrictEqual(names.slice(0, 4), ["get_thing", "get-thing", "get_thing_2", "get_thing_3"])
  })

  it("needs an absolute server or a base URL, and none that operations change", async () => {
    const relative = {
      openapi: "3.0.0",
      info,
      servers: [{ url: "/v1" }],
      paths: { "/a": { get: { operationId: "a", responses: ok } } }
    }
    assert.include(await problem({ document: relative }), "base_url")
    assert.strictEqual(
      (await imported({ document: relative, base_url: "https://own.example" })).definition.base_url,
      "https://own.example"
    )
    assert.include(await problem({ document: relative, base_url: "file:///etc" }), "base_url")
    const elsewhere = {
      ...relative,
      servers: [{ url: "https://x.example" }],
      paths: { "/a": { servers: [{ url: "https://y.example" }], get: { operationId: "a", responses: ok } } }
    }
    assert.include(await problem({ document: elsewhere, operation_ids: ["a"] }), "its own servers")
  })
})

describe("parameters and bodies of an imported operation", () => {
  const scalar = { type: "string" }
  const list = { type: "array", items: scalar }
  const one = (operation: object, more: object = {}) => ({
    openapi: "3.0.3",
    info,
    servers: [{ url: "https://x.example" }],
    paths: { "/a": { post: { operationId: "a", responses: ok, ...operation } } },
    ...more
  })
  const made = async (operation: object, more: object = {}) => {
    const { definition, skipped, warnings } = await imported({ document: one(operation, more) })
    const [first] = definition.operations
    const lost = warnings.filter(({ path }) => !path.endsWith("unknown")).map(({ message }) => message)
    return {
      operation: first!,
      skipped,
      warnings: lost,
      url: (payload: object) =>
        Result.getOrThrow(renderRequest(definition, first!, { payload, requestId: "r" })).url.slice(
          "https://x.example".length
        ),
      body: (payload: object) =>
        String(Result.getOrThrow(renderRequest(definition, first!, { payload, requestId: "r" })).body)
    }
  }
  const query = (name: string, schema: object, more: object = {}) => ({ name, in: "query", schema, ...more })

  it("are written in the document's styles", async () => {
    const { operation, url, warnings } = await made({
      parameters: [
        query("tags", list),
        query("ids", list, { explode: false }),
        query("pipes", list, { style: "pipeDelimited", explode: false }),
        query("page", { type: "object", properties: { size: { type: "integer" }, after: scalar } }),
        { name: "filter", in: "query", content: { "application/json": { schema: { type: "object" } } } }
      ]
    })
    assert.notProperty(operation, "query_style")
    assert.deepStrictEqual(warnings, [])
    assert.strictEqual(
      url({ tags: ["a", "b"], ids: "1,2", pipes: "x|y", page: { size: 5 }, filter: { a: 1 } }),
      "/a?tags=a&tags=b&ids=1%2C2&pipes=x%7Cy&size=5&filter=%7B%22a%22%3A1%7D"
    )
    const deep = await made({
      parameters: [query("created", { type: "object" }, { style: "deepObject" }), query("limit", scalar)]
    })
    assert.strictEqual(deep.operation.query_style, "deepObject")
    assert.strictEqual(deep.url({ created: { gte: 1 }, limit: "3" }), "/a?created%5Bgte%5D=1&limit=3")
  })

  it("that cannot be imported are reported: optional ones as warnings, required ones as the reason to skip", async () => {
    const created = query("created", { type: "object" }, { style: "deepObject" })
    const { operation, warnings } = await made({
      parameters: [
        created,
        query("tags", list),
        { name: "X-Trace", in: "header", schema: scalar },
        { name: "sid", in: "cookie", schema: scalar },
        { name: "Accept", in: "header", schema: scalar }
      ]
    })
    assert.deepStrictEqual(Object.keys(operation.payload_schema["properties"] as object), ["created"])
    assert.deepStrictEqual(warnings, [
      "a: The optional query parameter \"tags\" is left out: a list that repeats its name cannot be written beside parameters of the style deepObject.",
      "a: The optional header \"X-Trace\" is left out: a header that may be missing cannot be written.",
      "a: The optional cookie \"sid\" is left out: cookies are not sent."
    ])
    const reason = await problem({
      document: one({ parameters: [created, query("tags", list, { required: true })] }),
      operation_ids: ["a"]
    })
    assert.include(reason, "it needs the query parameter \"tags\"")
  })

  it("keep the form's encoding of lists", async () => {
    const form = (encoding: object) => ({
      requestBody: {
        required: true,
        content: {
          "application/x-www-form-urlencoded": {
            schema: { type: "object", properties: { to: list, cc: list, meta: { type: "object" } } },
            encoding
          }
        }
      }
    })
    const payload = { to: ["a", "b"], meta: { k: "v" } }
    assert.strictEqual((await made(form({}))).body(payload), "to=a&to=b&meta[k]=v")
    assert.strictEqual(
      (await made(form({ to: { style: "deepObject" }, cc: { style: "deepObject" } }))).body(payload),
      "to[0]=a&to[1]=b&meta[k]=v"
    )
    const joined = await made(form({ to: { explode: false } }))
    assert.strictEqual(joined.body({ to: "a,b" }), "to=a%2Cb")
    const mixed = await made(form({ to: { style: "deepObject" } }))
    assert.include(mixed.warnings[0], "sent in brackets")
  })

  it("report a method or a body that services do not support", async () => {
    const paths = {
      "/a": {
        options: { operationId: "ask", responses: ok },
        get: { operationId: "find", requestBody: json({ type: "object", properties: { q: scalar } }), responses: ok }
      },
      "/b": { get: { operationId: "b", responses: ok } }
    }
    const { skipped } = await imported({
      document: { openapi: "3.1.0", info, servers: [{ url: "https://x.example" }], paths }
    })
    assert.deepStrictEqual(skipped, [
      { operation: "ask", reason: "its method OPTIONS is not sent" },
      { operation: "find", reason: "its body cannot be sent with GET" }
    ])
  })

  it("propose the credential of the security schemes, preferably a bearer token", async () => {
    const proposed = async (security: ReadonlyArray<object>, securitySchemes: object) =>
      (await imported({ document: one({}, { security, components: { securitySchemes } }) })).auth
    const schemes = {
      basic: { type: "http", scheme: "basic" },
      bearer: { type: "http", scheme: "bearer" },
      key: { type: "apiKey", in: "query", name: "api_key" },
      header: { type: "apiKey", in: "header", name: "X-Key" },
      cookie: { type: "apiKey", in: "cookie", name: "sid" },
      oauth: { type: "oauth2", flows: {} }
    }
    const secret = "pets_key"
    assert.deepStrictEqual(await proposed([{ basic: [] }, { bearer: [] }], schemes), { type: "bearer", secret })
    assert.deepStrictEqual(await proposed([{ basic: [] }], schemes), { type: "basic", secret })
    assert.deepStrictEqual(await proposed([{ key: [] }, { header: [] }], schemes), {
      type: "header",
      header: "X-Key",
      secret
    })
    assert.deepStrictEqual(await proposed([{ key: [] }], schemes), { type: "query", param: "api_key", secret })
    assert.deepStrictEqual(await proposed([{ oauth: ["read"] }], schemes), { type: "bearer", secret })
    assert.isUndefined(await proposed([{ cookie: [] }], schemes))
    assert.isUndefined(await proposed([], schemes))
  })
})

describe("patterns that RE2 does not support", () => {
  const document = (body: object, schemas: object = {}) => ({
    openapi: "3.0.3",
    info,
    servers: [{ url: "https://x.example" }],
    paths: { "/a": { post: { operationId: "a", requestBody: { required: true, ...json(body) }, responses: ok } } },
    components: { schemas }
  })
  const lookAhead = "^(?!admin).*$"
  const fields = (warnings: ReadonlyArray<{ readonly path: string; readonly message: string }>) =>
    warnings.filter(({ path }) => path.includes("payload_schema")).map((
      { message, path }
    ) => [path, message.split(" is left out")[0]])
  const accepts = (operation: HttpOperation, payload: unknown) =>
    Result.getOrThrow(compileSchema(operation.payload_schema)).validate(payload).length === 0

  for (const pattern of [lookAhead, String.raw`^(a)\1$`, "(", "["]) {
    it(`removes ${pattern} with a warning that names operation, field, and reason, as object and as text`, async () => {
      const given = document({
        type: "object",
        required: ["la"],
        properties: { la: { type: "string", maxLength: 8, pattern }, code: { type: "string", pattern: "^[a-z]+$" } }
      })
      for (const sent of [given, JSON.stringify(given)]) {
        const { definition, warnings } = await imported({ document: sent })
        const schema = definition.operations[0]?.payload_schema
        assert.deepInclude(schema, {
          properties: { la: { type: "string", maxLength: 8 }, code: { type: "string", pattern: "^[a-z]+$" } }
        })
        const named = warnings.find(({ path }) => path === "operations.0.payload_schema.properties.la.pattern")
        assert.match(
          named?.message ?? "",
          /^a: The pattern of "la" is left out, and only the provider checks it\. The pattern .*RE2/u
        )
        const preview = await Effect.runPromise(previewOpenApi({ document: sent }))
        assert.deepInclude(preview.warnings, { path: "openapi.paths./a.post", message: named?.message ?? "" })
      }
    })
  }

  it("are reported everywhere: in definitions, lists, parameters, and names of fields", async () => {
    const { definition, warnings } = await imported({
      document: document({ $ref: "#/components/schemas/Order" }, {
        Order: {
          type: "object",
          properties: {
            items: { type: "array", items: { $ref: "#/components/schemas/Item" } },
            tags: { type: "array", items: { type: "string", pattern: lookAhead } }
          }
        },
        Item: {
          type: "object",
          properties: { sku: { type: "string", pattern: lookAhead }, pattern: { type: "string" } }
        }
      })
    })
    assert.deepStrictEqual(fields(warnings), [
      ["operations.0.payload_schema.properties.tags.items.pattern", "a: The pattern of \"tags.*\""],
      ["operations.0.payload_schema.$defs.Item.properties.sku.pattern", "a: The pattern of \"Item.sku\""]
    ])
    assert.isFalse(accepts(definition.operations[0] as HttpOperation, { items: [{ pattern: 1 }] }))
  })

  it("never cause the rejection of a value that the document allows", async () => {
    const withLookAhead = { type: "string", pattern: lookAhead }
    const { definition } = await imported({
      document: document({
        type: "object",
        properties: {
          not: { not: withLookAhead },
          one: { oneOf: [withLookAhead, { type: "string", maxLength: 5 }] }
        }
      })
    })
    const [operation] = definition.operations as ReadonlyArray<HttpOperation>
    assert.isTrue(accepts(operation!, { not: "admin1", one: "admin" }))
    assert.isFalse(accepts(operation!, { one: 1 }))
  })

  it("no longer restrict names of fields that they would have matched", async () => {
    const { definition, warnings } = await imported({
      document: {
        ...document({
          type: "object",
          properties: { id: { type: "string" } },
          patternProperties: { "^(?!x-).*$": { type: "string" } },
          additionalProperties: false
        }),
        openapi: "3.1.0"
      }
    })
    assert.isTrue(accepts(definition.operations[0] as HttpOperation, { id: "1", color: "red" }))
    assert.deepStrictEqual(fields(warnings), [
      ["operations.0.payload_schema.patternProperties", "a: A rule for names that match a pattern of the payload"]
    ])
  })

  it("are counted if an operation has more than ten", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 13 }, (_, at) => [`f${at}`, { type: "string", pattern: lookAhead }])
    )
    const { warnings } = await imported({ document: document({ type: "object", properties }) })
    const left = warnings.filter(({ path }) => path.includes("payload_schema"))
    assert.lengthOf(left, 11)
    assert.deepStrictEqual(left.at(-1), {
      path: "operations.0.payload_schema",
      message: "a: 3 more of its patterns are left out, and only the provider checks them."
    })
  })
})

describe("a hostile document", () => {
  const withSchema = (schema: object, schemas: object = {}) => ({
    openapi: "3.0.0",
    info,
    servers: [{ url: "https://x.example" }],
    paths: { "/a": { post: { operationId: "a", requestBody: json(schema), responses: ok } } },
    components: { schemas }
  })

  for (
    const reference of [
      "/etc/passwd",
      "file:///etc/passwd",
      "http://127.0.0.1:1/x.json",
      "https://x.example/a.yaml#/b",
      "other.yaml",
      "./x.json#/a",
      "#a",
      "#/components/schemas/Nothing",
      "#/constructor/name"
    ]
  ) {
    it(`that refers to ${reference} is refused`, async () =>
      assert.include(await problem({ document: withSchema({ $ref: reference }) }), "$ref"))
  }

  it("may have a $ref in data: in an example, a default, or an enumeration; not in a property of such a name", async () => {
    const data = { $ref: "https://scim.example/Users/1" }
    const { definition } = await imported({
      document: withSchema({
        type: "object",
        properties: { member: { type: "object", default: data, enum: [data], example: data } }
      })
    })
    assert.lengthOf(definition.operations, 1)
    for (const name of ["default", "example", "properties"]) {
      assert.include(await problem({ document: withSchema({ type: "object", properties: { [name]: data } }) }), "$ref")
    }
  })

  it("with references that are only cycles, or multiply, is bounded", async () => {
    assert.include(
      await problem({
        document: withSchema({ $ref: "#/components/schemas/A" }, {
          A: { $ref: "#/components/schemas/B" },
          B: { $ref: "#/components/schemas/A" }
        })
      }),
      "refers to itself"
    )
    const doubled = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`S${at}`, {
      type: "object",
      properties: { a: { $ref: `#/components/schemas/S${at + 1}` }, b: { $ref: `#/components/schemas/S${at + 1}` } }
    }]))
    const { definition } = await imported({
      document: withSchema({ $ref: "#/components/schemas/S0" }, { ...doubled, S40: { type: "string" } })
    })
    assert.isBelow(JSON.stringify(definition).length, 20_000)
  })

  it("with aliases that multiply, duplicate names, or text that is not JSON or YAML is refused", async () => {
    const bomb = [
      "a: &a [x,x,x,x,x,x,x,x,x,x]",
      ...Array.from("bcdefghij", (name, at) => `${name}: &${name} [${Array(10).fill(`*${"abcdefghi"[at]}`).join(",")}]`)
    ].join("\n")
    assert.include(await problem({ document: bomb }), "alias")
    assert.include(await problem({ document: "openapi: 3.0.0\nopenapi: 3.0.0" }), "unique")
    assert.include(await problem({ document: "{" }), "JSON")
    assert.include(await problem({ document: "\u0000" }), "openapi")
    assert.include(await problem({ document: " ".repeat(64 * 1024 * 1024 + 1) }), "more than")
  })

  it("too deep or too large is refused", async () => {
    let deep: object = {}
    for (let at = 0; at < 200; at++) deep = { properties: { a: deep } }
    assert.include(await problem({ document: withSchema(deep) }), "deeper")
    assert.include(await problem({ document: { ...withSchema({}), "x-a": Array(2_000_001).fill(0) } }), "values")
  })

  it("of another version, or none, is refused", async () => {
    for (
      const document of [{ swagger: "2.0" }, { openapi: "3.2.0" }, { openapi: 3 }, {}, [], null, "x", {
        openapi: "3.0.0"
      }, {
        openapi: "3.1.0",
        info
      }]
    ) {
      assert.include(await problem({ document }), "openapi", JSON.stringify(document))
    }
  })

  it("that OpenAPI's own schema refuses is refused with every place", async () => {
    const at = (paths: object, version = "3.0.0") => ({
      openapi: version,
      info,
      servers: [{ url: "https://x.example" }],
      paths
    })
    const places = async (document: unknown) => {
      const result = await run({ document })
      return Result.isFailure(result) ? result.failure.problems.map(({ message, path }) => `${path}: ${message}`) : []
    }
    assert.deepStrictEqual(await places({ openapi: "3.0.0" }), ["openapi.info: required", "openapi.paths: required"])
    assert.deepStrictEqual(await places({ ...at({}), info: { title: "Pets", version: 1 } }), [
      "openapi.info.version: expected a string, not a number"
    ])
    for (const version of ["3.0.0", "3.1.0"]) {
      assert.deepStrictEqual(
        await places(
          at(
            { "/a": { get: { operationId: 5, responses: ok } }, "/b": { put: { operationId: 6, responses: ok } } },
            version
          )
        ),
        [
          "openapi.paths./a.get.operationId: expected the type string",
          "openapi.paths./b.put.operationId: expected the type string"
        ]
      )
      assert.deepStrictEqual(await places(at({ a: {} }, version)), ["openapi.paths.a: a path must begin with /"])
      assert.deepStrictEqual(await places(at({ "/a": { get: { responses: ok, foo: 1 } } }, version)), [
        "openapi.paths./a.get.foo: unknown field"
      ])
      assert.deepStrictEqual(await places(at({ "/a": { get: { responses: { 200: {} } } } }, version)), [
        "openapi.paths./a.get.responses.200.description: required"
      ])
      assert.include(
        (await places(
          at(
            { "/a": { get: { parameters: [{ name: "x", in: "body", required: true, schema: {} }], responses: ok } } },
            version
          )
        )).join(),
        "openapi.paths./a.get.parameters.0.in: expected one of "
      )
    }
    assert.deepStrictEqual(await places(at({ "/a": { get: { responses: {} } } })), [
      "openapi.paths./a.get.responses: expected at least 1 field"
    ])
  })

  it("with a template in its path, or a path without its parameter, is refused", async () => {
    const at = (path: string) => ({
      openapi: "3.0.0",
      info,
      servers: [{ url: "https://x.example" }],
      paths: { [path]: { get: { operationId: "a", responses: ok } } }
    })
    assert.include(await problem({ document: at("/${payload.x}"), operation_ids: ["a"] }), "${")
    assert.include(await problem({ document: at("/{id}"), operation_ids: ["a"] }), "parameter")
    assert.include(await problem({ document: at("/a?b=c"), operation_ids: ["a"] }), "query")
  })

  it("with more than 200 operations requires a selection", async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 201 }, (_, at) => [`/p${at}`, { get: { operationId: `op${at}`, responses: ok } }])
    )
    assert.include(
      await problem({ document: { openapi: "3.0.0", info, servers: [{ url: "https://x.example" }], paths } }),
      "201 operations"
    )
  })
})
