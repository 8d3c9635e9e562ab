/** E11: the keychain, a real one where this machine has it, and what happens without. */
import { SecretStore } from "@countersign/desktop/main/secrets/secret-store"
import { expect, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { execFile, spawnSync } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { keychainInTest } from "../../support/desktop-main.ts"

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
    yield* use(load, Effect.gen(function*() {
      const { place, read, remove, write } = yield* SecretStore
      expect(loads).toBe(0)
      yield* write("session:a", "value")
      expect(yield* read("session:a")).toEqual(Option.some("value"))
      expect(yield* place).toMatchObject({ kind: "memory", notice: expect.stringContaining("nothing is written to the disk") })
      yield* remove("session:a")
      expect(yield* read("session:a")).toEqual(Option.none())
      expect(loads).toBe(1)
    }))
    // The next start knows nothing of it.
    expect(yield* use(load, Effect.flatMap(SecretStore, ({ read }) => read("session:a")))).toEqual(Option.none())
  }))

it.effect("E11: an item that the keychain does not give is an error of its own, not an absence", () =>
  Effect.gen(function*() {
    const keychain = keychainInTest()
    keychain.items.set("session:a", "value")
    keychain.locked.add("session:a")
    const read = yield* use(() => Promise.resolve(keychain), Effect.flatMap(SecretStore, ({ read }) => Effect.result(read("session:a"))))
    expect(Result.isFailure(read) && read.failure._tag).toBe("SecretUnreadable")
  }))

it.effect("E11: what a keychain refuses to keep is held in memory and told of", () =>
  Effect.gen(function*() {
    const keychain = { ...keychainInTest(), setPassword: () => Promise.reject(new Error("read only")) }
    yield* use(() => Promise.resolve(keychain), Effect.gen(function*() {
      const { place, read, write } = yield* SecretStore
      expect(yield* place).toEqual({ kind: "keychain" })
      yield* write("session:a", "value")
      expect(yield* read("session:a")).toEqual(Option.some("value"))
      expect(yield* place).toMatchObject({ kind: "memory" })
    }))
  }))

/** Programs of their own, on a machine that may be busy. */
const programMillisMax = 300_000
const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0
const missing = process.platform !== "linux" ? "another system's keychain is not tried here"
  : ["dbus-run-session", "gnome-keyring-daemon"].filter((program) => !has(program)).map((program) => `${program} is not installed`).join(", ")

it.skipIf(missing !== "")(`E11: a real Secret Service keeps it over starts of the app${missing === "" ? "" : ` (skipped: ${missing})`}`, async () => {
  const script = join(import.meta.dirname, "..", "..", "support", "with-secret-service.sh")
  const program = join(import.meta.dirname, "..", "..", "support", "secret-round-trip.ts")
  const { stdout } = await run(script, ["sh", "-c", `"$1" "$2" write && "$1" "$2" read && "$1" "$2" remove && "$1" "$2" read`, "sh", process.execPath, program])
  expect(stdout.trim().split("\n")).toEqual([
    `{"place":"keychain"}`, `{"place":"keychain","found":"value of a test"}`, `{"place":"keychain"}`, `{"place":"keychain","found":null}`
  ])
}, programMillisMax)

it.skipIf(missing !== "")("E11: without a session bus the real keytar is answered by memory, not by a crash", async () => {
  const program = join(import.meta.dirname, "..", "..", "support", "secret-round-trip.ts")
  const { DBUS_SESSION_BUS_ADDRESS: _, DISPLAY: __, ...env } = process.env
  const { stdout } = await run(process.execPath, [program, "write"], { env: { ...env, XDG_RUNTIME_DIR: "/nonexistent" } })
  expect(stdout.trim()).toBe(`{"place":"memory"}`)
}, programMillisMax)
