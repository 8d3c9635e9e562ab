/** Follows a task's events from the first to the one that ends it; a broken stream resumes at its position. */
import type { TaskEvent } from "@countersign/domain/delegated-tasks"
import { isHubError } from "@countersign/hub-client/error"
import { makeFeed } from "@countersign/hub-client/event-feed"
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { useConsole } from "../app/console-context.ts"
import { useWorkspaceId } from "../app/session.ts"
import { hubOf } from "../hub/query-options.ts"
import { touch } from "../hub/touch.ts"
import { hasEnded } from "./task-state.tsx"

export interface FollowedTask {
  readonly events: ReadonlyArray<TaskEvent>
  readonly phase: "reading" | "live" | "lost" | "ended" | "failed"
}

const eventIn = (data: string): TaskEvent | undefined => {
  try {
    return JSON.parse(data) as TaskEvent
  } catch {
    return undefined
  }
}

export const useTaskEvents = (taskId: string): FollowedTask => {
  const queries = useQueryClient()
  const workspace = useWorkspaceId()
  const { session } = useConsole()
  const [state, setState] = useState<FollowedTask>({ events: [], phase: "reading" })
  useEffect(() => {
    const ending = new AbortController()
    const known = new Set<string>()
    setState({ events: [], phase: "reading" })
    const to = (phase: FollowedTask["phase"]) => setState((before) => ({ ...before, phase }))
    const feed = makeFeed({
      open: async (options) => {
        try {
          return await hubOf(queries).stream("delegated_tasks.events", { params: { taskId }, query: {} }, {
            ...options,
            workspace
          })
        } catch (error) {
          // The hub would refuse the request again.
          if (
            isHubError(error) && error.status >= 400 && error.status < 500 && error.status !== 401 &&
            error.status !== 429
          ) {
            to("failed")
            ending.abort()
          }
          throw error
        }
      },
      onOpen: () => to("live"),
      onAlive: () => {},
      onConnection: ({ phase }) => {
        if (phase === "offline" && !ending.signal.aborted) to("lost")
      },
      onSignedOut: () => session.ended(),
      onMessage: ({ data }) => {
        const event = eventIn(data)
        if (event === undefined || known.has(event.id)) return
        known.add(event.id)
        const isOver = hasEnded(event.status)
        setState(({ events, phase }) => ({ events: [...events, event], phase: isOver ? "ended" : phase }))
        // The stream reports a change sooner than the workspace's events.
        void touch(queries, workspace, ["delegated_tasks.get"]).catch(() => {})
        if (isOver) ending.abort()
      }
    })
    void feed.run(ending.signal, undefined)
    return () => ending.abort()
  }, [queries, session, taskId, workspace])
  return state
}
