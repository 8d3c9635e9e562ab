/** E15: the decisions about updates, with a stub of the updater that the test controls. */
import type { UpdateState } from "@countersign/desktop/bridge/this-computer"
import { isUpdateFeed } from "@countersign/desktop/bridge/update-feed"
import {
  checkMillis,
  firstCheckMillisMax,
  makeUpdates,
  type Offer,
  type Updater,
  type UpdatesOptions
} from "@countersign/desktop/main/updates/updates"
import { assert, describe, it } from "vitest"

const feed = "https://updates.example/countersign"
const newer: Offer = { version: "0.2.0", files: ["https://updates.example/countersign/Countersign-0.2.0.AppImage"] }

interface Timer {
  readonly millis: number
  readonly act: () => void
}

const world = (more: Partial<UpdatesOptions> = {}) => {
  const recorded: Array<string> = []
  const timers = new Set<Timer>()
  const states: Array<UpdateState["phase"]> = []
  const deviceListeners = new Set<() => void>()
  let idle = true
  let loads = 0
  let offer: () => Promise<Offer | undefined> = () => Promise.resolve(newer)
  let download: (signal: AbortSignal) => Promise<void> = () => Promise.resolve()
  const updater: Updater = {
    check: (from) => {
      recorded.push(`check ${from}`)
      return offer()
    },
    download: (signal) => {
      recorded.push("download")
      return download(signal)
    },
    installAtQuit: (yes) => recorded.push(`at quit ${yes}`),
    quitAndInstall: () => recorded.push("install")
  }
  const updates = makeUpdates({
    version: "0.1.0",
    obstacle: undefined,
    packagedFeed: undefined,
    load: () => {
      loads++
      return Promise.resolve(updater)
    },
    device: {
      isIdle: () => idle,
      subscribe: (listener) => {
        deviceListeners.add(listener)
        return () => void deviceListeners.delete(listener)
      }
    },
    after: (millis, act) => {
      const timer = { millis, act }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    random: () => 0.5,
    now: () => 1_000,
    log: () => {},
    ...more
  })
  updates.subscribe(({ phase }) => states.push(phase))
  return {
    updates,
    recorded,
    states,
    timers,
    updater,
    deviceListeners,
    loads: () => loads,
    offers: (next: typeof offer) => {
      offer = next
    },
    downloads: (next: typeof download) => {
      download = next
    },
    setIdle: (next: boolean) => {
      idle = next
      for (const listener of deviceListeners) listener()
    },
    /** Removes and returns the only pending timer. */
    due: (): Timer => {
      assert.strictEqual(timers.size, 1)
      const [timer] = timers
      timers.delete(timer!)
      return timer!
    }
  }
}

const ready = async () => {
  const made = world()
  made.updates.setFeed(feed)
  await made.updates.check()
  assert.deepStrictEqual(made.updates.state(), { phase: "ready", version: "0.2.0", waits: false })
  made.recorded.length = 0
  made.states.length = 0
  return made
}

describe("E15: a feed", () => {
  it.each([
    ["https://updates.example/x", true],
    ["https://updates.example:8443/", true],
    ["http://updates.example/x", false],
    ["http://127.0.0.1/x", false],
    ["file:///srv/x", false],
    ["https://user:secret@updates.example/x", false],
    ["https://updates.example/x?token=1", false],
    ["https://updates.example/x#y", false],
    ["updates.example", false],
    ["", false],
    [`https://updates.example/${"x".repeat(2_000)}`, false]
  ])("accepts the address %j: %s", (text, expected) => assert.strictEqual(isUpdateFeed(text), expected))

  it("is absent by default: off, nothing loaded or scheduled, and a manual check has no effect", async () => {
    const { loads, timers, updates } = world()
    updates.setFeed(null)
    await updates.check()
    assert.deepStrictEqual(updates.state(), { phase: "off", reason: "no_feed" })
    assert.strictEqual(updates.install(), "not_ready")
    assert.strictEqual(loads() + timers.size, 0)
  })

  it("of the package applies until the settings name another, and must be HTTPS too", async () => {
    const { recorded, updates } = world({ packagedFeed: feed })
    updates.setFeed(null)
    await updates.check()
    assert.include(recorded, `check ${feed}`)
    updates.setFeed("https://other.example/")
    await updates.check()
    assert.include(recorded, "check https://other.example/")
    const plain = world({ packagedFeed: "http://updates.example/" }).updates
    plain.setFeed(null)
    assert.deepStrictEqual(plain.state(), { phase: "off", reason: "bad_feed" })
  })

  it.each(["not_packaged", "package_manager", "unsigned"] as const)(
    "has no effect when the app cannot update itself: %s",
    async (obstacle) => {
      const { loads, timers, updates } = world({ obstacle })
      updates.setFeed(feed)
      await updates.check()
      assert.deepStrictEqual(updates.state(), { phase: "off", reason: obstacle })
      assert.strictEqual(loads() + timers.size, 0)
    }
  )

  it("is checked within a minute of the start, then every six hours plus or minus a tenth", async () => {
    for (const random of [0, 0.5, 0.999]) {
      const { due, offers, updates } = world({ random: () => random })
      offers(() => Promise.resolve(undefined))
      updates.setFeed(feed)
      const first = due()
      assert.isAtMost(first.millis, firstCheckMillisMax)
      first.act()
      await updates.check()
      const { millis } = due()
      assert.isAtLeast(millis, checkMillis * 0.9)
      assert.isAtMost(millis, checkMillis * 1.1)
    }
  })
})

describe("E15: an offer", () => {
  it("is downloaded and reported, without automatic installation or a further check", async () => {
    const { recorded, states, timers, updates } = world()
    updates.setFeed(feed)
    await updates.check()
    assert.deepStrictEqual(states, ["idle", "checking", "downloading", "ready"])
    assert.deepStrictEqual(recorded, [`check ${feed}`, "download", "at quit true"])
    assert.strictEqual(timers.size, 0)
  })

  it("leaves the state idle with the time of the check when nothing is new", async () => {
    const { offers, updates } = world()
    offers(() => Promise.resolve(undefined))
    updates.setFeed(feed)
    await updates.check()
    assert.deepStrictEqual(updates.state(), { phase: "idle", checkedAt: 1_000 })
  })

  it.each([
    ["an older version", { ...newer, version: "0.0.9" }],
    ["the same version", { ...newer, version: "0.1.0" }],
    ["an invalid version", { ...newer, version: "newest" }],
    ["no file", { ...newer, files: [] }],
    ["a file over plain http", { ...newer, files: [...newer.files, "http://updates.example/x"] }],
    ["a file without an address", { ...newer, files: ["x"] }]
  ])("of %s is refused and not downloaded", async (_, offer) => {
    const { due, offers, recorded, updates } = world()
    offers(() => Promise.resolve(offer))
    updates.setFeed(feed)
    await updates.check()
    assert.strictEqual(updates.state().phase, "failed")
    assert.deepStrictEqual(recorded, [`check ${feed}`])
    assert.isAbove(due().millis, 0)
  })

  it("reports a failure in one line and is retried; concurrent checks share one", async () => {
    const { downloads, due, recorded, updates } = world()
    downloads(() => Promise.reject(new Error("sha512 checksum mismatch\n    at x")))
    updates.setFeed(feed)
    await Promise.all([updates.check(), updates.check()])
    assert.deepStrictEqual(updates.state(), { phase: "failed", reason: "sha512 checksum mismatch", since: 1_000 })
    assert.lengthOf(recorded.filter((each) => each === "download"), 1)
    downloads(() => Promise.resolve())
    due().act()
    await updates.check()
    assert.strictEqual(updates.state().phase, "ready")
  })

  it("fails when the updater cannot be loaded, and loads it again", async () => {
    let loads = 0
    const { updater, updates } = world({
      load: () => ++loads === 1 ? Promise.reject(new Error("no such module")) : Promise.resolve(updater)
    })
    updates.setFeed(feed)
    await updates.check()
    assert.deepStrictEqual(updates.state(), { phase: "failed", reason: "no such module", since: 1_000 })
    await updates.check()
    assert.strictEqual(updates.state().phase, "ready")
  })

  it("is discarded when its feed is removed meanwhile, and its download is aborted", async () => {
    const { downloads, recorded, updates } = world()
    let ended = false
    const begun = new Promise<void>((begins) =>
      downloads((signal) =>
        new Promise((_, fails) => {
          signal.addEventListener("abort", () => {
            ended = true
            fails(new Error("cancelled"))
          })
          begins()
        })
      )
    )
    updates.setFeed(feed)
    const checked = updates.check()
    await begun
    updates.setFeed(null)
    await checked
    assert.isTrue(ended)
    assert.deepStrictEqual(updates.state(), { phase: "off", reason: "no_feed" })
    assert.notInclude(recorded, "at quit true")
  })
})

describe("E15: installing", () => {
  it("starts at once on a person's request while the device runs nothing", async () => {
    const { recorded, updates } = await ready()
    assert.strictEqual(updates.install(), "installing")
    assert.deepStrictEqual(recorded, ["install"])
  })

  it("waits while the device runs a command, and reports it", async () => {
    const { recorded, setIdle, updates } = await ready()
    setIdle(false)
    assert.strictEqual(updates.install(), "waits")
    assert.deepStrictEqual(updates.state(), { phase: "ready", version: "0.2.0", waits: true })
    assert.notInclude(recorded, "install")
    setIdle(true)
    assert.include(recorded, "install")
    assert.deepStrictEqual(updates.state(), { phase: "ready", version: "0.2.0", waits: false })
  })

  it("at quit is enabled only while the device runs nothing", async () => {
    const { recorded, setIdle } = await ready()
    setIdle(false)
    setIdle(true)
    assert.deepStrictEqual(recorded, ["at quit false", "at quit true"])
  })

  it("never happens after the feed was removed", async () => {
    const { recorded, updates } = await ready()
    updates.setFeed(null)
    assert.deepStrictEqual(recorded, ["at quit false"])
    assert.strictEqual(updates.install(), "not_ready")
  })

  it("stops all checks and events when the app ends, and keeps a ready update for the quit", async () => {
    const first = await ready()
    first.updates.close()
    assert.deepStrictEqual([first.recorded, first.timers.size, first.deviceListeners.size], [[], 0, 0])
    const second = world()
    second.updates.setFeed(feed)
    second.updates.close()
    await second.updates.check()
    assert.deepStrictEqual([second.recorded, second.timers.size, second.loads()], [[], 0, 0])
  })

  it("that the system refuses is reported as a failure, and the feed is checked again", async () => {
    const made = world()
    Object.assign(made.updater, {
      quitAndInstall: () => {
        throw new Error("read-only file system")
      }
    })
    made.updates.setFeed(feed)
    await made.updates.check()
    made.updates.install()
    assert.deepStrictEqual(made.updates.state(), { phase: "failed", reason: "read-only file system", since: 1_000 })
    assert.isAbove(made.due().millis, 0)
  })
})
