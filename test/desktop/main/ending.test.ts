/** How the app ends while this computer runs commands. */
import type { DeviceView } from "@countersign/desktop/bridge/device-view"
import { makeEnding, type QuitAnswer } from "@countersign/desktop/main/lifecycle/ending"
import type { Launch } from "@countersign/desktop/main/lifecycle/launch"
import { expect, test } from "vitest"
import { eventually } from "../../support/built-main.ts"

const world = (answers: ReadonlyArray<QuitAnswer>, running: ReadonlyArray<string>) => {
  const recorded: Array<unknown> = []
  const left = [...answers]
  const listeners = new Set<(view: DeviceView) => void>()
  let view: DeviceView = { phase: "online", since: 0, running }
  const runs = (now: ReadonlyArray<string>) => {
    view = { ...view, running: now }
    for (const listener of listeners) listener(view)
  }
  const ending = makeEnding({
    host: {
      view: () => view,
      pause: () => recorded.push("pause"),
      subscribe: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      panic: async () => {
        recorded.push("panic")
        runs([])
      },
      stop: async () => void recorded.push("stop")
    },
    ask: async (count) => {
      recorded.push(["ask", count])
      return left.shift() ?? "stay"
    },
    quit: () => recorded.push("quit"),
    onStay: () => recorded.push("stay"),
    show: (count) => recorded.push(["show", count]),
    dispose: async () => void recorded.push("dispose"),
    exit: (again: Launch | undefined) => recorded.push(["exit", again])
  })
  return { ending, listeners, runs, recorded }
}
const settled = (recorded: ReadonlyArray<unknown>, last: unknown) =>
  eventually(() => recorded.at(-1) === last ? true : undefined)

test("quits without a question while nothing runs", async () => {
  const { ending, recorded } = world([], [])
  expect(ending.mayQuit()).toBe(true)
  await ending.end()
  expect(recorded).toEqual(["stop", "dispose", ["exit", undefined]])
})

test("asks about running commands: keeps the app, waits without accepting new commands, or stops them", async () => {
  const waits = world(["stay", "wait"], ["cmd_1", "cmd_2"])
  expect(waits.ending.mayQuit()).toBe(false)
  // One question at a time.
  expect(waits.ending.mayQuit()).toBe(false)
  await settled(waits.recorded, "stay")
  expect(waits.ending.mayQuit()).toBe(false)
  await settled(waits.recorded, "quit")
  expect(waits.ending.mayQuit()).toBe(true)
  const ended = waits.ending.end()
  waits.runs(["cmd_2"])
  expect(waits.ending.remembers({ hidden: false })).toBe(true)
  waits.runs([])
  await ended
  expect(waits.recorded).toEqual([
    ["ask", 2],
    "stay",
    ["ask", 2],
    "quit",
    "pause",
    ["show", 2],
    ["show", 1],
    "stop",
    "dispose",
    ["exit", { hidden: false }]
  ])
  expect(waits.listeners.size).toBe(0)

  const stops = world(["stop"], ["cmd_1"])
  expect(stops.ending.mayQuit()).toBe(false)
  await settled(stops.recorded, "quit")
  await stops.ending.end()
  expect(stops.recorded).toEqual([["ask", 1], "quit", "panic", "stop", "dispose", ["exit", undefined]])
})

test("stops the commands when the person no longer waits; a second end shares the first", async () => {
  const { ending, recorded } = world(["wait"], ["cmd_1"])
  ending.mayQuit()
  await settled(recorded, "quit")
  ending.mayQuit()
  const both = [ending.end(), ending.end()]
  expect(ending.mayQuit()).toBe(false)
  ending.hurry()
  await Promise.all(both)
  expect(recorded.slice(2)).toEqual(["pause", ["show", 1], "panic", "stop", "dispose", ["exit", undefined]])
})

test("asks again after a window kept the app open; a system shutdown asks no question", async () => {
  const { ending, recorded } = world(["wait", "stop"], ["cmd_1"])
  ending.mayQuit()
  await settled(recorded, "quit")
  expect(ending.mayQuit()).toBe(true)
  // A page with unsaved changes prevented the quit.
  expect(ending.remembers({ hidden: false })).toBe(false)
  expect(ending.mayQuit()).toBe(false)
  await eventually(() => recorded.length === 4 ? true : undefined)
  expect(recorded).toEqual([["ask", 1], "quit", ["ask", 1], "quit"])

  const down = world([], ["cmd_1"])
  down.ending.systemEnds()
  expect(down.ending.mayQuit()).toBe(true)
  await down.ending.end()
  expect(down.recorded).toEqual([["show", 1], "stop", "dispose", ["exit", undefined]])
})
