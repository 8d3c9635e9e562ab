/** A part of Stripe's API: an excerpt of its OpenAPI document, and a fake that parses forms as Stripe does. */
import { Effect } from "effect"
import { httpUpstream, type Received } from "./upstream.ts"

const text = { type: "string", maxLength: 5_000 }
const expand = { description: "Specifies which fields in the response should be expanded.", type: "array", items: text }
const bracketed = { style: "deepObject", explode: true }
const answers = {
  200: {
    description: "Successful response.",
    content: { "application/json": { schema: { type: "object", properties: { id: text } } } }
  },
  default: { description: "Error response.", content: { "application/json": { schema: { type: "object" } } } }
}
const charge = {
  type: "object",
  required: ["amount", "currency"],
  properties: {
    amount: { type: "integer" },
    currency: { type: "string" },
    confirm: { type: "boolean" },
    description: { ...text, nullable: true },
    expand,
    metadata: { anyOf: [{ type: "object", additionalProperties: { type: "string" } }, { type: "string", enum: [""] }] },
    line_items: { type: "array", items: { type: "object", properties: { price: text, quantity: { type: "integer" } } } }
  }
}

export const stripeDocument = {
  openapi: "3.0.0",
  info: { title: "Stripe", version: "2026-01-01" },
  servers: [{ url: "https://api.stripe.com/" }],
  security: [{ basicAuth: [] }, { bearerAuth: [] }],
  paths: {
    "/v1/charges": {
      get: {
        operationId: "GetCharges",
        parameters: [
          {
            name: "created",
            in: "query",
            required: false,
            ...bracketed,
            schema: {
              anyOf: [{ type: "object", properties: { gte: { type: "integer" }, lt: { type: "integer" } } }, {
                type: "integer"
              }]
            }
          },
          { name: "expand", in: "query", required: false, ...bracketed, schema: expand },
          { name: "limit", in: "query", required: false, style: "form", schema: { type: "integer" } }
        ],
        requestBody: {
          content: { "application/x-www-form-urlencoded": { encoding: {}, schema: { properties: {} } } },
          required: false
        },
        responses: answers
      },
      post: {
        operationId: "PostCharges",
        requestBody: {
          required: true,
          content: {
            "application/x-www-form-urlencoded": {
              schema: charge,
              encoding: { expand: bracketed, metadata: bracketed, line_items: bracketed }
            }
          }
        },
        responses: answers
      }
    },
    "/v1/files": {
      post: {
        operationId: "PostFiles",
        servers: [{ url: "https://files.stripe.com/" }],
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                required: ["file", "purpose"],
                properties: { file: { type: "string", format: "binary" }, purpose: text }
              }
            }
          }
        },
        responses: answers
      }
    }
  },
  components: {
    securitySchemes: {
      basicAuth: { type: "http", scheme: "basic", description: "Basic HTTP authentication" },
      bearerAuth: { type: "http", scheme: "bearer", bearerFormat: "auth-scheme" }
    }
  }
}

type Parsed = { [name: string]: Parsed | string }

/** Parses `a[b][0]=c` into nested values; an object with the keys 0, 1, … becomes a list. */
const parseForm = (body: string): unknown => {
  const root: Parsed = {}
  for (const [name, value] of new URLSearchParams(body)) {
    const path = [...name.matchAll(/(?:^|\[)([^[\]]*)\]?/gu)].map((match) => match[1] ?? "")
    let at = root
    for (const step of path.slice(0, -1)) {
      const next = at[step] ?? (at[step] = {})
      if (typeof next === "string") throw new Error(`Invalid hash at ${name}`)
      at = next
    }
    const last = path.at(-1) ?? ""
    if (at[last] !== undefined) throw new Error(`Duplicate parameter ${name}`)
    at[last] = value
  }
  const listed = (value: Parsed | string): unknown => {
    if (typeof value === "string") return value
    const keys = Object.keys(value)
    return keys.length > 0 && keys.every((key, index) => key === String(index))
      ? keys.map((key) => listed(value[key]!))
      : Object.fromEntries(keys.map((key) => [key, listed(value[key]!)]))
  }
  return listed(root)
}

const parseFiles = async (request: Received): Promise<unknown> => {
  const form = await new Response(request.body, { headers: { "content-type": request.headers["content-type"] ?? "" } })
    .formData()
  const entries = [...form].map(async ([name, value]) =>
    [name, typeof value === "string" ? value : `${value.name} ${value.type} ${await value.text()}`] as const
  )
  return Object.fromEntries(await Promise.all(entries))
}

const key = "sk_test_4eC39HqLyjWDarjtT1zdp7dc"

/** Returns the parsed form as `received`; 401 without the key, 400 for a form that Stripe would refuse. */
export const stripeFake = Effect.map(
  httpUpstream((request, response) => {
    const answer = (status: number, body: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (request.headers.authorization !== `Bearer ${key}`) {
      return answer(401, { error: { type: "invalid_request_error" } })
    }
    const type = request.headers["content-type"] ?? ""
    if (type.startsWith("multipart/form-data")) {
      return void parseFiles(request).then(
        (received) => answer(200, { id: "file_1", received }),
        () => answer(400, { error: {} })
      )
    }
    try {
      if (request.method === "GET") {
        return answer(200, { received: parseForm(new URL(request.url, "http://stripe").search.slice(1)) })
      }
      if (type !== "application/x-www-form-urlencoded") {
        return answer(400, { error: { message: `Content type ${type}` } })
      }
      return answer(200, { id: "ch_1", received: parseForm(request.body) })
    } catch (error) {
      return answer(400, { error: { message: String(error) } })
    }
  }),
  ({ origin }) => ({ origin, key })
)
