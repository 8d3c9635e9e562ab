/**
 * The changes of a hub's profile that the console's window may make itself, and those that require main's own window.
 */
import { pushes } from "@countersign/desktop/bridge/channels"
import type { ConfirmFacts } from "@countersign/desktop/bridge/contract"
import { makeWindows, type WindowParts } from "@countersign/desktop/main/electron/windows"
import type { StreamUpdate } from "@countersign/desktop/main/hub/connection"
import { ConnectionDesk, type ConnectionDeskShape } from "@countersign/desktop/main/hub/connections"
import { Profiles } from "@countersign/desktop/main/profiles/profiles"
import { hubMethods } from "@countersign/desktop/main/shell/hubs"
import { Windows } from "@countersign/desktop/main/windows/windows"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { eventually } from "../../../support/built-main.ts"
import { keychainInTest, mainServices, temporaryFolder } from "../../../support/desktop-main.ts"
import { BrowserWindow, record } from "../../../support/electron-stub.mjs"

const windows = makeWindows({
  BrowserWindow,
  preloads: "/preloads",
  isDark: () => false,
  contrast: () => "system",
  displays: () => [],
  kept: { read: () => undefined, write: () => {} },
  current: () => shown,
  after: (_: number, act: () => void) => {
    act()
    return () => {}
  },
  onBroken: () => {}
} as unknown as WindowParts)
/** The current profile. */
let shown: string | null = null

/** The facts of the next confirmation window; then a person answers. */
const answered = async (begun: number, yes: boolean): Promise<ConfirmFacts> => {
  const { id } = await eventually(() => record.windows[begun])
  const { answer, facts } = await eventually(() => windows.confirming(id))
  answer(yes)
  return facts
}

it.live(
  "E10: the limit is lowered freely, and raised or removed only after confirmation in main's window",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const services = Layer.mergeAll(mainServices(folder, keychainInTest()), Layer.succeed(Windows, windows))
      yield* Effect.gen(function*() {
        const profiles = yield* Profiles
        const { updateHub } = yield* hubMethods
        const { id } = yield* profiles.add({ name: "Works", url: "http://127.0.0.1:9", hub_id: "hub", ca: undefined })
        const limit = Effect.map(profiles.find(id), (found) => Option.getOrUndefined(found)?.limit_cents)
        const set = (limit_cents: number | null) => updateHub({ id, limit_cents })
        const begun = record.windows.length
        yield* Effect.promise(() => set(5_000))
        yield* Effect.promise(() => set(1_000))
        expect(yield* limit).toBe(1_000)
        expect(record.windows).toHaveLength(begun)

        const hub = { name: "Works", url: "http://127.0.0.1:9" }
        for (
          const [at, [after, confirms]] of ([[null, false], [5_000, false], [5_000, true], [null, true]] as const)
            .entries()
        ) {
          const before = yield* limit
          const changed = set(after).then(() => "changed", ({ code }: { readonly code: string }) => code)
          const facts = yield* Effect.promise(() => answered(begun + at, confirms))
          expect(facts).toEqual({ kind: "limit", hub, before_cents: before, after_cents: after })
          expect(yield* Effect.promise(() => changed)).toBe(confirms ? "changed" : "not_confirmed")
          expect(yield* limit).toBe(confirms ? after ?? undefined : before)
        }

        // The limit was lowered while the confirmation was shown, so the confirmation is outdated.
        yield* Effect.promise(() => set(5_000))
        const raised = set(6_000).then(() => "changed", ({ code }: { readonly code: string }) => code)
        yield* Effect.promise(() => eventually(() => record.windows[begun + 4]))
        yield* Effect.promise(() => set(100))
        yield* Effect.promise(() => answered(begun + 4, true))
        expect(yield* Effect.promise(() => raised)).toBe("not_confirmed")
        expect(yield* limit).toBe(100)
      }).pipe(Effect.provide(services))
    }))
)

it.live(
  "a page's streams end with it: after a reload, another page, or a crash, none continues into the next page",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const listeners = new Set<(update: StreamUpdate) => void>()
      const bodies: Array<ReadableStreamDefaultController<string>> = []
      const signals: Array<AbortSignal> = []
      const connection = {
        state: () => ({ phase: "connected" }),
        stream: async (_endpoint: string, _input: unknown, { signal }: { readonly signal: AbortSignal }) => {
          signals.push(signal)
          return new ReadableStream<string>({
            start: (controller) => {
              bodies.push(controller)
              signal.addEventListener("abort", () => controller.error(signal.reason))
            }
          })
        }
      }
      const desk = {
        find: () => connection,
        listen: (_: string, listener: (update: StreamUpdate) => void) => {
          listeners.add(listener)
          listener({ kind: "open" })
          return () => void listeners.delete(listener)
        }
      } as unknown as ConnectionDeskShape
      const services = Layer.mergeAll(
        mainServices(folder, keychainInTest()),
        Layer.succeed(Windows, windows),
        Layer.succeed(ConnectionDesk, desk)
      )
      yield* Effect.gen(function*() {
        const profiles = yield* Profiles
        const { closeStream, openEvents, openStream } = yield* hubMethods
        const { id: profile } = yield* profiles.add({
          name: "Works",
          url: "http://127.0.0.1:9",
          hub_id: "hub",
          ca: undefined
        })
        shown = profile
        yield* windows.showConsole()
        const { contents, id, sent } = record.windows.at(-1)!
        const follow = async () => {
          await openEvents({ stream: "events" }, id)
          const ask = { endpoint: "device_commands.readOutput", input: { params: { id: "cmd_1" } } } as const
          // The maximum per window.
          for (let at = 0; at < 16; at++) await openStream({ ...ask, stream: `output-${at}` }, id)
        }
        const pieces = () => sent.filter(([channel]) => channel === pushes.events).length
        for (
          const leave of [
            () => contents.reload(),
            () => contents.emit("did-navigate", {}, "app://countersign/"),
            () => contents.emit("render-process-gone", {}, { reason: "crashed" })
          ]
        ) {
          yield* Effect.promise(follow)
          expect(listeners.size).toBe(1)
          const [sentBefore, open] = [pieces(), signals.filter(({ aborted }) => !aborted)]
          expect(open).toHaveLength(16)
          leave()
          expect(open.every(({ aborted }) => aborted)).toBe(true)
          expect(listeners.size).toBe(0)
          expect(pieces()).toBe(sentBefore)
        }
        // While the page stays, it receives all pieces, and can close a stream by its name.
        yield* Effect.promise(follow)
        const before = pieces()
        bodies.at(-1)!.enqueue("text")
        yield* Effect.promise(() => eventually(() => pieces() === before + 1 ? true : undefined))
        yield* Effect.promise(() => closeStream({ stream: "events" }, id))
        expect(listeners.size).toBe(0)
      }).pipe(Effect.provide(services))
    }))
)
