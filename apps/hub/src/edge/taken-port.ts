/** Checks the port before a start creates anything. Spec: reference/operation.md "Start". */
import { Effect } from "effect"
import { createServer } from "node:net"
import { type HubConfig, SettingError } from "../config.ts"
import { untilLeft } from "./left-port.ts"

const triesMax = 20

/** False if another program has the port; fails on an address or a port that this user cannot listen on. */
const canListen = (host: string, port: number): Effect.Effect<boolean, NodeJS.ErrnoException> =>
  Effect.callback((resume) => {
    const probe = createServer()
    probe.once(
      "error",
      (error: NodeJS.ErrnoException) => resume(error.code === "EADDRINUSE" ? Effect.succeed(false) : Effect.fail(error))
    )
    probe.listen(port, host, () => probe.close(() => resume(Effect.succeed(true))))
  })

/** Waits while another hub leaves the port; fails with the next free port if a program keeps it. */
export const ensurePortIsFree = Effect.fnUntraced(function*(config: HubConfig) {
  const { host, port } = config
  yield* untilLeft(config)
  if (yield* canListen(host, port)) return
  let next: number | undefined
  for (let other = port + 1; next === undefined && other <= Math.min(65_535, port + triesMax); other++) {
    if (yield* canListen(host, other)) next = other
  }
  const choice = next === undefined ? "HUB_PORT=0 for a free one" : `such as HUB_PORT=${next}`
  return yield* Effect.fail(
    new SettingError(
      "HUB_PORT",
      `${port} is in use: another program uses it. Stop it, or choose another port, ${choice}`
    )
  )
})
