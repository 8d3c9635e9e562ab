/**
 * Readers of `/events`: a separate process that keeps many streams open over raw sockets and discards the bytes,
 * because on a small machine its CPU time is taken from the measured process. Argument: `ReadersOptions` as JSON.
 * Prints `open` once every stream has begun, and `ReadersResult` as JSON at the end of its input.
 */
import { connect } from "node:net"

export interface ReadersOptions {
  readonly port: number
  readonly streams: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface ReadersResult {
  readonly open: number
  readonly bytes: number
  /** Events of the first stream, which is parsed. */
  readonly events: number
  readonly resets: number
}

if (import.meta.main) {
  const { headers, path, port, streams } = JSON.parse(process.argv[2] ?? "{}") as ReadersOptions
  const fields = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) =>
    `${name}: ${value}\r\n`
  )
  const head = `GET ${path} HTTP/1.1\r\n${fields.join("")}\r\n`
  let begun = 0, open = 0, bytes = 0, events = 0, resets = 0
  const buffer = Buffer.allocUnsafe(256 * 1024)
  const openOne = (at: number) => {
    let first = true
    open++
    const socket = connect({
      host: "127.0.0.1",
      port,
      // One buffer for all sockets, because nothing is kept.
      onread: {
        buffer,
        callback: (length) => {
          bytes += length
          if (first) {
            first = false
            const text = buffer.toString("latin1", 0, Math.min(length, 200))
            if (!text.startsWith("HTTP/1.1 200")) throw new Error(`a stream did not open: ${text}`)
            if (++begun === streams) process.stdout.write("open\n")
          }
          if (at === 0) {
            const text = buffer.toString("latin1", 0, length)
            events += text.split("\nevent: ").length - 1
            resets += text.split("\nevent: reset").length - 1
          }
          return true
        }
      }
    })
    socket.on("connect", () => socket.write(head))
    socket.on("close", () => void open--)
    socket.on("error", (error) => {
      throw error
    })
  }
  for (let at = 0; at < streams; at++) openOne(at)
  process.stdin.on("end", () => {
    process.stdout.write(
      `${JSON.stringify({ open, bytes, events, resets } satisfies ReadersResult)}\n`,
      () => process.exit(0)
    )
  }).resume()
}
