/** Follows a run until it ends; a broken stream resumes at its position. Each change is merged into the run's query. */
import { isHubError } from "@countersign/hub-client/error"
import { makeFeed } from "@countersign/hub-client/event-feed"
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { useConsole } from "../app/console-context.ts"
import { useWorkspaceId } from "../app/session.ts"
import { type WorkflowRun, workflowRunQuery } from "../hub/queries.ts"
import { hubOf } from "../hub/query-options.ts"
import { withChange } from "./run-rules.ts"
import { hasEnded } from "./run-state.tsx"

export type FollowedPhase = "reading" | "live" | "lost" | "ended" | "failed"

const changeIn = (data: string): WorkflowRun | undefined => {
  try {
    return JSON.parse(data) as WorkflowRun
  } catch {
    return undefined
  }
}

/** `isOpen` false: an ended run has no further events until it is repeated. */
export const useRunEvents = (runId: string, isOpen: boolean): FollowedPhase => {
  const queries = useQueryClient()
  const workspace = useWorkspaceId()
  const { session } = useConsole()
  const [phase, setPhase] = useState<FollowedPhase>("reading")
  useEffect(() => {
    if (!isOpen) return setPhase("ended")
    const ending = new AbortController()
    setPhase("reading")
    const { queryKey } = workflowRunQuery(workspace, runId)
    const feed = makeFeed({
      open: async (options) => {
        try {
          return await hubOf(queries).stream("workflow_runs.events", { params: { runId }, query: {} }, {
            ...options,
            workspace
          })
        } catch (error) {
          // The hub would refuse the request again.
          if (
            isHubError(error) && error.status >= 400 && error.status < 500 && error.status !== 401 &&
            error.status !== 429
          ) {
            setPhase("failed")
            ending.abort()
          }
          throw error
        }
      },
      onOpen: () => setPhase("live"),
      onAlive: () => {},
      onConnection: (connection) => {
        if (connection.phase === "offline" && !ending.signal.aborted) setPhase("lost")
      },
      onSignedOut: () => session.ended(),
      onMessage: ({ data }) => {
        const change = changeIn(data)
        if (change === undefined) return
        queries.setQueryData<WorkflowRun>(queryKey, (known) => withChange(known, change))
        if (!hasEnded(change.status)) return
        setPhase("ended")
        ending.abort()
      }
    })
    void feed.run(ending.signal, undefined)
    return () => ending.abort()
  }, [isOpen, queries, session, runId, workspace])
  return phase
}
