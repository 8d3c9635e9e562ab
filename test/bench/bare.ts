/**
 * The baseline: a plain `node:http` server that reads and parses the same body and sends the same bytes. Argument:
 * `BareOptions` as JSON; prints `bare on PORT`.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface BareOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const { body, headers } = JSON.parse(process.argv[2] ?? "{}") as BareOptions
const answer = Buffer.from(body)
const fields = { ...headers, "content-length": String(answer.length) }

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()
    const parsed: unknown = text === "" ? undefined : JSON.parse(text)
    response.writeHead(parsed === null ? 400 : 200, fields)
    response.end(answer)
  })
})
server.listen(0, "127.0.0.1", () => process.stdout.write(`bare on ${(server.address() as AddressInfo).port}\n`))
process.on("SIGTERM", () => process.exit(0))
