/**
 * Follows a turn's events from the first on, through reloads, outages, and pauses. A stream ends where the turn waits;
 * each later change of the session opens it again after the last event.
 */
import { isHubError } from "@countersign/hub-client/error"
import { makeFeed } from "@countersign/hub-client/event-feed"
import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { useConsole } from "../app/console-context.ts"
import { useWorkspaceId } from "../app/session.ts"
import { turnQuery } from "../hub/queries.ts"
import { hubOf } from "../hub/query-options.ts"
import { touch } from "../hub/touch.ts"
import { applyEvent, endsStream, type LiveTurn, noTurn, type TurnEvent } from "./live-turn.ts"

export interface FollowedTurn {
  readonly turn: LiveTurn
  readonly phase: "reading" | "live" | "lost" | "ended" | "failed"
}

interface Following {
  readonly queries: QueryClient
  readonly workspace: string
  readonly id: string
  readonly onEvent: (event: TurnEvent) => void
  readonly onPhase: (phase: FollowedTurn["phase"]) => void
  readonly onSignedOut: () => void
}

interface Follower {
  /** Reads on if the stream has ended. */
  readonly wake: () => void
  readonly stop: () => void
}

const eventIn = (event: string, data: string): TurnEvent | undefined => {
  try {
    return { event, data: JSON.parse(data) as unknown } as TurnEvent
  } catch {
    return undefined
  }
}

/** Another attempt would be refused as well. */
const isFinal = (error: unknown): boolean =>
  isHubError(error) && error.status >= 400 && error.status < 500 && error.status !== 401 && error.status !== 429

const startFollowing = ({ id, onEvent, onPhase, onSignedOut, queries, workspace }: Following): Follower => {
  const stopping = new AbortController()
  let last: string | undefined
  let isReading = false
  let isWoken = false
  let isOver = false

  const readOnce = async () => {
    const ending = new AbortController()
    const end = () => ending.abort()
    stopping.signal.addEventListener("abort", end)
    const feed = makeFeed({
      open: async (options) => {
        try {
          return await hubOf(queries).stream("chat.events", { params: { id }, query: {} }, { ...options, workspace })
        } catch (error) {
          if (isFinal(error)) {
            isOver = true
            onPhase("failed")
            end()
          }
          throw error
        }
      },
      onOpen: () => onPhase("live"),
      onAlive: () => {},
      onConnection: ({ phase }) => {
        if (phase === "offline" && !ending.signal.aborted) onPhase("lost")
      },
      onSignedOut,
      onMessage: (message) => {
        const event = eventIn(message.event, message.data)
        if (event === undefined) return
        if (message.id !== "") last = message.id
        onEvent(event)
        if (!endsStream(event)) return
        isOver = event.event === "done" ? event.data.reason === "end" || event.data.reason === "cancelled" : isOver
        onPhase("ended")
        end()
      }
    })
    await feed.run(ending.signal, last)
    stopping.signal.removeEventListener("abort", end)
  }

  const read = async () => {
    if (isReading) return
    isReading = true
    const before = last
    do {
      isWoken = false
      await readOnce()
    } while (isWoken && !isOver && !stopping.signal.aborted)
    isReading = false
    // Without a new event nothing changed: the end of a stream is sent again to every reader.
    if (stopping.signal.aborted || last === before) return
    // The stream reports the end sooner than the workspace's events.
    await Promise.all([
      touch(queries, workspace, ["chat.get", "chat.list", "budgets.get"]),
      queries.invalidateQueries({ queryKey: turnQuery(workspace, id).queryKey, exact: true })
    ])
  }

  const start = () => void read().catch(() => {})
  start()
  return {
    wake: () => {
      isWoken = true
      if (!isOver) start()
    },
    stop: () => stopping.abort()
  }
}

/** `changedAt` rises when the session was read again. */
export const useTurn = (id: string | undefined, changedAt: number): FollowedTurn => {
  const queries = useQueryClient()
  const workspace = useWorkspaceId()
  const { session } = useConsole()
  const follower = useRef<Follower>(undefined)
  const [state, setState] = useState<FollowedTurn & { readonly id?: string | undefined }>({
    turn: noTurn,
    phase: "reading"
  })
  useEffect(() => {
    if (id === undefined) return
    setState({ id, turn: noTurn, phase: "reading" })
    const following = startFollowing({
      queries,
      workspace,
      id,
      onEvent: (event) => setState((before) => ({ ...before, turn: applyEvent(before.turn, event) })),
      onPhase: (phase) => setState((before) => before.phase === phase ? before : { ...before, phase }),
      onSignedOut: () => session.ended()
    })
    follower.current = following
    return () => {
      follower.current = undefined
      following.stop()
    }
  }, [id, queries, session, workspace])
  useEffect(() => follower.current?.wake(), [changedAt])
  return state.id === id ? state : { turn: noTurn, phase: "reading" }
}
