/** What the console's window may change of a hub's profile by itself, and what only main's own window does. */
import type { ConfirmFacts } from "@countersign/desktop/bridge/contract"
import { makeWindows, type WindowParts } from "@countersign/desktop/main/electron/windows"
import { Profiles } from "@countersign/desktop/main/profiles/profiles"
import { hubMethods } from "@countersign/desktop/main/shell/hubs"
import { Windows } from "@countersign/desktop/main/windows"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { keychainInTest, mainServices, temporaryFolder } from "../../../support/desktop-main.ts"
import { BrowserWindow, record } from "../../../support/electron-stub.mjs"
import { eventually } from "../../../support/built-main.ts"

const windows = makeWindows({ BrowserWindow, preloads: "/preloads", isDark: () => false, contrast: () => "system" } as unknown as WindowParts)

/** What the window that comes next asks; then a person answers. */
const answered = async (begun: number, yes: boolean): Promise<ConfirmFacts> => {
  const { id } = await eventually(() => record.windows[begun])
  const { answer, facts } = await eventually(() => windows.confirming(id))
  answer(yes)
  return facts
}

it.live("E10: the limit is lowered freely, and raised or removed only by a yes in main's window", () =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const services = Layer.mergeAll(mainServices(folder, keychainInTest()), Layer.succeed(Windows, windows))
    yield* Effect.gen(function*() {
      const profiles = yield* Profiles
      const { updateHub } = yield* hubMethods
      const { id } = yield* profiles.add({ name: "Works", url: "http://127.0.0.1:9", hub_id: "hub", ca: undefined })
      const limit = Effect.map(profiles.find(id), (found) => Option.getOrUndefined(found)?.limit_cents)
      const set = (limit_cents: number | null) => updateHub({ id, limit_cents }, 1)
      const begun = record.windows.length
      yield* Effect.promise(() => set(5_000))
      yield* Effect.promise(() => set(1_000))
      expect(yield* limit).toBe(1_000)
      expect(record.windows).toHaveLength(begun)

      const hub = { name: "Works", url: "http://127.0.0.1:9" }
      for (const [at, [after, says]] of ([[null, false], [5_000, false], [5_000, true], [null, true]] as const).entries()) {
        const before = yield* limit
        const changed = set(after).then(() => "changed", ({ code }: { readonly code: string }) => code)
        const facts = yield* Effect.promise(() => answered(begun + at, says))
        expect(facts).toEqual({ kind: "limit", hub, before_cents: before, after_cents: after })
        expect(yield* Effect.promise(() => changed)).toBe(says ? "changed" : "not_confirmed")
        expect(yield* limit).toBe(says ? after ?? undefined : before)
      }

      // Lowered while the question stood: what it showed is not what would be changed.
      yield* Effect.promise(() => set(5_000))
      const raised = set(6_000).then(() => "changed", ({ code }: { readonly code: string }) => code)
      yield* Effect.promise(() => eventually(() => record.windows[begun + 4]))
      yield* Effect.promise(() => set(100))
      yield* Effect.promise(() => answered(begun + 4, true))
      expect(yield* Effect.promise(() => raised)).toBe("not_confirmed")
      expect(yield* limit).toBe(100)
    }).pipe(Effect.provide(services))
  })), 60_000)
