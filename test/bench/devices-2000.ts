/** Two thousand idle devices connected to one hub: the cost in memory and in dispatch, and whether all stay online. */
import { mintCredential } from "@countersign/domain/credentials"
import { newId } from "@countersign/domain/ids"
import { credentialHash } from "@countersign/hub/auth/hash"
import { singleConnection, textArray } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { spawnProgram } from "../support/hub-program.ts"
import type { CrowdOptions, CrowdResult } from "./device-crowd.ts"
import { atLeast, below, type Figure, info } from "./figures.ts"
import { cpuSeconds, residentBytes } from "./machine.ts"
import { interleaved, median, ratio } from "./rounds.ts"
import {
  type BenchDatabase,
  type BenchHub,
  database,
  load,
  makeWorkspace,
  sayLoad,
  Stage,
  startHub,
  type Workspace
} from "./stage.ts"

const count = 2_000
/** Longer than the hub takes to mark a silent device offline. */
const watchedSeconds = 60

/** Inserts rows, because two thousand registrations are not part of the measurement. */
const makeDevices = Effect.fnUntraced(function*(target: BenchDatabase, { agent, org }: Workspace) {
  const sql = yield* singleConnection(target, "bench")
  const devices = Array.from(
    { length: count },
    () => ({ id: newId("dev"), key: mintCredential("svc_device_live").token })
  )
  const hashes = devices.map(({ key }) => Buffer.from(credentialHash(key)).toString("hex"))
  yield* sql`insert into devices (id, org_id, owner_user_id, name, platform, arch, app_version, capabilities, granted, state, key_hash, key_hint)
    select d.id, ${org}, (select owner_user_id from agents where id = ${agent}), 'crowd', 'linux', 'x64', '0.2.0', '{shell.run}', '{shell.run}',
      'active', decode(d.hash, 'hex'), right(d.id, 4)
    from unnest(${textArray(devices.map(({ id }) => id))}, ${textArray(hashes)}) as d (id, hash)`
  const seen = Effect.map(
    sql<
      { online: number }
    >`select count(*)::int as online from devices where name = 'crowd' and heard_at > clock_timestamp() - interval '20 seconds'`,
    ([row]) => row?.online ?? 0
  )
  return { devices, seen }
})

const crowd = Effect.fnUntraced(function*({ port }: BenchHub, devices: CrowdOptions["devices"]) {
  const { out } = yield* Stage
  const options: CrowdOptions = { port, devices, atOnce: 20 }
  const file = join(out, "crowd.json")
  writeFileSync(file, JSON.stringify(options), { mode: 0o600 })
  const program = yield* spawnProgram([process.execPath, join(import.meta.dirname, "device-crowd.ts"), file])
  yield* program.line(/^open$/)
  return {
    end: Effect.gen(function*() {
      yield* program.send("")
      const [line] = yield* program.line(/^\{.*\}$/)
      const result = JSON.parse(line) as CrowdResult
      if (result.open !== count) {
        return yield* Effect.die(new Error(`${count - result.open} sockets were closed: ${result.closed.join("; ")}`))
      }
      return result
    })
  }
})

export const devices2000: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, rounds, seconds } = yield* Stage
  const target = yield* database
  const hub = yield* startHub(target)
  const workspace = yield* makeWorkspace(hub)
  const { devices, seen } = yield* makeDevices(target, workspace)
  const measure = Effect.gen(function*() {
    const before = cpuSeconds(hub.pid)
    const { good, perSecond } = yield* load(sayLoad(workspace, [hub.port], { callers, seconds }))
    return { perSecond, micros: (cpuSeconds(hub.pid) - before) * 1e6 / good }
  })
  yield* measure
  const grown: Array<number> = []
  const found = yield* interleaved(rounds, {
    none: measure,
    open: Effect.scoped(Effect.gen(function*() {
      const before = residentBytes(hub.pid)
      const opened = yield* crowd(hub, devices)
      grown.push((residentBytes(hub.pid) - before) / 2 ** 20)
      const found = yield* measure
      yield* opened.end
      return found
    }))
  })
  const watched = yield* Effect.scoped(Effect.gen(function*() {
    const opened = yield* crowd(hub, devices)
    const before = cpuSeconds(hub.pid)
    let least = count
    for (let at = 0; at < watchedSeconds; at++) {
      yield* Effect.sleep("1 second")
      least = Math.min(least, yield* seen)
    }
    return { ...yield* opened.end, least, cpu: (cpuSeconds(hub.pid) - before) / watchedSeconds }
  }))
  const speeds = (name: keyof typeof found) => found[name].map(({ perSecond }) => perSecond)
  return [
    below(`${count} devices connected: memory`, 150, median(grown), 0, " MB"),
    {
      name: `${count} devices connected: online, at the worst moment of ${watchedSeconds} s`,
      wanted: String(count),
      measured: String(watched.least),
      met: watched.least === count
    },
    atLeast(
      `${count} devices connected: dispatch over the same without them`,
      0.8,
      ratio(speeds("open"), speeds("none"))
    ),
    info(
      "dispatch without devices, with them",
      `${median(speeds("none")).toFixed(0)}/s, ${median(speeds("open")).toFixed(0)}/s`
    ),
    info("memory each time they came", grown.map((bytes) => `${bytes.toFixed(0)} MB`).join(", ")),
    info(
      "processor of the hub while they only wait",
      `${(watched.cpu * 100).toFixed(1)} % of one, for ${
        (watched.heartbeats / watchedSeconds).toFixed(0)
      } heartbeats a second`
    )
  ]
}).pipe(Effect.scoped)
