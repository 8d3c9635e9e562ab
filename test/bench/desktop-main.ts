/**
 * Runs the built main in a separate process: prints when its window's first model is there, the size of its heap, and
 * the number of pending approvals.
 */
import { hubChannel, shellChannel } from "@countersign/desktop/bridge/channels"
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { eventually, loadBuiltMain } from "../support/built-main.ts"

const { email, hub, password } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly hub: string
  readonly email: string
  readonly password: string
}
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const began = performance.now()
const main = await loadBuiltMain()
const loaded = performance.now() - began
const { id } = await eventually(() => main.record.windows[0])
const ask = async (channel: string, ...args: ReadonlyArray<unknown>) => {
  const answer = await main.invoke(id, channel, args)
  if (!answer.ok) throw new Error(`${channel}: ${answer.error.code}: ${answer.error.message}`)
  return answer.value
}
await ask(shellChannel("state"))
say(`model after ${loaded.toFixed(0)} ms of loading, ${(performance.now() - began).toFixed(0)} ms in all`)

const found = await ask(shellChannel("findHub"), { url: hub })
const added = await ask(shellChannel("addHub"), { url: found.url, hub_id: found.hub_id, name: "Hub" })
// A page belongs to the hub that was open when it was loaded.
await ask(shellChannel("openHub"), { id: added.id })
await ask(hubChannel("auth.login"), { payload: { email, password } }, {})
await eventually(() => main.record.trays[0]?.tooltip.includes("No pending approvals") === true ? true : undefined)
say("follows")

/** Garbage of the setup does not count as memory at rest. */
const settleMillis = 500
await sleep(settleMillis)
globalThis.gc?.()
say(`heap at rest ${(process.memoryUsage().heapUsed / 1_048_576).toFixed(1)} MB`)

let before = main.record.badge
let changes = 0
const { electron } = main
const set = electron.app.setBadgeCount.bind(electron.app)
electron.app.setBadgeCount = (count: number) => {
  if (count !== before) say(`change ${++changes}: ${count} at ${performance.timeOrigin + performance.now()}`)
  before = count
  return set(count)
}
process.stdin.resume()
