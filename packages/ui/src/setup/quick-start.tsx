/**
 * The first three steps at once: an agent with its key, funds, and access to the built-in service Echo with approval
 * required.
 */
import { newIdempotencyKey } from "@countersign/domain/idempotency-key"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { touch } from "../hub/touch.ts"
import { useHub } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { startText } from "../text/start.ts"
import { holdKey } from "./held-key.ts"
import { chooseForStart } from "./start-kept.ts"

const fundsCents = 1_000

export const QuickStart = ({ hasFunds, onDone }: { readonly hasFunds: boolean; readonly onDone: () => void }) => {
  const { agent: agentText, quick: t, saving } = startText
  const hub = useHub()
  const queries = useQueryClient()
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  // One key for the life of the button: pressing it again after a lost answer adds the funds once.
  const [key] = useState(newIdempotencyKey)
  const run = async () => {
    setPending(true)
    setError(undefined)
    try {
      if (!hasFunds) {
        await hub.call("ledger.topUp", { payload: { amount_cents: fundsCents } }, { workspace, idempotencyKey: key })
      }
      const { api_key, id } = await hub.call("agents.create", { payload: { name: agentText.usual } }, { workspace })
      holdKey(id, api_key)
      chooseForStart(workspace, { agent: id, service: "echo" })
      await hub.call("bindings.put", {
        params: { id },
        payload: { service: "echo", operations: ["*"], approval_threshold_cents: 0 }
      }, { workspace })
      onDone()
    } catch (failure) {
      setError(failure)
    } finally {
      await touch(queries, workspace, ["ledger", "agents"])
      setPending(false)
    }
  }
  return (
    <div className="grid justify-items-start gap-16 w-full type-body">
      <p>{hasFunds ? t.whatFunded : t.what(formatMoney(fundsCents))}</p>
      <Button variant="primary" disabled={!mayAct} pending={isPending} pendingText={saving} onClick={() => void run()}>
        {t.act}
      </Button>
      {error !== undefined && <Problem inline error={error} failed={t.failed} unchanged={t.unchanged} />}
    </div>
  )
}
