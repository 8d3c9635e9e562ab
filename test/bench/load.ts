/**
 * The load generator: a separate process that keeps many connections busy with one request each, over raw sockets,
 * because on a small machine its CPU time is taken from the measured process. Argument: `LoadOptions` as JSON; prints
 * one line, `LoadResult` as JSON.
 */
import { connect } from "node:net"
import { quantile } from "./rounds.ts"

export interface LoadOptions {
  /** Connections are distributed over them. */
  readonly ports: ReadonlyArray<number>
  readonly connections: number
  readonly warmMillis: number
  readonly millis: number
  /** Limit on requests, independent of the time. */
  readonly requestsMax: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** If set, each request is sent with the next of these agent keys. */
  readonly bearers?: ReadonlyArray<string>
  /** If set, each request has a unique `idempotency-key` with this prefix. */
  readonly keyPrefix?: string
  /** A text that every good answer contains. */
  readonly expect: string
}

export interface LoadResult {
  /** Answers within the measured time, and its length. */
  readonly requests: number
  readonly seconds: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Good answers of the whole run, warm-up included; and the beginnings of the others. */
  readonly good: number
  readonly bad: ReadonlyArray<string>
  readonly cpuSeconds: number
}

const bufferBytes = 64 * 1024
const badMax = 5
const decoder = new TextDecoder("latin1")
/** It ends a chunked body, and nothing else in one: the bodies here have no such line. */
const lastChunk = "\r\n0\r\n\r\n"

export const runLoad = (options: LoadOptions): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const { bearers, body, connections, headers, keyPrefix, method, millis, path, ports, requestsMax, warmMillis } =
      options
    const latencies = new Float64Array(requestsMax)
    const bad: Array<string> = []
    let asked = 0, measured = 0, good = 0, open = 0
    const began = performance.now()
    const from = began + warmMillis
    const until = from + millis
    let cpuFrom = process.cpuUsage()
    let warm = false

    const headOf = (port: number) =>
      `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${
        Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")
      }` +
      `${body === "" ? "" : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`}`

    const written = new Map<number, ReadonlyArray<Buffer>>()
    /** The whole requests to a port, one for each key. */
    const requestsTo = (port: number): ReadonlyArray<Buffer> => {
      const known = written.get(port)
      if (known !== undefined) return known
      const lines = bearers?.map((key) => `authorization: Bearer ${key}\r\n`) ?? [""]
      const made = lines.map((line) => Buffer.from(`${headOf(port)}${line}\r\n${body}`))
      written.set(port, made)
      return made
    }

    const finish = () => {
      const { system, user } = process.cpuUsage(cpuFrom)
      const sizes = latencies.subarray(0, measured).sort() as unknown as ReadonlyArray<number>
      const seconds = (Math.min(until, performance.now()) - from) / 1000
      resolve({
        requests: measured,
        seconds,
        perSecond: measured / seconds,
        p50: quantile(sizes, 0.5),
        p99: quantile(sizes, 0.99),
        max: sizes[measured - 1] ?? 0,
        good,
        bad,
        cpuSeconds: (user + system) / 1e6
      })
    }

    for (let at = 0; at < connections; at++) {
      const port = ports[at % ports.length]!
      const head = headOf(port)
      const requests = requestsTo(port)
      let sent = 0
      let pending = ""
      let needed = 0
      const send = () => {
        asked++
        sent = performance.now()
        const next = requests[asked % requests.length]!
        socket.write(keyPrefix === undefined ? next : `${head}idempotency-key: ${keyPrefix}${asked}\r\n\r\n${body}`)
      }
      const answered = (text: string) => {
        const now = performance.now()
        if (text.startsWith("HTTP/1.1 20") && text.includes(options.expect)) good++
        else if (bad.length < badMax) bad.push(text.slice(0, 400))
        if (!warm && now >= from) {
          warm = true
          cpuFrom = process.cpuUsage()
        }
        if (now >= from && now <= until && measured < requestsMax) latencies[measured++] = now - sent
        if (now < until && asked < requestsMax) return send()
        socket.destroy()
        if (--open === 0) finish()
      }
      /**
       * A connection has one request at a time, so these bytes are one answer, whole or in parts. Bodies are ASCII
       * here.
       */
      const take = (length: number, bytes: Uint8Array): boolean => {
        pending += decoder.decode(bytes.subarray(0, length))
        if (needed === 0) {
          const end = pending.indexOf("\r\n\r\n")
          if (end < 0) return true
          const head = pending.slice(0, end + 2)
          const announced = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
          const isChunked = /\r\ntransfer-encoding: chunked/i.test(head)
          if (announced === undefined && !isChunked) {
            reject(new Error(`an answer without content-length: ${pending.slice(0, 300)}`))
            return false
          }
          needed = announced === undefined ? Infinity : end + 4 + Number(announced)
        }
        if (needed === Infinity ? !pending.endsWith(lastChunk) : pending.length < needed) return true
        const text = pending
        pending = ""
        needed = 0
        answered(text)
        return true
      }
      const socket = connect({
        host: "127.0.0.1",
        port,
        noDelay: true,
        onread: { buffer: Buffer.allocUnsafe(bufferBytes), callback: take }
      })
      socket.on("connect", () => {
        open++
        send()
      })
      socket.on("error", (error) => reject(new Error(`connection to ${port}: ${error.message}`)))
      socket.on("end", () => reject(new Error(`port ${port} closed a connection`)))
    }
  })

if (import.meta.main) {
  const result = await runLoad(JSON.parse(process.argv[2] ?? "{}") as LoadOptions)
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
