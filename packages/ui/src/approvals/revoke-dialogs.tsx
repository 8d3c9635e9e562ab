/** Revokes one standing approval, or all of them. */
import { type HubError, isHubError } from "@countersign/hub-client/error"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { showToast } from "../components/toast.tsx"
import { hubOf } from "../hub/query-options.ts"
import { touch } from "../hub/touch.ts"
import { useAct } from "../hub/use-hub.ts"
import { standingText as t } from "../text/standing.ts"
import type { Standing } from "./standing-screen.tsx"

export interface RevokeDialogProps {
  readonly workspace: string
  readonly standing: Standing
  readonly agentName: string
  readonly onClose: () => void
}

export const RevokeDialog = ({ agentName, onClose, standing, workspace }: RevokeDialogProps) => {
  const operation = `${standing.service}.${standing.operation}`
  const act = useAct("standing_approvals.withdraw", {
    workspace,
    touches: ["standing_approvals"],
    done: t.revoked(operation),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={act}
      onClose={onClose}
      title={t.withdrawTitle(agentName, operation)}
      description={t.withdrawWhat}
      confirmText={t.withdraw}
      onConfirm={() => act.mutate({ params: { id: standing.id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}

/** Page size while all are revoked. */
const readAtOnce = 100
/** Maximum number of pages to revoke, so that the loop ends. */
const roundsMax = 100

/** The hub has no call for all: each one is revoked separately, and the list is read again until it is empty. */
const revokeAll = async (
  client: ReturnType<typeof hubOf>,
  workspace: string,
  agent: string | undefined,
  report: (done: number) => void
): Promise<number> => {
  let done = 0
  for (let round = 0; round < roundsMax; round++) {
    const query = { limit: readAtOnce, ...agent === undefined ? {} : { agent_id: agent } }
    const { data } = await client.call("standing_approvals.list", { query }, { workspace })
    if (data.length === 0) break
    for (const { id } of data) {
      try {
        await client.call("standing_approvals.withdraw", { params: { id } }, { workspace })
      } catch (error) {
        // Another person revoked it first.
        if (!isHubError(error) || error.status !== 404) throw error
      }
      done++
      report(done)
    }
  }
  return done
}

export interface RevokeAllDialogProps {
  readonly workspace: string
  /** Only those of this agent, as in the list. */
  readonly agent: string | undefined
  readonly onClose: () => void
}

export const RevokeAllDialog = ({ agent, onClose, workspace }: RevokeAllDialogProps) => {
  const queries = useQueryClient()
  const [done, setDone] = useState(0)
  const act = useMutation<number, HubError>({
    mutationFn: () => revokeAll(hubOf(queries), workspace, agent, setDone),
    onSettled: () => touch(queries, workspace, ["standing_approvals"]),
    onSuccess: (count) => {
      showToast({ text: t.withdrawAllDone(count) })
      onClose()
    }
  })
  return (
    <ConfirmAct
      call={act}
      onClose={onClose}
      title={t.withdrawAllTitle}
      description={t.withdrawAllWhat}
      confirmText={t.withdrawAll}
      pendingText={t.withdrawing}
      onConfirm={() => act.mutate()}
      failed={done > 0 ? t.withdrawAllPartly(done) : t.failed}
      unchanged={t.unchangedRest}
    />
  )
}
