/** E15: what the updates decide, over a stand-in for the updater that does as the test says. */
import {
  checkMillis,
  firstCheckMillisMax,
  isUpdateFeed,
  makeUpdates,
  type Offer,
  type Updater,
  type UpdatesOptions,
  type UpdateState
} from "@countersign/desktop/main/updates"
import { assert, describe, it } from "vitest"

const feed = "https://updates.example/countersign"
const newer: Offer = { version: "0.2.0", files: ["https://updates.example/countersign/Countersign-0.2.0.AppImage"] }

interface Timer {
  readonly millis: number
  readonly act: () => void
}

const world = (more: Partial<UpdatesOptions> = {}) => {
  const said: Array<string> = []
  const timers = new Set<Timer>()
  const states: Array<UpdateState["phase"]> = []
  const deviceListeners = new Set<() => void>()
  let idle = true
  let loads = 0
  let offer: () => Promise<Offer | undefined> = () => Promise.resolve(newer)
  let download: (signal: AbortSignal) => Promise<void> = () => Promise.resolve()
  const updater: Updater = {
    check: (from) => {
      said.push(`check ${from}`)
      return offer()
    },
    download: (signal) => {
      said.push("download")
      return download(signal)
    },
    installAtQuit: (yes) => said.push(`at quit ${yes}`),
    quitAndInstall: () => said.push("install")
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
    said,
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
    /** What waits for its time, and its time. */
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
  made.said.length = 0
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
  ])("%j is one: %s", (text, expected) => assert.strictEqual(isUpdateFeed(text), expected))

  it("is not there at first: off, nothing loaded, nothing planned, and looking now asks nobody", async () => {
    const { loads, timers, updates } = world()
    updates.setFeed(null)
    await updates.check()
    assert.deepStrictEqual(updates.state(), { phase: "off", reason: "no_feed" })
    assert.strictEqual(updates.install(), "not_ready")
    assert.strictEqual(loads() + timers.size, 0)
  })

  it("of the package counts until the settings name another, and must be https too", async () => {
    const { said, updates } = world({ packagedFeed: feed })
    updates.setFeed(null)
    await updates.check()
    assert.include(said, `check ${feed}`)
    updates.setFeed("https://other.example/")
    await updates.check()
    assert.include(said, "check https://other.example/")
    const plain = world({ packagedFeed: "http://updates.example/" }).updates
    plain.setFeed(null)
    assert.deepStrictEqual(plain.state(), { phase: "off", reason: "bad_feed" })
  })

  it.each(["not_packaged", "package_manager", "unsigned"] as const)(
    "changes nothing where the app cannot renew itself: %s",
    async (obstacle) => {
      const { loads, timers, updates } = world({ obstacle })
      updates.setFeed(feed)
      await updates.check()
      assert.deepStrictEqual(updates.state(), { phase: "off", reason: obstacle })
      assert.strictEqual(loads() + timers.size, 0)
    }
  )

  it("is looked at within a minute of the start, then each six hours give or take a tenth", async () => {
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
  it("is downloaded and told of; nothing is installed by itself, and no further look is planned", async () => {
    const { said, states, timers, updates } = world()
    updates.setFeed(feed)
    await updates.check()
    assert.deepStrictEqual(states, ["idle", "checking", "downloading", "ready"])
    assert.deepStrictEqual(said, [`check ${feed}`, "download", "at quit true"])
    assert.strictEqual(timers.size, 0)
  })

  it("of nothing new leaves it idle, with the time of the look", async () => {
    const { offers, updates } = world()
    offers(() => Promise.resolve(undefined))
    updates.setFeed(feed)
    await updates.check()
    assert.deepStrictEqual(updates.state(), { phase: "idle", checkedAt: 1_000 })
  })

  it.each([
    ["an older version", { ...newer, version: "0.0.9" }],
    ["the same version", { ...newer, version: "0.1.0" }],
    ["what is no version", { ...newer, version: "newest" }],
    ["no file", { ...newer, files: [] }],
    ["a file over plain http", { ...newer, files: [...newer.files, "http://updates.example/x"] }],
    ["a file at no address", { ...newer, files: ["x"] }]
  ])("of %s is refused and not downloaded", async (_, offer) => {
    const { due, offers, said, updates } = world()
    offers(() => Promise.resolve(offer))
    updates.setFeed(feed)
    await updates.check()
    assert.strictEqual(updates.state().phase, "failed")
    assert.deepStrictEqual(said, [`check ${feed}`])
    assert.isAbove(due().millis, 0)
  })

  it("that fails says why in a line and is tried again; two looks at once are one", async () => {
    const { downloads, due, said, updates } = world()
    downloads(() => Promise.reject(new Error("sha512 checksum mismatch\n    at x")))
    updates.setFeed(feed)
    await Promise.all([updates.check(), updates.check()])
    assert.deepStrictEqual(updates.state(), { phase: "failed", reason: "sha512 checksum mismatch", since: 1_000 })
    assert.lengthOf(said.filter((each) => each === "download"), 1)
    downloads(() => Promise.resolve())
    due().act()
    await updates.check()
    assert.strictEqual(updates.state().phase, "ready")
  })

  it("what cannot be loaded fails like any other, and is loaded anew", async () => {
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

  it("of a feed that was taken back meanwhile is let go, and its download ended", async () => {
    const { downloads, said, updates } = world()
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
    const looked = updates.check()
    await begun
    updates.setFeed(null)
    await looked
    assert.isTrue(ended)
    assert.deepStrictEqual(updates.state(), { phase: "off", reason: "no_feed" })
    assert.notInclude(said, "at quit true")
  })
})

describe("E15: installing", () => {
  it("is asked for by a person, and done at once while the device runs nothing", async () => {
    const { said, updates } = await ready()
    assert.strictEqual(updates.install(), "installing")
    assert.deepStrictEqual(said, ["install"])
  })

  it("waits while the device runs something, and says so", async () => {
    const { said, setIdle, updates } = await ready()
    setIdle(false)
    assert.strictEqual(updates.install(), "waits")
    assert.deepStrictEqual(updates.state(), { phase: "ready", version: "0.2.0", waits: true })
    assert.notInclude(said, "install")
    setIdle(true)
    assert.include(said, "install")
    assert.deepStrictEqual(updates.state(), { phase: "ready", version: "0.2.0", waits: false })
  })

  it("at quit is switched by whether the device runs something", async () => {
    const { said, setIdle } = await ready()
    setIdle(false)
    setIdle(true)
    assert.deepStrictEqual(said, ["at quit false", "at quit true"])
  })

  it("never happens when the feed was taken back", async () => {
    const { said, updates } = await ready()
    updates.setFeed(null)
    assert.deepStrictEqual(said, ["at quit false"])
    assert.strictEqual(updates.install(), "not_ready")
  })

  it("ends with the app: nothing is looked at or heard any more, and what is ready stays so for the quit", async () => {
    const first = await ready()
    first.updates.close()
    assert.deepStrictEqual([first.said, first.timers.size, first.deviceListeners.size], [[], 0, 0])
    const second = world()
    second.updates.setFeed(feed)
    second.updates.close()
    await second.updates.check()
    assert.deepStrictEqual([second.said, second.timers.size, second.loads()], [[], 0, 0])
  })

  it("that the system refuses is a failure, and the feed is looked at again", async () => {
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
