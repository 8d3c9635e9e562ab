/**
 * Selects the transport that carries the commands. It tries the socket first; if the socket does not open, or closes
 * soon, the long poll takes over while the socket is retried. Only one transport is active: when the socket opens it
 * becomes active, and the poll ends after its requests in flight. Spec: reference/devices.md "Agent reconnects".
 */
import { closeCodes } from "@countersign/domain/device-protocol"
import type { Agent } from "./agent.ts"
import { isFinal, socketPause } from "./backoff.ts"
import { frameOfControl, type Link, type LinkEnd, type LinkOptions, type OpenLink, type Welcomed } from "./link.ts"
import type { Log } from "./log.ts"
import { openPoll } from "./poll.ts"
import { openSocket } from "./socket.ts"
import type { Wakes } from "./wake.ts"

/** Time for the socket to open before the poll starts in parallel. */
const socketWaitMillis = 3_000
/** A socket that closes earlier counts as failed. */
const earlyCloseMillis = 15_000

const openers: Readonly<Record<Via, OpenLink>> = { socket: openSocket, poll: openPoll }
export type Via = "socket" | "poll"

interface Transport {
  readonly via: Via
  readonly link: Link
  /** Settles when the hub accepts the connection or the connection ends. */
  readonly settled: Promise<void>
  readonly ended: Promise<void>
  /** When the hub accepted it; monotonic. */
  since: number | undefined
  end: LinkEnd | undefined
  readonly stop: () => void
}

export interface Disconnection {
  readonly end: LinkEnd
  readonly via: Via
  /** The hub accepted at least one connection. */
  readonly welcomed: boolean
}

export interface TransportsOptions {
  readonly link: Omit<LinkOptions, "onWelcome" | "onFrame" | "onMalformed" | "onAlive" | "signal">
  readonly agent: Pick<Agent, "attach" | "detach" | "receive" | "alive">
  readonly log: Log
  readonly wakes: Wakes
  readonly onWelcome: (welcome: Welcomed, via: Via) => void
  readonly signal: AbortSignal
}

export interface Transports {
  /** Settles when no transport can reach the hub. */
  readonly untilDisconnected: () => Promise<Disconnection>
  readonly beat: () => void
  /** The active transport. */
  readonly via: () => Via | undefined
}

export const makeTransports = ({ agent, link, log, onWelcome, signal, wakes }: TransportsOptions): Transports => {
  let active: Transport | undefined
  let lastFailure: string | undefined

  const start = (via: Via): Transport => {
    const over = new AbortController()
    let settle = (): void => {}
    const settled = new Promise<void>((resolve) => {
      settle = resolve
    })
    const opened = openers[via]({
      ...link,
      signal: AbortSignal.any([signal, over.signal]),
      onFrame: agent.receive,
      onAlive: agent.alive,
      onMalformed: (problem) => log.write("malformed_frame", { via, problem }),
      onWelcome: (welcome, send) => {
        transport.since = performance.now()
        active = transport
        agent.attach(send, welcome)
        onWelcome(welcome, via)
        for (const control of welcome.controls) agent.receive(frameOfControl(control))
        settle()
      }
    })
    const ended = opened.ended.then((end) => {
      transport.end = end
      if (active === transport) {
        active = undefined
        agent.detach()
      }
      settle()
    })
    const transport: Transport = {
      via,
      link: opened,
      settled,
      ended,
      since: undefined,
      end: undefined,
      stop: () => over.abort()
    }
    return transport
  }

  /** Logs a reason only once in a row; retries happen every ten seconds. */
  const logFailure = (end: LinkEnd): void => {
    const failure = JSON.stringify(end)
    if (failure !== lastFailure) log.write("socket_failed", { ...end, instead: "poll" })
    lastFailure = failure
  }

  const untilDisconnected = async (): Promise<Disconnection> => {
    let poll: Transport | undefined
    let welcomed = false
    const disconnection = (transport: Transport): Disconnection => ({
      end: transport.end!,
      via: transport.via,
      welcomed: welcomed || transport.since !== undefined
    })
    for (;;) {
      const socket = start("socket")
      await Promise.race([
        socket.settled,
        ...poll === undefined ? [] : [poll.ended],
        wakes.pause(socketWaitMillis, signal)
      ])
      if (signal.aborted) {
        await Promise.all([socket.ended, poll?.ended])
        return disconnection(socket)
      }
      if (socket.since === undefined && (socket.end === undefined || !isFinal(socket.end))) {
        poll ??= start("poll")
        await Promise.race([socket.settled, poll.ended])
      }
      if (socket.since !== undefined) {
        welcomed = true
        lastFailure = undefined
        poll?.link.retire()
        poll = undefined
        await socket.ended
        if (
          isFinal(socket.end!) || isRestart(socket.end!) || performance.now() - socket.since > earlyCloseMillis ||
          signal.aborted
        ) return disconnection(socket)
        poll = start("poll")
      }
      if (socket.end !== undefined) {
        if (isFinal(socket.end)) {
          poll?.stop()
          return disconnection(socket)
        }
        logFailure(socket.end)
      }
      if (poll === undefined) continue
      if (poll.end === undefined) await Promise.race([poll.ended, wakes.pause(socketPause(Math.random()), signal)])
      welcomed ||= poll.since !== undefined
      if (poll.end !== undefined) {
        socket.stop()
        return disconnection(poll)
      }
    }
  }

  return { untilDisconnected, beat: () => active?.link.beat(), via: () => active?.via }
}

const isRestart = (end: LinkEnd): boolean => end.kind === "closed" && end.code === closeCodes.restart
