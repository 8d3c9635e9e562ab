/** A device as its hub sees it: the device's key, its HTTP calls, and its socket frames. */
import { Effect, type Scope } from "effect"
import { WebSocket } from "ws"
import { type Answer, expectStatus, type HubInTest, type OwnerInTest } from "./hub.ts"

export interface DeviceInTest {
  readonly id: string
  readonly key: string
  /** Calls the API as the device; returns answers of any status. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>
  ) => Effect.Effect<Answer>
  readonly heartbeat: (said?: Readonly<Record<string, unknown>>) => Effect.Effect<Answer>
}

export const offer = {
  name: "build-1",
  platform: "linux",
  arch: "x64",
  app_version: "0.2.0",
  capabilities: ["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]
}

export const deviceOf = ({ api }: Pick<HubInTest, "api">, id: string, key: string): DeviceInTest => {
  const call: DeviceInTest["call"] = (method, path, body, headers) =>
    api(method, path, { key, ...(body === undefined ? {} : { body }), ...(headers === undefined ? {} : { headers }) })
  return {
    id,
    key,
    call,
    heartbeat: (said = {}) =>
      call("POST", `/devices/${id}/heartbeat`, { status: "online", roots: ["/srv/work"], ...said })
  }
}

/** Registers a device and grants these tools; without tools it stays pending. */
export const makeDevice = Effect.fnUntraced(function*(
  hub: Pick<HubInTest, "api">,
  { cookie }: Pick<OwnerInTest, "cookie">,
  { granted = offer.capabilities, ...more }: {
    readonly granted?: ReadonlyArray<string>
    readonly agents?: "*" | ReadonlyArray<string>
    readonly labels?: ReadonlyArray<string>
  } = {}
): Effect.fn.Return<DeviceInTest> {
  const made = expectStatus(yield* hub.api("POST", "/devices", { cookie, body: offer }), 201)
  if (granted.length > 0) {
    expectStatus(yield* hub.api("PATCH", `/devices/${made.body.id}`, { cookie, body: { granted, ...more } }), 200)
  }
  return deviceOf(hub, made.body.id, made.body.device_key)
})

// oxlint-disable-next-line typescript/no-explicit-any -- as received on the wire
export type Frame = any

export interface SocketInTest {
  readonly send: (frame: unknown) => void
  /** The next unread frame of this type. Fails when the socket closes first. */
  readonly next: (type: string) => Effect.Effect<Frame>
  readonly closed: Effect.Effect<{ readonly code: number; readonly reason: string }>
  readonly close: () => void
}

/** Opens a socket as the device does; the scope closes it. */
export const connect = Effect.fnUntraced(function*(
  { url }: Pick<HubInTest, "url">,
  device: Pick<DeviceInTest, "id" | "key">
): Effect.fn.Return<SocketInTest, never, Scope.Scope> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/devices/${device.id}/connect`, {
    headers: { authorization: `Bearer ${device.key}` }
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.terminate()))
  const frames: Array<Frame> = []
  const looking = new Set<() => void>()
  let end: { readonly code: number; readonly reason: string } | undefined
  const wake = () => {
    for (const look of looking) look()
  }
  socket.on("message", (data) => {
    frames.push(JSON.parse(String(data)))
    wake()
  })
  socket.on("close", (code, reason) => {
    end = { code, reason: String(reason) }
    wake()
  })
  yield* Effect.promise(() =>
    new Promise<void>((resolve, reject) => {
      socket.once("open", () => resolve())
      socket.once("error", reject)
    })
  )
  socket.on("error", () => {})
  const until = <A>(found: () => A | undefined, lost: () => Error | undefined) =>
    Effect.callback<A>((resume) => {
      const look = () => {
        const value = found()
        const error = value === undefined ? lost() : undefined
        if (value === undefined && error === undefined) return
        looking.delete(look)
        resume(value === undefined ? Effect.die(error) : Effect.succeed(value))
      }
      looking.add(look)
      look()
      return Effect.sync(() => looking.delete(look))
    })
  return {
    send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    next: (type) =>
      until<Frame>(() => {
        const at = frames.findIndex((frame) => frame.type === type)
        return at < 0 ? undefined : frames.splice(at, 1)[0]
      }, () =>
        end === undefined
          ? undefined
          : new Error(`closed with ${end.code} before a frame ${type}: ${JSON.stringify(frames)}`)),
    closed: until(() => end, () => undefined),
    close: () => socket.close()
  }
})
