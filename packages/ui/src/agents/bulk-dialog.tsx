/**
 * Pauses or resumes several agents, one by one. It shows the affected agents before the change and each outcome after
 * it. One failure does not stop the others.
 */
import { isHubError } from "@countersign/hub-client/error"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { errorWords } from "../app/error-words.ts"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { hubOf } from "../hub/query-options.ts"
import { touch } from "../hub/touch.ts"
import { useMayAct } from "../live/connection.ts"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { agentsText as texts } from "../text/agents.ts"
import { errorText as errors } from "../text/errors.ts"
import type { Agent } from "./agent-columns.tsx"
import styles from "./bulk-dialog.module.css"
import { type BulkOutcome, type BulkStatus, changesTo } from "./bulk.ts"

export interface BulkDialogProps {
  readonly agents: ReadonlyArray<Agent>
  readonly to: BulkStatus
  readonly onClose: () => void
  /** Agents without a problem; they leave the selection. */
  readonly onDone: (ids: ReadonlyArray<string>) => void
}

const BulkDialog = ({ agents, onClose, onDone, to }: BulkDialogProps) => {
  const t = texts.bulk
  const words = t[to]
  const queries = useQueryClient()
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, BulkOutcome>>(new Map())
  const changing = agents.filter((agent) => changesTo(agent, to))

  const change = async ({ id, version }: Agent): Promise<BulkOutcome> => {
    try {
      await hubOf(queries).call(
        "agents.update",
        { params: { id }, payload: { status: to, expected_version: version } },
        { workspace }
      )
      return { kind: "done" }
    } catch (cause) {
      if (isHubError(cause) && cause.code === "version_conflict") return { kind: "changed" }
      return { kind: "failed", message: errorWords(errors, cause) }
    }
  }
  const run = useMutation({
    mutationFn: async () => {
      const done = agents.filter((agent) => !changesTo(agent, to)).map(({ id }) => id as string)
      for (const agent of changing) {
        const outcome = await change(agent)
        setOutcomes((before) => new Map([...before, [agent.id as string, outcome]]))
        if (outcome.kind === "done") done.push(agent.id)
      }
      onDone(done)
    },
    onSettled: () => touch(queries, workspace, ["agents", "approvals"])
  })
  const isDone = run.isSuccess
  const failed = [...outcomes.values()].filter(({ kind }) => kind !== "done").length
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      held={run.isPending}
      title={words.title(changing.length)}
      description={words.what}
      closeText={acts.close}
      footer={isDone
        ? <Button variant="primary" onClick={onClose}>{t.close}</Button>
        : (
          <>
            <Button onClick={onClose} disabled={run.isPending}>{acts.cancel}</Button>
            <Button
              variant="primary"
              disabled={!mayAct || changing.length === 0}
              pending={run.isPending}
              pendingText={acts.asking}
              onClick={() => run.mutate()}
            >
              {words.confirm(changing.length)}
            </Button>
          </>
        )}
    >
      {isDone && <p role="status" className="mb-12 type-body">{words.done(outcomes.size - failed, failed)}</p>}
      <ul className="grid" aria-label={t.list}>
        {agents.map((agent) => (
          <li key={agent.id} className={styles.agent}>
            <span className="min-w-0 wrap-anywhere">{agent.name}</span>
            <Outcome
              outcome={outcomes.get(agent.id)}
              isChanging={changesTo(agent, to)}
              status={texts.status[agent.status]}
              to={to}
            />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

interface OutcomeProps {
  readonly outcome: BulkOutcome | undefined
  readonly isChanging: boolean
  /** Its previous status, in words. */
  readonly status: string
  readonly to: BulkStatus
}

const Outcome = ({ isChanging, outcome, status, to }: OutcomeProps) => {
  const t = texts.bulk
  if (!isChanging) return <span className="text-3">{t.stays(status)}</span>
  if (outcome === undefined) return <span className="text-3">{status}</span>
  if (outcome.kind === "done") return <StatusBadge status="executed">{t[to].one}</StatusBadge>
  return (
    <span className="inline-flex flex-wrap items-center gap-8 type-note">
      <StatusBadge status="failed">{t[to].not}</StatusBadge>
      <span>{outcome.kind === "changed" ? t.changed : outcome.message}</span>
    </span>
  )
}

export default BulkDialog
