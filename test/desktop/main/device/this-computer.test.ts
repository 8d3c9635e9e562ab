/** This computer as a device, put together as in the app, but for the agent's process, whose part the test speaks. */
import { ConnectionLog } from "@countersign/desktop/main/connection-log/service"
import { makeDeviceHost } from "@countersign/desktop/main/device/host"
import { AgentFork, Device, ScreenLock } from "@countersign/desktop/main/device/service"
import { forkUtility, type UtilityProcesses } from "@countersign/desktop/main/electron/utility-process"
import { Profiles } from "@countersign/desktop/main/profiles/profiles"
import { AppSettingsFile } from "@countersign/desktop/main/settings-service"
import { deviceMethods } from "@countersign/desktop/main/shell/device"
import { Windows, type WindowsShape } from "@countersign/desktop/main/windows"
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
        Layer.succeed(ScreenLock, async () => ({ locked: false, told: true }))
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
      heard: (type: string) => agents.children.flatMap(({ heard }) => heard).filter((each) => each.type === type),
      logged: () => log.entries().map(({ event }) => event),
      reaches: (phase: string) => until(Effect.sync(() => device.host.view()), (view) => view.phase === phase)
    }
  }).pipe(Effect.provide(services))
})

describe("the switch", () => {
  it.live("starts it and stops it, and tells the agent once", () =>
    Effect.gen(function*() {
      const { agents, heard, methods, reaches, settings } = yield* world
      yield* Effect.promise(() => methods.setDevice({ on: true }))
      yield* reaches("starting")
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 1)
      agents.children[0]!.say({ type: "state", connected: true, status: "online", running: ["cmd_1"] })
      yield* reaches("online")
      yield* Effect.promise(() => methods.setDevice({ on: false }))
      yield* reaches("off")
      assert.deepStrictEqual([heard("start").length, heard("stop").length, settings.current().device], [1, 1, false])
    }), 20_000)

  it.live("on again while it ends, it comes back by itself", () =>
    Effect.gen(function*() {
      const { agents, heard, methods, reaches } = yield* world
      yield* Effect.promise(() => methods.setDevice({ on: true }))
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 1)
      yield* Effect.promise(() => methods.setDevice({ on: false }))
      yield* Effect.promise(() => methods.setDevice({ on: true }))
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 2)
      agents.children[1]!.say({ type: "state", connected: true, status: "online", running: [] })
      yield* reaches("online")
      assert.lengthOf(heard("stop"), 1)
    }), 20_000)
})

it.live(
  "another copy took its place: brought back, it takes it over; a mere start does not",
  () =>
    Effect.gen(function*() {
      const { agents, heard, methods, reaches, settings } = yield* world
      settings.change({ device: true })
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 1)
      agents.children[0]!.end(5)
      yield* reaches("failed")
      yield* Effect.promise(() => methods.resumeDevice())
      agents.children[1]!.end(5)
      yield* Effect.promise(() => methods.bringBackDevice())
      assert.deepStrictEqual(heard("start").map(({ take_over }) => take_over), [false, false, true])
    }),
  20_000
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

it.live("a pause that ended while the computer slept is over when it wakes", () =>
  Effect.gen(function*() {
    const { agents, home } = yield* world
    // No timer of it is ever due: as in sleep.
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
    assert.strictEqual(agents.children[1]!.heard[0].paused, false)
    yield* Effect.promise(() => host.stop())
  }), 20_000)

it.live("rules that do not say who is asked ask here, and say so", () =>
  Effect.gen(function*() {
    const { methods, write } = yield* world
    const rules = Effect.map(Effect.promise(() => methods.device()), (device) => device.rules)
    write("device.rules.json", { version: 1, rules: [{ effect: "allow", tool: "system.info" }] })
    assert.deepStrictEqual(yield* rules, { count: 1, ask_via: "screen", sandbox: "available", network: "people" })
    write("device.rules.json", { version: 1, rules: [], ask_via: "none", sandbox: "off", network: "people" })
    assert.deepStrictEqual(yield* rules, { count: 0, ask_via: "none", sandbox: "off", network: "people" })
  }), 20_000)

it.live("taken back, it has no name any more", () =>
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
  }), 20_000)

it.live("what it did before this start is shown, and after it was taken back", () =>
  Effect.gen(function*() {
    const { methods, write } = yield* world
    const line = JSON.stringify({ at: "2026-01-01T00:00:00Z", event: "command_ended" })
    write("device.log", `${line}\n`)
    const lines = Effect.map(Effect.promise(() => methods.device()), (device) => device.lines)
    assert.deepStrictEqual(yield* lines, [line])
    yield* Effect.promise(() => methods.unpairDevice())
    assert.deepStrictEqual(yield* lines, [line])
  }), 20_000)

describe("an authority that was imported anew", () => {
  it.live("is the device's, too: it reads it at a start of its own, after what runs", () =>
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
      // Another hub at the address is none of it.
      yield* Effect.orDie(profiles.add({ name: "New", url: identity.hub, hub_id: "hub_3", ca: ca("another") }))
      yield* Effect.orDie(profiles.update(elsewhere, { ca: ca("elsewhere") }))
      yield* Effect.orDie(profiles.update(id, { ca: ca("new") }))
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 2)
      assert.deepStrictEqual(kept(), { ...identity, ca: "new" })
      assert.deepStrictEqual(agents.children.map(({ heard }) => heard.map(({ type }) => type)), [["start", "stop"], [
        "start"
      ]])
    }), 20_000)
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

  it.live("that cannot even begin says so, and can be begun again", () =>
    Effect.gen(function*() {
      const { agents, device: { pairing }, forks, target } = yield* unpaired
      forks.fail = new Error("no process more")
      pairing.begin(target)
      assert.deepStrictEqual(pairing.view(), { kind: "failed", reason: "no process more" })
      forks.fail = undefined
      pairing.begin(target)
      assert.strictEqual(pairing.view().kind, "asking")
      assert.lengthOf(agents.children, 1)
    }), 20_000)

  it.live(
    "that is cancelled after an operator's yes leaves no key here, and says what is left on the hub",
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
          `It was cancelled. An operator had said yes already: revoke ${identity.device_id} on the hub`
        )
        yield* until(Effect.sync(() => keychain.items), (items) => items.size === 0)
        pairing.cancel()
        assert.strictEqual(pairing.view().kind, "none")
      }),
    20_000
  )

  it.live("that is done starts the agent, though the disk takes no setting", () =>
    Effect.gen(function*() {
      const { agents, device: { pairing }, folder, logged, reaches, target, write } = yield* unpaired
      mkdirSync(join(folder, "settings.json", "in-the-way"), { recursive: true })
      pairing.begin(target)
      write("device.json", identity)
      agents.children[0]!.end(0)
      yield* reaches("starting")
      yield* until(Effect.sync(() => agents.children.length), (count) => count === 2)
      assert.includeMembers([...logged()], ["device_setting_not_written", "device_paired"])
    }), 20_000)
})

describe("a keychain that is not open", () => {
  it.live(
    "is asked again, by itself, after sleep and when a person says so; it starts once it is open",
    () =>
      Effect.gen(function*() {
        const { agents, home } = yield* world
        // Where it lies in a file nobody waits for the keychain.
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
        // It does not ask its owner for ever.
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
      }),
    20_000
  )
})
