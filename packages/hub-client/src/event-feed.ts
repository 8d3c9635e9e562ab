/**
 * One event stream that reconnects without end: it counts as dead after 45 s of silence and is retried after a growing
 * pause. It resumes after the last event received, so that a gap loses nothing.
 */
import { backoffMillis } from "@countersign/domain/retry-rules"
import type { StreamOptions } from "./client.ts"
import { type HubError, isHubError } from "./error.ts"
import { makeEventParser, type Message } from "./event-parser.ts"
import type { StreamConnection } from "./stream-connection.ts"

/** The time of three missing comment lines. */
export const silenceMillisMax = 45_000
/** A shorter interruption is not reported: the hub may only move its stream. */
export const graceMillis = 2_000
/** After a stream that lasted this long, the next pause is short again. */
const goodMillis = 5_000
const askedMillisMax = 300_000

const isTooMany = (error: unknown): error is HubError => isHubError(error) && error.status === 429

export interface FeedOptions {
  readonly open: (options: StreamOptions) => Promise<ReadableStream<string>>
  /** The stream is open: lists must be refetched before later messages are applied. */
  readonly onOpen: () => void
  readonly onMessage: (message: Message) => void
  /** Any data was received: the hub is alive. */
  readonly onAlive: () => void
  readonly onConnection: (connection: StreamConnection) => void
  /** 401: the session has ended and the feed stops. */
  readonly onSignedOut: () => void
  /** The pause after this many failures in a row; `error` is the last one, undefined if the hub ended the stream. */
  readonly pauseOf?: (error: unknown, failures: number, random: number) => number
  readonly now?: () => number
  readonly random?: () => number
}

/** The pause that the hub requests, at most 5 min, but no shorter than the backoff. */
const pauseOfError = (error: unknown, failures: number, random: number): number =>
  Math.max(
    backoffMillis(failures - 1, random),
    isTooMany(error) ? Math.min(error.retryAfterMillis ?? 0, askedMillisMax) : 0
  )

export interface Feed {
  /** Resolves when the signal aborts or the session ends. */
  readonly run: (signal: AbortSignal, lastEventId: string | undefined) => Promise<void>
  /** Ends the pause, unless the hub requested it: an early request would get a longer one. */
  readonly retryNow: () => void
  /**
   * Call it after sleep or a network change, when an open stream may be dead without an error. The stream is reopened
   * at its position at once; only a failure to reopen is reported as a loss.
   */
  readonly wake: () => void
}

export const makeFeed = (options: FeedOptions): Feed => {
  const {
    now = Date.now,
    onAlive,
    onConnection,
    onMessage,
    onOpen,
    onSignedOut,
    open,
    pauseOf = pauseOfError,
    random = Math.random
  } = options
  let endPause: () => void = () => {}
  let reopen: () => void = () => {}
  let isHeldBack = false

  const wait = (millis: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener("abort", done)
        endPause = () => {}
        resolve()
      }
      const timer = setTimeout(done, millis)
      signal.addEventListener("abort", done)
      endPause = done
    })

  return {
    retryNow: () => isHeldBack || endPause(),
    wake: () => {
      reopen()
      endPause()
    },
    run: async (signal, lastEventId) => {
      let at = lastEventId
      let attempt = 0
      let lostAt: number | undefined = now()
      let cause = ""
      let isReopening = false

      const reportOffline = (retryAt?: number) => {
        if (!signal.aborted) onConnection({ phase: "offline", since: lostAt ?? now(), retryAt, cause })
      }

      /** Runs until the stream ends for any reason. */
      const listen = async (): Promise<void> => {
        const ending = new AbortController()
        const end = () => ending.abort(signal.reason)
        signal.addEventListener("abort", end)
        reopen = () => {
          isReopening = true
          ending.abort(new DOMException("The stream is reopened.", "AbortError"))
        }
        const silent = () => ending.abort(new DOMException("The hub fell silent.", "TimeoutError"))
        let watch = setTimeout(silent, silenceMillisMax)
        const grace = lostAt === undefined
          ? undefined
          : setTimeout(reportOffline, Math.max(0, lostAt + graceMillis - now()))
        try {
          const opening = open({ lastEventId: at, signal: ending.signal })
          const stream = await Promise.race([opening, whenAborted(ending.signal)]).catch((error: unknown) => {
            // A stream that opens after the abort is canceled.
            opening.then((late) => late.cancel()).catch(() => {})
            throw error
          })
          const parser = makeEventParser()
          const openedAt = now()
          clearTimeout(grace)
          lostAt = undefined
          onConnection({ phase: "online" })
          onOpen()
          for await (const piece of pieces(stream, ending.signal)) {
            clearTimeout(watch)
            watch = setTimeout(silent, silenceMillisMax)
            onAlive()
            if (now() - openedAt >= goodMillis) attempt = 0
            for (const message of parser.push(piece)) {
              attempt = 0
              if (message.id !== "") at = message.id
              onMessage(message)
            }
          }
        } finally {
          reopen = () => {}
          clearTimeout(watch)
          clearTimeout(grace)
          signal.removeEventListener("abort", end)
        }
      }

      onConnection({ phase: "connecting" })
      while (!signal.aborted) {
        let failure: unknown
        isReopening = false
        try {
          await listen()
          cause = "ended"
        } catch (error) {
          if (signal.aborted) return
          if (isReopening) {
            attempt = 0
            lostAt ??= now()
            cause = "timeout"
            continue
          }
          failure = error
          if (isHubError(error) && error.status === 401) return onSignedOut()
          // The hub does not accept the position: continue from now, since lists are refetched anyway.
          if (isHubError(error) && error.status === 400) at = undefined
          cause = isHubError(error) ? error.code : "network_error"
        }
        if (signal.aborted) return
        lostAt ??= now()
        const pause = pauseOf(failure, ++attempt, random())
        // One failure is no outage: the hub may have moved the stream.
        if (attempt > 1 || now() + pause - lostAt >= graceMillis) reportOffline(now() + pause)
        isHeldBack = isTooMany(failure)
        await wait(pause, signal)
        isHeldBack = false
        if (attempt > 1) reportOffline()
      }
    }
  }
}

const whenAborted = (signal: AbortSignal): Promise<never> => {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
  aborted.catch(() => {})
  return aborted
}

/** Ends as soon as the signal aborts, even if the stream does not. */
async function* pieces(stream: ReadableStream<string>, signal: AbortSignal): AsyncGenerator<string, void> {
  const reader = stream.getReader()
  const aborted = whenAborted(signal)
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted])
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
