/** Hub profiles on the disk. */
import { Profiles } from "@countersign/desktop/main/profiles/profiles"
import { hubAddress } from "@countersign/hub-client/hub-address"
import { expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../../support/desktop-main.ts"

const hub = { name: "Works", url: "https://hub.example.com/", hub_id: "hub_1" }
const inFolder = <A, E>(folder: string, effect: Effect.Effect<A, E, Profiles>) =>
  Effect.provide(effect, Profiles.layer(folder), { local: true })

it.effect("keeps a profile over restarts, in a file that only its owner can read", () =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const made = yield* inFolder(folder, Effect.flatMap(Profiles, ({ add }) => add(hub)))
    expect(made.url).toBe("https://hub.example.com")
    expect(statSync(join(folder, "profiles.json")).mode & 0o777).toBe(0o600)
    const [again, current] = yield* inFolder(
      folder,
      Effect.flatMap(Profiles, ({ all, current }) => Effect.all([all, current]))
    )
    expect(again).toEqual([made])
    expect(current).toBe(made.id)
  })))

it.effect("moves and reports an invalid file, and never overwrites it", () =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const broken = `{"version":1,"current":null,"profiles":[{"id":"other"}]}`
    writeFileSync(join(folder, "profiles.json"), broken)
    const problem = yield* inFolder(
      folder,
      Effect.gen(function*() {
        const profiles = yield* Profiles
        yield* profiles.add(hub)
        return profiles.problem
      })
    )
    expect(problem).toContain("profiles.json.broken-1")
    expect(readdirSync(folder).sort()).toEqual(["profiles.json", "profiles.json.broken-1"])
    expect(readFileSync(join(folder, "profiles.json.broken-1"), "utf8")).toBe(broken)
  })))

it.effect("keeps all concurrent changes, and adds no hub twice", () =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* temporaryFolder
    yield* inFolder(
      folder,
      Effect.gen(function*() {
        const { add, all, remove, update } = yield* Profiles
        yield* Effect.all(
          [1, 2, 3, 4, 5].map((at) => add({ ...hub, url: `https://hub${at}.example.com`, hub_id: `hub_${at}` })),
          { concurrency: "unbounded" }
        )
        expect(yield* all).toHaveLength(5)
        const twice = yield* Effect.result(add({ ...hub, url: "https://hub1.example.com", hub_id: "hub_1" }))
        expect(Result.isFailure(twice) && twice.failure.reason).toBe("This hub is already in the list.")
        const [first] = yield* all
        const limited = yield* update(first!.id, { limit_cents: 5_000 })
        expect(limited.limit_cents).toBe(5_000)
        expect(yield* update(first!.id, { limit_cents: null })).not.toHaveProperty("limit_cents")
        expect(Result.isFailure(yield* Effect.result(update(first!.id, { limit_cents: -1 })))).toBe(true)
        yield* remove(first!.id)
        expect(Result.isFailure(yield* Effect.result(remove(first!.id)))).toBe(true)
      })
    )
    const kept = yield* inFolder(folder, Effect.flatMap(Profiles, ({ all }) => all))
    expect(kept.map(({ hub_id }) => hub_id)).toEqual(["hub_2", "hub_3", "hub_4", "hub_5"])
  })))

it.effect("E10: keeps the hub's limit when it is removed and added again, or added under another address", () =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const [home, name] = [{ ...hub, url: "http://127.0.0.1:4780", hub_id: "hub_1" }, {
      ...hub,
      url: "http://localhost:4780",
      hub_id: "hub_1"
    }]
    yield* inFolder(
      folder,
      Effect.gen(function*() {
        const { add, all, remove, update } = yield* Profiles
        const limits = Effect.map(all, (profiles) => profiles.map(({ limit_cents }) => limit_cents))
        const first = yield* add(home)
        yield* update(first.id, { limit_cents: 1_000 })
        const second = yield* add(name)
        expect(yield* limits).toEqual([1_000, 1_000])
        yield* add({ ...hub, url: "https://other.example.com", hub_id: "hub_2" })
        yield* update(second.id, { limit_cents: 500 })
        expect(yield* limits).toEqual([500, 500, undefined])
        yield* update(second.id, { name: "Renamed" })
        expect(yield* limits).toEqual([500, 500, undefined])
        yield* remove(first.id)
        yield* remove(second.id)
      })
    )
    // After a restart as well.
    yield* inFolder(
      folder,
      Effect.gen(function*() {
        const { add, remove, update } = yield* Profiles
        const again = yield* add(name)
        expect(again.limit_cents).toBe(500)
        yield* update(again.id, { limit_cents: null })
        yield* remove(again.id)
        expect(yield* add(home)).not.toHaveProperty("limit_cents")
      })
    )
  })))

it("accepts a link to one of a hub's pages as the hub's address", () => {
  for (
    const page of [
      "/setup#token=abc-1_2",
      "/sign-in?next=%2F",
      "/w/acme/approvals/apr_1",
      "/api/v1/health",
      "/api/v1",
      "/docs",
      "/start/"
    ]
  ) {
    expect(hubAddress(`https://hub.example.com${page}`), page).toBe("https://hub.example.com")
    expect(hubAddress(`https://hub.example.com/base${page}`), page).toBe("https://hub.example.com/base")
  }
  for (const base of ["/w", "/api", "/setups", "/base/docs/hub"]) {
    expect(hubAddress(`https://hub.example.com${base}`)).toBe(`https://hub.example.com${base}`)
  }
})

it("E13: allows plain HTTP only for this computer, and no user in an address", () => {
  expect(hubAddress("http://127.0.0.1:4780/")).toBe("http://127.0.0.1:4780")
  expect(hubAddress("http://localhost:4780")).toBe("http://localhost:4780")
  expect(hubAddress("http://[::1]:4780")).toBe("http://[::1]:4780")
  expect(hubAddress("hub.example.com/base/")).toBe("https://hub.example.com/base")
  for (
    const refused of [
      "http://hub.example.com",
      "http://127.0.0.1.example.com",
      "http://localhost.example.com",
      "http://10.0.0.1",
      "https://ada:pw@hub.example.com",
      "ftp://hub.example.com",
      "file:///etc/passwd",
      "javascript:alert(1)",
      ""
    ]
  ) expect(hubAddress(refused), refused).toHaveProperty("reason")
})
