/** Code that receives messages and verifies their signatures, to copy. Pure. */
export const snippetLanguages = ["node", "python"] as const
export type SnippetLanguage = (typeof snippetLanguages)[number]

const node = `// npm install standardwebhooks
import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"

const webhook = new Webhook(process.env.WEBHOOK_SECRET)

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    // Verifies the bytes as they arrived, and their time.
    const message = webhook.verify(Buffer.concat(chunks).toString(), request.headers)
    console.log(request.headers["webhook-id"], message.type, message.data.subject.id)
    response.writeHead(204).end()
  } catch {
    response.writeHead(401).end()
  }
}).listen(process.env.PORT ?? 8080)
`

const python = `# pip install flask standardwebhooks
import os
from flask import Flask, request
from standardwebhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])

@app.post("/hooks")
def hooks():
    try:
        # Verifies the bytes as they arrived, and their time.
        message = webhook.verify(request.get_data(), dict(request.headers))
    except WebhookVerificationError:
        return "", 401
    print(request.headers["webhook-id"], message["type"], message["data"]["subject"]["id"])
    return "", 204
`

export const verifySnippet = (language: SnippetLanguage): string => (language === "node" ? node : python).trimEnd()
