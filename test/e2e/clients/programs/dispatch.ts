/** A paid call through the types that openapi-typescript generated: prints its status and its cost. */
import createClient from "openapi-fetch"
import type { paths } from "./generated.ts"

const [url = "", key = ""] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${key}` } })
const { data, error } = await client.POST("/api/v1/service-requests", {
  params: { header: { "idempotency-key": "typescript-client" } },
  body: { service: "echo", operation: "say", payload: { text: "hello" } }
})
if (data === undefined) throw new Error(`${error.error.code}: ${error.error.message}`)
const cents: number = data.cost_cents
console.log(data.status, cents)
