/** E11: the keychain, a real one where this machine has it, and what happens without. */
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

it.effect("E11: without a keychain secrets live in memory, and a notice says so", () =>
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
    // The next start does not know what the keychain holds, and does not call that nothing.
    const read = yield* use(load, Effect.flatMap(SecretStore, ({ read }) => Effect.result(read("session:a"))))
    expect(Result.isFailure(read) && read.failure.reason).toBe("Failed to load keytar native addon")
  }))

it.effect("E11: an item that the keychain does not give is an error of its own, not an absence", () =>
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

it.effect("E11: what a keychain refuses to keep is held in memory and told of", () =>
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

/** A keychain that comes after the app's start, and the store's timers in the test's hand. */
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
    come: () => void (isThere = true),
    pass,
    waits: () => [...timers].map(({ millis }) => millis)
  }
}

it.effect("E11: a keychain that comes later is asked again, and given what was kept for it", () =>
  Effect.gen(function*() {
    const { come, keychain, layer, loads, pass, waits } = late()
    keychain.items.set("device-key:dev_1", "key")
    keychain.items.set("session:b", "old")
    yield* Effect.gen(function*() {
      const { place, read, remove, subscribe, write } = yield* SecretStore
      const told: Array<boolean> = []
      subscribe((answers) => told.push(answers))
      expect(Result.isFailure(yield* Effect.result(read("device-key:dev_1")))).toBe(true)
      yield* write("session:a", "value")
      yield* remove("session:b")
      expect(yield* read("session:b")).toEqual(Option.none())
      // Not at each use, but ever more seldom.
      expect([loads(), waits()]).toEqual([1, [5_000]])
      pass(5_000)
      yield* Effect.promise(() => eventually(() => waits()[0] === 10_000 ? true : undefined))
      expect([loads(), told, yield* place]).toMatchObject([2, [false], { kind: "memory" }])
      come()
      pass(5_000)
      expect(yield* read("device-key:dev_1")).toEqual(Option.some("key"))
      expect([told, yield* place, waits()]).toEqual([[false, true], { kind: "keychain" }, []])
      expect([...keychain.items]).toEqual([["device-key:dev_1", "key"], ["session:a", "value"]])
    }).pipe(Effect.provide(layer, { local: true }))
  }))

it.effect("E11: after sleep and an unlocked screen it is asked at once, and who could not read is told", () =>
  Effect.gen(function*() {
    const { come, layer } = late()
    yield* Effect.gen(function*() {
      const { read, retry, subscribe } = yield* SecretStore
      const told: Array<boolean> = []
      subscribe((answers) => told.push(answers))
      yield* Effect.result(read("session:a"))
      yield* retry
      come()
      yield* retry
      expect(told).toEqual([false, true])
      // It answered all the while, and perhaps did not give an item.
      yield* retry
      expect(told).toEqual([false, true, true])
    }).pipe(Effect.provide(layer, { local: true }))
  }))

it.effect("E11: what was removed while the keychain did not answer leaves it in a later run, and is told of until then", () =>
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
      // Signed in again there, it is none any more.
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

it.effect("E11: one that answers after it was given up is taken all the same", () =>
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
          // Asked once: what is stuck is not asked again beside itself.
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

/** Programs of their own, on a machine that may be busy. */
const programMillisMax = 300_000
const withKeychain = testWith(
  missingProgram("dbus-run-session", "dbus") ?? missingProgram("gnome-keyring-daemon", "gnome-keyring")
)

withKeychain("E11: a real Secret Service keeps it over starts of the app", async () => {
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

withKeychain("E11: without a session bus the real keytar is answered by memory, not by a crash", async () => {
  const program = join(import.meta.dirname, "..", "..", "support", "secret-round-trip.ts")
  const { DBUS_SESSION_BUS_ADDRESS: _, DISPLAY: __, ...env } = process.env
  const { stdout } = await run(process.execPath, [program, "write"], {
    env: { ...env, XDG_RUNTIME_DIR: "/nonexistent" }
  })
  expect(stdout.trim()).toBe(`{"place":"memory"}`)
}, programMillisMax)
