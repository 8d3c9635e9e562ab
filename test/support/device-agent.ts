/** The device agent for tests: with a separate folder, connected in this process or as a separate program. */
import { pinRules } from "@countersign/desktop/device/programs/pin-rules"
import { run } from "@countersign/desktop/device/run"
import { findSandbox } from "@countersign/desktop/device/sandbox/sandbox"
import { openStateFolder, type StateFolder, writeIdentity, writePrivate } from "@countersign/desktop/device/state"
import { parseRules } from "@countersign/domain/device-rules"
import { newId } from "@countersign/domain/ids"
import { Effect, Schedule, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { makeDevice } from "./device.ts"
import type { HubInTest, OwnerInTest } from "./hub.ts"
import type { Missing } from "./requirements.mjs"

export const main = resolve(import.meta.dirname, "../../apps/desktop/src/device/main.ts")

// oxlint-disable-next-line typescript/no-explicit-any -- as received on the wire
type Wire = any

export interface AgentPlace {
  readonly folder: StateFolder
  readonly root: string
  readonly id: string
  readonly rules: (rules: ReadonlyArray<object>, more?: object) => void
  /** Creates an executable file below the root and returns its path. */
  readonly script: (name: string, text: string) => string
}

/** Repeats `ask` until its answer is enough; the test's own timeout limits it. */
export const until = <A>(ask: Effect.Effect<A>, enough: (answer: A) => boolean): Effect.Effect<A> =>
  Effect.repeat(ask, { until: enough, schedule: Schedule.spaced("30 millis") })

export const temporary: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "device-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const placeIn = (home: string) => {
  const root = join(home, "work")
  mkdirSync(root)
  const folder = openStateFolder(join(home, "state"))
  return {
    folder,
    root,
    rules: (rules: ReadonlyArray<object>, more: object = {}) => {
      // Without a sandbox the agent allows nothing unless its rules switch the sandbox off.
      const sandbox = findSandbox() === undefined ? { sandbox: "off" } : {}
      const file = { version: 1, ask_via: "none", ...sandbox, rules, ...more }
      const parsed = parseRules(JSON.stringify(file))
      const text = JSON.stringify("problem" in parsed ? file : pinRules(parsed.rules, [root]))
      writeFileSync(folder.file("device.rules.json"), text, { mode: 0o600 })
    },
    script: (name: string, text: string) => {
      const path = join(root, name)
      writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
      return path
    }
  }
}

/** A folder and a root without a paired device. */
export const unpaired = Effect.map(temporary, placeIn)

/**
 * A folder with the key of a registered device, in `home` or a new place. It does not pair, because pairing is limited
 * to five a minute.
 */
export const paired = Effect.fnUntraced(function*(
  hub: Pick<HubInTest, "api" | "url">,
  owner: Pick<OwnerInTest, "cookie">,
  home?: string
): Effect.fn.Return<AgentPlace, never, Scope.Scope> {
  const place = home === undefined ? yield* unpaired : placeIn(home)
  const device = yield* makeDevice(hub, owner)
  writePrivate(place.folder.file("device.key"), `${device.key}\n`)
  writeIdentity(place.folder, {
    hub: hub.url,
    device_id: device.id as never,
    name: "build-1",
    instance_id: `instance-${device.id}`,
    roots: [place.root],
    paired_at: new Date().toISOString()
  })
  return { ...place, id: device.id }
})

/** A folder with a key that the hub at this address never issued. */
export const pairedWith = Effect.fnUntraced(function*(url: string): Effect.fn.Return<AgentPlace, never, Scope.Scope> {
  const place = yield* unpaired
  const id = newId("dev")
  writePrivate(place.folder.file("device.key"), `svc_device_live_${"k".repeat(32)}\n`)
  writeIdentity(place.folder, {
    hub: url,
    device_id: id,
    name: "build-1",
    instance_id: `instance-${id}`,
    roots: [place.root],
    paired_at: new Date().toISOString()
  })
  return { ...place, id }
})

export interface AgentAtWork {
  readonly session: string
  readonly drain: () => void
  /** The exit code. */
  readonly ended: Effect.Effect<number>
  readonly lines: ReadonlyArray<Wire>
}

const sessionOf = (api: HubInTest["api"], cookie: string, id: string): Effect.Effect<string> =>
  Effect.map(
    until(api("GET", `/devices/${id}`, { cookie }), ({ body }) =>
      body.presence === "online" && body.session !== undefined),
    ({ body }) =>
      body.session.id
  )

/** Runs the agent in this process; returns once it is connected. */
export const connected = Effect.fnUntraced(function*(
  { folder }: AgentPlace,
  options: { readonly takeOver?: boolean } = {}
): Effect.fn.Return<Omit<AgentAtWork, "session">, never, Scope.Scope> {
  const lines: Array<Wire> = []
  const drain = new AbortController()
  const kill = new AbortController()
  const ended = run(folder, {
    roots: [],
    once: false,
    takeOver: options.takeOver === true,
    drain: drain.signal,
    kill: kill.signal,
    print: (line) => lines.push(JSON.parse(line))
  })
  ended.catch(() => {})
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => {
      kill.abort()
      return ended.catch(() => {})
    })
  )
  yield* until(Effect.sync(() => lines), (lines) => lines.some(({ event }) => event === "connected"))
  return { drain: () => drain.abort(), ended: Effect.promise(() => ended), lines }
})

/** Like `connected`, and the hub has registered the session. */
export const atWork = Effect.fnUntraced(function*(
  { api }: Pick<HubInTest, "api">,
  { cookie }: Pick<OwnerInTest, "cookie">,
  place: AgentPlace,
  options: { readonly takeOver?: boolean } = {}
): Effect.fn.Return<AgentAtWork, never, Scope.Scope> {
  const agent = yield* connected(place, options)
  return { session: yield* sessionOf(api, cookie, place.id), ...agent }
})

export interface AgentProgram {
  readonly child: ChildProcess
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly signal: string | null }>
  readonly printed: () => string
}

/** Runs the agent as a separate program, as `npm run device` does. */
export const program = (
  args: ReadonlyArray<string>,
  { env, node = [] }: { readonly env?: Readonly<Record<string, string>>; readonly node?: ReadonlyArray<string> } = {}
): Effect.Effect<AgentProgram, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [...node, main, ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...env }
      })
      let text = ""
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (bytes) => {
          text += String(bytes)
        })
      }
      const ended = new Promise<{ readonly code: number | null; readonly signal: string | null }>((done) =>
        child.once("close", (code, signal) => done({ code, signal }))
      )
      return { child, ended: Effect.promise(() => ended), printed: () => text }
    }),
    ({ child }) => Effect.sync(() => void child.kill("SIGKILL"))
  )

/** Bubblewrap may be installed and not work in a container, so the agent's own check decides. */
export const missingSandbox = (): Missing | undefined =>
  findSandbox() === undefined
    ? {
      reason: "bubblewrap is not installed, or does not work here",
      provide: "apt-get install -y bubblewrap, and allow user namespaces"
    }
    : undefined
