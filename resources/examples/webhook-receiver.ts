/** Receives signed webhooks on `PORT`, 8787 by default. `WEBHOOK_SECRET` is the endpoint's `whsec_…`. */
import { SignatureError, verifyWebhook } from "@countersign/client"
import { createServer } from "node:http"

interface WebhookEvent {
  readonly type: string
  readonly data: unknown
}

const secret = process.env["WEBHOOK_SECRET"] ?? ""
const port = Number(process.env["PORT"] ?? "8787")

createServer(async (request, response) => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    const event = await verifyWebhook<WebhookEvent>(Buffer.concat(chunks).toString(), request.headers, secret)
    // Answer at once and work later: the hub repeats a delivery that is not answered within its time limit.
    response.writeHead(204).end()
    console.log(event.type, JSON.stringify(event.data))
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error
    response.writeHead(400).end(error.code)
  }
}).listen(port, "127.0.0.1", () => console.log(`listening on ${port}`))
