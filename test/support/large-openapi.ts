/**
 * A document with the size and features of GitHub's (13 MB, 1,200 operations, 900 schemas that refer to each other).
 * GitHub's is not a dependency: its npm package unpacks to 480 MB.
 */

export const largeOperations = 1_200
const schemas = 900

const words =
  "The repository's default branch, its protection rules and the checks that must pass before a pull request can be merged. "
const reference = (at: number) => ({ $ref: `#/components/schemas/schema-${at % schemas}` })
/** Another schema of the same group of ten; the schemas of a group refer to each other. */
const near = (at: number, by: number) => reference(at - at % 10 + (at + by) % 10)

/** Reaches every schema, as a response of Stripe does. */
const everything = { $ref: "#/components/schemas/everything" }

const schemaAt = (at: number) => ({
  title: `Schema ${at}`,
  type: "object",
  description: words.repeat(4),
  properties: {
    id: { type: "integer", format: "int64", description: words, example: at },
    node_id: { type: "string", example: "MDEwOlJlcG9zaXRvcnkx" },
    name: { type: "string", nullable: true, minLength: 1, maxLength: 100 },
    state: { type: "string", enum: ["open", "closed", "all"], description: words },
    parent: near(at, 1),
    children: { type: "array", items: near(at, 3) },
    either: { anyOf: [near(at, 7), { type: "string" }], nullable: true },
    pattern: { type: "string", pattern: "^(?=ahead)x" }
  },
  required: ["id"]
})

const methods = ["get", "post", "put", "patch", "delete"] as const

const operationAt = (at: number) => ({
  operationId: `group-${at % 40}/operation-${at}`,
  tags: [`group-${at % 40}`],
  summary: `Operation ${at}`,
  description: words.repeat(10),
  externalDocs: { url: "https://docs.example/rest" },
  parameters: [
    { $ref: "#/components/parameters/owner" },
    { name: "labels", in: "query", schema: { type: "array", items: { type: "string" } } },
    { name: "per_page", in: "query", schema: { type: "integer", default: 30 } }
  ],
  ...["post", "put", "patch"].includes(methods[at % 5]!)
    ? {
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: reference(at), examples: { default: { value: { id: at, name: words } } } }
        }
      }
    }
    : {},
  responses: {
    200: {
      description: "Response",
      content: {
        "application/json": {
          schema: at % 3 === 0 ? everything : reference(at),
          examples: { default: { value: Array.from({ length: 48 }, (_, id) => ({ id, name: words, state: "open" })) } }
        }
      }
    },
    404: { description: "Not found" }
  }
})

export const largeOpenApi = () => ({
  openapi: "3.0.3",
  info: { title: "Large API", version: "1.1.4", description: words },
  servers: [{ url: "https://api.large.example" }],
  paths: {
    ...Object.fromEntries(Array.from({ length: largeOperations }, (_, at) => [
      `/repos/{owner}/things-${at}`,
      { [methods[at % 5]!]: operationAt(at) }
    ])),
    "/repos/{owner}/assets": {
      post: {
        operationId: "upload-asset",
        parameters: [{ $ref: "#/components/parameters/owner" }],
        requestBody: { content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } } },
        responses: { 201: { description: "Created" } }
      }
    },
    "/markdown/raw": {
      post: {
        operationId: "markdown/render-raw",
        requestBody: {
          content: { "text/plain": { schema: { type: "string" } }, "text/x-markdown": { schema: { type: "string" } } }
        },
        responses: { 200: { description: "Response", content: { "text/html": { schema: { type: "string" } } } } }
      }
    }
  },
  components: {
    parameters: { owner: { name: "owner", in: "path", required: true, schema: { type: "string" } } },
    schemas: {
      everything: {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: schemas }, (_, at) => [`to_${at}`, reference(at)]))
      },
      ...Object.fromEntries(Array.from({ length: schemas }, (_, at) => [`schema-${at}`, schemaAt(at)]))
    }
  }
})
