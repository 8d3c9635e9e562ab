/** The thin files over Electron's parts, with stubs that record: what of the model reaches the system. */
import { makeBadge } from "@countersign/desktop/main/electron/badge"
import { notificationScreen } from "@countersign/desktop/main/electron/notifications"
import { watchPower } from "@countersign/desktop/main/electron/power"
import { makeShortcuts } from "@countersign/desktop/main/electron/shortcuts"
import { drawsTrays, makeTray } from "@countersign/desktop/main/electron/tray"
import { forkUtility } from "@countersign/desktop/main/electron/utility-process"
import type { Notice } from "@countersign/desktop/main/notices/notice"
import { nothingWaits } from "@countersign/desktop/main/waiting/overview"
import { type TrayModel, trayOf } from "@countersign/desktop/main/waiting/tray"
import { assert, describe, it } from "vitest"

const model: TrayModel = {
  ...trayOf({ overview: nothingWaits, panic: { stopped: false }, now: 0 }),
  picture: { kind: "waiting", text: "7" },
  title: "7",
  badge: 7,
  menu: [{ kind: "fact", label: "R&D" }, { kind: "line" }, { kind: "act", label: "Open", act: { kind: "open" } }]
}

const trayWorld = (platform: NodeJS.Platform, { refuses = false } = {}) => {
  const said: Array<unknown> = []
  const acts: Array<string> = []
  const image = (name: string): never =>
    ({
      crop: ({ width, x }: { width: number; x: number }) => image(`${name}@${x}/${width}`),
      toPNG: () => Buffer.from(name),
      addRepresentation: ({ scaleFactor }: { scaleFactor: number }) => said.push(["also", scaleFactor]),
      setTemplateImage: () => said.push("template"),
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
        said.push(["tray", (first as never as { name: string }).name])
        return {
          setImage: (next) => said.push(["image", (next as { name: string }).name]),
          setToolTip: (text) => said.push(["tooltip", text]),
          setTitle: (text) => said.push(["title", text]),
          setContextMenu: (menu) => said.push(["menu", menu]),
          on: (event, listener) => listeners.set(event, listener),
          destroy: () => said.push("destroyed")
        }
      },
      nativeImage: { createFromPath: (path) => image(path) },
      buildMenu: (items) => items,
      setBadgeCount: (count) => said.push(["badge", count])
    },
    model,
    (act) => acts.push(act.kind),
    (event) => said.push(event)
  )
  return { acts, listeners, said, tray }
}

describe("the tray of Electron", () => {
  it("draws the picture's cell in both sizes, tooltip, badge and menu", () => {
    const { acts, listeners, said } = trayWorld("linux")
    assert.deepInclude(said, ["tray", "/res/tray-16.png@144/16"])
    assert.deepInclude(said, ["also", 2])
    assert.deepInclude(said, ["badge", 7])
    const menu =
      (said.find((each) => Array.isArray(each) && each[0] === "menu") as [
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

  it("changes only what is another: an open menu is not exchanged for an equal one", () => {
    const { said, tray } = trayWorld("linux")
    const before = said.length
    tray!.show({ ...model, menu: structuredClone(model.menu) as TrayModel["menu"] })
    assert.lengthOf(said, before)
    tray!.show({ ...model, badge: 8, picture: { kind: "waiting", text: "8" } })
    assert.deepStrictEqual(said.slice(before).filter((each) => Array.isArray(each) && each[0] !== "also"), [[
      "image",
      "/res/tray-16.png@160/16"
    ], ["badge", 8]])
  })

  it("on macOS is a template with the count beside it", () => {
    const { said } = trayWorld("darwin")
    assert.deepInclude(said, ["tray", "/res/tray-template-16.png@48/16"])
    assert.include(said, "template")
    assert.deepInclude(said, ["title", "7"])
  })

  it("is not counted on under GNOME, unless Ubuntu's extension draws it: the window stays what closes the app", () => {
    const on = (platform: NodeJS.Platform, desktop?: string) =>
      drawsTrays({ platform, environment: { XDG_CURRENT_DESKTOP: desktop } })
    assert.deepStrictEqual([on("linux", "GNOME"), on("linux", "GNOME-Classic:GNOME")], [false, false])
    assert.deepStrictEqual(
      [on("linux", "ubuntu:GNOME"), on("linux", "KDE"), on("linux"), on("darwin"), on("win32")],
      Array(5).fill(true)
    )
  })

  it("is none where the desktop has none, and nothing breaks", () => {
    const { said, tray } = trayWorld("linux", { refuses: true })
    assert.isUndefined(tray)
    assert.include(said, "no_tray")
  })
})

describe("the count at the app's sign", () => {
  it("is the system's own, and in Windows' taskbar a picture over each window, also one that comes later", () => {
    const said: Array<unknown> = []
    let come: (window: never) => void = () => {}
    const window = (name: string, isDestroyed = false) => ({
      isDestroyed: () => isDestroyed,
      setOverlayIcon: (...given: ReadonlyArray<unknown>) => said.push([name, ...given])
    })
    const badge = (platform: NodeJS.Platform) =>
      makeBadge({
        platform,
        setBadgeCount: (count) => said.push(count),
        windows: () => [window("console"), window("gone", true)],
        onWindow: (listener) => {
          come = listener
        },
        strip: () => ({ crop: ({ x }) => `cell ${x / 32}` as never }),
        side: 32
      })
    badge("linux")(3)
    assert.deepStrictEqual(said.splice(0), [3])
    const show = badge("win32")
    show(120)
    come(window("owner") as never)
    show(0)
    come(window("later") as never)
    assert.deepStrictEqual(said, [
      ["console", "cell 102", "99+ decisions wait"],
      ["owner", "cell 102", "99+ decisions wait"],
      ["console", null, ""]
    ])
  })
})

describe("notifications of Electron", () => {
  const notice = (keys: ReadonlyArray<string>): Notice => ({
    keys,
    title: "t",
    body: "b",
    target: { kind: "inbox", profile: "prf_1" },
    reminder: false
  })
  const world = (supported = true) => {
    const said: Array<string> = []
    const made: Array<{ options: object; fire: (event: string) => void }> = []
    const screen = notificationScreen({
      isSupported: () => supported,
      newNotification: (options) => {
        const at = made.length
        const listeners = new Map<string, () => void>()
        made.push({ options, fire: (event) => listeners.get(event)?.() })
        return {
          show: () => said.push(`show ${at}`),
          close: () => said.push(`close ${at}`),
          on: (event, listener) => listeners.set(event, listener)
        }
      }
    }, (event) => said.push(event))
    return { made, said, screen }
  }

  it("E14: have a title and a body, no button and no reply; a click opens", () => {
    const { made, said, screen } = world()
    screen.show(notice(["a"]), () => said.push("opened"))
    assert.deepStrictEqual(made[0]!.options, { title: "t", body: "b", silent: false })
    made[0]!.fire("click")
    assert.deepStrictEqual(said, ["show 0", "opened"])
  })

  it("go when the last that they tell of was decided", () => {
    const { said, screen } = world()
    screen.show(notice(["a", "b"]), () => {})
    screen.close(["a"])
    assert.deepStrictEqual(said, ["show 0"])
    screen.close(["b"])
    assert.deepStrictEqual(said, ["show 0", "close 0"])
  })

  it("are said to be missing where the system has none", async () => {
    const { said, screen } = world(false)
    screen.show(notice(["a"]), () => {})
    assert.deepStrictEqual(said, ["no_notifications"])
    assert.strictEqual(screen.problem(), "none_here")
    assert.strictEqual(await screen.tryOut(() => {}), "none_here")
  })

  it("are tried by the very way of those that wait; what the system says of the last one is kept until one is shown", async () => {
    const { made, said, screen } = world()
    const changes: Array<unknown> = []
    screen.subscribe(() => changes.push(screen.problem()))
    const failed = screen.tryOut(() => {})
    made[0]!.fire("failed")
    assert.strictEqual(await failed, "failed")
    assert.strictEqual(screen.problem(), "failed")
    const shown = screen.tryOut(() => said.push("opened"))
    made[1]!.fire("show")
    assert.isNull(await shown)
    assert.deepStrictEqual(changes, ["failed", null])
    made[1]!.fire("click")
    assert.deepStrictEqual(said, ["show 0", "notification_failed", "show 1", "opened"])
    // Where the system says nothing, nothing is made up.
    assert.isNull(await screen.tryOut(() => {}))
  })
})

describe("shortcuts of Electron", () => {
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

  it("are set anew at each change, and say when another program has one", () => {
    const { registered, shortcuts } = world({}, ["Control+P"])
    assert.deepStrictEqual(shortcuts.set({ shortcut: "Control+K", panic_shortcut: "Control+P" }), {
      open: "works",
      panic: "taken"
    })
    assert.deepStrictEqual(shortcuts.set({ shortcut: null, panic_shortcut: null }), { open: "off", panic: "off" })
    assert.isEmpty(registered)
  })

  it("are left out under Wayland, and said to be", () => {
    const { registered, shortcuts } = world({ XDG_SESSION_TYPE: "wayland" })
    assert.deepStrictEqual(shortcuts.set({ shortcut: "Control+K", panic_shortcut: null }), {
      open: "not_here",
      panic: "off"
    })
    assert.isEmpty(registered)
  })
})

describe("sleep, lock and network", () => {
  it("wakes what waits after sleep and when a network comes; a locked screen says so", () => {
    const said: Array<string> = []
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
      wake: (why) => said.push(`wake ${why}`),
      locked: (locked) => said.push(`locked ${locked}`),
      suspended: () => said.push("asleep"),
      ending: () => said.push("ending"),
      log: (event) => said.push(event)
    })
    for (const event of ["suspend", "resume", "lock-screen", "unlock-screen"]) listeners.get(event)!()
    tick()
    online = true
    tick()
    tick()
    listeners.get("shutdown")!()
    assert.deepStrictEqual(said, [
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
  it("is another address too, as of another Wi-Fi or a VPN; one after the other they wake at each second look", () => {
    const said: Array<string> = []
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
      wake: (why) => said.push(`wake ${why}`),
      locked: () => {},
      suspended: () => {},
      ending: () => {},
      log: (event) => said.push(event)
    })
    tick()
    assert.isEmpty(said)
    network = "192.168.1.7"
    tick()
    assert.deepStrictEqual(said.splice(0), ["network_changed", "wake network"])
    network = "192.168.1.7 10.8.0.2"
    tick()
    tick()
    assert.deepStrictEqual(said.splice(0), ["network_changed", "wake network"])
    // Without any network nothing is tried; what it is when it comes back is.
    online = false
    network = ""
    tick()
    tick()
    online = true
    tick()
    assert.deepStrictEqual(said, ["network_lost", "network_found", "wake network"])
  })
})

describe("the utility process", () => {
  it("E9: starts without what would change how Node runs it, and is silent after its end", () => {
    const said: Array<unknown> = []
    const listeners = new Map<string, (value: never) => void>()
    const agent = forkUtility(
      {
        fork: (path, args, options) => {
          said.push([path, args, options?.env])
          return {
            pid: 4_711,
            postMessage: (message) => said.push(message),
            kill: () => said.push("killed") > 0,
            on: (event, listener) => listeners.set(event, listener)
          }
        }
      },
      "/out/device.js",
      { PATH: "/bin", NODE_OPTIONS: "--inspect", LD_PRELOAD: "x.so", ELECTRON_RUN_AS_NODE: "1" },
      (pid) => said.push(["at once", pid])
    )({ message: (message) => said.push(["heard", message]), exit: (code) => said.push(["exit", code]) })
    agent.send({ type: "wake" })
    agent.kill()
    listeners.get("message")!("hello" as never)
    listeners.get("exit")!(0 as never)
    agent.send({ type: "wake" })
    assert.deepStrictEqual(said, [["/out/device.js", [], { PATH: "/bin" }], { type: "wake" }, ["at once", 4_711], [
      "heard",
      "hello"
    ], ["exit", 0]])
  })
})
