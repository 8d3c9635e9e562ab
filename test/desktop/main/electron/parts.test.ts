/** The thin adapters over Electron's APIs, with recording stubs: which parts of the model reach the system. */
import { makeBadge } from "@countersign/desktop/main/electron/badge"
import { notificationScreen } from "@countersign/desktop/main/electron/notifications"
import { watchPower } from "@countersign/desktop/main/electron/power"
import { makeShortcuts } from "@countersign/desktop/main/electron/shortcuts"
import { drawsTrays, makeTray } from "@countersign/desktop/main/electron/tray"
import { forkUtility } from "@countersign/desktop/main/electron/utility-process"
import type { Notice } from "@countersign/desktop/main/notices/notice"
import { emptyOverview } from "@countersign/desktop/main/waiting/overview"
import { type TrayModel, trayOf } from "@countersign/desktop/main/waiting/tray"
import { assert, describe, it } from "vitest"

const model: TrayModel = {
  ...trayOf({ overview: emptyOverview, panic: { stopped: false }, now: 0 }),
  picture: { kind: "waiting", text: "7" },
  title: "7",
  badge: 7,
  menu: [{ kind: "fact", label: "R&D" }, { kind: "line" }, { kind: "act", label: "Open", act: { kind: "open" } }]
}

const trayWorld = (platform: NodeJS.Platform, { refuses = false } = {}) => {
  const recorded: Array<unknown> = []
  const acts: Array<string> = []
  const image = (name: string): never =>
    ({
      crop: ({ width, x }: { width: number; x: number }) => image(`${name}@${x}/${width}`),
      toPNG: () => Buffer.from(name),
      addRepresentation: ({ scaleFactor }: { scaleFactor: number }) => recorded.push(["also", scaleFactor]),
      setTemplateImage: () => recorded.push("template"),
      name
    }) as never
  const listeners = new Map<string, () => void>()
  const tray = makeTray<
    ReadonlyArray<{ readonly label?: string; readonly enabled?: boolean; readonly click?: () => void }>
  >(
    {
      platform,
      resources: "/res",
      newTray: (first) => {
        if (refuses) throw new Error("no tray here")
        recorded.push(["tray", (first as never as { name: string }).name])
        return {
          setImage: (next) => recorded.push(["image", (next as never as { name: string }).name]),
          setToolTip: (text) => recorded.push(["tooltip", text]),
          setTitle: (text) => recorded.push(["title", text]),
          setContextMenu: (menu) => recorded.push(["menu", menu]),
          on: (event, listener) => listeners.set(event, listener),
          destroy: () => recorded.push("destroyed")
        }
      },
      nativeImage: { createFromPath: (path) => image(path) },
      buildMenu: (items) => items,
      setBadgeCount: (count) => recorded.push(["badge", count])
    },
    model,
    (act) => acts.push(act.kind),
    (event) => recorded.push(event)
  )
  return { acts, listeners, recorded, tray }
}

describe("Electron's tray", () => {
  it("draws the icon's cell in both sizes, the tooltip, the badge, and the menu", () => {
    const { acts, listeners, recorded } = trayWorld("linux")
    assert.deepInclude(recorded, ["tray", "/res/tray-16.png@144/16"])
    assert.deepInclude(recorded, ["also", 2])
    assert.deepInclude(recorded, ["badge", 7])
    const menu = (recorded.find((each) => Array.isArray(each) && each[0] === "menu") as [
      string,
      ReadonlyArray<{ label?: string; enabled?: boolean; click?: () => void }>
    ])[1]
    assert.deepStrictEqual(menu.map(({ enabled, label }) => [label, enabled]), [
      ["R&&D", false],
      [undefined, undefined],
      ["Open", undefined]
    ])
    menu[2]!.click!()
    listeners.get("click")!()
    assert.deepStrictEqual(acts, ["open", "open"])
  })

  it("updates only changed parts, and does not replace an open menu by an equal one", () => {
    const { recorded, tray } = trayWorld("linux")
    const before = recorded.length
    tray!.show({ ...model, menu: structuredClone(model.menu) as TrayModel["menu"] })
    assert.lengthOf(recorded, before)
    tray!.show({ ...model, badge: 8, picture: { kind: "waiting", text: "8" } })
    assert.deepStrictEqual(recorded.slice(before).filter((each) => Array.isArray(each) && each[0] !== "also"), [[
      "image",
      "/res/tray-16.png@160/16"
    ], ["badge", 8]])
  })

  it("is a template with the count beside it on macOS", () => {
    const { recorded } = trayWorld("darwin")
    assert.deepInclude(recorded, ["tray", "/res/tray-template-16.png@48/16"])
    assert.include(recorded, "template")
    assert.deepInclude(recorded, ["title", "7"])
  })

  it("is not relied on under GNOME without Ubuntu's extension, so closing the window closes the app", () => {
    const on = (platform: NodeJS.Platform, desktop?: string) =>
      drawsTrays({ platform, environment: { XDG_CURRENT_DESKTOP: desktop } })
    assert.deepStrictEqual([on("linux", "GNOME"), on("linux", "GNOME-Classic:GNOME")], [false, false])
    assert.deepStrictEqual(
      [on("linux", "ubuntu:GNOME"), on("linux", "KDE"), on("linux"), on("darwin"), on("win32")],
      Array(5).fill(true)
    )
  })

  it("is absent without an error on a desktop without a tray", () => {
    const { recorded, tray } = trayWorld("linux", { refuses: true })
    assert.isUndefined(tray)
    assert.include(recorded, "no_tray")
  })
})

describe("the count on the app's icon", () => {
  it("is the system's badge, and an overlay on each window in Windows' taskbar, also on a later window", () => {
    const recorded: Array<unknown> = []
    let addWindow: (window: never) => void = () => {}
    const window = (name: string, isDestroyed = false) => ({
      isDestroyed: () => isDestroyed,
      setOverlayIcon: (...given: ReadonlyArray<unknown>) => recorded.push([name, ...given])
    })
    const badge = (platform: NodeJS.Platform) =>
      makeBadge({
        platform,
        setBadgeCount: (count) => recorded.push(count),
        windows: () => [window("console"), window("gone", true)],
        onWindow: (listener) => {
          addWindow = listener
        },
        strip: () => ({ crop: ({ x }) => `cell ${x / 32}` as never }),
        side: 32
      })
    badge("linux")(3)
    assert.deepStrictEqual(recorded.splice(0), [3])
    const show = badge("win32")
    show(120)
    addWindow(window("owner") as never)
    show(0)
    addWindow(window("later") as never)
    assert.deepStrictEqual(recorded, [
      ["console", "cell 102", "99+ pending approvals and requests"],
      ["owner", "cell 102", "99+ pending approvals and requests"],
      ["console", null, ""]
    ])
  })
})

describe("Electron's notifications", () => {
  const notice = (keys: ReadonlyArray<string>): Notice => ({
    keys,
    title: "t",
    body: "b",
    target: { kind: "inbox", profile: "prf_1" },
    reminder: false
  })
  const world = (supported = true) => {
    const recorded: Array<string> = []
    const made: Array<{ options: object; fire: (event: string) => void }> = []
    const screen = notificationScreen({
      isSupported: () => supported,
      newNotification: (options) => {
        const at = made.length
        const listeners = new Map<string, () => void>()
        made.push({ options, fire: (event) => listeners.get(event)?.() })
        return {
          show: () => recorded.push(`show ${at}`),
          close: () => recorded.push(`close ${at}`),
          on: (event, listener) => listeners.set(event, listener)
        }
      }
    }, (event) => recorded.push(event))
    return { made, recorded, screen }
  }

  it("E14: have a title and a body, no button, and no reply; a click opens", () => {
    const { made, recorded, screen } = world()
    screen.show(notice(["a"]), () => recorded.push("opened"))
    assert.deepStrictEqual(made[0]!.options, { title: "t", body: "b", silent: false })
    made[0]!.fire("click")
    assert.deepStrictEqual(recorded, ["show 0", "opened"])
  })

  it("close when the last of their approvals is decided", () => {
    const { recorded, screen } = world()
    screen.show(notice(["a", "b"]), () => {})
    screen.close(["a"])
    assert.deepStrictEqual(recorded, ["show 0"])
    screen.close(["b"])
    assert.deepStrictEqual(recorded, ["show 0", "close 0"])
  })

  it("are reported as missing when the system has none", async () => {
    const { recorded, screen } = world(false)
    screen.show(notice(["a"]), () => {})
    assert.deepStrictEqual(recorded, ["no_notifications"])
    assert.strictEqual(screen.problem(), "none_here")
    assert.strictEqual(await screen.tryOut(() => {}), "none_here")
  })

  it("are tested like those of pending approvals; the last reported problem is kept until one is shown", async () => {
    const { made, recorded, screen } = world()
    const changes: Array<unknown> = []
    screen.subscribe(() => changes.push(screen.problem()))
    const failed = screen.tryOut(() => {})
    made[0]!.fire("failed")
    assert.strictEqual(await failed, "failed")
    assert.strictEqual(screen.problem(), "failed")
    const shown = screen.tryOut(() => recorded.push("opened"))
    made[1]!.fire("show")
    assert.isNull(await shown)
    assert.deepStrictEqual(changes, ["failed", null])
    made[1]!.fire("click")
    assert.deepStrictEqual(recorded, ["show 0", "notification_failed", "show 1", "opened"])
    // When the system reports nothing, no problem is assumed.
    assert.isNull(await screen.tryOut(() => {}))
  })
})

describe("Electron's shortcuts", () => {
  const world = (environment: Record<string, string> = {}, taken: ReadonlyArray<string> = []) => {
    const registered: Array<string> = []
    const shortcuts = makeShortcuts({
      register: (accelerator) => !taken.includes(accelerator) && registered.push(accelerator) > 0,
      unregisterAll: () => {
        registered.length = 0
      },
      platform: "linux",
      environment
    }, { open: () => {}, panic: () => {} })
    return { registered, shortcuts }
  }

  it("are registered again at each change, and report a shortcut that another program uses", () => {
    const { registered, shortcuts } = world({}, ["Control+P"])
    assert.deepStrictEqual(shortcuts.set({ shortcut: "Control+K", panic_shortcut: "Control+P" }), {
      open: "works",
      panic: "taken"
    })
    assert.deepStrictEqual(shortcuts.set({ shortcut: null, panic_shortcut: null }), { open: "off", panic: "off" })
    assert.isEmpty(registered)
  })

  it("are omitted under Wayland, and reported as unavailable", () => {
    const { registered, shortcuts } = world({ XDG_SESSION_TYPE: "wayland" })
    assert.deepStrictEqual(shortcuts.set({ shortcut: "Control+K", panic_shortcut: null }), {
      open: "not_here",
      panic: "off"
    })
    assert.isEmpty(registered)
  })
})

describe("sleep, lock and network", () => {
  it("retries after sleep and when a network appears, and reports a locked screen", () => {
    const recorded: Array<string> = []
    const listeners = new Map<string, () => void>()
    let tick = () => {}
    let online = false
    watchPower({
      on: (event, listener) => listeners.set(event, listener),
      isOnline: () => online,
      network: () => "",
      every: (_, act) => {
        tick = act
        return () => {}
      }
    }, {
      wake: (why) => recorded.push(`wake ${why}`),
      locked: (locked) => recorded.push(`locked ${locked}`),
      suspended: () => recorded.push("asleep"),
      ending: () => recorded.push("ending"),
      log: (event) => recorded.push(event)
    })
    for (const event of ["suspend", "resume", "lock-screen", "unlock-screen"]) listeners.get(event)!()
    tick()
    online = true
    tick()
    tick()
    listeners.get("shutdown")!()
    assert.deepStrictEqual(recorded, [
      "suspended",
      "asleep",
      "resumed",
      "wake slept",
      "locked",
      "locked true",
      "unlocked",
      "locked false",
      "wake unlocked",
      "network_found",
      "wake network",
      "shutdown",
      "ending"
    ])
  })
})

describe("a change of network", () => {
  it("is detected by a new address, such as another Wi-Fi or a VPN; repeated changes wake at every second check", () => {
    const recorded: Array<string> = []
    let tick = () => {}
    let [online, network] = [true, "10.0.0.7"]
    watchPower({
      on: () => {},
      isOnline: () => online,
      network: () => network,
      every: (_, act) => {
        tick = act
        return () => {}
      }
    }, {
      wake: (why) => recorded.push(`wake ${why}`),
      locked: () => {},
      suspended: () => {},
      ending: () => {},
      log: (event) => recorded.push(event)
    })
    tick()
    assert.isEmpty(recorded)
    network = "192.168.1.7"
    tick()
    assert.deepStrictEqual(recorded.splice(0), ["network_changed", "wake network"])
    network = "192.168.1.7 10.8.0.2"
    tick()
    tick()
    assert.deepStrictEqual(recorded.splice(0), ["network_changed", "wake network"])
    // Nothing is retried without a network; a network that returns causes a retry.
    online = false
    network = ""
    tick()
    tick()
    online = true
    tick()
    assert.deepStrictEqual(recorded, ["network_lost", "network_found", "wake network"])
  })
})

describe("the utility process", () => {
  it("E9: starts without variables that change how Node runs it, and sends nothing after its end", () => {
    const recorded: Array<unknown> = []
    const listeners = new Map<string, (value: never) => void>()
    const agent = forkUtility(
      {
        fork: (path, args, options) => {
          recorded.push([path, args, options?.env])
          return {
            pid: 4_711,
            postMessage: (message) => recorded.push(message),
            kill: () => recorded.push("killed") > 0,
            on: (event, listener) => listeners.set(event, listener)
          }
        }
      },
      "/out/device.js",
      { PATH: "/bin", NODE_OPTIONS: "--inspect", LD_PRELOAD: "x.so", ELECTRON_RUN_AS_NODE: "1" },
      (pid) => recorded.push(["at once", pid])
    )({ message: (message) => recorded.push(["message", message]), exit: (code) => recorded.push(["exit", code]) })
    agent.send({ type: "wake" })
    agent.kill()
    listeners.get("message")!("hello" as never)
    listeners.get("exit")!(0 as never)
    agent.send({ type: "wake" })
    assert.deepStrictEqual(recorded, [["/out/device.js", [], { PATH: "/bin" }], { type: "wake" }, ["at once", 4_711], [
      "message",
      "hello"
    ], ["exit", 0]])
  })
})
