/**
 * One stream of events, held up as long as it can be: dead after 45 s of silence, then again after a growing pause, for ever. It goes on
 * after the last event that it heard, so nothing is missed over a gap.
 */
import type { StreamOptions } from "../hub/client.ts"
import { type HubError, isHubError } from "../hub/error.ts"
import { backoffMillis } from "../hub/retry.ts"
import type { StreamConnection } from "./connection.ts"
import { makeEventParser, type Message } from "./event-parser.ts"

/** Three comment lines that did not come. */
export const silenceMillisMax = 45_000
/** A loss shorter than this is not told: a hub that moves its stream is not away. */
export const graceMillis = 2_000
/** A stream that lived so long was a good one: the next pause is short again. */
const goodMillis = 5_000
const askedMillisMax = 300_000

const isTooMany = (error: unknown): error is HubError => isHubError(error) && error.status === 429

export interface FeedOptions {
  readonly open: (options: StreamOptions) => Promise<ReadableStream<string>>
  /** The stream is open: lists are read again before anything that follows is told. */
  readonly onOpen: () => void
  readonly onMessage: (message: Message) => void
  /** Any piece at all: the hub lives. */
  readonly onAlive: () => void
  readonly onConnection: (connection: StreamConnection) => void
  /** 401: the session is over and the feed ends. */
  readonly onSignedOut: () => void
  /** How long to wait after so many failures in a row, the last with this error; none: the hub ended the stream. */
  readonly pauseOf?: (error: unknown, failures: number, random: number) => number
  readonly now?: () => number
  readonly random?: () => number
}

/** As the hub asks for, at most 5 min; else a growing pause. */
const pauseOfError = (error: unknown, failures: number, random: number): number =>
  Math.max(
    backoffMillis(failures - 1, random),
    isTooMany(error) ? Math.min(error.retryAfterMillis ?? 0, askedMillisMax) : 0
  )

export interface Feed {
  /** Resolves when the signal ends it, or the session is over. */
  readonly run: (signal: AbortSignal, lastEventId: string | undefined) => Promise<void>
  /** Does not wait any longer, unless the hub asked for the pause: asked again it would ask for a longer one. */
  readonly retryNow: () => void
  /**
   * The computer slept, or its network changed: a stream that stands may be dead without a word. It is ended and opened anew where it was, at
   * once; only what does not come back is told as lost.
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
  let goOn: () => void = () => {}
  let openAnew: () => void = () => {}
  let isHeldBack = false

  const wait = (millis: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener("abort", done)
        goOn = () => {}
        resolve()
      }
      const timer = setTimeout(done, millis)
      signal.addEventListener("abort", done)
      goOn = done
    })

  return {
    retryNow: () => isHeldBack || goOn(),
    wake: () => {
      openAnew()
      goOn()
    },
    run: async (signal, lastEventId) => {
      let at = lastEventId
      let attempt = 0
      let lostAt: number | undefined = now()
      let cause = ""
      let isAnew = false

      const tellOffline = (retryAt?: number) => {
        if (!signal.aborted) onConnection({ phase: "offline", since: lostAt ?? now(), retryAt, cause })
      }

      /** Until the stream ends, whatever ends it. */
      const listen = async (): Promise<void> => {
        const ending = new AbortController()
        const end = () => ending.abort(signal.reason)
        signal.addEventListener("abort", end)
        openAnew = () => {
          isAnew = true
          ending.abort(new DOMException("The stream is opened anew.", "AbortError"))
        }
        const silent = () => ending.abort(new DOMException("The hub fell silent.", "TimeoutError"))
        let watch = setTimeout(silent, silenceMillisMax)
        const grace = lostAt === undefined
          ? undefined
          : setTimeout(tellOffline, Math.max(0, lostAt + graceMillis - now()))
        try {
          const opening = open({ lastEventId: at, signal: ending.signal })
          const stream = await Promise.race([opening, whenAborted(ending.signal)]).catch((error: unknown) => {
            // What comes to stand after it was given up is nobody's.
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
          openAnew = () => {}
          clearTimeout(watch)
          clearTimeout(grace)
          signal.removeEventListener("abort", end)
        }
      }

      onConnection({ phase: "connecting" })
      while (!signal.aborted) {
        let failure: unknown
        isAnew = false
        try {
          await listen()
          cause = "ended"
        } catch (error) {
          if (signal.aborted) return
          if (isAnew) {
            attempt = 0
            lostAt ??= now()
            cause = "timeout"
            continue
          }
          failure = error
          if (isHubError(error) && error.status === 401) return onSignedOut()
          // A position that the hub does not take: from now on, and lists are read again anyway.
          if (isHubError(error) && error.status === 400) at = undefined
          cause = isHubError(error) ? error.code : "network_error"
        }
        if (signal.aborted) return
        lostAt ??= now()
        const pause = pauseOf(failure, ++attempt, random())
        // Once is no loss: the hub may have moved the stream.
        if (attempt > 1 || now() + pause - lostAt >= graceMillis) tellOffline(now() + pause)
        isHeldBack = isTooMany(failure)
        await wait(pause, signal)
        isHeldBack = false
        if (attempt > 1) tellOffline()
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

/** Ends at once when the signal does, also when the stream does not. */
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
