/** A reverse proxy with a certificate in front of a hub. */
import { type IncomingHttpHeaders, request } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"

export interface SecureFront {
  readonly url: string
  /** The headers of each request that arrived over TLS. */
  readonly seen: ReadonlyArray<IncomingHttpHeaders>
  /** Replaces the certificate and cuts open connections. */
  readonly renew: (server: { readonly key: string; readonly cert: string }) => void
  readonly close: () => void
}

export const secureFront = async (
  hub: { readonly url: string },
  server: { readonly key: string | Buffer; readonly cert: string }
): Promise<SecureFront> => {
  const seen: Array<IncomingHttpHeaders> = []
  const front = createServer(server, (incoming, answer) => {
    seen.push(incoming.headers)
    incoming.pipe(
      request(`${hub.url}${incoming.url}`, { method: incoming.method, headers: incoming.headers }, (from) => {
        answer.writeHead(from.statusCode ?? 502, from.headers)
        from.pipe(answer)
        answer.on("close", () => from.destroy())
      }).on("error", () => answer.destroy())
    )
  })
  await new Promise<void>((done) => void front.listen(0, "127.0.0.1", done))
  return {
    url: `https://localhost:${(front.address() as AddressInfo).port}`,
    seen,
    renew: (next) => {
      front.setSecureContext(next)
      front.closeAllConnections()
    },
    close: () => {
      front.closeAllConnections()
      front.close()
    }
  }
}
