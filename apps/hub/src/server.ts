/** The HTTP server of the hub: its listener, TLS, and the end of connections. */
import { frameBytesMax } from "@countersign/domain/device-protocol"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Option } from "effect"
import { createServer } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { Settings } from "./config.ts"
import { answerClientErrors } from "./edge/client-errors.ts"
import { Door } from "./edge/door.ts"
import { endIdleConnections } from "./edge/idle-connections.ts"
import { untilLeft } from "./edge/left-port.ts"
import { limitRequestTime } from "./edge/request-time.ts"
import { limitResponseTime } from "./edge/response-time.ts"
import { drainSeconds, Readiness } from "./platform/readiness.ts"

/** An idle connection of a caller; longer than the timeouts of proxies. */
const keepAliveMillis = 65_000

/** `limitRequestTime` takes the place of Node's limit on a whole request. Its limit on the headers stays. */
const times = { keepAliveTimeout: keepAliveMillis, requestTimeout: 0 }

/** A TLS handshake that takes longer is cut off. */
const handshakeMillisMax = 10_000

export const doorLayer = Layer.effect(
  Door,
  Effect.gen(function*() {
    const { tls } = yield* Settings
    const { drainMillisLeft } = yield* Readiness
    const server = Option.match(tls, {
      onNone: () => createServer(times),
      onSome: (pair) => createTlsServer({ ...pair, ...times, handshakeTimeout: handshakeMillisMax })
    })
    return endIdleConnections(limitResponseTime(limitRequestTime(answerClientErrors(server))), {
      millisLeft: drainMillisLeft
    })
  })
)

/** Listens once the port is free. */
export const serverLayer = Layer.unwrap(Effect.gen(function*() {
  const settings = yield* Settings
  const door = yield* Door
  yield* untilLeft(settings)
  const { host, port } = settings
  return NodeHttpServer.layer(() => door, {
    host,
    port,
    gracefulShutdownTimeout: `${drainSeconds} seconds`,
    websocket: { maxPayload: frameBytesMax }
  })
}))
