/** Follows a command's output from its first byte to its last; a broken stream resumes at its position. */
import type { OutputChunk } from "@countersign/domain/devices"
import { isHubError } from "@countersign/hub-client/error"
import { makeFeed } from "@countersign/hub-client/event-feed"
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useState, useSyncExternalStore } from "react"
import { useConsole } from "../app/console-context.ts"
import { useWorkspaceId } from "../app/session.ts"
import { hubOf } from "../hub/query-options.ts"
import { touch } from "../hub/touch.ts"
import { makeOutputLog, type OutputLog } from "./output-log.ts"

export type OutputPhase = "reading" | "live" | "lost" | "ended" | "failed"

export interface FollowedOutput {
  readonly log: OutputLog
  readonly phase: OutputPhase
  readonly error: unknown
  /** Increases whenever there is more to render. */
  readonly version: number
}

interface Follower {
  readonly subscribe: (listener: () => void) => () => void
  readonly get: () => FollowedOutput
  readonly start: () => () => void
}

const readJson = (data: string): unknown => {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

interface FollowerOptions {
  readonly open: (options: {
    readonly lastEventId?: string | undefined
    readonly signal: AbortSignal
  }) => Promise<ReadableStream<string>>
  readonly onEnd: () => void
  readonly onSignedOut: () => void
}

const makeFollower = ({ onEnd, onSignedOut, open }: FollowerOptions): Follower => {
  const log = makeOutputLog()
  let state: FollowedOutput = { log, phase: "reading", error: null, version: 0 }
  const listeners = new Set<() => void>()
  let frame: number | undefined
  const set = (changes: Partial<FollowedOutput>) => {
    state = { ...state, ...changes, version: state.version + 1 }
    listeners.forEach((listener) => listener())
  }
  /** Renders once per frame, however much arrives. */
  const drawSoon = () => {
    frame ??= requestAnimationFrame(() => {
      frame = undefined
      set({})
    })
  }
  const start = () => {
    const ending = new AbortController()
    const feed = makeFeed({
      open: async (options) => {
        try {
          return await open(options)
        } catch (error) {
          // The hub would refuse the request again.
          if (
            isHubError(error) && error.status >= 400 && error.status < 500 && error.status !== 401 &&
            error.status !== 429
          ) {
            set({ phase: "failed", error })
            ending.abort()
          }
          throw error
        }
      },
      onOpen: () => set({ phase: "live" }),
      onAlive: () => {},
      onConnection: ({ phase }) => {
        if (phase === "offline" && state.phase !== "ended") set({ phase: "lost" })
      },
      onSignedOut,
      onMessage: ({ data, event }) => {
        const parsed = readJson(data)
        if (parsed === undefined) return
        if (event === "output") {
          log.push(parsed as OutputChunk)
          drawSoon()
        } else if (event === "command") {
          log.end((parsed as { readonly output_bytes: number }).output_bytes)
          set({ phase: "ended" })
          ending.abort()
          onEnd()
        }
      }
    })
    if (state.phase !== "ended") void feed.run(ending.signal, log.seq() < 0 ? undefined : String(log.seq()))
    return () => {
      ending.abort()
      if (frame !== undefined) cancelAnimationFrame(frame)
      frame = undefined
    }
  }
  return {
    get: () => state,
    start,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}

export const useOutput = (command: string): FollowedOutput => {
  const queries = useQueryClient()
  const workspace = useWorkspaceId()
  const { session } = useConsole()
  const [follower] = useState(() =>
    makeFollower({
      open: (options) =>
        hubOf(queries).stream("device_commands.readOutput", { params: { id: command }, query: {} }, {
          ...options,
          workspace
        }),
      // The stream reports the end sooner than the event.
      onEnd: () => void touch(queries, workspace, ["device_commands.get"]).catch(() => {}),
      onSignedOut: () => session.ended()
    })
  )
  useEffect(() => follower.start(), [follower])
  return useSyncExternalStore(follower.subscribe, follower.get)
}
