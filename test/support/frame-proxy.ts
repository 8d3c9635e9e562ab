/**
 * A proxy between a device and its hub that parses every WebSocket frame and can cut the connection after a given one.
 */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export type Side = "device" | "hub"

export interface FrameProxy {
  /** The proxy's address, used instead of the hub's. */
  readonly url: string
  /** Text frames of this side since the last `arm`. */
  readonly passed: (side: Side) => number
  /**
   * Closes open connections and resets the counts. The first connection that has sent `after` frames on this side is
   * cut after the last of them.
   */
  readonly arm: (cut?: { readonly side: Side; readonly after: number }) => void
  /** Number of cuts that `arm` requested and that happened. */
  readonly cuts: () => number
  /** From now on only the device's side is closed; the hub receives no close. */
  halfOpen: boolean
}

const textFrame = 1

/**
 * Splits a stream, which begins with an HTTP head, into whole frames. `text` is false for the head, pings, and closes.
 */
const framesOf = () => {
  let pending = Buffer.alloc(0)
  let upgraded = false
  return function*(bytes: Buffer): Generator<{ readonly bytes: Buffer; readonly text: boolean }> {
    pending = Buffer.concat([pending, bytes])
    for (;;) {
      const length = upgraded ? frameLength(pending) : pending.indexOf("\r\n\r\n") + 4
      if (length === undefined || (!upgraded && length === 3) || pending.length < length) return
      const frame = pending.subarray(0, length)
      pending = pending.subarray(length)
      yield { bytes: frame, text: upgraded && (frame[0]! & 0x0f) === textFrame }
      upgraded = true
    }
  }
}

const frameLength = (bytes: Buffer): number | undefined => {
  if (bytes.length < 2) return undefined
  const short = bytes[1]! & 0x7f
  const head = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + ((bytes[1]! & 0x80) === 0 ? 0 : 4)
  if (bytes.length < head) return undefined
  return head + (short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short)
}

export const frameProxy = (hub: { readonly url: string }): Effect.Effect<FrameProxy, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { hostname, port } = new URL(hub.url)
        const open = new Set<() => void>()
        const all = new Set<Socket>()
        let armed: { readonly side: Side; readonly after: number } | undefined
        let cuts = 0
        let passed: Record<Side, number> = { device: 0, hub: 0 }
        const proxy = { halfOpen: false }
        const server = createServer((client) => {
          const upstream = connect(Number(port), hostname)
          const cut = () => {
            open.delete(cut)
            client.destroy()
            if (!proxy.halfOpen) upstream.destroy()
          }
          open.add(cut)
          const relay = (side: Side, source: Socket, sink: Socket) => {
            const frames = framesOf()
            all.add(source)
            source.on("data", (bytes: Buffer) => {
              for (const frame of frames(bytes)) {
                if (!open.has(cut)) return
                if (frame.text) passed[side]++
                if (frame.text && armed?.side === side && passed[side] === armed.after) {
                  armed = undefined
                  cuts++
                  // This frame is delivered and none after it.
                  open.delete(cut)
                  sink.write(frame.bytes, cut)
                  return
                }
                sink.write(frame.bytes)
              }
            })
            source.on("error", cut)
            source.on("close", () => {
              all.delete(source)
              cut()
            })
          }
          relay("device", client, upstream)
          relay("hub", upstream, client)
        })
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        return Object.assign(proxy, {
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          passed: (side: Side) => passed[side],
          cuts: () => cuts,
          arm: (next?: { readonly side: Side; readonly after: number }) => {
            for (const cut of open) cut()
            passed = { device: 0, hub: 0 }
            armed = next
          },
          close: () =>
            new Promise<void>((done) => {
              for (const socket of all) socket.destroy()
              server.close(() => done())
            })
        })
      }),
      ({ close }) => Effect.promise(close)
    ),
    (proxy): FrameProxy => proxy
  )
