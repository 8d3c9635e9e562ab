/**
 * The baseline: a plain `node:http` server that reads and parses the same body and sends the same bytes. Argument:
 * `BareOptions` as JSON; prints `bare on PORT`.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface BareAnswer {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface BareOptions extends BareAnswer {
  /** The answer to a request with `stream: true`. */
  readonly streamed?: BareAnswer
}

const answerOf = ({ body, headers }: BareAnswer) => {
  const bytes = Buffer.from(body)
  return { bytes, fields: { ...headers, "content-length": String(bytes.length) } }
}

const { streamed, ...options } = JSON.parse(process.argv[2] ?? "{}") as BareOptions
const whole = answerOf(options)
const stream = streamed === undefined ? whole : answerOf(streamed)

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()
    const parsed = text === "" ? undefined : JSON.parse(text) as { readonly stream?: unknown } | null
    const { bytes, fields } = parsed?.stream === true ? stream : whole
    response.writeHead(parsed === null ? 400 : 200, fields)
    response.end(bytes)
  })
})
server.listen(0, "127.0.0.1", () => process.stdout.write(`bare on ${(server.address() as AddressInfo).port}\n`))
process.on("SIGTERM", () => process.exit(0))
