/** The confirmation window: when an approval counts, and how many confirmations may be pending. */
import type { ConfirmFacts } from "@countersign/desktop/bridge/contract"
import { approvalDelayMillis, confirmsMax } from "@countersign/desktop/main/electron/confirm-window"
import { webPreferences } from "@countersign/desktop/main/electron/web-preferences"
import { makeWindows, type WindowParts } from "@countersign/desktop/main/electron/windows"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { timers } from "../../../support/app-agent.ts"
import { BrowserWindow, record } from "../../../support/electron-stub.mjs"

const asked = (before_cents: number): ConfirmFacts => ({
  kind: "limit",
  hub: { name: "Works", url: "https://works.test" },
  before_cents,
  after_cents: null
})

const world = () => {
  const time = timers()
  const windows = makeWindows({
    after: time.after,
    BrowserWindow,
    preloads: "/preloads",
    isDark: () => false,
    contrast: () => "system",
    displays: () => [],
    kept: { read: () => undefined, write: () => {} },
    current: () => null,
    onBroken: () => {}
  } as unknown as WindowParts)
  const begun = record.windows.length
  const shown = () =>
    record.windows.slice(begun).filter(({ options }) => options.webPreferences.partition === "countersign-confirm")
  const last = () => windows.confirming(shown().at(-1)!.id)!
  const answers: Array<boolean> = []
  const ask = (cents: number) => windows.confirm(asked(cents)).then((yes) => void answers.push(yes))
  return { answers, ask, last, shown, time, windows }
}
/** The stub draws pages in a later turn. */
const turn = () => new Promise<void>((done) => void setImmediate(done))

describe("the confirmation window", () => {
  test("E10: accepts approval from 1.5 s after its window was shown, whatever its page sends, and rejection always", async () => {
    const { answers, ask, last, shown, time } = world()
    const first = ask(1)
    // Sandboxed like all windows, and without the console's storage.
    expect(shown()[0]!.options.webPreferences).toEqual(webPreferences("/preloads/confirm.cjs", "countersign-confirm"))
    // Its page may load before its window is shown.
    expect(last().answer(true)).toBe("too_soon")
    time.pass(10 * approvalDelayMillis)
    expect(last().answer(true)).toBe("too_soon")
    await turn()
    expect(shown()[0]!.window.shown).toBe(true)
    time.pass(approvalDelayMillis - 1)
    expect(last().answer(true)).toBe("too_soon")
    expect(answers).toEqual([])
    const { answer, ready } = last()
    time.pass(1)
    await ready
    expect(answer(true)).toBeNull()
    await first
    expect(answers).toEqual([true])
    const second = ask(2)
    expect(last().answer(false)).toBeNull()
    await second
    expect(answers).toEqual([true, false])
  })

  test("E10: shows confirmations one after the other, up to a limit; one rejection rejects all pending ones", async () => {
    const { answers, ask, last, shown, time } = world()
    const all = Array.from({ length: confirmsMax + 2 }, (_, at) => ask(at))
    await Promise.all(all.slice(confirmsMax))
    expect(answers).toEqual([false, false])
    expect(shown()).toHaveLength(1)
    await turn()
    time.pass(approvalDelayMillis)
    last().answer(true)
    await all[0]
    expect(shown()).toHaveLength(2)
    expect(last().facts).toEqual(asked(1))
    shown()[1]!.window.close()
    await Promise.all(all)
    expect(answers).toEqual([false, false, true, false, false, false])
    expect(shown()).toHaveLength(2)
  })

  test("rejects the pending confirmations of a page that is gone", async () => {
    const { answers, ask, shown, windows } = world()
    await Effect.runPromise(windows.showConsole())
    const console = record.windows.at(-1)!
    const both = [ask(1), ask(2)]
    console.contents.reload()
    await Promise.all(both)
    expect(answers).toEqual([false, false])
    expect(shown()).toHaveLength(1)
    expect(shown()[0]!.window.isDestroyed()).toBe(true)
  })
})
