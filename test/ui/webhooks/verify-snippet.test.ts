/** The code that people copy, run as it is shown. */
import { verifySnippet } from "@countersign/ui/webhooks/verify-snippet"
import { assert, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { Webhook } from "standardwebhooks"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const root = new URL("../../../", import.meta.url).pathname

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === "object" && address !== null ? address.port : 0
}

it("the Node.js code accepts a signed message and rejects an altered one", async () => {
  const port = await freePort()
  // Says when it listens, so that the test needs no retries.
  const code = `${verifySnippet("node")}.on("listening", () => console.log("ready"))`
  const receiver = spawn(process.execPath, ["--input-type=module", "-e", code], {
    cwd: root,
    env: { PATH: process.env["PATH"], WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    await once(receiver.stdout, "data")
    const body = JSON.stringify({ type: "approval.decided", data: { subject: { type: "approval", id: "apr_1" } } })
    const at = new Date()
    const send = async (text: string) => {
      const headers = {
        "webhook-id": "evt_1",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
        "webhook-signature": new Webhook(secret).sign("evt_1", at, body)
      }
      return (await fetch(`http://127.0.0.1:${port}/hooks`, { method: "POST", headers, body: text })).status
    }
    assert.strictEqual(await send(body), 204)
    assert.strictEqual(await send(`${body} `), 401)
  } finally {
    receiver.kill("SIGKILL")
    await once(receiver, "close")
  }
})
