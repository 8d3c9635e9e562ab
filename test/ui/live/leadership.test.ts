import { type Leadership, leaderSilenceMillisMax, type Locks, startLeadership } from "@countersign/ui/live/leadership"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const settle = () => vi.advanceTimersByTimeAsync(0)

/** Locks of one browser, as the specification has them: a queue, and theft that rejects the holder's request. */
const browserLocks = (): Locks => {
  interface Request {
    readonly hold: () => Promise<void>
    readonly resolve: () => void
    readonly reject: (reason: unknown) => void
  }
  let holder: Request | undefined
  const queue: Array<Request> = []
  const give = () => {
    const next = queue.shift()
    holder = next
    if (next === undefined) return
    void next.hold().then(() => {
      next.resolve()
      if (holder === next) give()
    })
  }
  return {
    request: (_, { signal, steal }, hold) =>
      new Promise<void>((resolve, reject) => {
        const request: Request = { hold, resolve, reject }
        signal?.addEventListener("abort", () => {
          const at = queue.indexOf(request)
          if (at === -1) return
          queue.splice(at, 1)
          reject(signal.reason)
        })
        if (steal === true) {
          holder?.reject(new DOMException("stolen", "AbortError"))
          holder = undefined
          queue.unshift(request)
        } else queue.push(request)
        if (holder === undefined) give()
      })
  }
}

const tabs = (locks: Locks | undefined, count: number) => {
  const leading: Array<number> = []
  const terms: Array<{ readonly tab: number; readonly signal: AbortSignal }> = []
  const all: Array<Leadership> = Array.from({ length: count }, (_, tab) =>
    startLeadership({
      locks,
      name: "test",
      random: () => tab / count,
      lead: (signal) =>
        new Promise((resolve) => {
          leading.push(tab)
          terms.push({ tab, signal })
          signal.addEventListener("abort", () => {
            leading.splice(leading.indexOf(tab), 1)
            resolve()
          })
        })
    }))
  return { all, leading, terms }
}

describe("of several tabs", () => {
  test("one leads", async () => {
    const { all, leading } = tabs(browserLocks(), 3)
    await settle()
    expect(leading).toEqual([0])
    expect(all.map((each) => each.isLeader())).toEqual([true, false, false])
  })

  test("the next leads when the leader goes", async () => {
    const { all, leading } = tabs(browserLocks(), 3)
    await settle()
    all[0]?.stop()
    await settle()
    expect(leading).toEqual([1])
    all[1]?.stop()
    all[2]?.stop()
    await settle()
    expect(leading).toEqual([])
  })

  test("one that waited and went is passed over", async () => {
    const { all, leading } = tabs(browserLocks(), 3)
    await settle()
    all[1]?.stop()
    all[0]?.stop()
    await settle()
    expect(leading).toEqual([2])
  })

  test("one that hears nothing of its leader takes over, and the old leader waits in line", async () => {
    const { all, leading } = tabs(browserLocks(), 3)
    await settle()
    // The first follower that loses patience is heard by the others, as its first word.
    await vi.advanceTimersByTimeAsync(leaderSilenceMillisMax + 10_000 / 3)
    all[2]?.heard()
    await settle()
    expect(leading).toEqual([1])
    expect(all.map((each) => each.isLeader())).toEqual([false, true, false])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(leading).toEqual([1])
    all[1]?.stop()
    all[2]?.stop()
    await settle()
    expect(leading).toEqual([0])
  })

  test("a leader that is heard keeps its place", async () => {
    const { all, leading } = tabs(browserLocks(), 2)
    await settle()
    for (let minute = 0; minute < 10; minute++) {
      await vi.advanceTimersByTimeAsync(leaderSilenceMillisMax - 1)
      all[1]?.heard()
    }
    expect(leading).toEqual([0])
  })

  test("each leads itself where the browser has no locks", async () => {
    const { all, leading } = tabs(undefined, 2)
    await settle()
    expect(leading).toEqual([0, 1])
    all[0]?.stop()
    await vi.advanceTimersByTimeAsync(leaderSilenceMillisMax * 2)
    expect(leading).toEqual([1])
  })
})
