/** E17: the arguments that a start passes on. */
import { becomeOnly } from "@countersign/desktop/main/electron/single-instance"
import { atLogin, launchArguments, readLaunch } from "@countersign/desktop/main/lifecycle/launch"
import { EventEmitter } from "node:events"
import { expect, test } from "vitest"

const appWith = (lock: boolean) => {
  const events = new EventEmitter()
  let quits = 0
  const app = { requestSingleInstanceLock: () => lock, quit: () => void quits++, on: events.on.bind(events) }
  return { app: app as unknown as Parameters<typeof becomeOnly>[0]["app"], events, quits: () => quits }
}

test("E17: a second start without the lock quits and reads nothing", () => {
  const { app, quits } = appWith(false)
  const launches: Array<unknown> = []
  expect(
    becomeOnly({ app, argv: ["electron", "countersign://hub/inbox"], onLaunch: (launch) => void launches.push(launch) })
  ).toBe(false)
  expect([quits(), launches]).toEqual([1, []])
})

test("E17: the first start reads later arguments with its own parser", () => {
  const { app, events } = appWith(true)
  const hubId = "0b8f7c1e-2f6a-4f0e-9a54-1d2f3c4b5a69"
  const launches: Array<unknown> = []
  expect(becomeOnly({ app, argv: ["electron", "--hidden"], onLaunch: (...launch) => void launches.push(launch) })).toBe(
    true
  )
  events.emit("second-instance", {}, ["electron", ".", `countersign://${hubId}/inbox`, "--no-sandbox"], "/")
  events.emit("open-url", { preventDefault: () => {} }, `countersign://${hubId}/agents`)
  expect(launches).toEqual([
    [{ hidden: true }, true],
    [{ hidden: false, link: { hubId, screen: "inbox" } }, false],
    [{ hidden: false, link: { hubId, screen: "agents" } }, false]
  ])
})

test("E17: ignores text that is not a link, or is too long", () => {
  for (
    const argv of [[], ["https://hub.example.com"], ["xcountersign://hub"], [`countersign://${"a".repeat(3_000)}`]]
  ) {
    expect(readLaunch(argv)).toEqual({ hidden: false })
  }
})

test("starts hidden at login on macOS by the setting, since macOS passes no argument", () => {
  expect(atLogin({ hidden: false }, true, true)).toEqual({ hidden: true })
  expect([atLogin({ hidden: false }, true, false), atLogin({ hidden: false }, false, true)]).toEqual([
    { hidden: false },
    { hidden: false }
  ])
})

test("a start that was requested during the end uses its own link, not an older one", () => {
  const link = { hubId: "0b8f7c1e-2f6a-4f0e-9a54-1d2f3c4b5a69", screen: "agents" } as const
  const argv = [".", "--no-sandbox", "--hidden", `countersign://${link.hubId}/inbox`]
  expect(launchArguments(argv, { hidden: false, link })).toEqual([
    ".",
    "--no-sandbox",
    `countersign://${link.hubId}/agents`
  ])
  expect(launchArguments(argv, { hidden: false })).toEqual([".", "--no-sandbox"])
})
