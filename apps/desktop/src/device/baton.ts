/**
 * Which way to the hub carries the commands. The socket comes first; where it does not come to stand, or is cut soon, the long poll
 * carries on while the socket is tried again. One at a time holds the baton: a socket that stands takes it, and the poll ends after what
 * is under way. Spec: desktop 4.3 "fallback"; after Buildkite's agent.
 */
import { closeCodes } from "@countersign/domain/device-protocol"
import type { Agent } from "./agent.ts"
import { isFinal, socketPause } from "./backoff.ts"
import { frameOfControl, type Link, type LinkEnd, type LinkOptions, type OpenLink, type Welcomed } from "./link.ts"
import type { Log } from "./log.ts"
import { openPoll } from "./poll.ts"
import { openSocket } from "./socket.ts"
import type { Wakes } from "./wake.ts"

/** For a socket to come to stand before the poll begins beside it. */
const patienceMillis = 3_000
/** A socket that ended before was not held. */
const soonMillis = 15_000

const ways: Readonly<Record<Via, OpenLink>> = { socket: openSocket, poll: openPoll }
export type Via = "socket" | "poll"

interface Way {
  readonly via: Via
  readonly link: Link
  /** Settles when it is welcomed, or has ended. */
  readonly settled: Promise<void>
  readonly ended: Promise<void>
  /** When it was welcomed. */
  since: number | undefined
  end: LinkEnd | undefined
  readonly stop: () => void
}

export interface Spell {
  readonly end: LinkEnd
  readonly via: Via
  /** The hub was there. */
  readonly welcomed: boolean
}

export interface BatonOptions {
  readonly link: Omit<LinkOptions, "onWelcome" | "onFrame" | "onMalformed" | "onAlive" | "signal">
  readonly agent: Pick<Agent, "attach" | "detach" | "receive" | "alive">
  readonly log: Log
  readonly wakes: Wakes
  readonly onWelcome: (welcome: Welcomed, via: Via) => void
  readonly signal: AbortSignal
}

export interface Baton {
  /** Until no way to the hub is left. */
  readonly spell: () => Promise<Spell>
  readonly beat: () => void
  /** Who carries now. */
  readonly via: () => Via | undefined
}

export const makeBaton = ({ agent, link, log, onWelcome, signal, wakes }: BatonOptions): Baton => {
  let holder: Way | undefined
  let complaint: string | undefined

  const go = (via: Via): Way => {
    const over = new AbortController()
    let settle = (): void => {}
    const settled = new Promise<void>((resolve) => {
      settle = resolve
    })
    const opened = ways[via]({
      ...link,
      signal: AbortSignal.any([signal, over.signal]),
      onFrame: agent.receive,
      onAlive: agent.alive,
      onMalformed: (problem) => log.write("malformed_frame", { via, problem }),
      onWelcome: (welcome, send) => {
        way.since = performance.now()
        holder = way
        agent.attach(send, welcome)
        onWelcome(welcome, via)
        for (const control of welcome.controls) agent.receive(frameOfControl(control))
        settle()
      }
    })
    const ended = opened.ended.then((end) => {
      way.end = end
      if (holder === way) {
        holder = undefined
        agent.detach()
      }
      settle()
    })
    const way: Way = { via, link: opened, settled, ended, since: undefined, end: undefined, stop: () => over.abort() }
    return way
  }

  /** Every ten seconds the same is no news. */
  const complain = (end: LinkEnd): void => {
    const words = JSON.stringify(end)
    if (words !== complaint) log.write("socket_failed", { ...end, instead: "poll" })
    complaint = words
  }

  const spell = async (): Promise<Spell> => {
    let poll: Way | undefined
    let welcomed = false
    const told = (way: Way): Spell => ({ end: way.end!, via: way.via, welcomed: welcomed || way.since !== undefined })
    for (;;) {
      const socket = go("socket")
      await Promise.race([
        socket.settled,
        ...poll === undefined ? [] : [poll.ended],
        wakes.pause(patienceMillis, signal)
      ])
      if (signal.aborted) {
        await Promise.all([socket.ended, poll?.ended])
        return told(socket)
      }
      if (socket.since === undefined && (socket.end === undefined || !isFinal(socket.end))) {
        poll ??= go("poll")
        await Promise.race([socket.settled, poll.ended])
      }
      if (socket.since !== undefined) {
        welcomed = true
        complaint = undefined
        poll?.link.retire()
        poll = undefined
        await socket.ended
        if (
          isFinal(socket.end!) || isRestart(socket.end!) || performance.now() - socket.since > soonMillis ||
          signal.aborted
        ) return told(socket)
        poll = go("poll")
      }
      if (socket.end !== undefined) {
        if (isFinal(socket.end)) {
          poll?.stop()
          return told(socket)
        }
        complain(socket.end)
      }
      if (poll === undefined) continue
      if (poll.end === undefined) await Promise.race([poll.ended, wakes.pause(socketPause(Math.random()), signal)])
      welcomed ||= poll.since !== undefined
      if (poll.end !== undefined) {
        socket.stop()
        return told(poll)
      }
    }
  }

  return { spell, beat: () => holder?.link.beat(), via: () => holder?.via }
}

const isRestart = (end: LinkEnd): boolean => end.kind === "closed" && end.code === closeCodes.restart
