import type { StreamOptions } from "@countersign/hub-client/client"
import { HubError } from "@countersign/hub-client/error"
import { graceMillis, makeFeed, silenceMillisMax } from "@countersign/hub-client/event-feed"
import type { Message } from "@countersign/hub-client/event-parser"
import type { StreamConnection } from "@countersign/hub-client/stream-connection"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => void vi.useRealTimers())

interface Try {
  readonly options: StreamOptions
  readonly answer: (stream: ReadableStream<string>) => void
  readonly fail: (error: unknown) => void
}

/** A feed over streams that the test controls. Pauses have the maximum of full jitter. */
const follow = (lastEventId?: string) => {
  const tries: Array<Try> = []
  const messages: Array<Message> = []
  const states: Array<StreamConnection> = []
  const opened: Array<number> = []
  let signedOut = 0
  const feed = makeFeed({
    open: (options) => new Promise((answer, fail) => void tries.push({ options, answer, fail })),
    onOpen: () => void opened.push(messages.length),
    onMessage: (message) => void messages.push(message),
    onAlive: () => {},
    onConnection: (state) => void states.push(state),
    onSignedOut: () => void signedOut++,
    random: () => 0.999
  })
  const ending = new AbortController()
  const ended = feed.run(ending.signal, lastEventId)
  const stream = () => {
    let controller: ReadableStreamDefaultController<string> | undefined
    const readable = new ReadableStream<string>({ start: (made) => void (controller = made) })
    return {
      readable,
      send: (text: string) => controller?.enqueue(text),
      end: () => controller?.close(),
      break: () => controller?.error(new TypeError("cut"))
    }
  }
  return {
    feed,
    tries,
    messages,
    states,
    opened,
    ending,
    ended,
    stream,
    phase: () => states.at(-1)?.phase,
    signedOut: () => signedOut
  }
}
const settle = () => vi.advanceTimersByTimeAsync(0)
const refused = new HubError({ status: 0, code: "network_error", message: "no" })

describe("event feed", () => {
  test("requests a refetch of lists before it emits a message", async () => {
    const f = follow()
    const s = f.stream()
    s.send("id: c1\ndata: a\n\n")
    f.tries[0]?.answer(s.readable)
    await settle()
    expect(f.opened).toEqual([0])
    expect(f.messages.map(({ data }) => data)).toEqual(["a"])
    expect(f.phase()).toBe("online")
    f.ending.abort()
    await f.ended
  })

  test("resumes after the last event received", async () => {
    const f = follow("c0")
    expect(f.tries[0]?.options.lastEventId).toBe("c0")
    const s = f.stream()
    f.tries[0]?.answer(s.readable)
    s.send("id: c7\ndata: a\n\nid: c8\nda")
    await settle()
    s.break()
    await vi.advanceTimersByTimeAsync(500)
    expect(f.tries[1]?.options.lastEventId).toBe("c7")
  })

  test("retries without end, each pause up to twice as long, 8 s at most", async () => {
    const f = follow()
    const at: Array<number> = []
    for (let tried = 0; tried < 8; tried++) {
      at.push(Date.now())
      f.tries[tried]?.fail(refused)
      while (f.tries.length === tried + 1) await vi.advanceTimersByTimeAsync(1)
    }
    expect(at.slice(1).map((each, index) => each - at[index]!)).toEqual([499, 999, 1_998, 3_996, 7_992, 7_992, 7_992])
  })

  test("does not report a short interruption, and reports a longer one with its start and the next attempt", async () => {
    const f = follow()
    const s = f.stream()
    f.tries[0]?.answer(s.readable)
    await settle()
    s.end()
    await settle()
    const lostAt = Date.now()
    expect(f.phase()).toBe("online")
    await vi.advanceTimersByTimeAsync(499)
    f.tries[1]?.fail(refused)
    await settle()
    expect(f.states.at(-1)).toEqual({
      phase: "offline",
      since: lostAt,
      retryAt: Date.now() + 999,
      cause: "network_error"
    })
    await vi.advanceTimersByTimeAsync(999)
    expect(f.states.at(-1)).toEqual({ phase: "offline", since: lostAt, retryAt: undefined, cause: "network_error" })
    f.tries[2]?.answer(f.stream().readable)
    await settle()
    expect(f.phase()).toBe("online")
    expect(f.opened.length).toBe(2)
  })

  test("reports a hub that gives no answer", async () => {
    const f = follow()
    await vi.advanceTimersByTimeAsync(graceMillis)
    expect(f.phase()).toBe("offline")
  })

  test("treats a silent stream as dead, but not one that only pings", async () => {
    const f = follow()
    const s = f.stream()
    f.tries[0]?.answer(s.readable)
    for (let ping = 0; ping < 10; ping++) {
      s.send(": ping\n\n")
      await vi.advanceTimersByTimeAsync(silenceMillisMax - 1)
    }
    expect(f.tries.length).toBe(1)
    await vi.advanceTimersByTimeAsync(1 + 499)
    expect(f.tries.length).toBe(2)
    expect(f.tries[0]?.options.signal.aborted).toBe(true)
  })

  test("retries at once on the person's request", async () => {
    const f = follow()
    f.tries[0]?.fail(refused)
    await settle()
    f.feed.retryNow()
    await settle()
    expect(f.tries.length).toBe(2)
  })

  test("reopens a stream at its position after sleep, without reporting a loss", async () => {
    const f = follow()
    const s = f.stream()
    f.tries[0]?.answer(s.readable)
    s.send("id: c7\ndata: a\n\n")
    await settle()
    const reported = f.states.length
    f.feed.wake()
    await settle()
    expect([f.tries.length, f.tries[0]?.options.signal.aborted, f.tries[1]?.options.lastEventId]).toEqual([
      2,
      true,
      "c7"
    ])
    // Another wake before the stream is open has the same effect.
    f.feed.wake()
    await settle()
    f.tries[2]?.answer(f.stream().readable)
    await settle()
    expect([f.tries.length, f.opened.length]).toEqual([3, 2])
    expect(f.states.slice(reported)).toEqual([{ phase: "online" }])
  })

  test("reports a stream that cannot be reopened as lost, and retries it as usual", async () => {
    const f = follow()
    f.tries[0]?.answer(f.stream().readable)
    await settle()
    const lostAt = Date.now()
    f.feed.wake()
    await vi.advanceTimersByTimeAsync(graceMillis)
    expect(f.states.at(-1)).toEqual({ phase: "offline", since: lostAt, retryAt: undefined, cause: "timeout" })
    f.tries[1]?.fail(refused)
    await vi.advanceTimersByTimeAsync(499)
    expect(f.tries.length).toBe(3)
    f.tries[2]?.fail(refused)
    await settle()
    f.feed.wake()
    await settle()
    expect(f.tries.length).toBe(4)
  })

  test("waits for the Retry-After of a 429, however often the person requests a retry", async () => {
    const f = follow()
    f.tries[0]?.fail(new HubError({ status: 429, code: "rate_limited", message: "no", retryAfterMillis: 90_000 }))
    await settle()
    f.feed.retryNow()
    await vi.advanceTimersByTimeAsync(89_999)
    expect(f.tries.length).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(f.tries.length).toBe(2)
  })

  test("stops without a retry when the session has ended", async () => {
    const f = follow()
    f.tries[0]?.fail(new HubError({ status: 401, code: "unauthorized", message: "no" }))
    await f.ended
    expect(f.signedOut()).toBe(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(f.tries.length).toBe(1)
  })

  test("continues from now if the hub does not accept its position", async () => {
    const f = follow("from another hub")
    f.tries[0]?.fail(new HubError({ status: 400, code: "invalid_request", message: "no" }))
    await vi.advanceTimersByTimeAsync(500)
    expect(f.tries[1]?.options.lastEventId).toBeUndefined()
  })

  test("reports nothing after its end", async () => {
    const f = follow()
    const s = f.stream()
    f.tries[0]?.answer(s.readable)
    await settle()
    const before = f.states.length
    f.ending.abort(new Error("enough"))
    await f.ended
    expect(() => s.send("data: late\n\n"), "the stream was let go").toThrow(TypeError)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(f.messages).toEqual([])
    expect(f.states.length).toBe(before)
  })
})
