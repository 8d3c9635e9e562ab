/** How the app ends while this computer runs commands. */
import type { DeviceView } from "@countersign/desktop/main/device/view"
import { makeEnding, type QuitAnswer } from "@countersign/desktop/main/ending"
import type { Launch } from "@countersign/desktop/main/launch"
import { expect, test } from "vitest"
import { eventually } from "../../support/built-main.ts"

const world = (answers: ReadonlyArray<QuitAnswer>, running: ReadonlyArray<string>) => {
  const said: Array<unknown> = []
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
      pause: () => said.push("pause"),
      subscribe: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      panic: async () => {
        said.push("panic")
        runs([])
      },
      stop: async () => void said.push("stop")
    },
    ask: async (count) => {
      said.push(["ask", count])
      return left.shift() ?? "stay"
    },
    quit: () => said.push("quit"),
    onStay: () => said.push("stay"),
    show: (count) => said.push(["show", count]),
    dispose: async () => void said.push("dispose"),
    exit: (again: Launch | undefined) => said.push(["exit", again])
  })
  return { ending, listeners, runs, said }
}
const settled = (said: ReadonlyArray<unknown>, last: unknown) =>
  eventually(() => said.at(-1) === last ? true : undefined)

test("while nothing runs nobody is asked", async () => {
  const { ending, said } = world([], [])
  expect(ending.mayQuit()).toBe(true)
  await ending.end()
  expect(said).toEqual(["stop", "dispose", ["exit", undefined]])
})

test("what runs is asked about: it stays, or is waited for and takes nothing new, or is stopped", async () => {
  const waits = world(["stay", "wait"], ["cmd_1", "cmd_2"])
  expect(waits.ending.mayQuit()).toBe(false)
  // One question at a time.
  expect(waits.ending.mayQuit()).toBe(false)
  await settled(waits.said, "stay")
  expect(waits.ending.mayQuit()).toBe(false)
  await settled(waits.said, "quit")
  expect(waits.ending.mayQuit()).toBe(true)
  const ended = waits.ending.end()
  waits.runs(["cmd_2"])
  expect(waits.ending.remembers({ hidden: false })).toBe(true)
  waits.runs([])
  await ended
  expect(waits.said).toEqual([
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
  await settled(stops.said, "quit")
  await stops.ending.end()
  expect(stops.said).toEqual([["ask", 1], "quit", "panic", "stop", "dispose", ["exit", undefined]])
})

test("who has waited long enough stops it, and a second end is the first one", async () => {
  const { ending, said } = world(["wait"], ["cmd_1"])
  ending.mayQuit()
  await settled(said, "quit")
  ending.mayQuit()
  const both = [ending.end(), ending.end()]
  expect(ending.mayQuit()).toBe(false)
  ending.hurry()
  await Promise.all(both)
  expect(said.slice(2)).toEqual(["pause", ["show", 1], "panic", "stop", "dispose", ["exit", undefined]])
})

test("a window that kept the app after the answer is asked about again; a system that goes down asks nobody", async () => {
  const { ending, said } = world(["wait", "stop"], ["cmd_1"])
  ending.mayQuit()
  await settled(said, "quit")
  expect(ending.mayQuit()).toBe(true)
  // A page with unsaved changes: no end came of it.
  expect(ending.remembers({ hidden: false })).toBe(false)
  expect(ending.mayQuit()).toBe(false)
  await eventually(() => said.length === 4 ? true : undefined)
  expect(said).toEqual([["ask", 1], "quit", ["ask", 1], "quit"])

  const down = world([], ["cmd_1"])
  down.ending.systemEnds()
  expect(down.ending.mayQuit()).toBe(true)
  await down.ending.end()
  expect(down.said).toEqual([["show", 1], "stop", "dispose", ["exit", undefined]])
})
