/**
 * A print shop as a service of a hub: it accepts an order at once, and reports the end by a signed callback.
 * `COUNTERSIGN_URL` and `COUNTERSIGN_TOKEN` name the hub and a person with `catalog:write`. The hub must allow the shop's
 * address: `HUB_EGRESS_ALLOW=127.0.0.1:9100`.
 */
import { ConflictError, Countersign } from "@countersign/client"
import { createHmac, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import { setTimeout } from "node:timers/promises"

const port = Number(process.env["PORT"] ?? "9100")
/** The hub signs in with it, and the shop signs its callbacks. The hub stores it, so a new one at each start is fine. */
const secret = randomBytes(32).toString("base64url")
const centsPerCopy = 25

interface Order {
  readonly id: string
  readonly state: "accepted" | "printed"
  readonly total_cents: number
}

/** By the hub's idempotency key: an order that is sent twice is printed once. */
const orders = new Map<string, Order>()

/** Repeats the callback until the hub has it. */
const report = async (callbackUrl: string, order: Order): Promise<void> => {
  const body = JSON.stringify({ order })
  const signature = createHmac("sha256", secret).update(body).digest("hex")
  const headers = { "content-type": "application/json", "x-svc-signature": `sha256=${signature}` }
  for (let pause = 1_000; pause < 3_600_000; pause *= 2) {
    const answer = await fetch(callbackUrl, { method: "POST", headers, body }).catch(() => undefined)
    if (answer !== undefined && answer.status < 500) return console.log(`reported ${order.id}: ${answer.status}`)
    await setTimeout(pause)
  }
}

const print = async (callbackUrl: string, accepted: Order): Promise<void> => {
  await setTimeout(1_000)
  await report(callbackUrl, { ...accepted, state: "printed" })
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const server = createServer(async (request, response) => {
  const body = await bodyOf(request)
  const key = String(request.headers["idempotency-key"])
  if (request.headers.authorization !== `Bearer ${secret}`) return void response.writeHead(401).end()
  if (`${request.method} ${request.url}` !== "POST /orders") return void response.writeHead(404).end()
  let order = orders.get(key)
  if (order === undefined) {
    const { copies, notify } = JSON.parse(body) as { readonly copies: number; readonly notify: string }
    order = { id: `po_${orders.size + 1}`, state: "accepted", total_cents: copies * centsPerCopy }
    orders.set(key, order)
    void print(notify, order)
  }
  response.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify({ order }))
})
server.listen(port, "127.0.0.1")

const client = new Countersign()
await client.secrets.put("print_shop", { value: secret })
const name = "prints"
const service = {
  base_url: `http://127.0.0.1:${port}`,
  auth: { type: "bearer", secret: "print_shop" },
  operations: [{
    name: "order",
    description: "Prints a document.",
    method: "POST",
    path: "/orders",
    body: { document: "${payload.document_url}", copies: "${payload.copies}", notify: "${callback_url}" },
    payload_schema: {
      type: "object",
      required: ["document_url", "copies"],
      properties: { document_url: { type: "string" }, copies: { type: "integer", minimum: 1, maximum: 100 } }
    },
    // At most 30 cents a copy are held; the callback says what the order cost.
    price: { type: "quoted", ceiling: "payload.copies * 30" },
    idempotent: true,
    async: {
      mode: "callback",
      ref: "/order/id",
      status: "/order/state",
      executed: ["printed"],
      failed: ["failed"],
      result: "/order",
      cost_cents: "/order/total_cents",
      secret: "print_shop"
    }
  }]
} as const
try {
  await client.services.create({ name, kind: "http", ...service })
} catch (error) {
  // It is declared already, by an earlier start.
  if (!(error instanceof ConflictError)) throw error
  await client.services.update(name, service)
}
console.log(`${name} is a service of the hub, on port ${port}`)
