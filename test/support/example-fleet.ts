/**
 * Example devices in different states: a log, and a running command with much output. Created over HTTP as devices and
 * a person do it; `beat` sends what an agent sends every 15 s.
 */
import { canonicalize } from "@countersign/domain/json"
import { createHash } from "node:crypto"

// oxlint-disable-next-line typescript/no-explicit-any -- as received on the wire
type Wire = any

/** Calls the API as the person, or as the device with this key; returns the body of a success. */
export type Ask = (
  method: string,
  path: string,
  call?: { readonly key?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
) => Promise<Wire>

export interface ExampleFleet {
  readonly device: string
  /** A running command with much output. */
  readonly command: string
  /** A pending approval of a device's command. */
  readonly approval: string
  /** The code of a pending pairing; undefined when the rate limit was reached. */
  readonly code: string | undefined
  readonly beat: () => Promise<void>
}

const every = ["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]

const about = (name: string, platform: string, arch: string, version = "0.1.0") => ({
  name,
  platform,
  arch,
  app_version: version,
  capabilities: every
})

const esc = "\u001b"

/** Output like that of a build. */
const buildLog = (): string => {
  const lines = [`${esc}[1m> release@2.4.0 build${esc}[0m`, "> node scripts/build.mjs --minify", ""]
  for (let at = 1; at <= 240; at++) {
    lines.push(
      `${esc}[32m✓${esc}[0m ${esc}[2m${String(at * 7).padStart(5)} ms${esc}[0m  dist/chunks/module-${
        String(at).padStart(3, "0")
      }.js  ${esc}[36m${((at % 37) + 1.2).toFixed(1)} kB${esc}[0m`
    )
  }
  return `${lines.join("\n")}\n`
}

const tests = (): string =>
  Array.from(
    { length: 90 },
    (_, at) => `${esc}[32m  ok ${at + 1}${esc}[0m - settles a request once, whatever comes twice (${(at % 9) + 3} ms)`
  ).join("\n") + "\n"

export const makeExampleFleet = async (ask: Ask): Promise<ExampleFleet> => {
  const addDevice = async (input: object, patch?: object) => {
    const made = await ask("POST", "/devices", { body: input })
    if (patch !== undefined) await ask("PATCH", `/devices/${made.id}`, { body: patch })
    return { id: made.id as string, key: made.device_key as string }
  }
  const heartbeat = ({ id, key }: { readonly id: string; readonly key: string }, more: object = {}) =>
    ask("POST", `/devices/${id}/heartbeat`, {
      key,
      body: {
        status: "online",
        roots: ["/srv/release", "/var/log/release"],
        working_directory: "/srv/release",
        load: { processors: 16, busy: 3.4, memory_bytes: 33_500_000_000, memory_used_bytes: 12_100_000_000 },
        ...more
      }
    })
  await addDevice(about("pi-garage", "linux", "arm64"))
  const old = await addDevice(about("ci-old", "linux", "x64", "0.0.9"), { granted: ["system.info"], labels: ["ci"] })
  const mac = await addDevice(about("ada-macbook", "darwin", "arm64"), {
    granted: ["fs.read", "fs.list", "fs.search"],
    labels: ["laptop"]
  })
  const gpu = await addDevice(about("gpu-2", "linux", "x64"), {
    granted: every,
    labels: ["gpu", "eu-west"],
    agents: "*"
  })
  const paused = await addDevice(about("ci-3", "linux", "x64"), {
    granted: ["shell.run", "system.info"],
    labels: ["ci"]
  })
  const build = await addDevice(
    { ...about("build-1", "linux", "x64"), public_key: Buffer.alloc(32, 7).toString("base64url") },
    {
      granted: ["shell.run", "fs.read", "fs.list", "system.info"],
      labels: ["build", "eu-west"]
    }
  )
  for (const each of [old, mac, gpu, paused]) {
    await heartbeat(each, each === gpu ? { load: { processors: 64, busy: 41.7 } } : {})
  }
  await ask("PATCH", `/devices/${gpu.id}`, { body: { state: "draining" } })
  await ask("PATCH", `/devices/${paused.id}`, { body: { state: "paused" } })
  const { session_id: session } = await heartbeat(build)

  const queue = (input: object, more: object = {}) =>
    ask("POST", `/devices/sessions/${session}/commands`, { body: { tool: "shell.run", input, ...more } })
  const take = async () => {
    const {
      data: [command]
    } = await ask("GET", `/devices/sessions/${session}/commands`, { key: build.key })
    const report = (path: string, body: object = {}) =>
      ask("POST", `/devices/commands/${command.id}/${path}`, {
        key: build.key,
        body: { lease: command.lease.number, ...body }
      })
    await report("ack")
    return { id: command.id as string, lease: command.lease.number as number, report }
  }
  const ended = async (argv: ReadonlyArray<string>, done: object, more: object = {}) => {
    await queue({ argv }, more)
    const { report } = await take()
    await report("state", { state: "running" })
    await report("output", { seq: 0, stream: "stdout", data: "done\n" })
    await report("done", done)
  }
  await ended(["git", "fetch", "--tags", "origin"], { outcome: "succeeded", exit_code: 0 })
  await ended(["git", "checkout", "release/2.4.0"], { outcome: "succeeded", exit_code: 0 })
  await queue({ argv: ["rm", "-rf", "/srv/release/dist old"] }, { reason: "Make room for the build" })
  await (
    await take()
  ).report("done", { outcome: "denied", error: { code: "denied_by_rule", message: "Rule 3 of this device says no" } })
  await ended(["npm", "ci", "--ignore-scripts"], { outcome: "succeeded", exit_code: 0 }, { timeout_seconds: 600 })
  await ended(["npm", "run", "lint"], {
    outcome: "failed",
    exit_code: 2,
    error: { code: "exit_code", message: "It ended with exit code 2" }
  })
  await queue(
    { argv: ["npm", "run", "build", "--", "--minify", "--out", "dist/release 2.4.0"] },
    { reason: "Release 2.4.0, asked for in #812", timeout_seconds: 600 }
  )
  const running = await take()
  await running.report("state", { state: "running" })
  const first = buildLog()
  await running.report("output", { seq: 0, stream: "stdout", data: first })
  await running.report("output", {
    seq: 1,
    stream: "stdout",
    data: tests(),
    offset: Buffer.from(first).length + 1_230_000
  })
  await running.report("output", {
    seq: 2,
    stream: "stderr",
    data:
      `${esc}[33mwarning${esc}[0m dist/chunks/module-117.js is larger than 36 kB\nwarning: file name holds “invoice\u202efdp.exe”\n`
  })
  await running.report("output", { seq: 3, stream: "stdout", data: `${esc}[1mBundling${esc}[0m 240 of 318 modules` })
  await queue(
    { argv: ["node", "scripts/publish.mjs", "--tag", "latest", "--note", "Release 2.4.0"], env: { STAGE: "live" } },
    {
      reason: "Publish what was built, asked for in #812"
    }
  )
  const asked = await take()
  const plan = {
    version: 1,
    tool: "shell.run",
    directory: "/srv/release",
    program: { path: "/usr/bin/node", real_path: "/usr/lib/node-24/bin/node" },
    input: {
      argv: ["node", "scripts/publish.mjs", "--tag", "latest", "--note", "Release 2.4.0"],
      env: { STAGE: "live" }
    },
    files: [{ path: "/srv/release/scripts/publish.mjs", sha256: "4f8a1c".padEnd(64, "07d9e2b5"), bytes: 3_412 }],
    sandbox: "bubblewrap",
    timeout_seconds: 30
  }
  const plan_digest = createHash("sha256").update(canonicalize(plan)).digest("hex")
  await asked.report("state", { state: "awaiting_consent", plan, plan_digest })
  const { approval_id: approval } = await ask("GET", `/devices/commands/${asked.id}`)
  await queue({ argv: ["git", "push", "--follow-tags"] })
  const paired = await ask("POST", "/devices/pair", {
    body: { ...about("studio-mac", "darwin", "arm64"), public_key: Buffer.alloc(32, 9).toString("base64url") }
  }).catch(() => undefined)
  return {
    device: build.id,
    command: running.id,
    approval,
    code: paired?.code,
    beat: async () => {
      await heartbeat(build, {
        running: [
          { command_id: running.id, lease: running.lease, last_seq: 3 },
          { command_id: asked.id, lease: asked.lease }
        ]
      })
      await heartbeat(gpu, { status: "draining", load: { processors: 64, busy: 41.7 } })
      await heartbeat(paused, { status: "paused" })
      await heartbeat(old)
    }
  }
}
