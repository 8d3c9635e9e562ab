import { type Leadership, leaderSilenceMillisMax, type Locks, startLeadership } from "@countersign/ui/live/leadership"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const settle = () => vi.advanceTimersByTimeAsync(0)

/** Locks of one browser as specified: a queue, and stealing that rejects the holder's request. */
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

describe("several tabs", () => {
  test("elect one leader", async () => {
    const { all, leading } = tabs(browserLocks(), 3)
    await settle()
    expect(leading).toEqual([0])
    expect(all.map((each) => each.isLeader())).toEqual([true, false, false])
  })

  test("elect the next leader when the leader closes", async () => {
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

  test("skip a tab that left the queue", async () => {
    const { all, leading } = tabs(browserLocks(), 3)
    await settle()
    all[1]?.stop()
    all[0]?.stop()
    await settle()
    expect(leading).toEqual([2])
  })

  test("replace a silent leader, which then joins the queue", async () => {
    const { all, leading } = tabs(browserLocks(), 3)
    await settle()
    // The first follower to time out sends its first message to the others.
    await vi.advanceTimersByTimeAsync(leaderSilenceMillisMax + 10_000 / 3)
    all[2]?.received()
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

  test("keep a leader that sends messages", async () => {
    const { all, leading } = tabs(browserLocks(), 2)
    await settle()
    for (let minute = 0; minute < 10; minute++) {
      await vi.advanceTimersByTimeAsync(leaderSilenceMillisMax - 1)
      all[1]?.received()
    }
    expect(leading).toEqual([0])
  })

  test("are each their own leader if the browser has no locks", async () => {
    const { all, leading } = tabs(undefined, 2)
    await settle()
    expect(leading).toEqual([0, 1])
    all[0]?.stop()
    await vi.advanceTimersByTimeAsync(leaderSilenceMillisMax * 2)
    expect(leading).toEqual([1])
  })
})
