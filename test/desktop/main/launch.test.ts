/** E17: what a start hands over. */
import { becomeOnly } from "@countersign/desktop/main/electron/single-instance"
import { readLaunch } from "@countersign/desktop/main/launch"
import { EventEmitter } from "node:events"
import { expect, test } from "vitest"

const appWith = (lock: boolean) => {
  const events = new EventEmitter()
  let quits = 0
  const app = { requestSingleInstanceLock: () => lock, quit: () => void quits++, on: events.on.bind(events) }
  return { app: app as unknown as Parameters<typeof becomeOnly>[0]["app"], events, quits: () => quits }
}

test("E17: a second start that does not get the lock quits and reads nothing", () => {
  const { app, quits } = appWith(false)
  const launches: Array<unknown> = []
  expect(becomeOnly({ app, argv: ["electron", "countersign://hub/inbox"], onLaunch: (launch) => void launches.push(launch) })).toBe(false)
  expect([quits(), launches]).toEqual([1, []])
})

test("E17: the first start reads later ones' arguments by the parser of its own", () => {
  const { app, events } = appWith(true)
  const launches: Array<unknown> = []
  expect(becomeOnly({ app, argv: ["electron", "--hidden"], onLaunch: (...told) => void launches.push(told) })).toBe(true)
  events.emit("second-instance", {}, ["electron", ".", "countersign://hub_1/inbox/apr_1", "--no-sandbox"], "/")
  events.emit("open-url", { preventDefault: () => {} }, "countersign://hub_1/inbox")
  expect(launches).toEqual([
    [{ hidden: true }, true],
    [{ hidden: false, link: "countersign://hub_1/inbox/apr_1" }, false],
    [{ hidden: false, link: "countersign://hub_1/inbox" }, false]
  ])
})

test("E17: what is no link, or too long a one, is no link", () => {
  for (const argv of [[], ["https://hub.example.com"], ["xcountersign://hub"], [`countersign://${"a".repeat(3_000)}`]]) {
    expect(readLaunch(argv)).toEqual({ hidden: false })
  }
})
