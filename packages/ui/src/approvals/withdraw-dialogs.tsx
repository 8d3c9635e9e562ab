/** Ends one standing approval, or all of them. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Problem } from "../app/problem.tsx"
import { ConfirmDialog } from "../components/confirm-dialog.tsx"
import { showToast } from "../components/toast.tsx"
import { type HubError, isHubError } from "../hub/error.ts"
import { hubOf } from "../hub/queries.ts"
import { touch } from "../hub/touch.ts"
import { useAct } from "../hub/use-hub.ts"
import { actText } from "../text/acts.ts"
import { standingText } from "../text/approvals.ts"
import { useText } from "../text/catalogue.ts"
import type { Standing } from "./standing-screen.tsx"

export interface WithdrawDialogProps {
  readonly workspace: string
  readonly standing: Standing
  readonly agentName: string
  readonly onClose: () => void
}

export const WithdrawDialog = ({ agentName, onClose, standing, workspace }: WithdrawDialogProps) => {
  const t = useText(standingText)
  const acts = useText(actText)
  const operation = `${standing.service}.${standing.operation}`
  const act = useAct("standing_approvals.withdraw", {
    workspace,
    touches: ["standing_approvals"],
    onDone: () => {
      showToast({ text: t.withdrawn(operation) })
      onClose()
    }
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t.withdrawTitle(agentName, operation)}
      description={t.withdrawWhat}
      confirmText={t.withdraw}
      cancelText={acts.cancel}
      danger
      pending={act.isPending}
      pendingText={acts.asking}
      onConfirm={() => act.mutate({ params: { id: standing.id } })}
      error={act.error !== null && <Problem inline error={act.error} failed={t.failed} unchanged={t.unchanged} />}
    />
  )
}

/** Read of one page while all are withdrawn. */
const readAtOnce = 100
/** Rounds after which it gives up on a list that does not end. */
const roundsMax = 100

/** The hub has no call for all: each is withdrawn for itself, and the list read again until it holds none. */
const withdrawAll = async (
  client: ReturnType<typeof hubOf>,
  workspace: string,
  agent: string | undefined,
  tell: (done: number) => void
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
        // Somebody else was first.
        if (!isHubError(error) || error.status !== 404) throw error
      }
      done++
      tell(done)
    }
  }
  return done
}

export interface WithdrawAllDialogProps {
  readonly workspace: string
  /** Only those of one agent, as the list shows them. */
  readonly agent: string | undefined
  readonly onClose: () => void
}

export const WithdrawAllDialog = ({ agent, onClose, workspace }: WithdrawAllDialogProps) => {
  const t = useText(standingText)
  const acts = useText(actText)
  const queries = useQueryClient()
  const [done, setDone] = useState(0)
  const act = useMutation<number, HubError>({
    mutationFn: () => withdrawAll(hubOf(queries), workspace, agent, setDone),
    onSettled: () => touch(queries, workspace, ["standing_approvals"]),
    onSuccess: (count) => {
      showToast({ text: t.withdrawAllDone(count) })
      onClose()
    }
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t.withdrawAllTitle}
      description={t.withdrawAllWhat}
      confirmText={t.withdrawAll}
      cancelText={acts.cancel}
      danger
      pending={act.isPending}
      pendingText={t.withdrawing}
      onConfirm={() => act.mutate()}
      error={act.error !== null && (
        <Problem
          inline
          error={act.error}
          failed={done > 0 ? t.withdrawAllPartly(done) : t.failed}
          unchanged={t.unchangedRest}
        />
      )}
    />
  )
}
