/**
 * Connected, idle devices: a separate process that keeps many sockets open and sends their heartbeats, as idle agents
 * do. Argument: a file with `CrowdOptions` as JSON. Prints `open` once every device is welcomed, and `CrowdResult` as
 * JSON at the end of its input.
 */
import { readFileSync } from "node:fs"
import { WebSocket } from "ws"

export interface CrowdOptions {
  readonly port: number
  readonly devices: ReadonlyArray<{ readonly id: string; readonly key: string }>
  /** Connections opened concurrently. */
  readonly atOnce: number
}

export interface CrowdResult {
  /** Sockets still open, and sockets that the hub closed. */
  readonly open: number
  readonly closed: ReadonlyArray<string>
  readonly heartbeats: number
}

if (import.meta.main) {
  const { atOnce, devices, port } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as CrowdOptions
  const boot = `b${process.pid}-${Date.now()}`
  const closed: Array<string> = []
  let open = 0, heartbeats = 0, next = 0, ending = false
  const report = (at: number) => ({
    app_version: "0.2.0",
    instance_id: `i${at}`,
    boot_id: boot,
    status: "online",
    running: [],
    roots: ["/srv/work"],
    load: { processors: 4, busy: at % 7, memory_bytes: 16e9, memory_used_bytes: 8e9 }
  })
  const openOne = () => {
    const at = next++
    const device = devices[at]
    if (device === undefined) return
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/devices/${device.id}/connect`, {
      headers: { authorization: `Bearer ${device.key}` },
      perMessageDeflate: false
    })
    let timer: NodeJS.Timeout | undefined
    socket.on(
      "open",
      () =>
        socket.send(
          JSON.stringify({ type: "hello", min_protocol: 1, max_protocol: 1, tools: ["shell.run"], ...report(at) })
        )
    )
    socket.on("message", (data) => {
      const frame = JSON.parse(String(data))
      if (frame.type !== "welcome") return
      // Each agent keeps its own times: heartbeats are spread as the connections were.
      timer = setInterval(() => {
        heartbeats++
        socket.send(JSON.stringify({ type: "heartbeat", ...report(at) }))
        socket.ping()
      }, frame.interval_seconds * 1_000)
      if (++open === devices.length) process.stdout.write("open\n")
      openOne()
    })
    socket.on("close", (code, reason) => {
      clearInterval(timer)
      if (timer !== undefined) open--
      if (ending) return
      closed.push(`${code} ${String(reason)}`)
      // A close during the opening means that not all can be open.
      if (next < devices.length) {
        throw new Error(`a socket was closed with ${code} ${String(reason)} while others were opened`)
      }
    })
    socket.on("error", (error) => closed.push(String(error)))
  }
  for (let at = 0; at < atOnce; at++) openOne()
  process.stdin.on("end", () => {
    ending = true
    process.stdout.write(
      `${JSON.stringify({ open, closed: closed.slice(0, 5), heartbeats } satisfies CrowdResult)}\n`,
      () => process.exit(0)
    )
  }).resume()
}
