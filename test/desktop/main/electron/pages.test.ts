/**
 * The console's pages of several hubs in the built app: each belongs to one hub, is left only with its person's
 * consent, and its state does not pass to another page.
 */
import { answered, hubChannel, pushes, shellChannel } from "@countersign/desktop/bridge/channels"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type BuiltMain, ensureBuilt, eventually, loadBuiltMain, quit } from "../../../support/built-main.ts"

let main: BuiltMain
let id = 0
const servers: Array<Server> = []
/** Profiles of two hubs that answer only with their identity. */
let works = ""
let other = ""

const shell = (method: Parameters<typeof shellChannel>[0], ask?: unknown) =>
  main.invoke(id, shellChannel(method), ask === undefined ? [] : [ask])
const codeOf = async (answer: Promise<unknown>) =>
  ((await answer) as { readonly error?: { readonly code: string } }).error?.code
const window = () => main.record.windows.find((each) => each.id === id)!
const current = async () => ((await shell("state")) as { readonly value: { readonly current: string } }).value.current

const addHub = async (hubId: string): Promise<string> => {
  const server = createServer((_, response) =>
    void response.writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ status: "ok", hub_id: hubId, version: "0.1.0", min_app_version: "0.1.0" }))
  )
  servers.push(server)
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await shell("findHub", { url })).toMatchObject({ ok: true, value: { kind: "hub", hub_id: hubId } })
  const added = await shell("addHub", { url, hub_id: hubId, name: hubId })
  expect(added).toMatchObject({ ok: true })
  return (added as { readonly value: { readonly id: string } }).value.id
}

const go = (label: string) => {
  const items = main.record.menuBar.flatMap(({ submenu }) => submenu ?? []) as ReadonlyArray<
    { readonly label?: string; readonly click: () => void }
  >
  items.find((item) => item.label === label)!.click()
}

beforeAll(async () => {
  ensureBuilt()
  main = await loadBuiltMain()
  id = (await eventually(() => main.record.windows[0])).id
  await eventually(() => main.record.registered.length >= answered.length ? true : undefined)
  works = await addHub("hub-works")
  other = await addHub("hub-other")
  expect(await shell("openHub", { id: works })).toMatchObject({ ok: true })
}, 600_000)

afterAll(async () => {
  await quit(main)
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
}, 60_000)

describe("a page with unsaved changes", () => {
  test("is kept or left by the choice in the system's dialog, and keeps its own hub while it stays", async () => {
    expect(await codeOf(main.invoke(id, hubChannel("auth.me"), [{}, {}]))).toBe("signed_out")
    const { contents, urls } = window()
    const loads = urls.length
    const meanwhile: Array<Promise<string | undefined>> = []
    contents.holds = true
    // The other hub is already chosen while this hub's page is still shown: input in the page reaches neither hub.
    main.record.presses.push(() => {
      const login = { payload: { email: "ada@example.com", password: "correct horse" } }
      meanwhile.push(
        codeOf(main.invoke(id, hubChannel("auth.login"), [login, {}])),
        codeOf(shell("openEvents", { stream: "events" })),
        codeOf(shell("pairDevice", { name: "desk" }))
      )
      return "Stay"
    })
    expect(await shell("openHub", { id: other })).toMatchObject({ ok: true })
    expect(main.record.messageBoxes).toMatchObject([{
      message: "Leave this page?",
      buttons: ["Stay", "Leave"],
      defaultId: 0,
      cancelId: 0
    }])
    expect(await Promise.all(meanwhile)).toEqual(["stale_page", "stale_page", "stale_page"])
    expect(urls).toHaveLength(loads)
    expect(await current()).toBe(works)
    expect(await codeOf(main.invoke(id, hubChannel("auth.me"), [{}, {}]))).toBe("signed_out")

    main.record.presses.push("Leave")
    expect(await shell("openHub", { id: other })).toMatchObject({ ok: true })
    expect(urls).toHaveLength(loads + 1)
    expect(await current()).toBe(other)
    expect(await codeOf(main.invoke(id, hubChannel("auth.me"), [{}, {}]))).toBe("signed_out")
  })

  test("keeps its window, and closes it after the person chooses to leave", async () => {
    const { contents, window: made } = window()
    contents.holds = true
    main.record.presses.push("Stay", "Leave")
    made.close()
    expect(made.isDestroyed()).toBe(false)
    made.close()
    expect(made.isDestroyed()).toBe(true)
    main.electron.app.emit("second-instance", {}, ["electron", "."], "/")
    const before = id
    id = (await eventually(() => main.record.windows.find((each) => each.id > before))).id
  })
})

describe("a screen that is opened", () => {
  const screens = () => window().sent.filter(([channel]) => channel === pushes.screen).map(([, path]) => path)

  test("is delivered when the page can receive it, only the latest one, and not to a page that is replaced", async () => {
    // The page is drawn, and its script has not run yet.
    go("Hubs")
    go("Connection log")
    await eventually(() => window().window.focused > 1 ? true : undefined)
    expect(screens()).toEqual([])
    await shell("listening")
    expect(screens()).toEqual(["/log"])
    await shell("listening")
    expect(screens()).toEqual(["/log"])
    go("Hubs")
    await eventually(() => screens().length === 2 ? true : undefined)
    // After a reload, the page receives nothing until it reports that it listens.
    window().contents.reload()
    go("This device")
    await eventually(() => window().window.focused > 3 ? true : undefined)
    expect(screens()).toEqual(["/log", "/hubs"])
    await shell("listening")
    expect(screens()).toEqual(["/log", "/hubs", "/device"])
  })
})

describe("back navigation", () => {
  test("works in the menu, by side mouse buttons, and by three-finger swipe; excludes another hub's screens", async () => {
    const { contents, window: made } = window()
    expect(contents.steps).toEqual([])
    go("Back")
    go("Forward")
    made.emit("app-command", {}, "browser-backward")
    made.emit("app-command", {}, "browser-forward")
    made.emit("app-command", {}, "media-play")
    made.emit("swipe", {}, "left")
    await eventually(() => contents.steps.length === 5 ? true : undefined)
    expect([...contents.steps].sort()).toEqual(["back", "back", "back", "forward", "forward"])
    expect(await shell("openHub", { id: works })).toMatchObject({ ok: true })
    expect(contents.steps.at(-1)).toBe("clear")
    const items = main.record.menuBar.flatMap(({ submenu }) => submenu ?? []) as ReadonlyArray<
      { readonly label?: string; readonly accelerator?: string }
    >
    expect(items.filter(({ label }) => label === "Back" || label === "Forward").map(({ accelerator }) => accelerator))
      .toEqual(process.platform === "darwin" ? ["Cmd+[", "Cmd+]"] : ["Alt+Left", "Alt+Right"])
    await shell("listening")
  })
})

describe("raising the window", () => {
  test("keeps the current screen: the tray, its menu, and the shortcut only bring the window to the front", async () => {
    const { sent, urls, window: made } = window()
    expect(await shell("changeSettings", { shortcut: "Control+Shift+K" })).toMatchObject({ ok: true })
    const screens = () => sent.filter(([channel]) => channel === pushes.screen)
    const before = screens()
    const loads = urls.length
    const [tray] = main.record.trays
    const open = tray.menu.find(({ label }: { readonly label?: string }) => label === "Open Countersign")
    for (
      const raise of [
        () => tray.emit("click"),
        () => open.click(),
        () => main.record.shortcuts.get("Control+Shift+K")!()
      ]
    ) {
      made.hide()
      raise()
      await eventually(() => made.shown ? true : undefined)
    }
    expect(screens()).toEqual(before)
    expect(urls).toHaveLength(loads)
  })
})
