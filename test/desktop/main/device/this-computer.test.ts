/** This computer as a device, composed as in the app, except that the test simulates the agent's process. */
import { ConnectionLog } from "@countersign/desktop/main/connection-log/service"
import { makeDeviceHost } from "@countersign/desktop/main/device/host"
import { AgentFork, Device, ScreenLock } from "@countersign/desktop/main/device/service"
import { forkUtility, type UtilityProcesses } from "@countersign/desktop/main/electron/utility-process"
import { Profiles } from "@countersign/desktop/main/profiles/profiles"
import { AppSettingsFile } from "@countersign/desktop/main/settings/service"
import { deviceMethods } from "@countersign/desktop/main/shell/device"
import { Windows, type WindowsShape } from "@countersign/desktop/main/windows/windows"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { spokenAgents, timers } from "../../../support/app-agent.ts"
import { keychainInTest, mainServices, temporaryFolder } from "../../../support/desktop-main.ts"
import { until } from "../../../support/device-agent.ts"

const identity = {
  hub: "https://127.0.0.1:1",
  device_id: "dev_00000000000000000000000000",
  name: "desk-1",
  instance_id: "i1",
  roots: [],
  paired_at: "2026-01-01T00:00:00Z"
}

const world = Effect.gen(function*() {
  const folder = yield* temporaryFolder
  const home = join(folder, "device")
  mkdirSync(home, { mode: 0o700 })
  const write = (name: string, value: unknown) =>
    writeFileSync(join(home, name), typeof value === "string" ? value : JSON.stringify(value), { mode: 0o600 })
  write("device.json", identity)
  write("device.key", "svc_device_of_a_test")
  const agents = spokenAgents()
  const keychain = keychainInTest()
  const forks: { fail: Error | undefined } = { fail: undefined }
  const fork = forkUtility(agents as unknown as UtilityProcesses, "agent", {})
  const services = yield* Layer.build(
    Device.layer(folder).pipe(
      Layer.provideMerge(Layer.mergeAll(
        ConnectionLog.layer(folder),
        AppSettingsFile.layer(folder),
        Layer.succeed(AgentFork, (listener) => {
          if (forks.fail !== undefined) throw forks.fail
          return fork(listener)
        }),
        Layer.succeed(Windows, {} as WindowsShape),
        Layer.succeed(ScreenLock, async () => ({ locked: false, reported: true }))
      )),
      Layer.provideMerge(mainServices(folder, keychain))
    )
  )
  return yield* Effect.gen(function*() {
    const device = yield* Device
    const log = yield* ConnectionLog
    return {
      agents,
      device,
      folder,
      forks,
      home,
      keychain,
      write,
      profiles: yield* Profiles,
      settings: yield* AppSettingsFile,
      methods: yield* deviceMethods,
      received: (type: string) =>
        agents.children.flatMap(({ messages }) => messages).filter((each) => each.type === type),
      logged: () => log.entries().map(({ event }) => event),
      reaches: (phase: string) => until(Effect.sync(() => device.host.view()), (view) => view.phase === phase)
    }
  }).pipe(Effect.provide(services))
})

describe("the device setting", () => {
  it.live("starts and stops the agent, with one message each", () =>
    Effect.gen(function*() {
      const { agents, methods, reaches, received, settings } = yield* world
      yield* Effect.promise(() => methods.setDevice({ on: true }))
      yield* reaches("starting")
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 1)
      agents.children[0]!.say({ type: "state", connected: true, status: "online", running: ["cmd_1"] })
      yield* reaches("online")
      yield* Effect.promise(() => methods.setDevice({ on: false }))
      yield* reaches("off")
      assert.deepStrictEqual([received("start").length, received("stop").length, settings.current().device], [
        1,
        1,
        false
      ])
    }))

  it.live("starts the agent again when turned on while it ends", () =>
    Effect.gen(function*() {
      const { agents, methods, reaches, received } = yield* world
      yield* Effect.promise(() => methods.setDevice({ on: true }))
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 1)
      yield* Effect.promise(() => methods.setDevice({ on: false }))
      yield* Effect.promise(() => methods.setDevice({ on: true }))
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 2)
      agents.children[1]!.say({ type: "state", connected: true, status: "online", running: [] })
      yield* reaches("online")
      assert.lengthOf(received("stop"), 1)
    }))
})

it.live(
  "takes over from another copy when reactivated, but not on a plain start",
  () =>
    Effect.gen(function*() {
      const { agents, methods, reaches, received, settings } = yield* world
      settings.change({ device: true })
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 1)
      agents.children[0]!.end(5)
      yield* reaches("failed")
      yield* Effect.promise(() => methods.resumeDevice())
      agents.children[1]!.end(5)
      yield* Effect.promise(() => methods.bringBackDevice())
      assert.deepStrictEqual(received("start").map(({ take_over }) => take_over), [false, false, true])
    })
)

const hostOver = (agents: ReturnType<typeof spokenAgents>, home: string, read: () => Promise<string | undefined>) => {
  const time = timers()
  const host = makeDeviceHost({
    fork: forkUtility(agents as unknown as UtilityProcesses, "agent", {}),
    folder: home,
    after: time.after,
    random: () => 0,
    log: () => {},
    consent: { agentGone: () => {}, ask: () => {}, withdraw: () => {} },
    keys: { read, forget: async () => {} }
  })
  return { host, time, settled: Effect.promise(() => new Promise((resolve) => setImmediate(resolve))) }
}

it.live("ends a pause after sleep when its time is over", () =>
  Effect.gen(function*() {
    const { agents, home } = yield* world
    // This timer never fires, as during sleep.
    const { host, time } = hostOver(agents, home, async () => undefined)
    yield* Effect.promise(() => host.start())
    const ends = Date.now() + 20
    host.pause(ends)
    assert.deepInclude(host.view(), { phase: "paused", pausedUntil: ends })
    yield* until(Effect.sync(() => Date.now()), (now) => now > ends)
    assert.strictEqual(host.view().phase, "paused")
    host.wake()
    time.pass(0)
    yield* until(Effect.sync(() => agents.children.length), (count) => count === 2)
    assert.strictEqual(agents.children[1]!.messages[0].paused, false)
    yield* Effect.promise(() => host.stop())
  }))

it.live("requires consent on this screen by default, and reports it", () =>
  Effect.gen(function*() {
    const { methods, write } = yield* world
    const rules = Effect.map(Effect.promise(() => methods.device()), (device) => device.rules)
    write("device.rules.json", { version: 1, rules: [{ effect: "allow", tool: "system.info" }] })
    assert.deepStrictEqual(yield* rules, { count: 1, ask_via: "screen", sandbox: "available", network: "people" })
    write("device.rules.json", { version: 1, rules: [], ask_via: "none", sandbox: "off", network: "people" })
    assert.deepStrictEqual(yield* rules, { count: 0, ask_via: "none", sandbox: "off", network: "people" })
  }))

it.live("has no name after unpairing", () =>
  Effect.gen(function*() {
    const { agents, device, methods, reaches } = yield* world
    yield* Effect.promise(() => methods.setDevice({ on: true }))
    yield* until(Effect.sync(() => agents.children.length), (count) => count === 1)
    assert.strictEqual(device.host.view().name, "desk-1")
    yield* Effect.promise(() => methods.unpairDevice())
    yield* reaches("unpaired")
    assert.isUndefined(device.host.view().name)
    yield* Effect.promise(() => device.panic.stop("tray"))
    yield* Effect.promise(() => device.panic.resume())
    assert.isUndefined(device.host.view().name)
  }))

it.live("shows the log of an earlier start, also after unpairing", () =>
  Effect.gen(function*() {
    const { methods, write } = yield* world
    const line = JSON.stringify({ at: "2026-01-01T00:00:00Z", event: "command_ended" })
    write("device.log", `${line}\n`)
    const lines = Effect.map(Effect.promise(() => methods.device()), (device) => device.lines)
    assert.deepStrictEqual(yield* lines, [line])
    yield* Effect.promise(() => methods.unpairDevice())
    assert.deepStrictEqual(yield* lines, [line])
  }))

describe("a newly imported authority", () => {
  it.live("is copied to the device, whose agent restarts after its running commands", () =>
    Effect.gen(function*() {
      const { agents, home, methods, profiles } = yield* world
      const ca = (pem: string) => ({ pem, sha256: "0".repeat(64) })
      const kept = () => JSON.parse(readFileSync(join(home, "device.json"), "utf8"))
      const { id } = yield* Effect.orDie(
        profiles.add({ name: "Hub", url: identity.hub, hub_id: "hub_1", ca: ca("old") })
      )
      const { id: elsewhere } = yield* Effect.orDie(
        profiles.add({ name: "Other", url: "https://127.0.0.1:2", hub_id: "hub_2", ca: undefined })
      )
      yield* Effect.promise(() => methods.setDevice({ on: true }))
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 1)
      // Another hub at the same address has no effect.
      yield* Effect.orDie(profiles.add({ name: "New", url: identity.hub, hub_id: "hub_3", ca: ca("another") }))
      yield* Effect.orDie(profiles.update(elsewhere, { ca: ca("elsewhere") }))
      yield* Effect.orDie(profiles.update(id, { ca: ca("new") }))
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 2)
      assert.deepStrictEqual(kept(), { ...identity, ca: "new" })
      assert.deepStrictEqual(agents.children.map(({ messages }) => messages.map(({ type }) => type)), [[
        "start",
        "stop"
      ], [
        "start"
      ]])
    }))
})

describe("pairing", () => {
  const key = (device: string) => `device-key:${device}`
  const unpaired = Effect.gen(function*() {
    const all = yield* world
    rmSync(join(all.home, "device.json"))
    const target = { hub: identity.hub, name: "desk-1" }
    const shows = (kind: string) => until(Effect.sync(() => all.device.pairing.view()), (view) => view.kind === kind)
    return { ...all, target, shows }
  })

  it.live("reports a failed start, and can be started again", () =>
    Effect.gen(function*() {
      const { agents, device: { pairing }, forks, target } = yield* unpaired
      forks.fail = new Error("no process more")
      pairing.begin(target)
      assert.deepStrictEqual(pairing.view(), { kind: "failed", reason: "no process more" })
      forks.fail = undefined
      pairing.begin(target)
      assert.strictEqual(pairing.view().kind, "asking")
      assert.lengthOf(agents.children, 1)
    }))

  it.live(
    "leaves no key when canceled after an operator's approval, and names the device to revoke on the hub",
    () =>
      Effect.gen(function*() {
        const { agents, device: { pairing }, keychain, shows, target } = yield* unpaired
        pairing.begin(target)
        agents.children[0]!.say({ type: "paired", device_id: identity.device_id, key: "svc_device_told_once" })
        yield* until(Effect.sync(() => keychain.items), (items) => items.has(key(identity.device_id)))
        pairing.cancel()
        const { reason } = (yield* shows("failed")) as { readonly reason: string }
        assert.strictEqual(
          reason,
          `It was cancelled. An operator has already approved it: revoke ${identity.device_id} on the hub`
        )
        yield* until(Effect.sync(() => keychain.items), (items) => items.size === 0)
        pairing.cancel()
        assert.strictEqual(pairing.view().kind, "none")
      })
  )

  it.live("starts the agent when complete, even if the setting cannot be written", () =>
    Effect.gen(function*() {
      const { agents, device: { pairing }, folder, logged, reaches, target, write } = yield* unpaired
      mkdirSync(join(folder, "settings.json", "in-the-way"), { recursive: true })
      pairing.begin(target)
      write("device.json", identity)
      agents.children[0]!.end(0)
      yield* reaches("starting")
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 2)
      assert.includeMembers([...logged()], ["device_setting_not_written", "device_paired"])
    }))
})

describe("a locked keychain", () => {
  it.live(
    "is read again after pauses, after sleep, and on a person's request; the agent starts when it is open",
    () =>
      Effect.gen(function*() {
        const { agents, home } = yield* world
        // With the key in a file, the agent would not wait for the keychain.
        rmSync(join(home, "device.key"))
        let isOpen = false
        let reads = 0
        const { host, settled, time } = hostOver(agents, home, async () => {
          reads++
          if (!isOpen) throw new Error("the ring is locked")
          return "svc_device_of_a_test"
        })
        yield* Effect.promise(() => host.start())
        assert.deepInclude(host.view(), { phase: "failed", failure: "keychain" })
        for (const [millis, count] of [[4_999, 1], [1, 2], [30_000, 3], [120_000, 4], [3_600_000, 4]] as const) {
          time.pass(millis)
          yield* settled
          assert.strictEqual(reads, count)
        }
        // The prompts to the owner end.
        assert.isUndefined(host.view().retryAt)
        host.wake()
        yield* settled
        assert.strictEqual(reads, 5)
        yield* Effect.promise(() => host.start())
        assert.isDefined(host.view().retryAt)
        isOpen = true
        time.pass(5_000)
        yield* until(Effect.sync(() => agents.children.length), (count) => count === 1)
        assert.strictEqual(host.view().phase, "starting")
        yield* Effect.promise(() => host.stop())
        time.pass(3_600_000)
        yield* settled
        assert.lengthOf(agents.children, 1)
      })
  )
})
