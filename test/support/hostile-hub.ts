/**
 * A hub that a device agent should not trust: it speaks the protocol over a real socket, and the test controls its
 * frames, confirmations, delays, and HTTP answers.
 */
import type { DeviceFrame } from "@countersign/domain/device-protocol"
import { newId } from "@countersign/domain/ids"
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"

type Sent = Exclude<DeviceFrame, { readonly type: "hello" | "heartbeat" }>

export interface HostileHub {
  readonly url: string
  /** Frames of the device, oldest first, without heartbeats and hellos. */
  readonly received: ReadonlyArray<Sent>
  /** Sockets whose hello was answered with a welcome. */
  readonly connections: () => number
  /** Sends a frame: text unchanged, a value as JSON. No effect without a socket. */
  readonly send: (frame: unknown) => void
  /** Offers a command and returns its id. */
  readonly offer: (command?: Readonly<Record<string, unknown>>, lease?: number) => string
  /** The device's frames about this command. */
  readonly about: (id: string) => ReadonlyArray<Sent>
  /** Repeats the check after each frame and hello of the device until it returns a value. */
  readonly seen: <A>(look: () => A | undefined) => Effect.Effect<A>
  /** The final frame of this command. */
  readonly ended: (id: string) => Effect.Effect<Extract<Sent, { readonly type: "done" }>>
  /** Replaces the usual welcome. */
  welcome: () => unknown
  /** The hub's answer to a frame; `confirmation` by default. Undefined: no answer. */
  confirm: (frame: Sent) => unknown
  /** Milliseconds before each answer; the answers keep their order. */
  delayMillis: number
  /** Replaces accepting a socket. */
  upgrade: ((request: IncomingMessage, socket: Duplex) => void) | undefined
  /** Answers HTTP requests; 503 by default. */
  http: (request: IncomingMessage, response: ServerResponse) => void
}

export const leaseOf = (number: number) => ({
  number,
  ttl_ms: 30_000,
  expires_at: new Date(Date.now() + 30_000).toISOString()
})

export const commandOf = (command: Readonly<Record<string, unknown>> = {}) => ({
  id: newId("cmd"),
  tool: "system.info",
  input: {},
  requested_by: { type: "user", id: newId("usr"), name: "Ada" },
  timeout_seconds: 30,
  queue_until: new Date(Date.now() + 900_000).toISOString(),
  ...command
})

export const welcomeOf = (more: Readonly<Record<string, unknown>> = {}) => ({
  type: "welcome",
  protocol: 1,
  session_id: newId("dss"),
  interval_seconds: 15,
  kept: [],
  lost: [],
  server_time: new Date().toISOString(),
  min_app_version: "0.1.0",
  lease_ms: 30_000,
  limits: { frame_bytes: 1 << 20, chunk_bytes: 64 * 1024, running: 4 },
  controls: [],
  ...more
})

/** The answer of an honest hub. */
export const confirmation = (frame: Sent): unknown => {
  const { command_id, lease } = frame
  switch (frame.type) {
    case "ack":
      return { type: "acked", command_id, status: "leased", lease: leaseOf(lease) }
    case "state":
      return { type: "acked", command_id, status: frame.state, lease: leaseOf(lease) }
    case "output":
      return { type: "output_ack", command_id, next_seq: frame.seq + 1 }
    case "done":
      return { type: "done", command_id, status: "done", outcome: frame.outcome }
  }
}

export const hostileHub: Effect.Effect<HostileHub, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<Sent> = []
      const sockets = new Set<Duplex>()
      const webSockets = new WebSocketServer({ noServer: true, maxPayload: 4 << 20 })
      let current: WebSocket | undefined
      let connections = 0
      const timers = new Set<NodeJS.Timeout>()
      const server = createServer((request, response) => hub.http(request, response))
      const write = (frame: unknown): void => current?.send(typeof frame === "string" ? frame : JSON.stringify(frame))
      const answerTo = (frame: Sent): void => {
        const answer = hub.confirm(frame)
        if (answer !== undefined) write(answer)
      }
      const looking = new Set<() => void>()
      const lookAgain = (): void => {
        for (const look of looking) look()
      }
      const seen = <A>(look: () => A | undefined): Effect.Effect<A> =>
        Effect.callback<A>((resume) => {
          const attempt = () => {
            const found = look()
            if (found === undefined) return
            looking.delete(attempt)
            resume(Effect.succeed(found))
          }
          looking.add(attempt)
          attempt()
          return Effect.sync(() => looking.delete(attempt))
        })
      let lastAt = 0
      const answer = (frame: Sent): void => {
        if (hub.delayMillis === 0) return answerTo(frame)
        lastAt = Math.max(lastAt, performance.now()) + hub.delayMillis
        const timer = setTimeout(() => {
          timers.delete(timer)
          answerTo(frame)
        }, lastAt - performance.now())
        timers.add(timer)
      }
      const hub: HostileHub = {
        url: "",
        received,
        connections: () => connections,
        send: write,
        offer: (command = {}, lease = 1) => {
          const offered = commandOf(command)
          write({ type: "command", command: offered, lease: leaseOf(lease) })
          return offered.id
        },
        about: (id) => received.filter(({ command_id }) => command_id === id),
        seen,
        ended: (id) =>
          seen(() =>
            received.findLast((frame): frame is Extract<Sent, { readonly type: "done" }> =>
              frame.type === "done" && frame.command_id === id
            )
          ),
        welcome: welcomeOf,
        confirm: confirmation,
        delayMillis: 0,
        upgrade: undefined,
        http: (_request, response) => void response.writeHead(503).end()
      }
      server.on("connection", (socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
      })
      server.on("upgrade", (request, socket, head) => {
        socket.on("error", () => {})
        if (hub.upgrade !== undefined) return hub.upgrade(request, socket)
        webSockets.handleUpgrade(request, socket, head, (opened) => {
          current = opened
          opened.on("error", () => {})
          opened.on("message", (data) => {
            const frame = JSON.parse(String(data)) as DeviceFrame
            if (frame.type === "hello") {
              const welcome = hub.welcome()
              if (welcome !== undefined) write(welcome)
              connections++
              lookAgain()
            } else if (frame.type !== "heartbeat") {
              received.push(frame)
              answer(frame)
              lookAgain()
            }
          })
        })
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return {
        hub: Object.assign(hub, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
        close: async () => {
          for (const timer of timers) clearTimeout(timer)
          for (const socket of sockets) socket.destroy()
          await new Promise((done) => {
            server.close(done)
          })
        }
      }
    }),
    ({ close }) => Effect.promise(close)
  ),
  ({ hub }) => hub
)
