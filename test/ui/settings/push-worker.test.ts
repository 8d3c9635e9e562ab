/** The service worker of notices, run with a worker's scope of the test. */
import { readFileSync } from "node:fs"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"

const source = readFileSync(new URL("../../../packages/ui/public/push-worker.js", import.meta.url), "utf8")

interface Shown {
  readonly title: string
  readonly options: { readonly body: string; readonly tag: string; readonly data: { readonly path: string } }
}

const worker = (windows: ReadonlyArray<{ readonly url: string; readonly navigates: boolean }> = []) => {
  const listeners = new Map<string, (event: object) => void>()
  const shown: Array<Shown> = []
  const acts: Array<string> = []
  const clients = windows.map(({ navigates, url }) => ({
    url,
    focus: async () => void acts.push(`focus ${url}`),
    navigate: async (to: string) => {
      if (!navigates) throw new TypeError("not controlled")
      acts.push(`navigate ${to}`)
    }
  }))
  runInNewContext(source, {
    URL,
    self: {
      location: { origin: "https://hub.example" },
      addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
      skipWaiting: async () => {},
      registration: {
        showNotification: async (title: string, options: Shown["options"]) => void shown.push({ title, options })
      },
      clients: {
        matchAll: async () => clients,
        openWindow: async (url: string) => void acts.push(`open ${url}`)
      }
    }
  })
  const send = async (type: string, event: object) => {
    let work: Promise<unknown> = Promise.resolve()
    listeners.get(type)?.({ ...event, waitUntil: (promise: Promise<unknown>) => (work = promise) })
    await work
  }
  const push = (data: unknown) =>
    send("push", { data: { json: () => typeof data === "string" ? JSON.parse(data) as unknown : data } })
  const click = (path: string) => send("notificationclick", { notification: { close: () => {}, data: { path } } })
  return { listeners, shown, acts, push, click }
}

describe("the service worker of notices", () => {
  it("listens to pushes and clicks only: it answers no request", () => {
    expect([...worker().listeners.keys()].sort()).toEqual(["install", "notificationclick", "push"])
    expect(source).not.toMatch(/caches|importScripts|fetch\(/)
  })

  it("shows what was pushed, replaces the notice of the same subject, and shows a general one for anything else", async () => {
    const { push, shown } = worker()
    await push({ title: "Scout → voice.call", body: "$42.00 · Acme", path: "/w/org_1/approvals/apr_1", tag: "apr_1" })
    await push("no JSON")
    await push({ title: 7, path: "https://evil.example/" })
    await push({ title: "T", path: "//evil.example/" })
    expect(shown.map(({ options: { body, data, tag }, title }) => [title, body, tag, data.path])).toEqual([
      ["Scout → voice.call", "$42.00 · Acme", "apr_1", "/w/org_1/approvals/apr_1"],
      ["Countersign", "Open the console to see what is pending.", "countersign", "/"],
      ["Countersign", "Open the console to see what is pending.", "countersign", "/"],
      ["T", "Open the console to see what is pending.", "countersign", "/"]
    ])
  })

  it("opens the screen in an open window of the console, or else in a new one", async () => {
    const path = "/w/org_1/approvals/apr_1"
    const there = `https://hub.example${path}`
    const none = worker()
    await none.click(path)
    expect(none.acts).toEqual([`open ${there}`])
    const elsewhere = worker([{ url: "https://hub.example/w/org_1/inbox", navigates: true }])
    await elsewhere.click(path)
    expect(elsewhere.acts).toEqual(["focus https://hub.example/w/org_1/inbox", `navigate ${there}`])
    const uncontrolled = worker([{ url: "https://hub.example/", navigates: false }])
    await uncontrolled.click(path)
    expect(uncontrolled.acts).toEqual(["focus https://hub.example/", `open ${there}`])
    const open = worker([{ url: "https://hub.example/", navigates: true }, { url: there, navigates: true }])
    await open.click(path)
    expect(open.acts).toEqual([`focus ${there}`])
  })
})
