/** The built app, with only `electron` replaced by a stub that records the calls. */
import { answered, bridgedEndpoints, hubChannel, shellChannel } from "@countersign/desktop/bridge/channels"
import { ownerChannel, ownerMethods } from "@countersign/desktop/bridge/owner"
import { externalAddress } from "@countersign/desktop/main/electron/navigation"
import { webPreferences } from "@countersign/desktop/main/electron/web-preferences"
import { endpoints } from "@countersign/hub-client/endpoints"
import { existsSync, readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { type BuiltMain, ensureBuilt, eventually, loadBuiltMain, preloadText } from "../../../support/built-main.ts"

let main: BuiltMain
let id = 0

beforeAll(async () => {
  ensureBuilt()
  main = await loadBuiltMain()
  const window = await eventually(() => main.record.windows[0])
  id = window.id
  await eventually(() => main.record.registered.length >= answered.length ? true : undefined)
}, 600_000)

const page = (url: string, method = "GET"): Promise<Response> =>
  main.record.sessions.get("default").pages({
    url,
    method,
    headers: new Headers(),
    signal: new AbortController().signal
  })
const ownerPage = (url: string): Promise<Response> =>
  main.record.sessions.get("countersign-owner").pages({
    url,
    method: "GET",
    headers: new Headers(),
    signal: new AbortController().signal
  })

/** Names of endpoints in the sources of a console window. */
const calledEndpoints = async (): Promise<ReadonlySet<string>> => {
  const root = new URL("../../../../", import.meta.url)
  const names = new Set<string>()
  for await (
    const file of glob(["packages/ui/src/**/*.{ts,tsx}", "apps/desktop/src/renderer/**/*.{ts,tsx}"], { cwd: root })
  ) {
    const text = readFileSync(new URL(file, root), "utf8")
    for (const [, name] of text.matchAll(/"([a-z_]+\.[A-Za-z]+)"/gu)) {
      if (name !== undefined && Object.hasOwn(endpoints, name)) names.add(name)
    }
  }
  return names
}

describe("windows", () => {
  test("E1: every window is sandboxed and isolated, and does not change webSecurity", () => {
    expect(main.record.windows.length).toBeGreaterThan(0)
    for (const { options: { webPreferences: set } } of main.record.windows) {
      expect(set).toMatchObject({
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webviewTag: false,
        allowRunningInsecureContent: false,
        experimentalFeatures: false
      })
      expect(Object.keys(set)).not.toContain("webSecurity")
      expect(existsSync(set.preload)).toBe(true)
    }
    expect(webPreferences("x", "y")).toMatchObject({ sandbox: true, contextIsolation: true, partition: "y" })
  })

  test("E2: the window shows the app's own page", () => {
    expect(main.record.windows[0]?.urls).toEqual(["app://countersign/"])
    expect(main.record.schemes).toEqual([{
      scheme: "app",
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true, stream: true }
    }])
  })
})

describe("pages", () => {
  test("E2: serves files of the build by name, and 404 for every other path", async () => {
    const index = await page("app://countersign/")
    const text = await index.text()
    expect(index.status).toBe(200)
    const sources = [...text.matchAll(/(?:src|href)="([^"]+)"/gu)].flatMap(([, source]) => source ?? [])
    expect(sources.length).toBeGreaterThan(2)
    // From every path on which the window may start.
    for (const source of sources) {
      expect((await page(new URL(source, "app://countersign/w/org_1/inbox").href)).status, source).toBe(200)
    }
    const script = sources.find((source) => source.endsWith(".js"))
    expect((await page(`app://countersign${script}`)).headers.get("content-type")).toContain("text/javascript")
    expect((await page("app://countersign/w/org_1/inbox?open=apr_1")).status).toBe(200)
    for (
      const url of [
        "app://countersign/../package.json",
        "app://countersign/%2e%2e/package.json",
        "app://countersign/..%2fpackage.json",
        "app://countersign/assets/%2e%2e/%2e%2e/main/index.js",
        "app://countersign/assets/nothing.js",
        "app://countersign/main/index.js",
        "app://other/",
        "file:///etc/passwd",
        "app://countersign/x%5c..%5cy",
        "app://countersign/api/v1/workspaces",
        "app://countersign/api/v1/../v1/audit-logs/export",
        "app://countersign/assets/"
      ]
    ) expect((await page(url)).status, url).toBe(404)
    expect((await page("app://countersign/", "POST")).status).toBe(404)
  })

  test("E2: allows downloads as GET of listed endpoints, and answers 502 without a hub", async () => {
    for (const path of ["audit-logs/export?format=csv", "workflows/wf_1/export", "openapi.json"]) {
      expect((await page(`app://countersign/api/v1/${path}`)).status, path).toBe(502)
    }
    for (const path of ["workflows/wf_1", "workflows//export", "workflows/a/b/export", "openapi_json"]) {
      expect((await page(`app://countersign/api/v1/${path}`)).status, path).toBe(404)
    }
  })

  test("E2: serves the owner's window one page, which no other window receives", async () => {
    expect((await page("app://countersign/owner.html")).status).toBe(404)
    const owning = await ownerPage("app://countersign/owner.html")
    const script = /src="(?:\.\/)?\/?(assets\/[^"]+\.js)"/u.exec(await owning.text())?.[1]
    expect((await ownerPage(`app://countersign/${script}`)).headers.get("content-type")).toContain("text/javascript")
    for (
      const path of [
        "/",
        "/index.html",
        "/confirm.html",
        "/w/org_1/inbox",
        "/api/v1/audit-logs/export",
        "/owner",
        "/owner.html/"
      ]
    ) {
      expect((await ownerPage(`app://countersign${path}`)).status, path).toBe(404)
    }
  })

  test("E3: sends the policy as a header: only own files, nothing inline, no framing", async () => {
    for (
      const [path, from] of [["/", page], ["/w/org_1/inbox", page], ["/confirm.html", page], [
        "/owner.html",
        ownerPage
      ]] as const
    ) {
      const response = await from(`app://countersign${path}`)
      const policy = new Map(
        (response.headers.get("content-security-policy") ?? "").split("; ").map((
          each
        ) => [each.split(" ")[0], each.split(" ").slice(1).join(" ")])
      )
      expect(policy.get("default-src")).toBe("'none'")
      for (const name of ["script-src", "style-src", "font-src", "connect-src"]) expect(policy.get(name)).toBe("'self'")
      expect(policy.get("frame-ancestors")).toBe("'none'")
      expect([...policy.values()].join(" ")).not.toMatch(/unsafe|https?:|\*/u)
      expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/u)
    }
  })
})

describe("the bridge", () => {
  test("E4: refuses another origin, a sub-frame, a foreign window, and an unknown channel", async () => {
    const state = shellChannel("state")
    expect(await main.invoke(id, state, [])).toMatchObject({ ok: true })
    for (
      const url of [
        "https://evil.example/",
        "app://other/",
        "file:///index.html",
        "app://countersign.evil/",
        "app://user@countersign/",
        "about:blank"
      ]
    ) {
      await expect(main.invoke(id, state, [], { url }), url).rejects.toThrow("refused")
    }
    await expect(main.invoke(id, state, [], { isSubFrame: true })).rejects.toThrow("refused")
    await expect(main.invoke(9_999, state, [], { url: "app://countersign/" })).rejects.toThrow("refused")
    await expect(main.invoke(id, "countersign:hub/none", [])).rejects.toThrow("No handler")
    // The console's window is not the confirmation window.
    await expect(main.invoke(id, "countersign:confirm/answer", [{ yes: true }])).rejects.toThrow("refused")
    // The console's window cannot use the owner window's channels, only bring that window to the front.
    for (const method of ownerMethods) {
      await expect(main.invoke(id, ownerChannel(method), []), method).rejects.toThrow("refused")
    }
  })

  test("E4: refuses arguments that do not match the schema before calling a hub", async () => {
    const wrong: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
      [hubChannel("approvals.get"), [{ params: {} }, {}]],
      [hubChannel("approvals.get"), [{ params: { id: "apr_1", more: "x" } }, {}]],
      [hubChannel("approvals.get"), ["/auth/me", {}]],
      [hubChannel("approvals.list"), [{ query: { limit: "all" } }, {}]],
      [hubChannel("approvals.list"), [{ query: { unknown: "1" } }, {}]],
      [hubChannel("auth.login"), [{ payload: { email: "a@b.test" } }, {}]],
      [hubChannel("auth.me"), [{}, { headers: { cookie: "x" } }]],
      [hubChannel("auth.me"), [{}, { workspace: "org_1\r\nx: y" }]],
      [hubChannel("auth.me"), [{}, {}, "more"]],
      [shellChannel("openHub"), [{ id: "../../x" }]],
      [shellChannel("findHub"), [{ url: "" }]],
      [shellChannel("openEvents"), [{ stream: "a b" }]]
    ]
    for (const [channel, args] of wrong) {
      expect(await main.invoke(id, channel, args), `${channel} ${JSON.stringify(args)}`).toMatchObject({
        ok: false,
        error: { status: 400, code: "invalid_request" }
      })
    }
    // Valid arguments fail only because there is no hub.
    expect(
      await main.invoke(id, hubChannel("approvals.list"), [
        { query: { status: ["pending"], limit: 50, agent_id: "" } },
        {}
      ])
    ).toMatchObject({ ok: false, error: { code: "no_hub" } })
  })

  test("E5: registers exactly the contract's channels, each once", () => {
    expect([...main.record.registered].sort()).toEqual([...answered].sort())
    expect(new Set(main.record.registered).size).toBe(main.record.registered.length)
    expect(new Set(bridgedEndpoints).size).toBe(bridgedEndpoints.length)
  })

  test("E10: lists exactly the endpoints that the console calls", async () => {
    const calls = await calledEndpoints()
    // Streams, downloads, and linked documents use other ways. An identity is linked in a browser only.
    const own = [
      "oidc.link",
      "events.stream",
      "audit.export",
      "service_requests.export",
      "approvals.export",
      "agents.export",
      "workflows.export",
      "chat.artifact",
      "storage.download",
      "discovery.openapi",
      "discovery.agentDocs"
    ]
    expect(calls.size).toBeGreaterThan(50)
    expect([...bridgedEndpoints].sort()).toEqual([...calls].filter((name) => !own.includes(name)).sort())
    // An unlisted endpoint has no channel, even if the hub has it.
    const refused = Object.keys(endpoints).filter((name) => !calls.has(name))
    expect(refused).toContain("service_requests.dispatch")
    for (const name of [...refused, ...own, "agents.newEndpoint"]) {
      await expect(main.invoke(id, `countersign:hub/${name}`, [{}, {}]), name).rejects.toThrow("No handler")
    }
  })

  test("E5: the preload scripts expose only functions, and pass on no Electron event", () => {
    const calls: Array<readonly [string, ...ReadonlyArray<unknown>]> = []
    const listeners = new Map<string, (event: unknown, value: unknown) => void>()
    const exposed = new Map<string, unknown>()
    const electron = {
      contextBridge: { exposeInMainWorld: (name: string, value: unknown) => void exposed.set(name, value) },
      ipcRenderer: {
        invoke: (...call: [string, ...ReadonlyArray<unknown>]) => void calls.push(call),
        on: (channel: string, listener: (event: unknown, value: unknown) => void) =>
          void listeners.set(channel, listener),
        removeListener: (channel: string) => void listeners.delete(channel)
      }
    }
    const load = (name: "index" | "confirm" | "owner") => {
      const required: Array<string> = []
      // oxlint-disable-next-line typescript/no-implied-eval -- the built script, as Electron would run it
      new Function("require", "module", "exports", preloadText(name))(
        (module: string) => {
          required.push(module)
          return electron
        },
        { exports: {} },
        {}
      )
      expect(new Set(required)).toEqual(new Set(["electron"]))
    }
    load("index")
    load("confirm")
    load("owner")
    expect([...exposed.keys()]).toEqual(["countersign", "countersignConfirm", "countersignOwner"])
    expect(Object.keys(exposed.get("countersignOwner") as object).sort()).toEqual([...ownerMethods, "onState"].sort())
    const leaves = (value: unknown): ReadonlyArray<unknown> =>
      typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [value]
    expect(leaves([...exposed.values()]).filter((leaf) => typeof leaf !== "function")).toEqual([])
    const bridge = exposed.get("countersign") as {
      onEvents: (listener: (...args: ReadonlyArray<unknown>) => void) => () => void
      shell: Record<string, (...args: ReadonlyArray<unknown>) => void>
    }
    const received: Array<ReadonlyArray<unknown>> = []
    const off = bridge.onEvents((...args) => received.push(args))
    for (const listener of listeners.values()) listener({ sender: "electron's" }, "a piece")
    expect(received).toEqual([["a piece"]])
    off()
    expect(listeners.size).toBe(0)
    bridge.shell["state"]!("ask", "channel")
    expect(calls.at(-1)).toEqual(["countersign:shell/state", "ask"])
  })
})

describe("navigation of a page", () => {
  test("E6: keeps navigation, redirects, and frames on the app's origin, and opens no window", () => {
    const { contents } = main.record.windows[0]!
    for (const name of ["will-navigate", "will-redirect", "will-frame-navigate"]) {
      const stopped = (url: string) => {
        let isStopped = false
        contents.emit(name, { url, preventDefault: () => isStopped = true })
        return isStopped
      }
      expect(stopped("app://countersign/hubs")).toBe(false)
      for (
        const url of [
          "https://evil.example",
          "app://other/",
          "file:///etc/passwd",
          "javascript:alert(1)",
          "data:text/html,x",
          "http://127.0.0.1/"
        ]
      ) {
        expect(stopped(url), `${name} ${url}`).toBe(true)
      }
    }
    let isStopped = false
    contents.emit("will-attach-webview", { preventDefault: () => isStopped = true })
    expect(isStopped).toBe(true)
    for (const url of ["https://evil.example", "app://countersign/"]) {
      expect(contents.openHandler({ url })).toEqual({ action: "deny" })
    }
  })

  test("E7: opens only addresses of configured hubs, Stripe's payment pages, and mail addresses in the browser", () => {
    const hubs = ["https://hub.example.com/base", "http://127.0.0.1:4780"]
    expect(externalAddress("https://hub.example.com/docs", hubs, hubs[0])).toBe("https://hub.example.com/docs")
    expect(externalAddress("app://countersign/docs", hubs, hubs[0])).toBe("https://hub.example.com/base/docs")
    // A hub on this computer uses plain HTTP.
    expect(externalAddress("http://127.0.0.1:4780/api/v1/openapi.json", hubs, hubs[1])).toBe(
      "http://127.0.0.1:4780/api/v1/openapi.json"
    )
    expect(externalAddress("app://countersign/docs", hubs, hubs[1])).toBe("http://127.0.0.1:4780/docs")
    expect(externalAddress("mailto:ada@example.com", hubs, hubs[0])).toBe("mailto:ada@example.com")
    const payment = "https://checkout.stripe.com/c/pay/cs_test_a1"
    expect(externalAddress(payment, hubs, hubs[0])).toBe(payment)
    for (
      const url of [
        "https://hub.example.com.evil/",
        "https://checkout.stripe.com.evil/c/pay/cs_test_a1",
        "http://checkout.stripe.com/c/pay/cs_test_a1",
        "https://checkout.stripe.com:8443/c/pay/cs_test_a1",
        "https://user@hub.example.com/",
        "http://hub.example.com/",
        "http://127.0.0.1:4781/",
        "https://127.0.0.1:4780/",
        "app://countersign/w/x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "mailto:ada@example.com?attach=/etc/passwd",
        "countersign://x",
        "smb://hub.example.com",
        "nonsense"
      ]
    ) expect(externalAddress(url, hubs, hubs[0]), url).toBeNull()
  })

  test("E7: opens nothing without a preceding press", async () => {
    const { contents } = main.record.windows[0]!
    contents.openHandler({ url: "mailto:ada@example.com" })
    expect(main.record.opened).toEqual([])
    contents.emit("input-event", {}, { type: "mouseDown" })
    contents.openHandler({ url: "mailto:ada@example.com" })
    await eventually(() => main.record.opened.length > 0 ? true : undefined)
    expect(main.record.opened).toEqual(["mailto:ada@example.com"])
  })

  test("E8: both permission handlers allow only notifications and clipboard writes, and none in the confirmation and owner's windows", () => {
    const permissions = [
      "notifications",
      "clipboard-sanitized-write",
      "clipboard-read",
      "media",
      "geolocation",
      "openExternal",
      "fullscreen",
      "hid",
      "usb",
      "unknown"
    ]
    for (
      const [name, granted] of [["default", permissions.slice(0, 2)], ["countersign-confirm", []], [
        "countersign-owner",
        []
      ]] as const
    ) {
      const session = main.record.sessions.get(name)
      const asked = (permission: string, requestingUrl: string) => {
        let answer: boolean | undefined
        session.onRequest({}, permission, (allowed: boolean) => answer = allowed, { requestingUrl })
        return answer
      }
      expect(permissions.filter((each) => asked(each, "app://countersign/"))).toEqual(granted)
      expect(
        permissions.filter((each) =>
          session.onCheck({}, each, "app://countersign", { requestingUrl: "app://countersign/" })
        )
      ).toEqual(granted)
      expect(permissions.filter((each) => asked(each, "https://evil.example/"))).toEqual([])
      expect(permissions.filter((each) => session.onCheck(null, each, "https://evil.example", {}))).toEqual([])
      expect(session.onDevice({})).toBe(false)
    }
  })

  test("E13: registers no listener for certificate errors, so none can be ignored", () => {
    for (const name of ["certificate-error", "select-client-certificate", "login"]) {
      expect(main.record.appEvents).not.toContain(name)
    }
  })
})

describe("the tray", () => {
  test("keeps the app running when its last window is closed", () => {
    const { quits } = main.record
    main.electron.app.emit("window-all-closed")
    expect(main.record.quits).toBe(quits)
    expect(main.record.trays).toHaveLength(1)
  })
})

describe("appearance", () => {
  test("applies the console's theme to the app's system controls, and its contrast to the other windows", async () => {
    expect(main.electron.nativeTheme.themeSource).toBe("system")
    expect(await main.invoke(id, shellChannel("changeSettings"), [{ theme: "dark", contrast: "more" }])).toMatchObject({
      ok: true
    })
    expect(main.electron.nativeTheme.themeSource).toBe("dark")
    await main.invoke(id, shellChannel("showOwner"), [])
    const owner = await eventually(() =>
      main.record.windows.find(({ options }) => options.webPreferences.partition === "countersign-owner")
    )
    expect(owner.urls).toEqual(["app://countersign/owner.html?contrast=more"])
    expect((await ownerPage(owner.urls[0]!)).status).toBe(200)
    expect(owner.options.backgroundColor).not.toBe(main.record.windows[0]!.options.backgroundColor)
    owner.window.close()
    expect(await main.invoke(id, shellChannel("changeSettings"), [{ theme: "pink" }])).toMatchObject({ ok: false })
    expect(await main.invoke(id, shellChannel("changeSettings"), [{ theme: "system", contrast: "system" }]))
      .toMatchObject({ ok: true })
  })
})

describe("menus", () => {
  const items = () =>
    main.record.menuBar.flatMap(({ submenu }: { submenu?: ReadonlyArray<unknown> }) => submenu ?? []) as ReadonlyArray<
      { label?: string; click?: () => void }
    >
  const click = (label: string) => items().find((item) => item.label === label)?.click?.()

  test("has its own menu bar, which opens screens and reloads only the console's window", async () => {
    const { contents, sent } = main.record.windows[0]!
    await main.invoke(id, shellChannel("listening"), [])
    click("Connection log")
    await eventually(() =>
      sent.some(([channel, path]) => channel === "countersign:push/screen" && path === "/log") ? true : undefined
    )
    click("Reload the console")
    await eventually(() => contents.loads === 1 ? true : undefined)
    expect(JSON.stringify(main.record.menuBar)).not.toMatch(/forceReload|electronjs/u)
  })

  test("the menu bar stops everything on this device; only the owner's window resumes", async () => {
    const { id } = main.record.windows[0]!
    click("Stop everything on this device")
    await eventually(() =>
      main.record.trays[0].menu.some(({ label }: { readonly label?: string }) => label === "Resume…") ? true : undefined
    )
    await main.invoke(id, shellChannel("showOwner"), [])
    const owner = await eventually(() =>
      main.record.windows.findLast(({ options, window }) =>
        options.webPreferences.partition === "countersign-owner" && !window.destroyed
      )
    )
    expect(await main.invoke(owner.id, "countersign:owner/resume", [])).toMatchObject({ ok: true })
    await eventually(() =>
      main.record.trays[0].menu.some(({ label }: { readonly label?: string }) =>
          label === "Stop everything on this device"
        )
        ? true
        : undefined
    )
    owner.window.close()
  })

  test("a right click offers editing commands on text, and nothing elsewhere", () => {
    const { contents } = main.record.windows[0]!
    const can = { canCut: true, canCopy: true, canPaste: false, canSelectAll: true }
    const roles = (pressed: object) => {
      const before = main.record.popUps.length
      contents.emit("context-menu", {}, { editFlags: can, isEditable: false, selectionText: "", ...pressed })
      return main.record.popUps.slice(before).flat().map(({ enabled, role }: { enabled?: boolean; role?: string }) =>
        enabled === false ? `no ${role}` : role
      )
    }
    expect(roles({})).toEqual([])
    expect(roles({ selectionText: "abc" })).toEqual(["copy"])
    expect(roles({ isEditable: true })).toEqual(["cut", "copy", "no paste", undefined, "selectAll"])
  })
})

describe("a page that crashes", () => {
  test("is reloaded and logged, up to a limit", () => {
    const { contents, window } = main.record.windows[0]!
    const before = contents.loads
    contents.emit("render-process-gone", {}, { reason: "clean-exit" })
    expect(contents.loads).toBe(before)
    for (const count of [1, 2, 3]) {
      contents.emit("render-process-gone", {}, { reason: "crashed" })
      expect(contents.loads).toBe(before + count)
    }
    expect(window.isDestroyed()).toBe(false)
    contents.emit("render-process-gone", {}, { reason: "oom" })
    expect(contents.loads).toBe(before + 3)
    expect(window.isDestroyed()).toBe(true)
  })

  test("has its window created again on request", async () => {
    const before = main.record.windows.length
    main.electron.app.emit("second-instance", {}, ["electron", "."], "/")
    const next = await eventually(() => main.record.windows[before])
    id = next.id
    const log = await main.invoke(id, shellChannel("log"), [])
    expect(log).toMatchObject({ ok: true })
    expect(JSON.stringify(log)).toContain("window_broke")
  })
})

describe("the end of the session", () => {
  test("writes the log to the disk when Windows reports the end to a window", async () => {
    const kept = () => readFileSync(join(process.env["TEST_USER_DATA"]!, "connections.json"), "utf8")
    expect(existsSync(join(process.env["TEST_USER_DATA"]!, "connections.json")) && kept().includes("shutdown")).toBe(
      false
    )
    main.record.windows.at(-1)!.window.emit("session-end", {})
    expect(kept()).toContain("shutdown")
  })
})

describe("one instance", () => {
  test("E17: a second start raises the existing window and opens no other", async () => {
    const { window } = main.record.windows.at(-1)!
    const { length } = main.record.windows
    window.hide()
    main.electron.app.emit("second-instance", {}, ["electron", ".", "--hidden", "countersign://hub_1/inbox/apr_1"], "/")
    await eventually(() => window.shown ? true : undefined)
    expect(main.record.windows).toHaveLength(length)
  })
})
