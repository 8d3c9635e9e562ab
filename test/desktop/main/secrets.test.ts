/** E11: the keychain, a real one if this machine has one, and the behavior without one. */
import { SecretStore } from "@countersign/desktop/main/secrets/secret-store"
import { expect, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { vi } from "vitest"
import { eventually } from "../../support/built-main.ts"
import { keychainInTest, temporaryFolder } from "../../support/desktop-main.ts"
import { testWith } from "../../support/required.ts"
import { missingProgram } from "../../support/requirements.mjs"

const run = promisify(execFile)
const use = <A, E>(load: Parameters<typeof SecretStore.layerOf>[0], effect: Effect.Effect<A, E, SecretStore>) =>
  Effect.provide(effect, SecretStore.layerOf(load), { local: true })

it.effect("E11: keeps secrets in memory without a keychain, with a notice", () =>
  Effect.gen(function*() {
    let loads = 0
    const load = () => {
      loads++
      return Promise.reject(new Error("Failed to load keytar native addon"))
    }
    yield* use(
      load,
      Effect.gen(function*() {
        const { place, read, remove, write } = yield* SecretStore
        expect(loads).toBe(0)
        yield* write("session:a", "value")
        expect(yield* read("session:a")).toEqual(Option.some("value"))
        expect(yield* place).toMatchObject({
          kind: "memory",
          notice: expect.stringContaining("nothing is written to the disk")
        })
        yield* remove("session:a")
        expect(yield* read("session:a")).toEqual(Option.none())
        expect(loads).toBe(1)
      })
    )
    // The next start cannot read the keychain, and reports an error rather than an absent item.
    const read = yield* use(load, Effect.flatMap(SecretStore, ({ read }) => Effect.result(read("session:a"))))
    expect(Result.isFailure(read) && read.failure.reason).toBe("Failed to load keytar native addon")
  }))

it.effect("E11: reports an item that the keychain does not supply as an error, not as absent", () =>
  Effect.gen(function*() {
    const keychain = keychainInTest()
    keychain.items.set("session:a", "value")
    keychain.locked.add("session:a")
    const read = yield* use(
      () => Promise.resolve(keychain),
      Effect.flatMap(SecretStore, ({ read }) => Effect.result(read("session:a")))
    )
    expect(Result.isFailure(read) && read.failure._tag).toBe("SecretUnreadable")
  }))

it.effect("E11: keeps an item that the keychain refuses in memory, and reports it", () =>
  Effect.gen(function*() {
    const keychain = { ...keychainInTest(), setPassword: () => Promise.reject(new Error("read only")) }
    yield* use(
      () => Promise.resolve(keychain),
      Effect.gen(function*() {
        const { place, read, write } = yield* SecretStore
        expect(yield* place).toEqual({ kind: "keychain" })
        yield* write("session:a", "value")
        expect(yield* read("session:a")).toEqual(Option.some("value"))
        expect(yield* place).toMatchObject({ kind: "memory" })
      })
    )
  }))

/** A keychain that becomes available after the app's start, with timers that the test controls. */
const late = () => {
  const keychain = keychainInTest()
  const timers = new Set<{ readonly millis: number; readonly act: () => void }>()
  let isThere = false
  let loads = 0
  let at = 0
  const layer = SecretStore.layerOf(async () => {
    loads++
    if (!isThere) throw new Error("no bus")
    return keychain
  }, {
    now: () => at,
    after: (millis, act) => {
      const timer = { millis, act }
      timers.add(timer)
      return () => void timers.delete(timer)
    }
  })
  const pass = (millis: number) => {
    at += millis
    for (const timer of timers) {
      if (timer.millis > millis) continue
      timers.delete(timer)
      timer.act()
    }
  }
  return {
    keychain,
    layer,
    loads: () => loads,
    makeAvailable: () => void (isThere = true),
    pass,
    waits: () => [...timers].map(({ millis }) => millis)
  }
}

it.effect("E11: queries an unavailable keychain again, and writes the kept items to it", () =>
  Effect.gen(function*() {
    const { keychain, layer, loads, makeAvailable, pass, waits } = late()
    keychain.items.set("device-key:dev_1", "key")
    keychain.items.set("session:b", "old")
    yield* Effect.gen(function*() {
      const { place, read, remove, subscribe, write } = yield* SecretStore
      const notified: Array<boolean> = []
      subscribe((answers) => notified.push(answers))
      expect(Result.isFailure(yield* Effect.result(read("device-key:dev_1")))).toBe(true)
      yield* write("session:a", "value")
      yield* remove("session:b")
      expect(yield* read("session:b")).toEqual(Option.none())
      // Retried with growing pauses, not at each use.
      expect([loads(), waits()]).toEqual([1, [5_000]])
      pass(5_000)
      yield* Effect.promise(() => eventually(() => waits()[0] === 10_000 ? true : undefined))
      expect([loads(), notified, yield* place]).toMatchObject([2, [false], { kind: "memory" }])
      makeAvailable()
      pass(5_000)
      expect(yield* read("device-key:dev_1")).toEqual(Option.some("key"))
      expect([notified, yield* place, waits()]).toEqual([[false, true], { kind: "keychain" }, []])
      expect([...keychain.items]).toEqual([["device-key:dev_1", "key"], ["session:a", "value"]])
    }).pipe(Effect.provide(layer, { local: true }))
  }))

it.effect("E11: queries it at once after sleep and unlocking, and notifies the subscribers", () =>
  Effect.gen(function*() {
    const { layer, makeAvailable } = late()
    yield* Effect.gen(function*() {
      const { read, retry, subscribe } = yield* SecretStore
      const notified: Array<boolean> = []
      subscribe((answers) => notified.push(answers))
      yield* Effect.result(read("session:a"))
      yield* retry
      makeAvailable()
      yield* retry
      expect(notified).toEqual([false, true])
      // The keychain answered before, but may not have supplied an item.
      yield* retry
      expect(notified).toEqual([false, true, true])
    }).pipe(Effect.provide(layer, { local: true }))
  }))

it.effect("E11: deletes an item in a later run if the keychain did not answer, and reports it until then", () =>
  Effect.scoped(Effect.gen(function*() {
    const leftovers = join(yield* temporaryFolder, "keychain-left.json")
    const keychain = keychainInTest()
    keychain.items.set("session:a", "value")
    keychain.items.set("session:b", "value")
    const gone = SecretStore.layerOf(() => Promise.reject(new Error("no bus")), { leftovers })
    yield* Effect.gen(function*() {
      const { place, remove, write } = yield* SecretStore
      yield* remove("session:a")
      yield* remove("session:b")
      // Written again after the removal, so it need not be deleted.
      yield* write("session:b", "newer")
      expect(yield* place).toMatchObject({
        notice: expect.stringContaining("What you removed is still in the keychain (1)")
      })
    }).pipe(Effect.provide(gone, { local: true }))
    expect(JSON.parse(readFileSync(leftovers, "utf8"))).toEqual({ version: 1, accounts: ["session:a"] })
    yield* Effect.gen(function*() {
      const { place, read } = yield* SecretStore
      expect(yield* read("session:a")).toEqual(Option.none())
      expect(yield* place).toEqual({ kind: "keychain" })
      yield* Effect.promise(() => eventually(() => keychain.items.has("session:a") ? undefined : true))
    }).pipe(Effect.provide(SecretStore.layerOf(() => Promise.resolve(keychain), { leftovers }), { local: true }))
    yield* Effect.promise(() =>
      eventually(() => readFileSync(leftovers, "utf8").includes("session") ? undefined : true)
    )
    expect([...keychain.items]).toEqual([["session:b", "value"]])
  })))

it.effect("E11: accepts a keychain that answers after the time limit", () =>
  Effect.gen(function*() {
    const keychain = keychainInTest()
    const answer = Promise.withResolvers<void>()
    let asked = 0
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      yield* use(
        async () => ({
          ...keychain,
          getPassword: async (service, account) => {
            asked++
            await answer.promise
            return await keychain.getPassword(service, account)
          }
        }),
        Effect.gen(function*() {
          const { place, read, write } = yield* SecretStore
          yield* Effect.forkChild(write("session:a", "value"), { startImmediately: true })
          expect(yield* place).toEqual({ kind: "keychain" })
          yield* Effect.promise(() => vi.advanceTimersByTimeAsync(60_000))
          expect(yield* place).toMatchObject({ kind: "memory", notice: expect.stringContaining("it does not answer") })
          // Called once: a blocked call is not repeated in parallel.
          yield* Effect.promise(() => vi.advanceTimersByTimeAsync(600_000))
          expect([asked, yield* read("session:a")]).toEqual([1, Option.some("value")])
          answer.resolve()
          yield* Effect.promise(() => vi.advanceTimersByTimeAsync(0))
          expect([yield* place, keychain.items.get("session:a")]).toEqual([{ kind: "keychain" }, "value"])
        })
      )
    } finally {
      vi.useRealTimers()
    }
  }))

/** Separate programs, on a machine that may be busy. */
const programMillisMax = 300_000
const withKeychain = testWith(
  missingProgram("dbus-run-session", "dbus") ?? missingProgram("gnome-keyring-daemon", "gnome-keyring")
)

withKeychain("E11: a real Secret Service keeps an item over restarts of the app", async () => {
  const script = join(import.meta.dirname, "..", "..", "support", "with-secret-service.sh")
  const program = join(import.meta.dirname, "..", "..", "support", "secret-round-trip.ts")
  const { stdout } = await run(script, [
    "sh",
    "-c",
    `"$1" "$2" write && "$1" "$2" read && "$1" "$2" remove && "$1" "$2" read`,
    "sh",
    process.execPath,
    program
  ])
  expect(stdout.trim().split("\n")).toEqual([
    `{"place":"keychain"}`,
    `{"place":"keychain","found":"value of a test"}`,
    `{"place":"keychain"}`,
    `{"place":"keychain","found":null}`
  ])
}, programMillisMax)

withKeychain("E11: falls back to memory without a crash when the real keytar has no session bus", async () => {
  const program = join(import.meta.dirname, "..", "..", "support", "secret-round-trip.ts")
  const { DBUS_SESSION_BUS_ADDRESS: _, DISPLAY: __, ...env } = process.env
  const { stdout } = await run(process.execPath, [program, "write"], {
    env: { ...env, XDG_RUNTIME_DIR: "/nonexistent" }
  })
  expect(stdout.trim()).toBe(`{"place":"memory"}`)
}, programMillisMax)
