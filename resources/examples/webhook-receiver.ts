/** Receives signed webhooks on port 8787. `WEBHOOK_SECRET` is the endpoint's `whsec_…`. */
import { SignatureError, verifyWebhook } from "@countersign/client"
import { createServer } from "node:http"

interface WebhookEvent {
  readonly type: string
  readonly data: unknown
}

const secret = process.env["WEBHOOK_SECRET"] ?? ""

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
}).listen(8787, "127.0.0.1")
