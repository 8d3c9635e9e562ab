/**
 * Bytes that are not an HTTP request never reach a handler: the server's own error response also has the error
 * envelope.
 */
import { newId } from "@countersign/domain/ids"
import type { Server } from "node:http"
import type { Duplex } from "node:stream"

const answers: Readonly<Record<string, readonly [status: string, code: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "invalid_request", "The headers are too large."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    "413 Payload Too Large",
    "payload_too_large",
    "The body's chunk extensions are too large."
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "invalid_request", "The request did not arrive in time."]
}
const malformed = ["400 Bad Request", "invalid_request", "This is not an HTTP request."] as const

/** Node's own mark of a response in progress on a connection: nothing else may be written to it. */
const answering = (socket: Duplex): boolean =>
  (socket as { readonly _httpMessage?: { readonly headersSent: boolean } | null })._httpMessage?.headersSent === true

export const answerClientErrors = <S extends Server>(server: S): S => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable || answering(socket)) return void socket.destroy(error)
    const [status, code, message] = answers[error.code ?? ""] ?? malformed
    const requestId = newId("evt").slice(4)
    const body = JSON.stringify({ error: { code, message, request_id: requestId } })
    socket.end(
      `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\n` +
        `x-content-type-options: nosniff\r\n\r\n${body}`
    )
  })
  return server
}
